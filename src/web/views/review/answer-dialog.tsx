import type { ReactElement } from 'react';
import { soFar } from '../../api/cache.ts';
import { tasksOfRun, workerOf } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { useTasks } from '../../api/tasks.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { AnswerForm } from '../../ui/runs/answer-form.tsx';

/** Answers the question of a run. */
export function AnswerDialog({
  projectId,
  run,
  onClose,
}: {
  readonly projectId: string;
  readonly run: RunRow;
  readonly onClose: () => void;
}): ReactElement {
  const [task] = tasksOfRun(run, soFar(useTasks(projectId).data));
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Answer ${run.label ?? workerOf(run) ?? 'the run'}`}
      about={
        task === undefined
          ? 'The answer becomes a line of the run.'
          : `The answer becomes a line of the run, and a comment on “${task.label}”.`
      }
    >
      <AnswerForm run={run} autoFocus onEnd={onClose} />
    </Dialog>
  );
}
