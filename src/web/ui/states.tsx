import { CircleAlert, WifiOff } from './icons.ts';
import type { ReactElement, ReactNode } from 'react';
import type { ServiceError } from '../rest/client.ts';
import { Button } from './button.tsx';
import { classes } from './class-names.ts';
import type { Icon } from './icon.tsx';
import styles from './ui.module.css';

export interface EmptyProps {
  readonly icon?: Icon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** True if it is all that the page shows. */
  readonly isPage?: boolean;
}

/** The empty state of a view, with actions that add something. */
export function Empty({ icon: Image, title, children, actions, isPage = false }: EmptyProps): ReactElement {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={styles['empty']}>
      {Image === undefined ? null : <Image size={28} aria-hidden />}
      <Heading>{title}</Heading>
      {children === undefined ? null : <p>{children}</p>}
      {actions === undefined ? null : <div>{actions}</div>}
    </div>
  );
}

/** A sentence in place of rows that are not there. */
export function None({ children }: { readonly children: ReactNode }): ReactElement {
  return <p className={styles['none']}>{children}</p>;
}

/** The error state, with the service's message. */
export function Failed({
  error,
  onRetry,
  isPage = false,
}: {
  readonly error: ServiceError;
  readonly onRetry?: () => void;
  /** True if it is all that the page shows. */
  readonly isPage?: boolean;
}): ReactElement {
  const offline = error.code === 'offline';
  return (
    <div role="alert">
      <Empty
        icon={offline ? WifiOff : CircleAlert}
        title={
          offline
            ? 'The service does not respond'
            : error.code === 'not_found'
              ? 'There is nothing here'
              : 'This could not be read'
        }
        isPage={isPage}
        {...(onRetry === undefined ? {} : { actions: <Button onClick={onRetry}>Try again</Button> })}
      >
        {offline ? 'The page retries every few seconds; nothing you wrote is lost.' : error.message}
      </Empty>
    </div>
  );
}

/** The look of a view before its data is there: the number of its parts. */
const shapes = { text: 3, rows: 8, cards: 4, columns: 5, split: 2, panel: 8 } as const;
export type View = keyof typeof shapes;

/** The place of data that is loading, about as large as what will be there. */
export function Skeleton({
  view = 'text',
  parts = shapes[view],
}: {
  readonly view?: View;
  readonly parts?: number;
}): ReactElement {
  return (
    <div className={classes(styles['bones'], styles[view])} role="status" aria-label="Loading">
      {Array.from({ length: parts }, (_, at) => (
        <span key={at} className={styles['skeleton']} />
      ))}
    </div>
  );
}

/** A line that is not known yet, as high as the text that takes its place. `width`: in CSS. */
export function UnknownLine({ width = '50%' }: { readonly width?: string }): ReactElement {
  return (
    <span className={styles['unknown']} role="status" aria-label="Loading">
      <span className={styles['skeleton']} style={{ width }} />
    </span>
  );
}

/**
 * Parts of a view above each other are shown once all of them are known: none moves another. A part that failed shows
 * its error in its place.
 */
export function Together({
  of,
  view = 'text',
  children,
}: {
  readonly of: readonly { readonly data: unknown; readonly error: unknown }[];
  readonly view?: View;
  readonly children: ReactNode;
}): ReactElement {
  return of.every(({ data, error }) => data !== undefined || error !== null) ? (
    <>{children}</>
  ) : (
    <Skeleton view={view} />
  );
}

/** The state of a query: the result, a placeholder while loading, or the error. A previous result remains visible during a refetch. */
export function Loaded<T>({
  of: { data, error, refetch },
  children,
  view = 'text',
  parts,
}: {
  readonly of: { readonly data: T | undefined; readonly error: ServiceError | null; readonly refetch: () => unknown };
  readonly children: (value: T) => ReactNode;
  readonly view?: View;
  readonly parts?: number;
}): ReactElement {
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <Skeleton view={view} {...(parts === undefined ? {} : { parts })} />;
}
