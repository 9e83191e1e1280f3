import { equal, membersOf } from '../../store/index.ts';
import type { FieldDiff } from '../../schema/types.ts';
import type { FieldRule } from '../records/declare-collection.ts';
import { goalIdOf } from '../records/goal-reference.ts';
import { declared } from '../records/record-collections.ts';
import type { TaskRecord } from '../records/collections.ts';
import { wireName } from '../versions/revisions.ts';
import type { ComparableProject } from './comparable.ts';
import type { RecordSide } from './pair-records.ts';
import { snapshotOf, titleById } from './record-names.ts';

/** A record on one side, if it is there, with its project. */
interface Side {
  readonly record: RecordSide | undefined;
  readonly project: ComparableProject | undefined;
}

/** Fields that callers do not see, and that are compared: the goal of a task, and sizes on the canvas. */
const comparedInternals: ReadonlySet<string> = new Set(['goal', 'size', 'layout']);
/** Fields that the comparison shows in another way, or that say nothing of the plan. */
const notCompared: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at', 'links']);

interface ComparedField {
  readonly name: string;
  readonly rule: FieldRule;
}

/** The fields of each collection that are compared, in the order of a file. */
const fieldsByKind: ReadonlyMap<string, readonly ComparedField[]> = new Map(
  declared.map(({ name: kind, fields }) => [
    kind as string,
    Object.entries<FieldRule>(fields)
      .map(([name, rule]) => ({ name, rule }))
      .filter(({ name, rule }) => !notCompared.has(name) && (rule.shown !== 'internal' || comparedInternals.has(name))),
  ]),
);

/** The fields in which a record differs; those with a value if it is on one side alone. */
export function fieldDiffs(
  kind: string,
  before: Side,
  after: Side,
  renamed: ReadonlyMap<string, string>,
): readonly FieldDiff[] {
  const isOne = before.record === undefined || after.record === undefined;
  const found: FieldDiff[] = [];
  for (const { name, rule } of fieldsByKind.get(kind) ?? []) {
    if (!isOne && [before, after].some(({ record }) => record!.file.ignored.has(name))) continue;
    const [from, to] = [valueIn(before, name), valueIn(after, name)];
    const isSame = rule.reference === true && typeof from === 'string' && renamed.get(from) === to && to !== undefined;
    if (isSame || equal(from, to) || (isOne && isBlank(rule, from ?? to))) continue;
    found.push({
      field: wireName(kind, name),
      before: from,
      after: to,
      ...titlesOf(rule, before, after, name),
    } as FieldDiff);
  }
  return kind === 'comment' ? withoutRendered(found) : found;
}

function valueIn({ record, project }: Side, name: string): unknown {
  if (record === undefined || project === undefined) return null;
  const members = membersOf(record.record);
  // The text of a comment as it was written, instead of the HTML that is made of it.
  if (name === 'body' && 'target_id' in members) return members['source'] ?? members['body'];
  if (name !== 'goal') return members[name] ?? null;
  return goalIdOf(snapshotOf(project.records), record.record as unknown as TaskRecord);
}

function isBlank({ absent = null, always }: FieldRule, value: unknown): boolean {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return true;
  return always !== true && equal(value, absent);
}

function titlesOf(rule: FieldRule, before: Side, after: Side, name: string): Partial<FieldDiff> {
  if (rule.reference !== true) return {};
  const titleIn = (side: Side): string | undefined =>
    side.project && titleById(side.project.records, valueIn(side, name));
  const [from, to] = [titleIn(before), titleIn(after)];
  return { ...(from !== undefined && { before_title: from }), ...(to !== undefined && { after_title: to }) };
}

function withoutRendered(fields: readonly FieldDiff[]): readonly FieldDiff[] {
  return fields.filter(({ field }) => field !== 'source');
}
