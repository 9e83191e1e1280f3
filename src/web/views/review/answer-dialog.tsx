import type { ReactElement } from 'react';
import { toast } from 'sonner';
import { useAnswerRun } from '../../api/review.ts';
import type { RunRow } from '../../api/runs.ts';
import { useTasks } from '../../api/tasks.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/field.tsx';
import { MarkdownView } from '../../ui/markdown/markdown-view.tsx';
import { useKeptText } from '../../ui/use-kept-text.ts';
import styles from '../../ui/queue.module.css';

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
  const [typed, setTyped, end] = useKeptText(`answer ${run.id}`, onClose);
  const { data: tasks = [] } = useTasks(projectId);
  const held = tasks.find(
    ({ status, assignee }) => status === 'in_progress' && assignee !== null && assignee === run.agent_ref,
  );
  const { answer, isPending } = useAnswerRun(run, held);
  const text = typed.trim();
  const submit = async (): Promise<void> => {
    if (!(await answer(text))) return;
    end();
    toast.success('The answer is added.');
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Answer ${run.label ?? run.agent_ref ?? 'the run'}`}
      about={
        held === undefined
          ? 'The answer becomes a line of the run. Its agent holds no task whose comments it would read.'
          : `The answer becomes a comment on “${held.label}”, which the agent holds, and a line of the run.`
      }
    >
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== '' && !isPending) void submit();
        }}
      >
        <MarkdownView text={run.events.at(-1)?.message ?? ''} projectId={projectId} />
        <TextArea label="Answer" value={typed} onChange={setTyped} autoFocus required rows={4} />
        <DialogFoot>
          <Button onClick={end}>Cancel</Button>
          <Button type="submit" look="primary" disabled={text === '' || isPending}>
            Answer
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
