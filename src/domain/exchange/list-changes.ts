import { type RevisionId, type StoredRecord, withTexts } from '../../store/index.ts';
import { type Chunks, valueOf } from '../../base/slices.ts';
import { collections, type PlannerCollections, type PlanReadTransaction } from '../records/collections.ts';
import { withMeantLinks } from '../links/edges.ts';
import { begun } from './begun.ts';
import { exported } from './export-format.ts';
type Name = keyof PlannerCollections;

const names = collections.map(({ name }) => name as Name);
/** Between the versions of the collections in a token. */
const separator = '.';

/** The first line of a list of changes. */
export interface ChangesHead {
  /** Names the state that was read: the next call lists the changes since then. */
  readonly token: string;
  /**
   * The collections whose records are all listed, since their changes are unknown: records that are not listed are
   * gone.
   */
  readonly complete: readonly string[];
  /** Records whose files cannot be read at present: they are neither listed nor gone. */
  readonly withheld: readonly string[];
  /** A file cannot be read, and it is not known which record it has: a record that is not listed may be there. */
  readonly is_uncertain: boolean;
}

/** A further line: a record that changed, or whose history did. */
export interface ChangedRecord {
  readonly collection: string;
  readonly id: string;
  /** As in an export, without the bytes of files; null if it is gone. */
  readonly record: Readonly<Record<string, unknown>> | null;
  readonly updated_at?: string;
  /** The ids of its revisions, all of them. */
  readonly revisions: readonly string[];
}

/** The last line: a list without it was cut off. */
export interface ChangesEnd {
  /** How many lines are before it, without the first. */
  readonly listed: number;
}

/** The names of the present versions of all collections. */
export function changesToken(view: PlanReadTransaction): string {
  return names.map((name) => view.version(name)).join(separator);
}

/** The records that cannot be read at present. */
export function withheldRecords(view: PlanReadTransaction): Pick<ChangesHead, 'withheld' | 'is_uncertain'> {
  const withheld = new Set<string>();
  let isUncertain = false;
  for (const { id, severity } of view.problems) {
    if (severity === 'note') continue;
    if (id === undefined) isUncertain = true;
    else if (view.problemOf(id) !== undefined) withheld.add(id);
  }
  return { withheld: [...withheld].sort(), is_uncertain: isUncertain };
}

/**
 * The records of a collection to be listed. Records of a complete collection have their revisions in the history that
 * is read once.
 */
interface Listed {
  readonly collection: Name;
  readonly records: readonly (readonly [id: string, record: StoredRecord | undefined])[];
  readonly revisions: ReadonlyMap<string, readonly string[]> | undefined;
}

/**
 * The changes of a project since a token, as JSON lines: `ChangesHead`, then a `ChangedRecord` each, then `ChangesEnd`.
 * Without a token, and for a collection whose changes are not known any more, all records are listed. The list has the
 * state at the call.
 */
export function listChanges(view: PlanReadTransaction, since: string | undefined): Chunks {
  const former = since?.split(separator) ?? [];
  const lists = names.map((name, at) => listed(view, name, former[at]));
  const complete = lists.filter(({ revisions }) => revisions === undefined).map(({ collection }) => collection);
  const head: ChangesHead = { token: changesToken(view), complete, ...withheldRecords(view) };
  return lines(head, lists, complete.length === 0 ? [] : begun(view.historyIds({})));
}

function listed(view: PlanReadTransaction, collection: Name, version: string | undefined): Listed {
  const ids = version === undefined ? undefined : view.since(collection, version)?.ids;
  if (ids === undefined)
    return {
      collection,
      records: Array.from(view.list(collection), (record) => [record.id, withMeantLinks(view, record)]),
      revisions: undefined,
    };
  const revisions = new Map(Array.from(ids, (id) => [id, idsOf(view.historyIds({ target: id }))]));
  const present = (id: string): StoredRecord | undefined => {
    const record = view.get(collection, id);
    return record && withMeantLinks(view, record);
  };
  return { collection, records: Array.from(ids, (id) => [id, present(id)]), revisions };
}

function idsOf(history: Iterable<RevisionId>): readonly string[] {
  return Array.from(history, ({ id }) => id);
}

function* lines(head: ChangesHead, lists: readonly Listed[], history: Iterable<RevisionId>): Chunks {
  yield `${JSON.stringify(head)}\n`;
  const all = new Map<string, Map<string, string[]>>(head.complete.map((collection) => [collection, new Map()]));
  for (const { id, target, target_type: type } of history) {
    const ofType = all.get(type);
    if (ofType === undefined) continue;
    const known = ofType.get(target);
    if (known === undefined) ofType.set(target, [id]);
    else known.push(id);
    yield '';
  }
  let count = 0;
  for (const { collection, records, revisions = all.get(collection)! } of lists) {
    const left = new Set(revisions.keys());
    for (const [id, record] of records) {
      left.delete(id);
      count++;
      yield* line(collection, id, record, revisions.get(id));
    }
    // Records that are gone, of which there is a history.
    for (const id of left) yield* line(collection, id, undefined, revisions.get(id));
    count += left.size;
  }
  yield `${JSON.stringify({ listed: count } satisfies ChangesEnd)}\n`;
}

function* line(
  collection: string,
  id: string,
  record: StoredRecord | undefined,
  revisions: readonly string[] = [],
): Chunks {
  const whole = record === undefined ? undefined : yield* valueOf(withTexts(record));
  const shown: ChangedRecord = {
    ...{ collection, id, record: whole === undefined ? null : exported(collection, whole) },
    ...(whole !== undefined && { updated_at: whole.updated_at }),
    revisions,
  };
  yield `${JSON.stringify(shown)}\n`;
}
