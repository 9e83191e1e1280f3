import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { Loading } from '../../ui/states.tsx';
import type { CommentThreadProps } from './comment-thread.tsx';

const Thread = lazy(async () => ({ default: (await import('./comment-thread.tsx')).CommentThread }));

/** Comments, loaded when they are first shown. */
export function LazyCommentThread(props: CommentThreadProps): ReactElement {
  return (
    <Suspense fallback={<Loading lines={2} />}>
      <Thread {...props} />
    </Suspense>
  );
}
