import { ChevronDown, ChevronsUp, ChevronUp, Equal } from './icons.ts';
import type { ReactElement } from 'react';
import type { Priority } from '../rest/types.ts';

/** The icon, colour and name of each priority. */
export const priorityLooks = {
  urgent: { Icon: ChevronsUp, color: 'var(--danger)', name: 'Urgent' },
  high: { Icon: ChevronUp, color: 'var(--warn)', name: 'High priority' },
  medium: { Icon: Equal, color: 'var(--info)', name: 'Medium priority' },
  low: { Icon: ChevronDown, color: 'var(--ink-3)', name: 'Low priority' },
} as const;

export function PriorityIcon({
  priority,
  size = 15,
}: {
  readonly priority: Priority;
  readonly size?: number;
}): ReactElement {
  const { Icon, color, name } = priorityLooks[priority];
  return (
    <span title={name} style={{ display: 'inline-flex', color }}>
      <Icon size={size} role="img" aria-label={name} />
    </span>
  );
}
