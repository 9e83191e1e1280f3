import { Archive, BadgeCheck, CircleCheck, CirclePause, CirclePlay, OctagonAlert } from '../../ui/icons.ts';
import type { ReactElement, ReactNode } from 'react';
import { needOf } from '../../../base/goal-need.ts';
import { goalStatusNames } from '../../api/goals.ts';
import type { GoalRow, TaskCounts } from '../../api/goals.ts';
import { Badge, Progress } from '../../ui/badge.tsx';
import { StaleBadge } from '../../ui/proofs/proof-line.tsx';
import { UnknownLine } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';

const looks = {
  active: { tone: 'info', icon: CirclePlay },
  paused: { tone: 'plain', icon: CirclePause },
  complete: { tone: 'good', icon: CircleCheck },
  blocked: { tone: 'danger', icon: OctagonAlert },
} as const;

/** How many tasks of a goal are done, as a bar and in words; a placeholder until the tasks are known. */
export function TasksDone({
  counts,
  label,
  beside,
  className,
}: {
  readonly counts: TaskCounts | undefined;
  readonly label: string;
  readonly beside: ReactNode;
  readonly className: string | undefined;
}): ReactElement {
  return (
    <>
      {counts === undefined ? <UnknownLine width="100%" /> : <Progress {...counts} label={label} />}
      <div className={className}>
        {counts === undefined ? (
          <UnknownLine width="12ch" />
        ) : (
          <span>
            {counts.done} of {counts.all} {counts.all === 1 ? 'task' : 'tasks'} done
          </span>
        )}
        {beside}
      </div>
    </>
  );
}

/** The state of a goal; an active one whose tasks are all done waits for its verification. */
export function GoalStatusBadge({
  goal,
  counts,
}: {
  readonly goal: GoalRow;
  /** Undefined until they are known. */
  readonly counts: TaskCounts | undefined;
}): ReactElement {
  const { tone, icon: Icon } = looks[goal.status];
  return (
    <>
      {goal.archived_at === null ? null : <Badge icon={<Archive size={13} aria-hidden />}>Archived</Badge>}
      {counts !== undefined && needOf(goal, counts) === 'ready' ? (
        <Badge tone="accent" icon={<BadgeCheck size={13} aria-hidden />} title="All of its tasks are done">
          Ready to verify
        </Badge>
      ) : (
        <Badge tone={tone} icon={<Icon size={13} aria-hidden />}>
          {goalStatusNames[goal.status]}
        </Badge>
      )}
      {goal.status === 'paused' && goal.pause_reason !== null ? <span>{goal.pause_reason}</span> : null}
      <StaleBadge state={goal.verification_state} />
    </>
  );
}

/** The time and result of the last verification. */
export function LastVerified({ of }: { readonly of: GoalRow['last_verification'] }): ReactElement {
  if (of === null) return <span>Not verified yet</span>;
  return (
    <span>
      {of.green ? 'Verified' : 'Verification was red'} <Ago time={of.at} />
      <ReportedBy of={of} />
    </span>
  );
}

/** The agent that reported a verification: Planner has seen nothing of it. */
export function ReportedBy({ of }: { readonly of: NonNullable<GoalRow['last_verification']> }): ReactElement | null {
  return of.reported_by === undefined ? null : <> · reported by {of.reported_by}</>;
}
