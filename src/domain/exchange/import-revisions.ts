import { normalTime } from '../../base/clock.ts';
import { invalid } from '../../base/errors.ts';
import { fingerprint, membersOf } from '../../store/index.ts';
import type { Belonging, Collection, Revision, StoredRecord } from '../../store/index.ts';
import { mapInSteps, type Steps } from '../../base/slices.ts';
import type { PlanTransaction } from '../records/collections.ts';
import { collectionOf, sections } from './export-format.ts';
import { type ReferenceRewriter, harmless, isLink } from './reference-rewriter.ts';
import type { Fields } from './draft.ts';
import type { IdMap } from './id-map.ts';
/** A validated revision of a draft. */
interface Given {
  readonly at: string;
  readonly id: string | undefined;
  readonly target: string;
  readonly target_type: string;
  readonly author: string;
  readonly session: string | undefined;
  readonly fields: readonly string[];
  readonly before: Fields;
  readonly path: string;
}

const versioned = new Map(
  sections.map(({ collection, references }) => [
    collection as string,
    { collection: collectionOf(collection), references },
  ]),
);

/** The time of each record's newest revision, by its id in the draft. Invalid revisions are skipped: `importRevisions` rejects them. */
export function newestRevisions(revisions: readonly Fields[]): Map<string, string> {
  const newest = new Map<string, string>();
  for (const { at, target } of revisions) {
    if (typeof at !== 'string' || typeof target !== 'string') continue;
    const time = normalTime(at);
    if (time !== undefined && time > (newest.get(target) ?? '')) newest.set(target, time);
  }
  return newest;
}

/** Gives deleted records their new ids before anything references them. Invalid revisions are skipped: `importRevisions` rejects them. */
export function nameTargets(revisions: readonly Fields[], ids: IdMap): void {
  for (const { target, target_type: type } of revisions) {
    const known = typeof type === 'string' ? versioned.get(type) : undefined;
    if (known !== undefined && typeof target === 'string') ids.own(target, known.collection.id);
  }
}

/** Imports a draft's history, oldest first. Each state that can be restored is validated like a record. */
export function* importRevisions(
  tx: PlanTransaction,
  revisions: readonly Fields[],
  ids: IdMap,
  rewriter: ReferenceRewriter,
): Steps<void> {
  const given = yield* mapInSteps(revisions.entries(), ([at, revision]) => checked(revision, `revisions[${at}]`));
  given.sort((a, b) => (a.at === b.at ? compare(a.id ?? '', b.id ?? '') : compare(a.at, b.at)));
  for (const { id } of given) if (id !== undefined) ids.add(id, tx.newId('revision'));
  const after = new Map<string, Fields | undefined>();
  const moved: Revision[] = [];
  for (const one of given.toReversed()) {
    const { collection, references } = versioned.get(one.target_type)!;
    const target = ids.own(one.target, collection.id);
    const before = rewriter.fields(one.before, { references, old: one.target, id: target });
    if (Array.isArray(before['$incoming'])) {
      before['$incoming'] = before['$incoming'].map((incoming) => rewrittenLink(incoming, ids, rewriter));
    }
    if (Array.isArray(one.before['$belongings'])) {
      before['$belongings'] = one.before['$belongings'].map((belonging, at) =>
        rewrittenRecord(belonging, `${one.path}.before.$belongings[${at}]`, ids, rewriter),
      );
    }
    const present = after.has(target) ? after.get(target) : presentOf(tx, collection, target);
    const deletion = one.fields.length === 1 && one.fields[0] === 'deleted';
    const state = deletion ? recordAlone(before) : present && { ...present, ...before };
    if (state !== undefined) requireState(tx, collection, state, one.path);
    const print =
      deletion || present === undefined ? 'deleted' : fingerprint(collection, present as unknown as StoredRecord);
    after.set(target, state);
    const { at, target_type, author, session, fields } = one;
    const part = session === undefined ? undefined : { session };
    const id = (one.id === undefined ? undefined : ids.of(one.id)) ?? tx.newId('revision');
    moved.push({ at, id, target, target_type, author, ...part, fields, before, after: print });
    yield;
  }
  for (const revision of moved.reverse()) tx.importRevision(revision);
}

function presentOf(tx: PlanTransaction, { name }: Collection, id: string): Fields | undefined {
  const record = tx.get(name as 'task', id);
  return record && membersOf(record);
}

/** An incoming link of a deleted record. */
function rewrittenLink(incoming: unknown, ids: IdMap, rewriter: ReferenceRewriter): unknown {
  const { from, fromType, link } = (incoming ?? {}) as { from?: unknown; fromType?: unknown; link?: unknown };
  if (typeof from !== 'string' || !isLink(link)) return incoming;
  const present = ids.refer(from);
  return { from: present, fromType, link: rewriter.link(link, from, present) };
}

/** A record that was deleted with another record: it is restored with that record and must be valid. */
function rewrittenRecord(belonging: unknown, path: string, ids: IdMap, rewriter: ReferenceRewriter): Belonging {
  const { collection: kind, record: fields } = (belonging ?? {}) as { collection?: unknown; record?: unknown };
  const known = typeof kind === 'string' ? versioned.get(kind) : undefined;
  const { id: old } = (fields ?? {}) as { id?: unknown };
  if (known === undefined || typeof old !== 'string') {
    throw invalid(path, `${path} must be {collection, record} with a record that has an id.`);
  }
  const owner = { references: known.references, old, id: ids.own(old, known.collection.id) };
  const record = harmless(known.collection.name, rewriter.fields(fields as Fields, owner));
  const [violation] = known.collection.validate(record);
  if (violation !== undefined) throw invalid(`${path}.record.${violation.field}`, `${path}: ${violation.message}`);
  return { collection: known.collection.name, record: record as unknown as StoredRecord };
}

function recordAlone({ $incoming: _, $belongings: __, ...record }: Fields): Fields {
  return record;
}

/** A state must be a valid record, whatever happened to its links since. */
function requireState(tx: PlanTransaction, collection: Collection, state: Fields, path: string): void {
  const whole = { created_at: tx.now, updated_at: tx.now, ...state, ...('links' in state ? { links: [] } : undefined) };
  const [violation] = collection.validate(whole);
  if (violation !== undefined) {
    throw invalid(
      `${path}.before.${violation.field}`,
      `${path}.before is not a valid ${collection.name}: ${violation.message}`,
    );
  }
}

function checked(revision: Fields, path: string): Given {
  const { at, id, target, target_type, author, session, fields, before } = revision;
  const wrong = (member: string, right: string): Error =>
    invalid(`${path}.${member}`, `${path}.${member} must be ${right}.`);
  const time = typeof at === 'string' ? normalTime(at) : undefined;
  if (time === undefined) throw wrong('at', 'a time (ISO 8601)');
  if (id !== undefined && typeof id !== 'string') throw wrong('id', 'a string');
  if (typeof target !== 'string') throw wrong('target', 'the id of a record');
  if (typeof target_type !== 'string' || (versioned.get(target_type)?.collection.versioned ?? []).length === 0) {
    throw wrong('target_type', 'a type of record');
  }
  if (typeof author !== 'string') throw wrong('author', 'a string');
  if (session !== undefined && typeof session !== 'string') throw wrong('session', 'a string');
  if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string'))
    throw wrong('fields', 'names of fields');
  if (typeof before !== 'object' || before === null || Array.isArray(before)) throw wrong('before', 'an object');
  for (const member of Object.keys(revision)) {
    if (!['at', 'id', 'target', 'target_type', 'author', 'session', 'fields', 'before'].includes(member))
      throw wrong(member, 'omitted: a revision has no such member');
  }
  return { at: time, id, target, target_type, author, session, fields, before: before as Fields, path };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
