import { declared } from './records/record-collections.ts';

/** A type of events, as its description for people and programs. */
export interface EventType {
  readonly name: string;
  readonly description: string;
}

const changes = { created: 'is created', updated: 'is changed', deleted: 'is deleted' } as const;

/** What a change means for those who wait. */
const transitions: readonly EventType[] = [
  { name: 'task.claimed', description: 'A task is claimed.' },
  { name: 'task.released', description: 'A claim of a task ends before the task is done.' },
  { name: 'task.unblocked', description: 'The last prerequisite of a task is done.' },
  { name: 'task.done', description: 'A task is done.' },
  { name: 'goal.completed', description: 'A goal is completed.' },
  { name: 'goal.blocked', description: 'The verification of a goal failed.' },
  { name: 'run.progress', description: 'An agent reports progress of a run.' },
];

/** Every type of events of a project. */
export const eventTypes: readonly EventType[] = [
  ...transitions,
  ...[...declared.map(({ name }) => name), 'edge'].flatMap((noun) =>
    Object.entries(changes).map(([what, happens]) => ({
      name: `${noun}.${what}`,
      description: `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun} ${happens}.`,
    })),
  ),
];
