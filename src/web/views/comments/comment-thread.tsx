import { useState } from 'react';
import type { ReactElement } from 'react';
import { isResolved, useAddComment, useComments } from '../../api/comments.ts';
import type { About, CommentRow, Said } from '../../api/comments.ts';
import { Button } from '../../ui/button.tsx';
import { Answered, Loading } from '../../ui/states.tsx';
import { CommentCard } from './comment-card.tsx';
import styles from './comments.module.css';
import { Composer } from './composer.tsx';

/** The place that a comment about to be written is about. */
export type Place = Pick<Said, 'passage' | 'anchor'>;

export interface CommentThreadProps extends About {
  /** A place that was chosen to be commented on: the next comment is about it. */
  readonly place?: Place | undefined;
  readonly onPlaceDone?: (() => void) | undefined;
  /** Shows the place that a comment is about. */
  readonly onShow?: ((comment: CommentRow) => void) | undefined;
  /** Whether that place is still there. */
  readonly isFound?: ((comment: CommentRow) => boolean) | undefined;
  /** The comment whose place was pointed at. */
  readonly chosen?: string | undefined;
  /** How the place of a comment is called beside it: a pin's number, say. */
  readonly markOf?: ((comment: CommentRow) => string | undefined) | undefined;
}

/** What is said about one thing, and a way to say more. Heavy by its composer: load it lazily. */
export function CommentThread(props: CommentThreadProps): ReactElement {
  const { projectId, targetType, targetId, place, onPlaceDone, onShow, isFound, chosen, markOf } = props;
  const about = { projectId, targetType, targetId };
  const comments = useComments(about);
  const { add, isPending } = useAddComment(about);
  const [withResolved, setWithResolved] = useState(false);
  return (
    <section className={styles['thread']} aria-label="Comments">
      <Answered of={comments} loading={<Loading lines={2} />}>
        {(all) => {
          const resolved = all.filter(isResolved).length;
          const shown = withResolved ? all : all.filter((one) => !isResolved(one) || one.id === chosen);
          return (
            <>
              {shown.length === 0 ? (
                <p className={styles['none']}>{resolved === 0 ? 'No comments yet.' : 'No open comments.'}</p>
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
      </Answered>
      <Composer
        // A place that was just chosen brings the composer to it.
        key={`${targetId} ${place === undefined ? 'all' : 'place'}`}
        projectId={projectId}
        label="Comment"
        action="Comment"
        draftKey={`planner.comment.${targetType}.${targetId}`}
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

/** The text that a comment is about. */
export function Passage({ text }: { readonly text: string }): ReactElement {
  return <blockquote className={styles['passage']}>{text}</blockquote>;
}
