import type { Actions } from '../../shell/queue.tsx';
import type { ActionsOptions } from './entries.ts';
import { useSubmissionActions } from './submission-actions.tsx';
import { useTaskActions } from './task-actions.tsx';

/** The actions of the selected entry. */
export function useActions({ entry, ...rest }: ActionsOptions): Actions {
  const submission = useSubmissionActions({ ...rest, entry: entry?.kind === 'submission' ? entry : undefined });
  const task = useTaskActions({ ...rest, entry: entry?.kind === 'task' ? entry : undefined });
  return entry?.kind === 'submission' ? submission : task;
}
