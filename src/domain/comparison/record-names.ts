import { membersOf } from '../../store/index.ts';
import type { StoredRecord } from '../../store/index.ts';
import { goalOf } from '../records/goal-reference.ts';
import type { NamedRecord, PlannerCollections, TaskRecord } from '../records/collections.ts';
import { titleFields } from '../records/title-fields.ts';
import type { ComparableRecords } from './comparable.ts';

const between = ' / ';

/** The title of a record, as lists show it. A folder has that of the folders that it is in, too. */
export function titleOf(kind: string, record: StoredRecord, records: ComparableRecords): string {
  const members = membersOf(record);
  if (kind === 'canvas') return 'canvas';
  if (kind === 'comment') return commentTitle(members);
  if (kind === 'folder') return folderTitle(record.id, records);
  const title = titleFields.map((field) => members[field]).find((value) => typeof value === 'string' && value !== '');
  return typeof title === 'string' ? title : record.id;
}

/** A comment has no title: its first line is one. */
function commentTitle({ source, body }: Readonly<Record<string, unknown>>): string {
  const text = typeof source === 'string' ? source : String(body);
  return text.trim().split('\n', 1)[0]!;
}

/** The names from the top of the tree. Parents that form a cycle end it. */
function folderTitle(id: string, records: ComparableRecords): string {
  const names: string[] = [];
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null && !seen.has(at);) {
    seen.add(at);
    const folder: PlannerCollections['folder'] | undefined = records.get('folder', at);
    names.unshift(folder?.name ?? at);
    at = folder?.parent_folder_id ?? null;
  }
  return names.join(between);
}

/** A record by its id and title; `kind` is used if there is no such record. */
export function namedRecord(records: ComparableRecords, kind: string, id: string): NamedRecord {
  const found = records.find(id);
  if (found === undefined) return { kind, id, title: null };
  return { kind: found.collection, id, title: titleOf(found.collection, found.record, records) };
}

/** The title of the record with an id; undefined without one. */
export function titleById(records: ComparableRecords, id: unknown): string | undefined {
  return typeof id === 'string' ? (namedRecord(records, '', id).title ?? undefined) : undefined;
}

/** The record that another one is shown below: the goal of a task, the folder of a document, the target of a comment. */
export function withinOf(kind: string, record: StoredRecord, records: ComparableRecords): NamedRecord | undefined {
  const members = membersOf(record);
  if (kind === 'task') {
    const goal = goalOf(snapshotOf(records), record as TaskRecord);
    return goal && namedRecord(records, 'goal', goal.id);
  }
  const [above, id] =
    kind === 'document'
      ? (['folder', members['folder_id']] as const)
      : kind === 'artifact'
        ? (['prototype', members['prototype_id']] as const)
        : ([String(members['target_type']), members['target_id']] as const);
  return typeof id === 'string' ? namedRecord(records, above, id) : undefined;
}

/** The records that the rules about goals read. */
export function snapshotOf(records: ComparableRecords): Parameters<typeof goalOf>[0] {
  return records as unknown as Parameters<typeof goalOf>[0];
}
