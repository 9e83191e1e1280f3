import { BadgeCheck, Undo2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useApproval } from '../../api/review.ts';
import { useUpdateTask } from '../../api/tasks.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { Button } from '../../ui/button.tsx';
import { ProofLine, StaleBadge } from '../../ui/proofs/proof-line.tsx';
import { Ago } from '../../ui/time.tsx';
import { SendBackDialog } from './send-back-dialog.tsx';
import { Commits } from './commits.tsx';
import { KeptText } from './kept-text.tsx';
import { MergeCommand } from './merge-command.tsx';
import styles from './task.module.css';
import { None } from '../../ui/states.tsx';

/**
 * Shows whether the work is verified, when and by which evidence, and its commits. Shown once there is something to
 * verify.
 */
export function Verification({ task }: { readonly task: TaskDetail }): ReactElement | null {
  const { approve, isPending } = useApproval();
  const { mutate } = useUpdateTask();
  const [isSending, setSending] = useState(false);
  const { verified_at: at, verified_ref: ref, commit_refs: commits, status, proof, verification_state: state } = task;
  const isDone = status === 'done';
  if (!isDone && at === null && commits.length === 0 && proof === null) return null;
  const change = (fields: { verified_at?: string | null; verified_ref: string | null }): void =>
    mutate({ task_id: task.id, project_id: task.project_id, ...fields });
  return (
    <section aria-labelledby="task-verification">
      <h3 id="task-verification">Verification</h3>
      {at === null ? (
        isDone ? (
          <None>Done, and not verified yet.</None>
        ) : null
      ) : (
        <p className={styles['verified']}>
          <BadgeCheck size={15} aria-hidden /> Verified <Ago time={at} />
          {ref !== null && isAddress(ref) ? (
            <>
              {': '}
              <a href={ref} target="_blank" rel="noreferrer">
                {ref}
              </a>
            </>
          ) : null}
        </p>
      )}
      <StaleBadge state={state} />
      <ProofLine projectId={task.project_id} proof={proof} state={state} behind={task.verification_behind} />
      <Commits projectId={task.project_id} commits={commits} />
      <MergeCommand task={task} />
      {at === null ? null : (
        <KeptText
          label="Verified by"
          kept={ref ?? ''}
          placeholder="A CI run, an address, or who looked at it"
          onKeep={(text) => change({ verified_ref: text === '' ? null : text })}
        />
      )}
      {isDone || at !== null ? (
        <div className={styles['actions']}>
          {at === null ? (
            <Button small look="primary" disabled={isPending} onClick={() => approve(task)}>
              <BadgeCheck size={14} aria-hidden /> Approve
            </Button>
          ) : (
            <Button small onClick={() => change({ verified_at: null, verified_ref: null })}>
              Withdraw
            </Button>
          )}
          {isDone ? (
            <Button small onClick={() => setSending(true)}>
              <Undo2 size={14} aria-hidden /> Send back…
            </Button>
          ) : null}
        </div>
      ) : null}
      {isSending ? <SendBackDialog task={task} onClose={() => setSending(false)} /> : null}
    </section>
  );
}

/** The field below shows any reference; a web address can be followed, too. */
const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);
