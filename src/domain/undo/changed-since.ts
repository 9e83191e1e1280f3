import { conflict, type PlannerError } from '../../base/errors.ts';
import type { Steps } from '../../base/slices.ts';
import type { FeedPage, StoredEvent } from '../../store/index.ts';
import type { PlanReadTransaction } from '../records/collections.ts';

/** What keeps a change from being taken back. */
export interface Obstacle {
  readonly what: 'changed' | 'deleted' | 'restored' | 'added';
  readonly type: string;
  readonly id: string;
  readonly label: string | null;
  /** The fields that were changed since. */
  readonly fields?: readonly string[];
  /** Of what was added: the record that it belongs to. */
  readonly to?: string;
}

/** The same with its author and time, if the feed has them. */
interface Since extends Obstacle {
  readonly author?: string;
  readonly at?: string;
}

/** Obstacles that an error lists. */
const listedMax = 20;
const pageMax = 1000;

/** The error that says who changed what since a change set, in steps: the newest change of each counts. */
export function* changedSince(
  view: PlanReadTransaction,
  cursor: string,
  obstacles: readonly Obstacle[],
): Steps<PlannerError> {
  const found = new Map<Obstacle, Since>();
  const listed = obstacles.slice(0, listedMax);
  const ids = new Set(listed.map(({ id }) => id));
  const query = { limit: pageMax, accepts: (event: StoredEvent) => ids.has(event.resource.id) };
  let page: FeedPage | undefined;
  for (let since = cursor; ; since = page.cursor) {
    page = view.events(since, query);
    for (const { entry, event } of page?.events ?? [])
      for (const obstacle of listed)
        if (isMeant(obstacle, event)) found.set(obstacle, { ...obstacle, author: entry.author, at: entry.at });
    if (page?.more !== true) break;
    yield;
  }
  const changed = listed.map((obstacle): Since => found.get(obstacle) ?? obstacle);
  const more = obstacles.length === 1 ? '' : ` and ${obstacles.length - 1} more`;
  return conflict(`${sentenceOf(changed[0]!)}${more}: nothing was taken back.`, {
    reason: 'changed_since',
    changed,
    changed_total: obstacles.length,
  });
}

const happened: Readonly<Record<Obstacle['what'], readonly string[]>> = {
  changed: ['updated'],
  deleted: ['deleted'],
  restored: ['created'],
  added: ['created'],
};

function isMeant({ what, type, id, fields }: Obstacle, { type: event, resource, changes }: StoredEvent): boolean {
  if (resource.id !== id || !happened[what].some((one) => event === `${type}.${one}`)) return false;
  return fields === undefined || changes.some(({ field }) => fields.includes(field));
}

function sentenceOf({ what, type, label, fields = [], author, to }: Since): string {
  const who = author ?? 'Another change';
  const article = what !== 'added' ? 'the' : /^[aeiou]/.test(type) ? 'an' : 'a';
  const name = label === null || label === '' ? `${article} ${type}` : `${type} ${JSON.stringify(label)}`;
  if (what === 'added') return `${who} added ${name} to ${JSON.stringify(to)} since`;
  if (what !== 'changed') return `${who} ${what} ${name} since`;
  return `${who} changed ${fields.length === 0 ? name : `${fields.join(', ')} of ${name}`} since`;
}
