import { CircleCheck, CirclePause, CirclePlay, OctagonAlert } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { goalStatusNames } from '../../api/goals.ts';
import type { GoalRow, GoalStatus } from '../../api/goals.ts';
import { Badge } from '../../ui/badge.tsx';
import { Ago } from '../../ui/time.tsx';

const looks = {
  active: { tone: 'info', icon: CirclePlay },
  paused: { tone: 'plain', icon: CirclePause },
  complete: { tone: 'good', icon: CircleCheck },
  blocked: { tone: 'danger', icon: OctagonAlert },
} as const;

export function GoalStatusBadge({ status }: { readonly status: GoalStatus }): ReactElement {
  const { tone, icon: Icon } = looks[status];
  return (
    <Badge tone={tone} icon={<Icon size={13} aria-hidden />}>
      {goalStatusNames[status]}
    </Badge>
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
