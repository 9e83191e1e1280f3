import { CircleAlert, WifiOff } from './icons.ts';
import type { ReactElement, ReactNode } from 'react';
import type { ServiceError } from '../api/client.ts';
import { Button } from './button.tsx';
import styles from './ui.module.css';

export interface EmptyProps {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** The empty state of a view, with actions that add something. */
export function Empty({ icon, title, children, actions }: EmptyProps): ReactElement {
  return (
    <div className={styles['empty']}>
      {icon}
      <h2>{title}</h2>
      {children === undefined ? null : <p>{children}</p>}
      {actions === undefined ? null : <div>{actions}</div>}
    </div>
  );
}

/** The error state, with the service's message. */
export function Failed({
  error,
  onRetry,
}: {
  readonly error: ServiceError;
  readonly onRetry?: () => void;
}): ReactElement {
  const offline = error.code === 'offline';
  return (
    <div role="alert">
      <Empty
        icon={offline ? <WifiOff size={28} aria-hidden /> : <CircleAlert size={28} aria-hidden />}
        title={
          offline
            ? 'The service does not respond'
            : error.code === 'not_found'
              ? 'There is nothing here'
              : 'This could not be read'
        }
        {...(onRetry === undefined ? {} : { actions: <Button onClick={onRetry}>Try again</Button> })}
      >
        {offline ? 'The page retries every few seconds; nothing you wrote is lost.' : error.message}
      </Empty>
    </div>
  );
}

/** Placeholders for text that is loading. */
export function Loading({ lines = 5 }: { readonly lines?: number }): ReactElement {
  return (
    <div className={styles['loading']} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} className={styles['skeleton']} style={{ width: `${92 - ((at * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** The state of a query: the result, a placeholder while loading, or the error. A previous result remains visible during a refetch. */
export function Loaded<T>({
  of: { data, error, refetch },
  children,
  loading,
}: {
  readonly of: { readonly data: T | undefined; readonly error: ServiceError | null; readonly refetch: () => unknown };
  readonly children: (value: T) => ReactNode;
  readonly loading?: ReactNode;
}): ReactElement {
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return <>{loading ?? <Loading />}</>;
}
