import { limits } from '../../base/limits.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { type EntryBody, type EntryChange, weightOfEntryChange } from '../record/entry.ts';
import type { DescribeEntry, StoredEvent } from '../record/feed.ts';

/** The events of an entry, and their JSON. */
export interface Described {
  readonly events: readonly StoredEvent[];
  readonly json: string;
}

/** The events of entries that are not appended yet, by their bodies. */
const ahead = new WeakMap<EntryBody, Described>();

/** Records and edges that are described in one step. */
const atOnceMax = 64;

/** Returns whether an entry has more events than a feed keeps of one. */
export function hasTooMany({ changes }: EntryBody): boolean {
  if (changes.length > limits.changeEventsMax) return true;
  let weight = 0;
  for (const change of changes) weight += weightOfEntryChange(change);
  return weight > limits.changeEventsMax;
}

/**
 * Describes an import in steps, before its entry is appended: it is added to the feed in one turn. The other parts of
 * large changes may depend on all of their events.
 */
export function* describeAhead(describe: DescribeEntry, body: EntryBody): Steps<void> {
  const { changes, service, offline, transitions, revisions, ...origin } = body;
  if ((body.via !== 'import' && service !== undefined) || offline !== undefined || hasTooMany(body)) return;
  const byTarget = new Map<string, EntryBody['revisions'][number]>();
  yield* eachInSteps(revisions, (revision) => void byTarget.set(revision.target, revision));
  const events: StoredEvent[] = [];
  const texts: string[] = [];
  const add = (part: Pick<EntryBody, 'changes' | 'revisions' | 'transitions'>): void => {
    for (const event of describe({ ...origin, ...part })) {
      events.push(event);
      texts.push(JSON.stringify(event));
    }
  };
  let some: EntryChange[] = [];
  let weight = 0;
  for (const change of changes) {
    some.push(change);
    weight += weightOfEntryChange(change);
    if (weight < atOnceMax) continue;
    add({ changes: some, revisions: revisionsOf(some, byTarget) });
    [some, weight] = [[], 0];
    yield;
  }
  add({ changes: some, revisions: revisionsOf(some, byTarget), ...(transitions && { transitions }) });
  ahead.set(body, { events, json: `[${texts.join(',')}]` });
}

function revisionsOf(
  changes: readonly EntryChange[],
  byTarget: ReadonlyMap<string, EntryBody['revisions'][number]>,
): EntryBody['revisions'] {
  return changes.map(({ id }) => byTarget.get(id)).filter((revision) => revision !== undefined);
}

/** Gives a body that refers to its revisions the events of the body with their values. */
export function describeAlike(body: EntryBody, light: EntryBody): void {
  const found = ahead.get(body);
  if (found !== undefined) ahead.set(light, found);
}

/** The events of an entry, which may have been described ahead. */
export function described(describe: DescribeEntry, body: EntryBody): Described {
  const found = ahead.get(body);
  if (found !== undefined) return found;
  const events = describe(body);
  return { events, json: JSON.stringify(events) };
}
