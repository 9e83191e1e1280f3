import { BaseEdge, EdgeLabelRenderer } from '@xyflow/react';
import type { EdgeProps } from '@xyflow/react';
import { createContext, memo, use } from 'react';
import type { ReactElement } from 'react';
import { classes } from '../../ui/class-names.ts';
import { useCanvasActions } from './canvas-actions.ts';
import type { FlowEdge } from './model/canvas-store.ts';
import styles from './canvas.module.css';
import { Obstacles } from './model/obstacles.ts';
import { arrowEnds, routeOf } from './model/route.ts';

/** The cards that lines go round. */
export const ObstacleContext = createContext(new Obstacles(() => []));

const farSize = 22;
const arrowKinds = (['plain', 'critical', 'chosen'] as const).flatMap((kind) =>
  [9, farSize].map((size) => [kind, size] as const),
);

/** The arrow markers of edges, defined once and referenced by edges. */
export function Arrows(): ReactElement {
  return (
    <svg className={styles['defs']} aria-hidden>
      <defs>
        {arrowKinds.map(([kind, size]) => (
          <marker
            key={`${kind}-${size}`}
            id={`canvas-arrow-${kind}${size === farSize ? '-far' : ''}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth={size}
            markerHeight={size}
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
            className={styles[`arrow-${kind}`]}
          >
            <path d="M0.5 1 L9.5 5 L0.5 9 z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}

const LinkLine = memo(function Line(props: EdgeProps<FlowEdge>): ReactElement | null {
  const { id, data, selected = false } = props;
  const { isFar, showCritical } = useCanvasActions();
  if (data === undefined) return null;
  const { orders, critical, label } = data.link;
  const { path, labelX: x, labelY: y } = routeOf(props, use(ObstacleContext));
  const onPath = showCritical && critical;
  const arrow = `url(#canvas-arrow-${selected ? 'chosen' : onPath ? 'critical' : 'plain'}${isFar ? '-far' : ''})`;
  const { atStart, atEnd } = arrowEnds(data.link);
  return (
    <>
      <BaseEdge
        path={path}
        interactionWidth={18}
        className={classes(
          styles['edge'],
          !orders && styles['unordered'],
          onPath && styles['onPath'],
          selected && styles['chosen'],
        )}
        {...(atEnd ? { markerEnd: arrow } : {})}
        {...(atStart ? { markerStart: arrow } : {})}
      />
      {isFar || label === undefined ? null : <LinkLabel {...{ id, label, orders, selected, x, y }} lit={data.lit} />}
    </>
  );
});

interface LinkLabelProps {
  readonly id: string;
  readonly label: string;
  readonly orders: boolean;
  readonly selected: boolean;
  readonly lit: boolean;
  readonly x: number;
  readonly y: number;
}

function LinkLabel({ id, label, orders, selected, lit, x, y }: LinkLabelProps): ReactElement {
  const { editEdge } = useCanvasActions();
  return (
    <EdgeLabelRenderer>
      <span
        className={classes(
          'nodrag',
          'nopan',
          styles['edgeLabel'],
          orders && styles['ordering'],
          lit && styles['lit'],
          selected && styles['chosen'],
        )}
        dir="auto"
        title={orders ? `${label}: orders the work` : label}
        data-orders={orders ? '' : undefined}
        style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
        onDoubleClick={() => editEdge(id)}
      >
        {label}
        {orders ? <span className="visually-hidden"> (orders the work)</span> : null}
      </span>
    </EdgeLabelRenderer>
  );
}

export const edgeTypes = { link: LinkLine };
