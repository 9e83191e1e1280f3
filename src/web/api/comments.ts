import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import type { CommentAnchor, CommentTarget } from '../rest/types.ts';
import { patchRow, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, Input, ServiceError } from '../rest/client.ts';

export type CommentRow = Answer<'list_comments'>['comments'][number];
export type { CommentTarget };

/** The target of a comment. */
export interface About {
  readonly projectId: string;
  readonly targetType: CommentTarget;
  readonly targetId: string;
}

/** The comments of one target, including resolved ones, oldest first. */
export function useComments({
  projectId: project_id,
  targetType: target_type,
  targetId: target_id,
}: About): UseQueryResult<readonly CommentRow[], ServiceError> {
  return useRows('list_comments', 'comments', { project_id, target_type, target_id, include_resolved: true });
}

/** The body of a new comment, and its anchor. */
export interface NewComment {
  readonly body: string;
  readonly passage?: string | null;
  readonly anchor?: CommentAnchor;
}

const shownBy = ['list_comments', 'get_project'] as const;

/** The operation that adds a comment to a target of each type. */
export const adding = {
  document: 'add_document_comment',
  task: 'add_task_comment',
  note: 'add_note_comment',
  submission: 'add_submission_comment',
  artifact: 'add_artifact_comment',
} as const;

/** Adds comments to one target. The promise rejects if the service does: the caller keeps the text. */
export function useAddComment({ projectId, targetType, targetId }: About): {
  readonly add: (comment: NewComment) => Promise<CommentRow>;
  readonly isPending: boolean;
} {
  const change = useChange(adding[targetType], { shownBy, failed: 'The comment could not be added' });
  return {
    add: (comment) =>
      change.mutateAsync({ ...comment, project_id: projectId, [`${targetType}_id`]: targetId } as Input<
        (typeof adding)[CommentTarget]
      >),
    isPending: change.isPending,
  };
}

export function useUpdateComment(): Change<'update_comment'> {
  return useChange('update_comment', {
    show: (client: QueryClient, { comment_id, resolved }) =>
      patchRow<CommentRow & { readonly resolved?: boolean }>(client, 'list_comments', comment_id, (row) => ({
        ...row,
        ...(resolved === undefined ? {} : { resolved }),
      })),
    shownBy,
    failed: 'The comment could not be changed',
  });
}

export function useDeleteComment(): Change<'delete_comment'> {
  return useChange('delete_comment', {
    show: (client: QueryClient, { comment_id }) =>
      patchRow<CommentRow>(client, 'list_comments', comment_id, () => undefined),
    shownBy,
    failed: 'The comment could not be deleted',
  });
}

/** Lists omit defaults: a comment without the member is open. */
export function isResolved(comment: CommentRow): boolean {
  return 'resolved' in comment && comment.resolved === true;
}
