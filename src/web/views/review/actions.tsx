import { BadgeCheck, MessageSquare, SquarePen, Undo2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useApproval } from '../../api/review.ts';
import { useTasks } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import type { Actions } from '../../shell/queue.tsx';
import { AnswerDialog } from './answer-dialog.tsx';
import type { Entry } from './entries.ts';
import { MergeCommand } from '../task/merge-command.tsx';
import { SendBackDialog } from '../task/send-back-dialog.tsx';

interface ReviewActions extends Actions {
  /** How to go on from the last approval. */
  readonly notice: ReactElement | null;
}

/** The entry of an open dialog stays, even if the selection changes. */
export function useReviewActions(projectId: string, entry: Entry | undefined, goOn: () => void): ReviewActions {
  const { approve } = useApproval();
  const { open } = useOpenTask();
  const [asked, setAsked] = useState<Entry | undefined>(undefined);
  const [approved, setApproved] = useState('');
  const { data: tasks } = useTasks(projectId);
  const passed = tasks?.find(({ id }) => id === approved);
  const notice = passed === undefined ? null : <MergeCommand task={passed} />;
  const windows =
    asked === undefined ? null : asked.kind === 'task' ? (
      <SendBackDialog key={asked.id} task={asked.task} onClose={() => setAsked(undefined)} onSend={goOn} />
    ) : (
      <AnswerDialog key={asked.id} projectId={projectId} run={asked.run} onClose={() => setAsked(undefined)} />
    );
  if (entry === undefined) return { actions: [], windows, notice };
  const icon = { size: 14, 'aria-hidden': true } as const;
  if (entry.kind === 'run')
    return {
      actions: [
        {
          ...{ keys: 'a', name: 'Answer', look: 'primary' as const },
          icon: <MessageSquare {...icon} />,
          run: () => setAsked(entry),
        },
      ],
      ...{ windows, notice },
    };
  const { task } = entry;
  const pass = (): void => {
    goOn();
    approve(task);
    setApproved(task.id);
  };
  return {
    actions: [
      { keys: 'a', name: 'Approve', icon: <BadgeCheck {...icon} />, look: 'primary', run: pass },
      { keys: 'r', name: 'Send back…', icon: <Undo2 {...icon} />, run: () => setAsked(entry) },
      { keys: 'o', name: 'Open', icon: <SquarePen {...icon} />, run: () => open(task.id) },
    ],
    ...{ windows, notice },
  };
}
