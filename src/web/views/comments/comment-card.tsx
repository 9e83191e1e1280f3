import { Check, Ellipsis, Pencil, RotateCcw, Trash2 } from '../../ui/icons.ts';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { isResolved, useDeleteComment, useUpdateComment } from '../../api/comments.ts';
import type { CommentRow } from '../../api/comments.ts';
import { authorOf } from '../../rest/author.ts';
import { commentKey, draftStorage } from '../../drafts/draft-store.ts';
import type { StoredComment } from '../../drafts/draft-store.ts';
import { AuthorIcon } from '../../ui/activity.tsx';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Ago } from '../../ui/time.tsx';
import styles from './comments.module.css';
import { Composer } from './composer.tsx';
import { SafeHtml } from './safe-html.tsx';

export interface CommentCardProps {
  readonly projectId: string;
  readonly comment: CommentRow;
  readonly chosen: boolean;
  readonly mark: string | undefined;
  readonly onShow: ((comment: CommentRow) => void) | undefined;
  readonly found: boolean;
}

/** One comment with its actions. */
export function CommentCard({ projectId, comment, chosen, mark, onShow, found }: CommentCardProps): ReactElement {
  const [editing, setEditing] = useState(false);
  const update = useUpdateComment();
  const card = useRef<HTMLLIElement>(null);
  const resolved = isResolved(comment);
  useEffect(() => {
    if (chosen) card.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const setResolved = (next: boolean): void =>
    update.mutate({ comment_id: comment.id, project_id: projectId, resolved: next });
  return (
    <li
      ref={card}
      data-comment={comment.id}
      className={classes(styles['card'], chosen && styles['chosen'], resolved && styles['resolved'])}
      aria-current={chosen ? 'true' : undefined}
    >
      <div className={styles['cardHead']}>
        {mark === undefined ? <AuthorIcon author={comment.author} /> : <span className={styles['mark']}>{mark}</span>}
        <strong>{authorOf(comment.author).name}</strong>
        <span className={styles['when']}>
          <Ago time={comment.created_at} />
        </span>
        {resolved ? <Badge tone="good">Resolved</Badge> : null}
        <span className={styles['space']} />
        <IconButton
          small
          label={resolved ? 'Reopen' : 'Resolve'}
          icon={resolved ? <RotateCcw size={14} /> : <Check size={14} />}
          onClick={() => setResolved(!resolved)}
        />
        <CardMenu projectId={projectId} comment={comment} onEdit={() => setEditing(true)} />
      </div>
      <Place comment={comment} onShow={onShow} found={found} />
      {editing ? (
        <Composer
          projectId={projectId}
          label="Comment"
          action="Save"
          begin={comment.body}
          draft={draftOf(projectId, comment)}
          autoFocus
          busy={update.isPending}
          onCancel={() => {
            draftStorage.removeItem(commentKey(draftOf(projectId, comment)));
            setEditing(false);
          }}
          onSend={async (body) => {
            await update.mutateAsync({ comment_id: comment.id, project_id: projectId, body });
            setEditing(false);
          }}
        />
      ) : (
        <SafeHtml className={styles['body']} html={comment.body} projectId={projectId} />
      )}
    </li>
  );
}

function draftOf(projectId: string, { id, target_type, target_id }: CommentRow): Omit<StoredComment, 'html'> {
  return { projectId, targetType: target_type, targetId: target_id, commentId: id };
}

/** The passage of the comment, as a link to it. */
function Place({
  comment,
  onShow,
  found,
}: Pick<CommentCardProps, 'comment' | 'onShow' | 'found'>): ReactElement | null {
  const { passage } = comment;
  if (passage == null) return null;
  if (onShow === undefined || !found)
    return (
      <blockquote className={classes(styles['passage'], !found && styles['lost'])}>
        {passage}
        {found ? null : <span className={styles['lostNote']}>This text does not exist any more.</span>}
      </blockquote>
    );
  return (
    <button
      type="button"
      className={classes(styles['passage'], styles['passageButton'])}
      aria-label={`Show “${passage.slice(0, 80)}” in the text`}
      onClick={() => onShow(comment)}
    >
      {passage}
    </button>
  );
}

function CardMenu({
  projectId,
  comment,
  onEdit,
}: {
  readonly projectId: string;
  readonly comment: CommentRow;
  readonly onEdit: () => void;
}): ReactElement {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useDeleteComment();
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton small label="More about this comment" icon={<Ellipsis size={14} />} />}
        items={[
          { label: 'Edit', icon: <Pencil size={14} />, onSelect: onEdit },
          { label: 'Delete…', icon: <Trash2 size={14} />, danger: true, onSelect: () => setConfirming(true) },
        ]}
      />
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Delete this comment?"
        about="It cannot be restored. To keep it and remove it from the list, resolve it."
        action="Delete"
        onConfirm={() => remove.mutate({ comment_id: comment.id, project_id: projectId })}
      />
    </>
  );
}
