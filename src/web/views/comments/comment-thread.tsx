import { useState } from 'react';
import type { ReactElement } from 'react';
import { isResolved, useAddComment, useComments } from '../../api/comments.ts';
import type { About, CommentRow, NewComment } from '../../api/comments.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded, None } from '../../ui/states.tsx';
import { CommentCard } from './comment-card.tsx';
import styles from './comments.module.css';
import { Composer } from './composer.tsx';

/** The anchor of a new comment. */
export type Place = Pick<NewComment, 'passage' | 'anchor'>;

export interface CommentThreadProps extends About {
  /** The selected anchor of the next comment. */
  readonly place?: Place | undefined;
  readonly onPlaceDone?: (() => void) | undefined;
  /** Scrolls to a comment's passage. */
  readonly onShow?: ((comment: CommentRow) => void) | undefined;
  /** Returns whether the passage of a comment still exists. */
  readonly isFound?: ((comment: CommentRow) => boolean) | undefined;
  /** The comment whose passage was clicked. */
  readonly chosen?: string | undefined;
  /** The label of a comment's anchor, such as a pin's number. */
  readonly markOf?: ((comment: CommentRow) => string | undefined) | undefined;
}

/** The comments of one target, with a composer. Large because of the composer: load it lazily. */
export function CommentThread(props: CommentThreadProps): ReactElement {
  const { projectId, targetType, targetId, place, onPlaceDone, onShow, isFound, chosen, markOf } = props;
  const about = { projectId, targetType, targetId };
  const comments = useComments(about);
  const { add, isPending } = useAddComment(about);
  const [withResolved, setWithResolved] = useState(false);
  return (
    <section className={styles['thread']} aria-label="Comments">
      <Loaded of={comments} parts={2}>
        {(all) => {
          const resolved = all.filter(isResolved).length;
          const shown = withResolved ? all : all.filter((one) => !isResolved(one) || one.id === chosen);
          return (
            <>
              {shown.length === 0 ? (
                <None>{resolved === 0 ? 'No comments yet.' : 'No open comments.'}</None>
              ) : (
                <ul className={styles['list']}>
                  {shown.map((comment) => (
                    <CommentCard
                      key={comment.id}
                      projectId={projectId}
                      comment={comment}
                      chosen={comment.id === chosen}
                      mark={markOf?.(comment)}
                      onShow={onShow}
                      found={isFound?.(comment) ?? true}
                    />
                  ))}
                </ul>
              )}
              {resolved === 0 ? null : (
                <Button small look="ghost" aria-pressed={withResolved} onClick={() => setWithResolved(!withResolved)}>
                  {withResolved ? 'Hide resolved' : `Show ${resolved} resolved`}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
      <Composer
        // A new anchor resets the composer.
        key={`${targetId} ${place === undefined ? 'all' : 'place'}`}
        projectId={projectId}
        label="Comment"
        action="Comment"
        draft={{ ...about, place }}
        autoFocus={place !== undefined}
        busy={isPending}
        head={place === undefined ? null : <Passage text={place.passage ?? 'A place in it'} />}
        {...(place === undefined ? {} : { onCancel: onPlaceDone })}
        onSend={async (body) => {
          await add({ body, ...place });
          onPlaceDone?.();
        }}
      />
    </section>
  );
}

/** The passage of a comment. */
function Passage({ text }: { readonly text: string }): ReactElement {
  return <blockquote className={styles['passage']}>{text}</blockquote>;
}
