import type { DiffStat, EdgeDiff, FieldDiff, PlanDiff, ProjectDiff, RecordDiff } from '../../schema/types.ts';
import { counted, diffStatText, minuteOf } from '../terminal/show-text.ts';
import { shortened } from './markdown-text.ts';
import { wordChange } from './words.ts';
import type { WordChange } from './words.ts';

/** A value of one field before and after; undefined where there is none. */
export interface ShownValue {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A long text that changed. */
export interface ShownText {
  readonly field: string;
  readonly change: WordChange;
}

/** One record, in the order in which a person reads it. */
export interface ShownRecord {
  readonly record: RecordDiff;
  /** The status before and after, if it differs or is no matter of course. */
  readonly status: ShownValue | undefined;
  /** Facts in a few words: `after “Take payments”`. */
  readonly facts: readonly ShownFact[];
  readonly values: readonly ShownValue[];
  readonly texts: readonly ShownText[];
}

/** A statement about a record, with the title of another or a text of the plan after it. */
export interface ShownFact {
  readonly words: string;
  readonly title?: string;
}

/** Records that are shown together: a goal with its tasks, or the records of a kind. */
export interface ShownGroup {
  /** The title of a goal, or the name of a kind. */
  readonly heading: string;
  /** The goal itself, if it differs. */
  readonly goal: ShownRecord | undefined;
  readonly records: readonly ShownRecord[];
}

export interface ShownProject {
  readonly project: ProjectDiff;
  readonly groups: readonly ShownGroup[];
  /** The records that only moved on the canvas. */
  readonly moved: number;
}

/** Fields that are shown in another place than among the values. */
const elsewhere: ReadonlySet<string> = new Set([
  'status',
  'label',
  'title',
  'name',
  'filename',
  'goal_id',
  'rank',
  'verification_behind',
]);
const canvasFields: ReadonlySet<string> = new Set(['position', 'size', 'layout']);
/** Values of a new record that say nothing to a reader. */
const ofNewRecords: ReadonlySet<string> = new Set([
  ...['kind', 'lane', 'sha256', 'mime', 'started_at', 'target_type', 'target_id', 'folder_id', 'prototype_id'],
  ...['viewport', 'config', 'default_goal_id', 'default_goal', 'events', 'anchor', 'passage', 'author', 'resolved'],
]);
/** Of a run these say enough; its task has its commits, and the run itself the rest. */
const ofRuns: ReadonlySet<string> = new Set(['diff_stat', 'awaiting']);
/** The statuses with which a record begins. */
const firstStatuses: ReadonlySet<unknown> = new Set(['todo', 'active', 'pending', 'running']);
const groupNames: Readonly<Record<string, string>> = {
  ...{ document: 'Documents', folder: 'Folders', note: 'Notes', prototype: 'Prototypes', file: 'Files' },
  ...{ comment: 'Comments', submission: 'Submissions', view: 'Views', tag: 'Tags', project: 'Project' },
  // What programs leave, last: the output of gates, and the work of agents.
  ...{ canvas: 'Canvas', artifact: 'Artifacts', run: 'Runs' },
};

/** Orders the differences of a project for reading: the goals with their tasks, then the other records by kind. */
export function shownProject(project: ProjectDiff): ShownProject {
  const deleted = new Set(project.records.filter(({ change }) => change === 'deleted').map(({ id }) => id));
  const edges = project.edges.filter((edge) => edge.change !== 'deleted' || !isOfDeleted(edge, deleted));
  const bySubject = Map.groupBy(edges, subjectOf);
  const isMove = (record: RecordDiff): boolean =>
    record.kind === 'canvas' ||
    (record.change === 'changed' &&
      record.fields.length > 0 &&
      record.fields.every(({ field }) => canvasFields.has(field)) &&
      !bySubject.has(record.id));
  const seen = project.records.filter((record) => !isMove(record));
  const shown = seen.map((record) => shownRecord(record, bySubject.get(record.id) ?? []));
  return { project, groups: groupsOf(shown), moved: project.records.length - seen.length };
}

function isOfDeleted({ from, to }: EdgeDiff, deleted: ReadonlySet<string>): boolean {
  return deleted.has(from.id) || deleted.has(to.id);
}

/** The record at which an edge is shown: the task that has to wait, else the record with the link. */
function subjectOf({ from, to, first }: EdgeDiff): string {
  return first === from.id ? to.id : from.id;
}

function groupsOf(shown: readonly ShownRecord[]): readonly ShownGroup[] {
  const goals = new Map(shown.filter(({ record }) => record.kind === 'goal').map((one) => [one.record.id, one]));
  const tasks = shown.filter(({ record }) => record.kind === 'task');
  const byGoal = Map.groupBy(tasks, ({ record }) => record.within?.id ?? '');
  const ids = new Set([...goals.keys(), ...byGoal.keys()]);
  const ofGoals = Array.from(ids, (id) => {
    const records = (byGoal.get(id) ?? []).toSorted((a, b) => rankOf(a) - rankOf(b));
    const goal = goals.get(id);
    const heading = goal?.record.title ?? records[0]?.record.within?.title ?? 'No goal';
    return { heading, goal, records };
  });
  const ofKinds = Object.entries(groupNames).flatMap(([kind, heading]) => {
    const records = shown.filter(({ record }) => record.kind === kind);
    return records.length === 0 ? [] : [{ heading, goal: undefined, records }];
  });
  return [...ofGoals, ...ofKinds];
}

/** Tasks that moved forward are read first, then new, changed and deleted ones. */
function rankOf({ record, status }: ShownRecord): number {
  if (record.change === 'deleted') return 5;
  if (record.change === 'created') return 3;
  if (status === undefined) return 4;
  return status.after === 'done' ? 0 : status.after === 'in_progress' ? 1 : 2;
}

function shownRecord(record: RecordDiff, edges: readonly EdgeDiff[]): ShownRecord {
  const { change, fields } = record;
  const isDeleted = change === 'deleted';
  const parts = fields.filter((field) => isShown(record, field));
  // A new record may repeat its title as its text.
  const isTitle = ({ after }: FieldDiff): boolean => change === 'created' && after === record.title;
  const texts = isDeleted ? [] : parts.filter((field) => isText(field) && !isTitle(field));
  const values = isDeleted ? [] : parts.filter((field) => !isText(field));
  return {
    record,
    status: statusOf(record),
    facts: bounded([...factsOf(record), ...edges.map(edgeFact)]),
    values: values.map(shownValue).filter(({ before, after }) => before !== undefined || after !== undefined),
    texts: texts.map(({ field, before, after }) => ({
      field: fieldName(field),
      change: wordChange(asText(before), asText(after)),
    })),
  };
}

/** The facts of one record that are shown. */
const factsMax = 12;

function bounded(facts: readonly ShownFact[]): readonly ShownFact[] {
  const more = facts.length - factsMax;
  return more > 0 ? [...facts.slice(0, factsMax), { words: `and ${more} more` }] : facts;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isShown({ change, kind }: RecordDiff, { field, before, after }: FieldDiff): boolean {
  if (elsewhere.has(field) || canvasFields.has(field)) return false;
  if (kind === 'run' && !ofRuns.has(field)) return false;
  // A proof makes it current: only becoming stale, and its end, is news.
  if (field === 'verification_state') return before === 'stale' || after === 'stale';
  // The title of a comment is its text.
  return change === 'changed' || !(ofNewRecords.has(field) || (kind === 'comment' && field === 'body'));
}

/** Texts that are not written into one line. */
const lineCharactersMax = 100;

function isText({ field, before, after }: FieldDiff): boolean {
  const texts = [before, after].filter((value) => typeof value === 'string');
  if (texts.length === 0 || [before, after].some((value) => value !== null && typeof value !== 'string')) return false;
  const isLong = (text: string): boolean => text.length > lineCharactersMax || text.includes('\n');
  return longFields.has(field) || texts.some(isLong);
}

const longFields: ReadonlySet<string> = new Set(['description', 'objective', 'body', 'content']);

function statusOf({ change, fields }: RecordDiff): ShownValue | undefined {
  const found = fields.find(({ field }) => field === 'status');
  if (found === undefined) return undefined;
  const { before, after } = shownValue(found);
  if (change === 'created' && firstStatuses.has(after)) return undefined;
  return { field: 'status', before, after };
}

function factsOf({ change, kind, fields, within, former_title: former }: RecordDiff): readonly ShownFact[] {
  const goal = fields.find(({ field }) => field === 'goal_id');
  const facts: ShownFact[] = [];
  if (former !== undefined && kind !== 'comment') facts.push({ words: 'renamed from', title: former });
  if (goal !== undefined && change === 'changed')
    facts.push({ words: 'moved from the goal', title: goal.before_title ?? asText(goal.before) });
  if (change === 'changed' && wasMoved(fields)) facts.push({ words: 'moved in the order by hand' });
  const author = fields.find(({ field }) => field === 'author')?.after;
  if (kind === 'comment' && typeof author === 'string') facts.push({ words: `by ${author.replace(/^human:/, '')}` });
  if (within !== null && kind === 'comment') facts.push({ words: 'on', title: within.title ?? within.id });
  else if (within !== null && kind !== 'task' && change === 'created')
    facts.push({ words: 'in', title: within.title ?? within.id });
  return facts;
}

function wasMoved(fields: RecordDiff['fields']): boolean {
  return fields.some(({ field }) => field === 'rank');
}

function edgeFact(edge: EdgeDiff): ShownFact {
  const { change, from, to, label, first } = edge;
  const other = subjectOf(edge) === from.id ? to : from;
  const title = other.title ?? other.id;
  const isGone = change === 'deleted';
  if (first !== undefined) return { words: isGone ? 'no longer after' : 'after', title };
  const named = label === null ? '' : ` (${label})`;
  const words = isGone
    ? `no longer linked${named} to`
    : change === 'created'
      ? `linked${named} to`
      : `link${named} drawn differently to`;
  return { words, title };
}

/** A field as it is shown, with names in place of ids. */
export function shownValue({ field, before, after, before_title: from, after_title: to }: FieldDiff): ShownValue {
  if (Array.isArray(before) || Array.isArray(after)) return listValue(field, listOf(before), listOf(after));
  return { field: fieldName(field), before: from ?? valueText(before), after: to ?? valueText(after) };
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((item) => valueText(item) ?? '') : [];
}

/** As Planner writes them into records; a date alone is shown as it is. */
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[.\d]*Z$/;
const commitPattern = /^[0-9a-f]{40}$/;

/** The items of one list that are shown. */
const itemsMax = 12;

function itemsText(items: readonly string[]): string | undefined {
  if (items.length === 0) return undefined;
  const more = items.length - itemsMax;
  return more > 0 ? `${items.slice(0, itemsMax).join(', ')} and ${more} more` : items.join(', ');
}

/** Of a list, the items that only one side has. */
function listValue(field: string, before: readonly string[], after: readonly string[]): ShownValue {
  const only = (items: readonly string[], others: readonly string[]): string | undefined => {
    const known = new Set(others);
    return itemsText(items.filter((item) => !known.has(item)));
  };
  const [gone, come] = [only(before, after), only(after, before)];
  // The same items in another order.
  if (gone === undefined && come === undefined)
    return { field: fieldName(field), before: itemsText(before), after: itemsText(after) };
  return { field: fieldName(field), before: gone, after: come };
}

/** A value in one line; undefined for none. */
function valueText(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'string')
    return timePattern.test(value) ? minuteOf(value) : commitPattern.test(value) ? value.slice(0, 10) : value;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = value as Readonly<Record<string, unknown>>;
  if (typeof members['command'] === 'string' && members['kind'] === 'gate_command') return members['command'];
  if (members['kind'] === 'human_sign_off') return 'signed off by a person';
  if (members['kind'] === 'acceptance_checklist') return checklistText(members['items']);
  if (typeof members['green'] === 'boolean') return evidenceText(members);
  if (typeof members['insertions'] === 'number') return diffStatText(members as unknown as DiffStat);
  if (typeof members['question'] === 'string') return members['question'];
  if (typeof members['commit'] === 'string') return `commit ${members['commit'].slice(0, 10)}`;
  return shortened(JSON.stringify(value), jsonCharactersMax);
}

/** Other values of several members are shown as JSON, up to so many characters. */
const jsonCharactersMax = 160;

function checklistText(items: unknown): string {
  const criteria = (Array.isArray(items) ? items : []) as readonly { readonly criterion?: unknown }[];
  return criteria.map(({ criterion }) => (typeof criterion === 'string' ? criterion : '')).join('; ');
}

/** The newest evidence of a goal: its result, when, and from whom. */
function evidenceText({ green, at, reported_by: agent }: Readonly<Record<string, unknown>>): string {
  const when = typeof at === 'string' ? ` at ${minuteOf(at)}` : '';
  return `${green === true ? 'green' : 'red'}${when}${typeof agent === 'string' ? ` by ${agent}` : ''}`;
}

const fieldNames: Readonly<Record<string, string>> = { verification_surface: 'verification', commit_refs: 'commits' };

function fieldName(field: string): string {
  return fieldNames[field] ?? field.replace(/_id$/, '').replaceAll('_', ' ');
}

/** The counts of all differences: `2 tasks done, 1 added; 1 goal changed`. Empty if no record differs. */
export function headlineOf(diff: PlanDiff): string {
  const records = diff.projects.map(shownProject);
  const shown = records.flatMap(({ groups }) =>
    groups.flatMap(({ goal, records: own }) => [...(goal ? [goal] : []), ...own]),
  );
  const byKind = Map.groupBy(shown, ({ record }) => record.kind);
  const order = ['task', 'goal', ...Object.keys(groupNames)];
  const parts = order.flatMap((kind) => {
    const own = byKind.get(kind);
    return own === undefined ? [] : [countsOf(kind, own)];
  });
  const moved = records.reduce((sum, one) => sum + one.moved, 0);
  if (moved > 0) parts.push(`${counted(moved, 'position')} on the canvas changed`);
  if (diff.settings.length > 0) parts.push(`${counted(diff.settings.length, 'setting')} changed`);
  return parts.join('; ');
}

function countsOf(kind: string, shown: readonly ShownRecord[]): string {
  const words = shown.map(wordOf);
  const order = ['done', 'complete', 'started', 'added', 'changed', 'moved', 'deleted'];
  const counts = order.flatMap((word) => {
    const count = words.filter((one) => one === word).length;
    return count === 0 ? [] : [{ count, word: word === 'complete' ? 'completed' : word }];
  });
  return counts.map(({ count, word }, at) => `${at === 0 ? counted(count, kind) : count} ${word}`).join(', ');
}

function wordOf({ record, status }: ShownRecord): string {
  if (record.change === 'deleted') return 'deleted';
  if (status?.after === 'done' || status?.after === 'complete') return status.after;
  if (record.change === 'created') return 'added';
  if (status?.after === 'in_progress') return 'started';
  return record.fields.length === 1 && wasMoved(record.fields) ? 'moved' : 'changed';
}

/** `+12 −3 words`. */
export function wordsText({ added, removed, isSpacing }: WordChange): string {
  if (isSpacing) return 'white space alone';
  const parts = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])];
  return `${parts.join(' ')} ${added + removed === 1 ? 'word' : 'words'}`;
}

/** Returns whether two plans are the same: nothing of their records or settings differs. */
export function isEmpty({ projects, settings }: PlanDiff): boolean {
  return projects.length === 0 && settings.length === 0;
}

/** The names of the two sides. */
export function sidesText({ before, after }: PlanDiff): readonly [string, string] {
  return [before.revision ?? 'working tree', after.revision ?? 'working tree'];
}
