import { Circle, CircleCheck, CircleDashed, CircleDot, Inbox } from './icons.ts';
import type { ReactElement } from 'react';
import type { TaskStatus } from '../rest/types.ts';
import { statusNames } from '../api/tasks.ts';

/** The icon of each status. */
export const statusIcons = {
  scope: CircleDashed,
  todo: Circle,
  in_progress: CircleDot,
  done: CircleCheck,
  backlog: Inbox,
} as const;

/** The icon of a task's status, distinguished by shape and colour. */
export function StatusIcon({
  status,
  size = 16,
  named = false,
}: {
  readonly status: TaskStatus;
  readonly size?: number;
  readonly named?: boolean;
}): ReactElement {
  const Icon = statusIcons[status];
  return (
    <Icon
      size={size}
      style={{ color: `var(--status-${status})`, flex: 'none' }}
      {...(named ? { role: 'img', 'aria-label': statusNames[status] } : { 'aria-hidden': true })}
    />
  );
}
