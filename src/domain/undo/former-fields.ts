import { conflict, type PlannerError } from '../../base/errors.ts';
import { equal, membersOf } from '../../store/index.ts';
import type { EventChange, StoredEvent, StoredRecord } from '../../store/index.ts';
import { collections, type PlanReadTransaction } from '../records/collections.ts';
import { digestOf, keptIn } from '../feed/kept.ts';

type Members = Readonly<Record<string, unknown>>;

const sets = new Map(collections.map((one) => [one.name, new Set(one.sets)]));

/** What a record gets back, and the fields that were changed since. */
export interface FormerFields {
  readonly fields: Members;
  readonly changed: readonly string[];
}

/**
 * The fields that an update changed, as they were before. Of a set only the members count that it added or removed. Throws `conflict` if a
 * former value is kept nowhere.
 */
export function formerFields(view: PlanReadTransaction, event: StoredEvent, record: StoredRecord): FormerFields {
  const fields: Record<string, unknown> = {};
  const changed: string[] = [];
  const members = membersOf(record);
  for (const change of event.changes) {
    const { field, from, to } = change;
    const now = members[field] ?? null;
    if (sets.get(event.resource.type)?.has(field) === true && Array.isArray(from) && Array.isArray(to)) {
      const next = equal(now, to) ? from : membersBefore(now as readonly unknown[], from, to);
      if (!equal(next, now)) fields[field] = next;
    } else if (isAsLeft(event, change, record)) fields[field] = formerValue(view, event, change);
    else changed.push(field);
  }
  return { fields, changed };
}

/** Whether a field has the value that the change gave it. */
export function isAsLeft(event: StoredEvent, change: EventChange, record: StoredRecord): boolean {
  const { field } = change;
  if ('to' in change) return equal(membersOf(record)[field] ?? null, change.to);
  const kept = keptIn(event).fields?.[field];
  if (kept === undefined) throw lost(event, field);
  return kept.is === digestOf(record, field);
}

function membersBefore(now: readonly unknown[], from: readonly unknown[], to: readonly unknown[]): unknown[] {
  const [before, after] = [new Set(from), new Set(to)];
  const left = now.filter((member) => before.has(member) || !after.has(member));
  return [...left, ...from.filter((member) => !after.has(member) && !now.includes(member))];
}

function formerValue(view: PlanReadTransaction, event: StoredEvent, change: EventChange): unknown {
  const { field } = change;
  if ('from' in change) return change.from;
  const kept = keptIn(event).fields?.[field];
  if (kept !== undefined && 'was' in kept) return kept.was;
  const revision = event.revision_id === undefined ? undefined : view.revision(event.revision_id);
  if (revision !== undefined && field in revision.before) return revision.before[field];
  throw lost(event, field);
}

function lost({ resource: { type, id, label } }: StoredEvent, field: string): PlannerError {
  return conflict(
    `This change cannot be taken back any more: the former ${field} of the ${type} ${JSON.stringify(label ?? id)} is not kept.`,
    { reason: 'not_kept', type, id },
  );
}
