import { useState } from 'react';
import type { ReactElement } from 'react';
import { surfaceIn, useCompleteGoal } from '../../api/goals.ts';
import type { GoalDetail } from '../../api/goals.ts';
import type { ServiceError } from '../../rest/client.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ProofLine } from '../../ui/proofs/proof-line.tsx';
import { Ago } from '../../ui/time.tsx';
import { ChecklistEvidence } from './checklist-evidence.tsx';
import type { EvidenceProps, HandIn } from './evidence-props.ts';
import { GateEvidence, SignOffEvidence } from './evidence.tsx';
import { ReportedBy } from './goal-status.tsx';
import styles from './goals.module.css';
import { SurfaceEditor } from './surface-editor.tsx';
import { Card } from '../../ui/card.tsx';
import { None } from '../../ui/states.tsx';

interface VerificationProps {
  readonly projectId: string;
  readonly goal: GoalDetail;
  readonly tasks: readonly TaskRow[];
}

/** The verification of a goal: its surface, the last result, and the form for evidence. */
export function Verification(props: VerificationProps): ReactElement {
  const { projectId, goal } = props;
  const [editing, setEditing] = useState(false);
  return (
    <Card
      title="Verification"
      beside={
        goal.status === 'complete' || goal.archived_at !== null ? null : (
          <Button small look="ghost" onClick={() => setEditing(true)}>
            Change
          </Button>
        )
      }
    >
      <div className={styles['stack']}>
        <Verdict goal={goal} />
        {goal.status === 'blocked' && goal.archived_at === null ? (
          <None>While it is blocked, agents get none of its tasks. Resume work, or submit new evidence.</None>
        ) : null}
        <HandingIn {...props} />
      </div>
      {editing ? <SurfaceEditor projectId={projectId} goal={goal} onClose={() => setEditing(false)} /> : null}
    </Card>
  );
}

function Verdict({ goal }: { readonly goal: GoalDetail }): ReactElement | null {
  const { project_id: projectId, last_verification: last } = goal;
  if (last === null) return null;
  return (
    <div className={styles['verdict']} data-green={last.green}>
      <h3>
        <span>{last.green ? 'Verified as reached' : 'Verified as not reached'}</span>
        <span>
          <Ago time={last.at} />
          <ReportedBy of={last} />
        </span>
      </h3>
      {last.detail === undefined ? null : <p>{last.detail}</p>}
      <ProofLine
        projectId={projectId}
        proof={last.proof}
        state={goal.verification_state}
        behind={goal.verification_behind}
        isGreen={last.green}
      />
    </div>
  );
}

function HandingIn({ projectId, goal, tasks }: VerificationProps): ReactElement {
  const complete = useCompleteGoal();
  const surface = surfaceIn(goal);
  const may = goal.archived_at === null && (goal.status === 'active' || goal.status === 'blocked');
  const handIn: HandIn = async (evidence) => {
    const input = { project_id: projectId, goal_id: goal.id, ...(evidence === undefined ? {} : { evidence }) };
    return (await complete.mutateAsync(input).catch(() => undefined)) !== undefined;
  };
  const shared = { goal, may, busy: complete.isPending, handIn };
  return (
    <>
      {surface === null ? (
        <NoSurface {...shared} />
      ) : surface.kind === 'gate_command' ? (
        <GateEvidence {...shared} surface={surface} />
      ) : surface.kind === 'human_sign_off' ? (
        <SignOffEvidence {...shared} />
      ) : (
        <ChecklistEvidence {...shared} surface={surface} />
      )}
      {goal.archived_at !== null ? (
        <None>Unarchive the goal to verify it.</None>
      ) : goal.status === 'paused' ? (
        <None>Resume the goal to complete it.</None>
      ) : null}
      {complete.error?.code === 'blocked_by_incomplete_tasks' ? (
        <StillOpen error={complete.error} tasks={tasks} />
      ) : null}
    </>
  );
}

function NoSurface({ may, busy, handIn }: EvidenceProps): ReactElement {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <None>This goal has no verification: it can be completed once its tasks are done.</None>
      {may ? (
        <div className={styles['row']}>
          <Button look="primary" disabled={busy} onClick={() => setConfirming(true)}>
            Complete goal
          </Button>
        </div>
      ) : null}
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        danger={false}
        title="Complete this goal?"
        about="No evidence is required. It can be reopened."
        action="Complete goal"
        onConfirm={() => void handIn()}
      />
    </>
  );
}

/** The open tasks because of which the service rejected the completion. */
function StillOpen({
  error,
  tasks,
}: {
  readonly error: ServiceError;
  readonly tasks: readonly TaskRow[];
}): ReactElement {
  const { open } = useOpenTask();
  const listed = error.details['incomplete_task_ids'];
  const ids = Array.isArray(listed) ? listed.map(String) : [];
  const labels = new Map(tasks.map(({ id, label }) => [id, label]));
  return (
    <div className={styles['open']} role="alert">
      <strong>These tasks are not done yet</strong>
      {ids.slice(0, 5).map((id) => (
        <button key={id} type="button" onClick={() => open(id)}>
          {labels.get(id) ?? id}
        </button>
      ))}
      {ids.length > 5 ? <span>and {ids.length - 5} more</span> : null}
    </div>
  );
}
