import { later } from '../../loading/later.tsx';
import { Skeleton } from '../../ui/states.tsx';
import type { CommentThreadProps } from './comment-thread.tsx';

/** Comments, loaded when they are first shown. */
export const LazyCommentThread = later<CommentThreadProps>(
  async () => (await import('./comment-thread.tsx')).CommentThread,
  () => <Skeleton parts={2} />,
);
