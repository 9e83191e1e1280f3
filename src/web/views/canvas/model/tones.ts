import { assigneesOf, priorities } from '../../../api/tasks.ts';
import type { TaskRow } from '../../../api/tasks.ts';
import type { Item } from './model.ts';
import { capitalised } from '../../../rest/field-names.ts';

/** The meanings that the colour of a card can have. */
export const colourings = { status: 'Status', goal: 'Goal', priority: 'Priority', assignee: 'Assignee' } as const;
export type Colouring = keyof typeof colourings;

export interface Tones {
  readonly by: Colouring;
  readonly of: (item: Pick<Item, 'type' | 'status' | 'goal' | 'priority' | 'assignee'>) => string;
  /** The colours with their meaning, for the legend; empty for statuses, which have an icon. */
  readonly named: readonly { readonly name: string; readonly tone: string }[];
}

const palette = [
  'light-dark(#2f6fd0, #7fb0ff)',
  'light-dark(#c2510a, #ffa868)',
  'light-dark(#1c7a4b, #74d3a2)',
  'light-dark(#8a3fb5, #cf9cf2)',
  'light-dark(#a3760a, #ecc94f)',
  'light-dark(#0b7a85, #6fd3dd)',
  'light-dark(#b5305f, #ff94b8)',
  'light-dark(#5a6b16, #bccf66)',
] as const;
const neutral = 'light-dark(#8a8e99, #7d818d)';
const namedMax = 8;
const urgency: readonly string[] = ['var(--danger)', 'var(--warn)', 'var(--info)', neutral];

/** The colours of tasks by one of their fields. Values beyond the palette share its colours. */
export function tonesOf(by: Colouring, tasks: readonly TaskRow[], goals: ReadonlyMap<string, string>): Tones {
  if (by === 'priority')
    return tonesBy(
      by,
      priorities.map((value, at) => ({ value, name: capitalised(value), tone: urgency[at]! })),
    );
  const inPalette = (
    field: 'goal' | 'assignee',
    values: readonly { readonly value: string; readonly name: string }[],
  ): Tones =>
    tonesBy(
      field,
      values.map((each, at) => ({ ...each, tone: palette[at % palette.length]! })),
    );
  if (by === 'goal')
    return inPalette(
      by,
      [...goals].map(([value, name]) => ({ value, name })),
    );
  if (by === 'assignee')
    return inPalette(
      by,
      assigneesOf(tasks).map((value) => ({ value, name: value })),
    );
  return { by: 'status', named: [], of: ({ type, status }) => toneOfStatus(type, status) };
}

const toneOfStatus = (type: Item['type'], status: Item['status']): string =>
  type === 'document' ? 'var(--info)' : `var(--status-${status ?? 'todo'})`;

function tonesBy(
  by: 'goal' | 'priority' | 'assignee',
  values: readonly { readonly value: string; readonly name: string; readonly tone: string }[],
): Tones {
  const tones = new Map(values.map(({ value, tone }) => [value, tone]));
  return {
    by,
    named: values.slice(0, namedMax),
    of: (item) => (item.type === 'document' ? 'var(--info)' : (tones.get(item[by] ?? '') ?? neutral)),
  };
}
