import { equal } from '../../store/index.ts';
import type { Link, StoredRecord } from '../../store/index.ts';
import { foldLabel } from '../graph/edge-label.ts';
import { orderingOf } from '../graph/work-order.ts';
import type { EdgeDiff, FieldDiff, PlanDiff, ProjectDiff, RecordDiff, UnreadableFile } from '../../schema/types.ts';
import type { ComparablePlan, ComparableProblem, ComparableProject } from './comparable.ts';
import { fieldDiffs } from './field-diffs.ts';
import { pairRecords } from './pair-records.ts';
import type { RecordPair } from './pair-records.ts';
import { namedRecord, titleOf, withinOf } from './record-names.ts';

/** The differences of two plans, without the moments that they are of. */
export type PlanDifference = Omit<PlanDiff, 'before' | 'after'>;

/** Compares a plan at two moments: records by their ids and field by field, and the edges between them. */
export function comparePlans(before: ComparablePlan, after: ComparablePlan): PlanDifference {
  const ids = new Set([...after.projects, ...before.projects].map(({ id }) => id));
  const compared = Array.from(ids, (id) => {
    const [from, to] = [before, after].map(({ projects }) => projects.find((project) => project.id === id));
    return compareProjects(from, to);
  });
  return {
    projects: compared.flatMap(({ project }) => (project === undefined ? [] : [project])),
    settings: settingDiffs(before.settings, after.settings),
    unreadable: [
      ...bothSides({ before: before.unreadable, after: after.unreadable }, () => undefined),
      ...compared.flatMap(({ unreadable }) => unreadable),
    ],
    notes: compared.flatMap(({ notes }) => notes),
    rewritten: compared.flatMap(({ rewritten }) => rewritten),
  };
}

interface ComparedProject {
  /** Undefined if nothing differs. */
  readonly project: ProjectDiff | undefined;
  readonly unreadable: readonly UnreadableFile[];
  readonly notes: readonly UnreadableFile[];
  readonly rewritten: readonly string[];
}

function compareProjects(
  oldFiles: ComparableProject | undefined,
  newFiles: ComparableProject | undefined,
): ComparedProject {
  const { pairs, unreadable } = pairRecords(oldFiles, newFiles);
  const before = withReadable(oldFiles, newFiles, unreadable.before);
  const after = withReadable(newFiles, oldFiles, unreadable.after);
  const renamed = new Map(pairs.flatMap((pair) => renamedIds(pair)));
  const edges = edgeDiffs(before, after, renamed, unreadable);
  const ordered = new Set(edges.map(subjectOf));
  const compared = pairs.map((pair) => ({ pair, record: recordDiff(pair, before, after, { renamed, ordered }) }));
  const records = compared.flatMap(({ record }) => (record === undefined ? [] : [record]));
  const linked = new Set(edges.map(({ from }) => from.id));
  const rewritten = compared.flatMap(({ pair, record }) =>
    (record?.fields ?? []).length === 0 && isRewritten(pair) && !linked.has(pair.after!.record.id)
      ? [pair.after!.file.path]
      : [],
  );
  const titleIn = (id: string | undefined): string | undefined =>
    id === undefined ? undefined : (titleById(after, id) ?? titleById(before, id));
  const own = after ?? before!;
  const isSame = before !== undefined && after !== undefined && records.length === 0 && edges.length === 0;
  return {
    project: isSame ? undefined : { ...headOf(own, before, after), records, edges },
    unreadable: bothSides(unreadable, titleIn),
    notes: notesOf(before, after, titleIn),
    rewritten,
  };
}

/**
 * A project in which records whose files cannot be read are those of the other side, as the service serves the last good version of such a
 * file: a reference to one still means it.
 */
function withReadable(
  project: ComparableProject | undefined,
  other: ComparableProject | undefined,
  unreadable: readonly ComparableProblem[],
): ComparableProject | undefined {
  const ids = new Set(unreadable.map(({ id }) => id));
  if (project === undefined || other === undefined || ids.size === 0) return project;
  const { records } = project;
  const find = (id: string): ReturnType<typeof records.find> =>
    records.find(id) ?? (ids.has(id) ? other.records.find(id) : undefined);
  const get = (kind: string, id: string): StoredRecord | undefined => {
    const found = find(id);
    return found?.collection === kind ? found.record : undefined;
  };
  const by = (kind: 'goal', index: string, key: string): readonly StoredRecord[] => [
    ...records.by(kind, index, key),
    ...other.records.by(kind, index, key).filter(({ id }) => ids.has(id)),
  ];
  return { ...project, records: { ...records, find, get, by } as unknown as ComparableProject['records'] };
}

function headOf(
  { id, records }: ComparableProject,
  before: ComparableProject | undefined,
  after: ComparableProject | undefined,
): Pick<ProjectDiff, 'id' | 'name' | 'change'> {
  const change = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
  return { id, name: records.get('project', id)?.name ?? id, change };
}

/** The id that a renamed record without an id had, and the one that it has. */
function renamedIds({ before, after }: RecordPair): readonly (readonly [string, string])[] {
  if (before === undefined || after === undefined || before.record.id === after.record.id) return [];
  return [[before.record.id, after.record.id]];
}

function isRewritten({ before, after }: RecordPair): boolean {
  return before !== undefined && after !== undefined && Buffer.compare(before.file.bytes, after.file.bytes) !== 0;
}

interface Around {
  readonly renamed: ReadonlyMap<string, string>;
  /** The records that edges which differ are shown at. */
  readonly ordered: ReadonlySet<string>;
}

/** The difference of a record; undefined if there is none. A record whose edges alone differ has no fields. */
function recordDiff(
  { kind, before, after }: RecordPair,
  from: ComparableProject | undefined,
  to: ComparableProject | undefined,
  { renamed, ordered }: Around,
): RecordDiff | undefined {
  const fields = fieldDiffs(kind, { record: before, project: from }, { record: after, project: to }, renamed);
  const isChanged = before !== undefined && after !== undefined;
  const [own, project] = after === undefined ? [before!, from!] : [after, to!];
  if (isChanged && fields.length === 0 && !ordered.has(own.record.id)) return undefined;
  const title = titleOf(kind, own.record, project.records);
  const former = isChanged ? titleOf(kind, before.record, from!.records) : title;
  const { path } = own.file;
  return {
    ...{ kind, id: own.record.id, title },
    ...(former !== title && { former_title: former }),
    change: before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed',
    within: withinOf(kind, own.record, project.records) ?? null,
    path,
    ...(isChanged && before.file.path !== path && { former_path: before.file.path }),
    fields,
  };
}

/** The record at which an edge is shown: the task that has to wait, else the record that has the link. */
function subjectOf({ from, to, first }: EdgeDiff): string {
  return first === from.id ? to.id : from.id;
}

type Edge = { readonly from: string; readonly kind: string; readonly link: Link };

function edgeDiffs(
  before: ComparableProject | undefined,
  after: ComparableProject | undefined,
  renamed: ReadonlyMap<string, string>,
  unreadable: Readonly<Record<'before' | 'after', readonly ComparableProblem[]>>,
): readonly EdgeDiff[] {
  const withheld = new Set([...unreadable.before, ...unreadable.after].map(({ id }) => id));
  const current = (id: string): string => renamed.get(id) ?? id;
  const [former, present] = [edgesOf(before, current), edgesOf(after, (id) => id)];
  const found: EdgeDiff[] = [];
  const add = (change: EdgeDiff['change'], edge: Edge, project: ComparableProject): void => {
    // The name in a link means nothing while the file of its record cannot be read.
    const isKnown = withheld.size === 0 || project.records.find(edge.link.to) !== undefined;
    if (isKnown && !withheld.has(edge.from) && !withheld.has(edge.link.to)) found.push(edgeDiff(change, edge, project));
  };
  for (const [key, edge] of present) {
    const known = former.get(key);
    if (known === undefined) add('created', edge, after!);
    else if (lookOf(known.link) !== lookOf(edge.link)) add('changed', edge, after!);
  }
  for (const [key, edge] of former) if (!present.has(key)) add('deleted', edge, before!);
  return found;
}

/** The edges of a project by their ends and label. */
function edgesOf(project: ComparableProject | undefined, current: (id: string) => string): ReadonlyMap<string, Edge> {
  const edges = new Map<string, Edge>();
  for (const kind of ['task', 'document', 'artifact', 'prototype'] as const)
    for (const { id, links = [] } of (project?.records.list(kind) ?? []) as Iterable<StoredRecord>)
      if (links.length > 0)
        for (const { link } of project!.records.outgoing(id)) {
          const key = [current(id), current(link.to), foldLabel(link.label)].join('\0');
          edges.set(key, { from: id, kind, link });
        }
  return edges;
}

function lookOf({ style, arrow_direction: arrow }: Link): string {
  return `${style ?? ''} ${arrow ?? ''}`;
}

function edgeDiff(change: EdgeDiff['change'], { from, kind, link }: Edge, { records }: ComparableProject): EdgeDiff {
  const first = kind === 'task' ? orderingOf(from, link)?.first : undefined;
  return {
    change,
    from: namedRecord(records, kind, from),
    to: namedRecord(records, link.type, link.to),
    label: link.label ?? null,
    ...(first !== undefined && { first }),
  };
}

function settingDiffs(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly FieldDiff[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names
    .filter((name) => !equal(before[name] ?? null, after[name] ?? null))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }) as FieldDiff);
}

function titleById(project: ComparableProject | undefined, id: string): string | undefined {
  const found = project?.records.find(id);
  return found && titleOf(found.collection, found.record, project!.records);
}

/** The problems of both sides, each once. */
function bothSides(
  sides: Readonly<Record<'before' | 'after', readonly ComparableProblem[]>>,
  titleIn: (id: string | undefined) => string | undefined,
): UnreadableFile[] {
  const key = ({ path, line, reason }: ComparableProblem): string => [path, line, reason].join('\0');
  const [before, after] = [new Set(sides.before.map(key)), new Set(sides.after.map(key))];
  const shown = (side: UnreadableFile['side'], { id, ...problem }: ComparableProblem): UnreadableFile => {
    const title = titleIn(id);
    return { side, ...problem, ...(title !== undefined && { title }) };
  };
  return [
    ...sides.after.map((problem) => shown(before.has(key(problem)) ? 'both' : 'after', problem)),
    ...sides.before.filter((problem) => !after.has(key(problem))).map((problem) => shown('before', problem)),
  ];
}

/** The ignored values of files that differ. */
function notesOf(
  before: ComparableProject | undefined,
  after: ComparableProject | undefined,
  titleIn: (id: string | undefined) => string | undefined,
): UnreadableFile[] {
  const isSame = (id: string): boolean => {
    const [from, to] = [before?.fileOf(id), after?.fileOf(id)];
    return from !== undefined && to !== undefined && Buffer.compare(from.bytes, to.bytes) === 0;
  };
  const ofChanged = (project: ComparableProject | undefined): readonly ComparableProblem[] =>
    (project?.notes ?? []).filter(({ id }) => id === undefined || !isSame(id));
  return bothSides({ before: ofChanged(before), after: ofChanged(after) }, titleIn);
}
