import { Archive, BadgeCheck, CircleCheck, CirclePause, CirclePlay, OctagonAlert } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { goalStatusNames, isReadyToVerify } from '../../api/goals.ts';
import type { GoalRow, TaskCounts } from '../../api/goals.ts';
import { Badge } from '../../ui/badge.tsx';
import { Ago } from '../../ui/time.tsx';

const looks = {
  active: { tone: 'info', icon: CirclePlay },
  paused: { tone: 'plain', icon: CirclePause },
  complete: { tone: 'good', icon: CircleCheck },
  blocked: { tone: 'danger', icon: OctagonAlert },
} as const;

/** The state of a goal; an active one whose tasks are all done waits for its verification. */
export function GoalStatusBadge({
  goal,
  counts,
}: {
  readonly goal: GoalRow;
  readonly counts: TaskCounts;
}): ReactElement {
  const { tone, icon: Icon } = looks[goal.status];
  return (
    <>
      {goal.archived_at === null ? null : <Badge icon={<Archive size={13} aria-hidden />}>Archived</Badge>}
      {isReadyToVerify(goal, counts) ? (
        <Badge tone="accent" icon={<BadgeCheck size={13} aria-hidden />} title="All of its tasks are done">
          Ready to verify
        </Badge>
      ) : (
        <Badge tone={tone} icon={<Icon size={13} aria-hidden />}>
          {goalStatusNames[goal.status]}
        </Badge>
      )}
    </>
  );
}

/** The time and result of the last verification. */
export function LastVerified({ of }: { readonly of: GoalRow['last_verification'] }): ReactElement {
  if (of === null) return <span>Not verified yet</span>;
  return (
    <span>
      {of.green ? 'Verified' : 'Verification was red'} <Ago time={of.at} />
    </span>
  );
}
