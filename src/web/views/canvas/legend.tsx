import type { ReactElement } from 'react';
import { classes } from '../../ui/class-names.ts';
import styles from './canvas.module.css';
import { lineMeanings } from './model/line-meanings.ts';

export interface LegendProps {
  readonly hasLoose: boolean;
  readonly hasPath: boolean;
  /** The colours of the cards, if they mean something else than the status. */
  readonly tones: readonly { readonly name: string; readonly tone: string }[];
}

/** The meanings of lines and colours. */
export function Legend({ hasLoose, hasPath, tones }: LegendProps): ReactElement {
  return (
    <ul aria-label="Legend" className={styles['legend']}>
      <li>
        <Sample kind="plain" /> {lineMeanings.plain}
      </li>
      {hasPath ? (
        <li>
          <Sample kind="critical" line={styles['onPath']} /> {lineMeanings.onPath}
        </li>
      ) : null}
      {hasLoose ? (
        <li>
          <Sample kind="plain" line={styles['unordered']} /> {lineMeanings.unordered}
        </li>
      ) : null}
      {tones.map(({ name, tone }) => (
        <li key={name}>
          <span className={styles['swatch']} style={{ background: tone }} /> {name}
        </li>
      ))}
    </ul>
  );
}

function Sample({ kind, line }: { readonly kind: string; readonly line?: string | undefined }): ReactElement {
  return (
    <svg width="30" height="10" aria-hidden>
      <path
        d="M1 5 H28"
        fill="none"
        className={classes(styles['edge'], line)}
        markerEnd={`url(#canvas-arrow-${kind})`}
      />
    </svg>
  );
}
