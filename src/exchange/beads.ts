import { invalid } from '../errors.ts';
import { Members, type ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { objectOf } from './plan-format.ts';
import type { FileFormat } from './plan-format.ts';
import { dayOf, statusOf, timeOf } from './status-synonyms.ts';

type Fields = Readonly<Record<string, unknown>>;

const priorities = ['urgent', 'high', 'medium', 'low', 'low'];

/** Texts of an issue that are parts of its description, under headings. */
const sections = { design: 'Design', acceptance_criteria: 'Acceptance criteria', notes: 'Notes' } as const;

/** Kinds of dependency that order work: the issue waits for what it depends on. */
const waiting = new Set(['blocks', 'blocked-by', 'conditional-blocks', 'waits-for']);

/** The number of lines from which the format is detected. */
const detectedLines = 20;

export const beads: FileFormat = {
  kind: 'file',
  name: 'beads',
  offered: 'a beads issues.jsonl',
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
  read: ({ text }, { name }) => readBeads(text, name),
};

/** Whether a line is an issue: JSON lines of other tools have no such members. */
function isIssue(line: Fields | undefined): line is Fields {
  const { id, title, status, issue_type: type } = line ?? {};
  return (
    typeof id === 'string' && typeof title === 'string' && (typeof status === 'string' || typeof type === 'string')
  );
}

function parsed(line: string): Fields | undefined {
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/**
 * Reads the issues of beads, one JSON object per line (`.beads/issues.jsonl`). Issues become tasks, `blocks` and `parent-child` edges that
 * order, other dependencies `relates`. Throws `invalid_argument` with the number of an invalid line.
 */
export function readBeads(text: string, name: string): ImportedPlan {
  const plan = new PlanBuilder('beads', name);
  const ids = new Map<string, string>();
  const pending: (() => void)[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const issue = new Members(issueOf(line, at + 1));
    const id = issue.text('id') ?? `line ${at + 1}`;
    const dependencies = issue.objects('dependencies');
    const comments = issue.objects('comments');
    const lost = dependencies.filter(({ depends_on_id: to }) => typeof to !== 'string');
    const task = addIssue(plan, issue, id, lost);
    if (ids.has(id)) plan.remarks.add('An id of several issues: dependencies use the first one.', id);
    else ids.set(id, task);
    for (const comment of comments) addComment(plan, task, comment);
    for (const dependency of dependencies) pending.push(() => join(plan, ids, { id, task }, dependency));
  }
  // An issue may depend on a later one.
  for (const add of pending) add();
  return plan.finish();
}

function issueOf(line: string, number: number): Fields {
  const issue = parsed(line);
  if (issue !== undefined && typeof issue['id'] === 'string') return issue;
  throw invalid('file', `Line ${number} is not an issue: beads has one JSON object per line.`, { line: number });
}

function addIssue(plan: PlanBuilder, issue: Members, id: string, lost: readonly Fields[]): string {
  const title = issue.text('title') ?? id;
  const said = issue.text('status') ?? 'open';
  const { status, exact } = statusOf(said);
  const type = issue.text('issue_type');
  const priority = Number(issue.text('priority') ?? Number.NaN);
  const created = issue.text('created_at');
  const due = issue.text('due_at');
  const description = [
    issue.text('description') ?? '',
    ...Object.entries(sections).map(([name, heading]) => {
      const text = issue.text(name) ?? '';
      return text === '' ? '' : `## ${heading}\n\n${text}`;
    }),
  ];
  return plan.task({
    ...{ label: title, status, assignee: issue.text('assignee') ?? null, priority: priorities[priority] ?? null },
    ...{ created_at: timeOf(created), due_date: dayOf(due) ?? null },
    // The issue type becomes a label, except `task`, which most issues are.
    tags: [...issue.texts('labels'), ...(type === undefined || type === 'task' ? [] : [type])],
    description: description.filter((part) => part !== '').join('\n\n'),
    kept: {
      id,
      ...(exact ? undefined : { status: said }),
      ...(priority > 3 || priorities[priority] === undefined ? { priority } : undefined),
      ...(timeOf(created) === undefined ? { created_at: created } : undefined),
      ...(due === undefined || dayOf(due) === due ? undefined : { due_at: due }),
      ...(lost.length > 0 && { dependencies: lost }),
      ...issue.rest(),
    },
  });
}

function addComment(plan: PlanBuilder, task: string, comment: Fields): void {
  const said = new Members(comment);
  plan.comment(task, {
    body: said.text('text') ?? said.text('body') ?? '',
    author: said.text('author') ?? '',
    created_at: timeOf(said.text('created_at')),
  });
}

function join(
  plan: PlanBuilder,
  ids: ReadonlyMap<string, string>,
  { id, task }: { readonly id: string; readonly task: string },
  dependency: Fields,
): void {
  const { depends_on_id: to, type: kind } = dependency;
  const type = typeof kind === 'string' ? kind : 'blocks';
  if (typeof to !== 'string') return;
  const target = ids.get(to);
  const created = timeOf(typeof dependency['created_at'] === 'string' ? dependency['created_at'] : undefined);
  const more = created === undefined ? {} : { created_at: created };
  if (target === undefined) {
    plan.keep(task, { [type]: to });
    plan.remarks.add(
      'A dependency on an issue that is not in the file: it is in the description.',
      `${id} ${type} ${to}`,
    );
  } else if (waiting.has(type)) plan.depends(task, target, `${id} ${type} ${to}`, more);
  else if (type === 'parent-child') plan.part(task, target, `${id} in ${to}`, more);
  else {
    const label = type === 'duplicates' || type === 'supersedes' ? type : 'relates';
    plan.relate(task, target, label, `${id} ${type} ${to}`, more);
    if (!['duplicates', 'supersedes', 'relates', 'related', 'relates-to'].includes(type))
      plan.keep(task, { [type]: to });
  }
}
