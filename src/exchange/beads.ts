import { invalid, PlannerError } from '../base/errors.ts';
import { timeOf } from './dates.ts';
import type { ImportedPlan, Members } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { parseJson } from './parse-json.ts';
import { objectOf, shown } from './members.ts';
import type { FileFormat, ReadOptions } from './plan-format.ts';
import { cancelled, isCancelling, statusAmong } from './status-synonyms.ts';

type Fields = Readonly<Record<string, unknown>>;

const priorities = ['urgent', 'high', 'medium', 'low', 'low'];

/** Texts of an issue that are parts of its description, under headings. */
const sections = { design: 'Design', acceptance_criteria: 'Acceptance criteria', notes: 'Notes' } as const;

/** Kinds of dependency that order work: the issue waits for its dependency. Names are compared with hyphens. */
const waiting = new Set(['blocks', 'blocked-by', 'conditional-blocks', 'waits-for', 'depends-on']);
/** Kinds of dependency between an issue and the issue that it is a part of. */
const parts = new Set(['parent-child', 'parent', 'child-of']);
/** Kinds of dependency that correspond to an edge's label. */
const labels: Readonly<Record<string, string>> = {
  ...{ duplicates: 'duplicates', 'duplicate-of': 'duplicates', supersedes: 'supersedes' },
  ...{ relates: 'relates', related: 'relates', 'relates-to': 'relates', 'related-to': 'relates' },
};
/** Other kinds that beads has: an edge `relates`, and the kind is in the description. Any further kind is listed as well. */
const known = new Set([
  ...['discovered-from', 'replies-to', 'tracks', 'until', 'caused-by', 'validates', 'authored-by', 'assigned-to'],
  ...['approved-by', 'attests', 'delegated-from', 'follows'],
]);
/** The members of a dependency that its edge has; others are kept in the description. */
const edgeMembers = ['issue_id', 'depends_on_id', 'type', 'created_at'];

/** The number of lines from which the format is detected. */
const detectedLines = 20;

export const beads: FileFormat = {
  kind: 'file',
  name: 'beads',
  places: ['.beads/issues.jsonl', '.beads/beads.jsonl', 'issues.jsonl', 'beads.jsonl'],
  detects: ({ text }) => {
    const lines = text
      .slice(0, 256 * 1024)
      .split('\n')
      .filter((line) => line.trim() !== '');
    // The last one may be cut.
    const whole = lines.length > 1 ? lines.slice(0, Math.min(detectedLines, lines.length - 1)) : lines;
    return whole.length > 0 && whole.every((line) => isIssue(parsed(line)));
  },
  read: ({ text }, options) => readBeads(text, options),
};

/** Returns whether a line is an issue: JSON lines of other tools have no such members. */
function isIssue(line: Fields | undefined): line is Fields {
  const { id, title, status, issue_type: type } = line ?? {};
  return (
    typeof id === 'string' && typeof title === 'string' && (typeof status === 'string' || typeof type === 'string')
  );
}

function parsed(line: string): Fields | undefined {
  try {
    return objectOf(parseJson(line));
  } catch (error) {
    if (error instanceof PlannerError) throw error;
    return undefined;
  }
}

/**
 * Reads the issues of beads, one JSON object per line (`.beads/issues.jsonl`). Issues become tasks, `blocks` and
 * `parent-child` edges that order, other dependencies `relates`. Deleted issues (tombstones) are left out unless
 * `withDeleted`, and so is lines that are no issues (`_type`). Throws `invalid_argument` with the number of an invalid
 * line.
 */
export function readBeads(text: string, { name, withDeleted }: ReadOptions): ImportedPlan {
  const plan = new PlanBuilder('beads', name);
  const ids = new Map<string, string>();
  const deleted = new Set<string>();
  const pending: (() => void)[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const fields = recordOf(line, at + 1);
    const { _type: kind = 'issue' } = fields;
    if (kind !== 'issue') {
      plan.leftOut({ of: 'record', reason: `its type is ${shown(kind)}`, where: `line ${at + 1}` });
      continue;
    }
    const issue = plan.members(requireIssue(fields, at + 1), String(fields['id']));
    issue.take('_type');
    const id = String(issue.take('id'));
    plan.countSource('issue');
    if (fields['status'] === 'tombstone' && !withDeleted) {
      plan.leftOut({ of: 'issue', reason: 'it is deleted (--with-deleted imports it)', where: id, expected: true });
      deleted.add(id);
      continue;
    }
    const dependencies = issue.objects('dependencies');
    const comments = issue.objects('comments');
    const lost = dependencies.filter(({ depends_on_id: to }) => typeof to !== 'string');
    const task = addIssue(plan, issue, id, lost);
    if (ids.has(id)) plan.remarks.add('An id of several issues: dependencies use the first one.', id);
    else ids.set(id, task);
    for (const comment of comments) addComment(plan, task, comment);
    for (const dependency of dependencies) pending.push(() => join({ plan, ids, deleted }, { id, task }, dependency));
  }
  // An issue may depend on a later one.
  for (const add of pending) add();
  return plan.finish();
}

function recordOf(line: string, number: number): Fields {
  const record = parsed(line);
  if (record !== undefined) return record;
  throw invalid('file', `Line ${number} is not an issue: beads has one JSON object per line.`, { line: number });
}

function requireIssue(record: Fields, number: number): Fields {
  const { id, title, status } = record;
  if (typeof id === 'string' && (typeof title === 'string' || status === 'tombstone')) return record;
  throw invalid('file', `Line ${number} is not an issue: one has an id and a title.`, { line: number });
}

function addIssue(plan: PlanBuilder, issue: Members, id: string, lost: readonly Fields[]): string {
  const title = issue.text('title') ?? id;
  const word = issue.text('status') ?? 'open';
  const { status, exact } = statusAmong(word, statedBy(issue, word));
  const type = issue.text('issue_type');
  const priority = Number(issue.text('priority') ?? Number.NaN);
  const description = [
    issue.text('description') ?? '',
    ...Object.entries(sections).map(([name, heading]) => {
      const text = issue.text(name) ?? '';
      return text === '' ? '' : `## ${heading}\n\n${text}`;
    }),
  ];
  return plan.task({
    ...{ label: title, status, assignee: issue.text('assignee') ?? null, priority: priorities[priority] ?? null },
    created: { name: 'created_at', text: issue.text('created_at') },
    due: { name: 'due_at', text: issue.text('due_at') },
    // The issue type becomes a label, except `task`, which most issues are.
    tags: [...issue.texts('labels'), ...(type === undefined || type === 'task' ? [] : [type])],
    description: description.filter((part) => part !== '').join('\n\n'),
    kept: {
      id,
      ...(exact ? undefined : { status: word }),
      ...(priority > 3 || priorities[priority] === undefined ? { priority } : undefined),
      ...(lost.length > 0 && { dependencies: lost }),
      ...issue.rest(),
    },
  });
}

/** Statements of an issue besides its status: the time at which it was closed, and the reason. */
function statedBy(issue: Members, word: string): string | undefined {
  const [closed, reason] = [issue.peek('closed_at'), issue.peek('close_reason')];
  const isClosed = word === 'closed' || (typeof closed === 'string' && closed !== '');
  if (!isClosed) return undefined;
  return typeof reason === 'string' && isCancelling(reason) ? cancelled : 'done';
}

function addComment(plan: PlanBuilder, task: string, comment: Fields): void {
  const members = plan.members(comment, 'comment');
  plan.comment(task, {
    ...{ body: members.text('text') ?? members.text('body') ?? '', plain: true },
    author: members.text('author') ?? '',
    created: { name: 'created_at', text: members.text('created_at') },
  });
}

interface Issues {
  readonly plan: PlanBuilder;
  /** Tasks by the ids of their issues. */
  readonly ids: ReadonlyMap<string, string>;
  /** The ids of issues that were left out. */
  readonly deleted: ReadonlySet<string>;
}

function join(
  { plan, ids, deleted }: Issues,
  { id, task }: { readonly id: string; readonly task: string },
  dependency: Fields,
): void {
  const { depends_on_id: to, type: kind } = dependency;
  const type = typeof kind === 'string' && kind !== '' ? kind : 'blocks';
  if (typeof to !== 'string') return;
  const folded = type.toLowerCase().replaceAll('_', '-');
  const target = ids.get(to);
  const created = timeOf(typeof dependency['created_at'] === 'string' ? dependency['created_at'] : undefined);
  const more = created === undefined ? {} : { created_at: created };
  keepMembers(plan, task, `${type} ${to}`, dependency);
  if (target === undefined) {
    plan.keep(task, { [type]: to });
    const what = deleted.has(to)
      ? 'A dependency on a deleted issue: it is in the description.'
      : 'A dependency on an issue that is not in the file: it is in the description.';
    plan.remarks.add(what, `${id} ${type} ${to}`);
  } else if (waiting.has(folded)) plan.depends(task, target, `${id} ${type} ${to}`, more);
  else if (parts.has(folded)) plan.part(task, target, `${id} in ${to}`, more);
  else {
    const label = labels[folded];
    plan.relate(task, target, label ?? 'relates', `${id} ${type} ${to}`, more);
    if (label !== undefined) return;
    plan.keep(task, { [type]: to });
    if (!known.has(folded)) {
      plan.remarks.add(
        'A dependency of an unknown kind: the edge is `relates`, the kind is in the description.',
        `${id} ${type} ${to}`,
      );
    }
  }
}

/** Keeps the members of a dependency besides its ends, kind and time: its author, a thread, its metadata. */
function keepMembers(plan: PlanBuilder, task: string, name: string, dependency: Fields): void {
  const more = Object.entries(dependency).filter(
    ([member, value]) => !edgeMembers.includes(member) && value !== null && value !== '' && value !== '{}',
  );
  if (more.length > 0) {
    const texts = more.map(([member, value]) => {
      return `${member} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
    });
    plan.keep(task, { [name]: texts.join('; ') });
  }
}
