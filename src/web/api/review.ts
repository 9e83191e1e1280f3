import { useMemo } from 'react';
import { useAddComment } from './comments.ts';
import type { Input } from '../rest/client.ts';
import { useUpdateTask } from './tasks.ts';
import type { TaskRow } from './tasks.ts';

type Reviewed = Pick<TaskRow, 'id' | 'project_id' | 'status' | 'verified_at' | 'verified_ref' | 'lane'>;

/** Returns whether a task awaits review, by the rule of `awaiting_review` in the project's summary. */
export function awaitsReview({
  status,
  verified_at: verifiedAt,
  lane,
  branch,
}: Pick<TaskRow, 'status' | 'verified_at' | 'lane' | 'branch'>): boolean {
  return status === 'done' && verifiedAt === null && (lane !== 'auto' || branch !== null);
}

/** Returns whether the lane of a task requires approval by a person. */
export function needsApproval({ lane }: Reviewed): boolean {
  return lane === 'approve' || lane === 'full';
}

/** The fields that approve a task now. */
export function approvedNow(): { readonly verified_at: string } {
  return { verified_at: new Date().toISOString() };
}

export interface Approval {
  /** Verifies the task now; `ref` says by what. */
  readonly approve: (task: Reviewed) => void;
  readonly isPending: boolean;
}

export function useApproval(): Approval {
  const { mutate, isPending } = useUpdateTask();
  return useMemo(
    () => ({
      approve: ({ id, project_id }) => mutate({ task_id: id, project_id, ...approvedNow() }),
      isPending,
    }),
    [mutate, isPending],
  );
}

/** How far sending back got: if the reason could not be added, only that is tried again. */
export type SentBack = 'done' | 'without_reason' | 'failed';

/**
 * Sends a finished task back: first its status, so that a failure leaves a finished task without a comment that contradicts it, then the
 * reason as a comment. `status_is_back`: only the reason is missing.
 */
export function useSendBack(task: Reviewed): {
  readonly send: (reason: string, statusIsBack: boolean) => Promise<SentBack>;
  readonly isPending: boolean;
} {
  const update = useUpdateTask();
  const comment = useAddComment({ projectId: task.project_id, targetType: 'task', targetId: task.id });
  const send = async (reason: string, statusIsBack: boolean): Promise<SentBack> => {
    const input: Input<'update_task'> = {
      ...{ task_id: task.id, project_id: task.project_id, status: 'todo' },
      ...(task.verified_at === null ? {} : { verified_at: null, verified_ref: null }),
    };
    if (!statusIsBack && (await settled(update.mutateAsync(input))) === undefined) return 'failed';
    const added = await settled(comment.add({ body: `**Sent back:** ${reason}` }));
    return added === undefined ? 'without_reason' : 'done';
  };
  return { send, isPending: update.isPending || comment.isPending };
}

/** The result, or undefined after an error, which the change itself shows. */
async function settled<T>(change: Promise<T>): Promise<T | undefined> {
  try {
    return await change;
  } catch {
    return undefined;
  }
}
