import type { ReactElement } from 'react';
import { useAnswerRun } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { Button } from '../button.tsx';
import { TextArea } from '../field.tsx';
import { LazyMarkdownView } from '../markdown/lazy.tsx';
import { useKeptText } from '../use-kept-text.ts';
import styles from './runs.module.css';

export interface AnswerFormProps {
  readonly run: RunRow;
  readonly autoFocus?: boolean;
  /** The answer was sent, or is not wanted. */
  readonly onEnd?: () => void;
}

/** The question of a run, its choices as buttons, and a field for any other answer. */
export function AnswerForm({ run, autoFocus = false, onEnd }: AnswerFormProps): ReactElement | null {
  const { awaiting, id: run_id, project_id } = run;
  const { mutate } = useAnswerRun();
  // A rejected answer is there again with the question.
  const [typed, setTyped] = useKeptText(`answer ${run_id} ${awaiting?.asked_at}`, () => undefined);
  if (awaiting === null) return null;
  const text = typed.trim();
  const send = (answer: string): void => {
    mutate({ project_id, run_id, answer, asked_at: awaiting.asked_at });
    onEnd?.();
  };
  return (
    <form
      className={styles['answer']}
      aria-label={`Question of ${run.label ?? run.agent_ref ?? 'the run'}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== '') send(text);
      }}
    >
      <LazyMarkdownView text={awaiting.question} projectId={project_id} />
      {awaiting.choices === undefined || awaiting.choices.length === 0 ? null : (
        <div className={styles['choices']}>
          {awaiting.choices.map((choice) => (
            <Button key={choice} small onClick={() => send(choice)}>
              <span dir="auto">{choice}</span>
            </Button>
          ))}
        </div>
      )}
      <TextArea label="Answer" value={typed} onChange={setTyped} autoFocus={autoFocus} required rows={2} />
      <div className={styles['send']}>
        {onEnd === undefined ? null : <Button onClick={onEnd}>Cancel</Button>}
        <Button type="submit" look="primary" small={onEnd === undefined} disabled={text === ''}>
          Answer
        </Button>
      </div>
    </form>
  );
}
