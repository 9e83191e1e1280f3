import { canonicalJson } from '../../base/canonical-json.ts';
import { membersOf } from '../../store/index.ts';
import type { StoredRecord } from '../../store/index.ts';
import { declared } from '../records/record-collections.ts';
import type { ComparableFile, ComparableProblem, ComparableProject } from './comparable.ts';

/** A record on one side. */
export interface RecordSide {
  readonly record: StoredRecord;
  readonly file: ComparableFile;
}

/** A record on the sides that have it. */
export interface RecordPair {
  readonly kind: string;
  readonly before?: RecordSide;
  readonly after?: RecordSide;
}

/** The records of two sides, and the files of each that cannot be compared. */
export interface Pairs {
  readonly pairs: readonly RecordPair[];
  readonly unreadable: Readonly<Record<'before' | 'after', readonly ComparableProblem[]>>;
}

/**
 * Pairs the records of a project at two moments by their ids. A file without an id is paired by its content if it was
 * renamed. A record whose file cannot be read on one side is no pair: it is neither deleted nor created.
 */
export function pairRecords(before: ComparableProject | undefined, after: ComparableProject | undefined): Pairs {
  const unreadable = { before: problemsOf(before, after), after: problemsOf(after, before) };
  const withheld = new Set<string>();
  const paths = new Set<string>();
  for (const { id, path } of [...unreadable.before, ...unreadable.after]) {
    if (id !== undefined) withheld.add(id);
    paths.add(path);
  }
  const pairs = new Map<string, { kind: string; before?: RecordSide; after?: RecordSide }>();
  for (const [side, project] of [['before', before] as const, ['after', after] as const])
    for (const [kind, id, found] of recordsOf(project))
      if (!withheld.has(id) && !paths.has(found.file.path)) {
        const known = pairs.get(`${kind} ${id}`) ?? { kind };
        pairs.set(`${kind} ${id}`, { ...known, [side]: found });
      }
  return { pairs: withRenamed([...pairs.values()]), unreadable };
}

function* recordsOf(project: ComparableProject | undefined): Iterable<[kind: string, id: string, RecordSide]> {
  if (project === undefined) return;
  for (const { name } of declared)
    for (const record of project.records.list(name)) {
      const file = project.fileOf(record.id);
      if (file !== undefined) yield [name, record.id, { record, file }];
    }
}

/** Unreadable files, and those whose front matter was damaged: the record is the one that the other side has at the path. */
function problemsOf(
  project: ComparableProject | undefined,
  other: ComparableProject | undefined,
): readonly ComparableProblem[] {
  if (project === undefined) return [];
  const others = new Map<string, string>();
  for (const [, id, { file }] of recordsOf(other)) if (file.hasExplicitId) others.set(file.path, id);
  const damaged: ComparableProblem[] = [];
  for (const [, , { file }] of recordsOf(project))
    if (file.damage !== undefined && others.has(file.path)) damaged.push({ path: file.path, ...file.damage });
  return [...project.unreadable, ...damaged].map((problem) => {
    const id = others.get(problem.path) ?? problem.id;
    return { ...problem, ...(id !== undefined && { id }) };
  });
}

/**
 * Of a deleted and a created record whose files have no id, equal contents are one record that was renamed. At one path they are one record
 * if either file has no id: an id was written into it, or its front matter was lost.
 */
function withRenamed(pairs: readonly RecordPair[]): readonly RecordPair[] {
  const fileOf = ({ before, after }: RecordPair): ComparableFile => (before ?? after)!.file;
  const isOneSided = ({ before, after }: RecordPair): boolean => (before === undefined) !== (after === undefined);
  const atPaths = joined(pairs, isOneSided, (pair) => `${pair.kind} ${fileOf(pair).path}`);
  const isLoose = (pair: RecordPair): boolean => isOneSided(pair) && !fileOf(pair).hasExplicitId;
  return joined(atPaths, isLoose, (pair) => `${pair.kind} ${contentOf(pair)}`);
}

/** Joins a deleted and a created record with the same key, if there is one of each and one of them has no id in its file. */
function joined(
  pairs: readonly RecordPair[],
  isCandidate: (pair: RecordPair) => boolean,
  keyOf: (pair: RecordPair) => string,
): readonly RecordPair[] {
  const found = new Map<RecordPair, RecordPair | undefined>();
  for (const group of Map.groupBy(pairs.filter(isCandidate), keyOf).values()) {
    const [gone, come] = [group.filter(({ after }) => after === undefined), group.filter(({ after }) => after)];
    const [old, made] = [gone[0], come[0]];
    if (gone.length !== 1 || come.length !== 1 || old?.before === undefined || made?.after === undefined) continue;
    if (old.before.file.hasExplicitId && made.after.file.hasExplicitId) continue;
    found.set(old, undefined).set(made, { ...made, before: old.before });
  }
  return pairs.flatMap((pair) => {
    const whole = found.has(pair) ? found.get(pair) : pair;
    return whole === undefined ? [] : [whole];
  });
}

const locations = new Map(declared.map(({ name, location }) => [name as string, location]));

/** The values in a record's file, without those that its path determines. */
function contentOf({ kind, before, after }: RecordPair): string {
  const location = locations.get(kind);
  const path = location === undefined ? [] : [titleField(location), folderField(location)];
  const own = Object.entries(membersOf((after ?? before)!.record)).filter(
    ([name]) => !['id', 'created_at', 'updated_at', 'links', ...path].includes(name),
  );
  return canonicalJson(Object.fromEntries(own));
}

type Location = (typeof declared)[number]['location'];

function titleField(location: Location): string | undefined {
  return 'title' in location ? location.title : undefined;
}

function folderField(location: Location): string | undefined {
  return location.kind === 'tree' ? location.folder : undefined;
}
