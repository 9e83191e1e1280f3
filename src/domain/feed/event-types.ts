import { invalid } from '../../base/errors.ts';
import { LikeNames, proposal } from '../../base/named.ts';
import { declared } from '../records/record-collections.ts';

/** A type of events, as its description for people and programs. */
export interface EventType {
  readonly name: string;
  readonly description: string;
}

const changes = { created: 'is created', updated: 'is changed', deleted: 'is deleted' } as const;

/** The events that a change has for callers who wait. */
const transitions: readonly EventType[] = [
  { name: 'task.claimed', description: 'A task is claimed.' },
  { name: 'task.released', description: 'A claim of a task ends before the task is done.' },
  { name: 'task.unblocked', description: 'The last prerequisite of a task is done.' },
  { name: 'task.done', description: 'A task is done.' },
  { name: 'task.stale', description: 'What a task was verified with has changed since.' },
  { name: 'goal.ready', description: 'The last open task of a goal is done: it can be verified.' },
  { name: 'goal.completed', description: 'A goal is completed.' },
  { name: 'goal.blocked', description: 'The verification of a goal failed.' },
  { name: 'goal.stale', description: 'What a goal was verified with has changed since.' },
  { name: 'run.progress', description: 'An agent reports progress of a run.' },
  { name: 'run.asks', description: 'An agent asks a person: the changes have the question and its choices.' },
  { name: 'run.answered', description: 'A person answers the question of a run: the changes have both.' },
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

/**
 * The types by their subject: `task` is all that begin with `task.`. Problems are no records, and are found and
 * cleared.
 */
const byNoun = Map.groupBy(
  [...eventTypes.map(({ name }) => name), 'problem.found', 'problem.cleared'].map((name) => name.split('.')),
  ([noun]) => noun!,
);
const known: ReadonlySet<string> = new Set(
  [...byNoun].flatMap(([noun, types]) => [noun, ...types.map((parts) => parts.join('.'))]),
);

/** Throws `invalid_argument` if there are no events of one of these types: who waits for them would wait for ever. */
export function requireEventTypes(types: readonly string[]): void {
  const unknown = types.find((type) => !known.has(type));
  if (unknown === undefined) return;
  const like = new LikeNames(unknown);
  for (const type of known) like.add(type);
  const all = [...byNoun].map(([noun, of]) => `${noun} (${of.map(([, what]) => what).join(', ')})`).join(', ');
  throw invalid(
    'types',
    `There are no events of the type ${JSON.stringify(unknown)}.${proposal(like.found)} A type is a noun, or a noun, a dot and what happens: ${all}.`,
  );
}
