import type { Fields } from '../domain/exchange/draft.ts';
import { invalid } from '../errors.ts';
import { Members } from './imported-plan.ts';
import type { ImportedPlan, Kept } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { objectOf } from './members.ts';
import type { FileFormat } from './plan-format.ts';
import { priorityOf, timeOf } from './status-synonyms.ts';
import { TaskReferences } from './task-references.ts';

/** Members that address or count what is elsewhere, or repeat another one. */
const bookkeeping =
  /(^|_)(url|urls)$|^(id|databaseId|node_id|reactions|reactionGroups|performed_via_github_app|author_association|user|assignee|closed|sub_issues_summary|issue_dependencies_summary|pinned_comment|projectCards|number|score)$/;

export const github: FileFormat = {
  kind: 'file',
  name: 'github',
  offered: 'the JSON of GitHub issues',
  places: [],
  detects: ({ json }) => {
    const issues = issuesIn(json);
    return issues !== undefined && issues.length > 0 && issues.slice(0, 20).every(isIssue);
  },
  read: ({ json }, { name }) => readGithub(json, name),
};

/** The list of `gh issue list --json`, of a page of the REST interface, of several (`--slurp`), or of a search. */
function issuesIn(json: unknown): Fields[] | undefined {
  const list = objectOf(json)?.['items'] ?? json;
  if (!Array.isArray(list)) return undefined;
  const issues = list.flat(1).map((one: unknown) => objectOf(one));
  return issues.every((one) => one !== undefined) ? issues : undefined;
}

function isIssue({ number, title, state, url, html_url: page }: Fields): boolean {
  const address = typeof page === 'string' ? page : url;
  const named = typeof number === 'number' && typeof title === 'string';
  return named && (typeof state === 'string' || (typeof address === 'string' && address.includes('/issues/')));
}

/**
 * Reads GitHub's issues, as `gh issue list --json …` or the REST interface returns them. Issues become tasks, milestones goals; parents and
 * blocking issues edges, if the file has them. Pull requests are left out.
 */
export function readGithub(json: unknown, name: string): ImportedPlan {
  const issues = issuesIn(json);
  if (issues === undefined) throw invalid('file', 'The file is no list of issues: gh issue list --json prints one.');
  const plan = new PlanBuilder('GitHub', name);
  const references = new TaskReferences(plan);
  const goals = new Map<string, string>();
  for (const [at, fields] of issues.entries()) {
    const { number, title } = fields;
    if (typeof number !== 'number' || typeof title !== 'string')
      throw invalid(`[${at}]`, `[${at}] is not an issue: one has a number and a title.`);
    plan.countSource('issue');
    if (fields['pull_request'] !== undefined) {
      plan.leftOut({ of: 'issue', reason: 'it is a pull request', where: `#${number}`, expected: true });
      continue;
    }
    const said = new Members(fields);
    refer(references, said, String(number));
    const comments = said.objects('comments');
    const task = addIssue(plan, said, String(number), goals);
    references.add(String(number), task);
    for (const comment of comments) addComment(plan, task, comment);
  }
  references.join();
  return plan.finish();
}

function addIssue(plan: PlanBuilder, said: Members, id: string, goals: Map<string, string>): string {
  const labels = namesOf(said.take('labels'));
  const [assignee = null, ...others] = namesOf(said.take('assignees'));
  const type = namesOf([said.take('type') ?? said.take('issueType')])[0];
  const milestone = objectOf(said.take('milestone'));
  const { status, reason } = stateOf(said);
  const author = namesOf([said.take('author') ?? said.take('user')])[0];
  const comments = said.take('comments');
  if (typeof comments === 'number' && comments > 0)
    plan.remarks.add(
      'Comments that are not in the file: gh issue list --json comments prints them.',
      `#${id} (${comments})`,
    );
  return plan.task({
    ...{ label: said.text('title') ?? '', description: said.text('body') ?? '', assignee },
    ...{ status, priority: labels.map(priorityOfLabel).find((one) => one !== undefined) ?? null },
    created_at: timeOf(said.text('createdAt') ?? said.text('created_at')),
    tags: [...labels, ...(type === undefined ? [] : [type])],
    goal: milestone === undefined ? undefined : goalOf(plan, goals, milestone),
    kept: {
      id,
      url: said.text('html_url') ?? said.text('url'),
      author,
      ...(others.length > 0 && { 'other assignees': others }),
      'closed as': reason,
      ...restOf(said),
    },
  });
}

/** An issue that was closed because it is not planned is not done: the reason is kept. */
function stateOf(said: Members): { readonly status: string; readonly reason?: string } {
  const closed = said.text('state')?.toLowerCase() === 'closed';
  const reason = [said.text('stateReason'), said.text('state_reason')].find((one) => one !== undefined && one !== '');
  if (closed && /^(not_planned|duplicate)$/i.test(reason ?? '')) return { status: 'backlog', reason: reason! };
  return { status: closed ? 'done' : 'todo' };
}

/** The members that matter to a person. */
function restOf(said: Members): Kept {
  return Object.fromEntries(
    Object.entries(said.rest()).filter(([name, value]) => !bookkeeping.test(name) && value !== false),
  );
}

/** `P1`, `priority: high`, `priority/urgent`: labels are the only priorities that issues have. */
function priorityOfLabel(label: string): string | undefined {
  const number = /^p([0-4])$/i.exec(label)?.[1];
  if (number !== undefined) return ['urgent', 'high', 'medium', 'low', 'low'][Number(number)];
  return priorityOf(/^prio(?:rity)?\s*[:/-]\s*(\w+)$/i.exec(label)?.[1]);
}

/** The names of labels, people or types. */
function namesOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : []).flatMap((one: unknown) => {
    if (typeof one === 'string') return [one];
    const { name, login } = objectOf(one) ?? {};
    const said = typeof login === 'string' ? login : name;
    return typeof said === 'string' && said !== '' ? [said] : [];
  });
}

function goalOf(plan: PlanBuilder, goals: Map<string, string>, milestone: Fields): string | undefined {
  const said = new Members(milestone);
  const name = said.text('title');
  if (name === undefined) return undefined;
  const known = goals.get(name);
  if (known !== undefined) return known;
  // A paused goal offers no tasks.
  const status = said.text('state')?.toLowerCase() === 'closed' ? 'paused' : 'active';
  const due = said.text('dueOn') ?? said.text('due_on');
  const objective = said.text('description') ?? '';
  const goal = plan.goal({
    ...{ name, objective, status, created_at: timeOf(said.text('created_at')), foreignId: name },
    kept: { due, closed_at: said.text('closed_at') },
  });
  goals.set(name, goal);
  return goal;
}

function refer(references: TaskReferences, said: Members, id: string): void {
  const parent = said.take('parent') ?? said.text('parent_issue_url');
  for (const to of numbersOf(parent)) references.refer('part', id, to, 'parent');
  for (const from of numbersOf(said.take('subIssues'))) references.refer('part', from, id, 'parent');
  for (const to of numbersOf(said.take('blockedBy'))) references.refer('depends', id, to, 'blockedBy');
  for (const from of numbersOf(said.take('blocking'))) references.refer('depends', from, id, 'blockedBy');
}

/** The numbers of one issue or several: objects, lists, `{nodes}`, or addresses that end with a number. */
function numbersOf(value: unknown): string[] {
  if (typeof value === 'string') return [/\/(\d+)$/.exec(value)?.[1]].filter((number) => number !== undefined);
  if (Array.isArray(value)) return value.flatMap(numbersOf);
  const { number, nodes } = objectOf(value) ?? {};
  return typeof number === 'number' ? [String(number)] : Array.isArray(nodes) ? nodes.flatMap(numbersOf) : [];
}

function addComment(plan: PlanBuilder, task: string, comment: Fields): void {
  const said = new Members(comment);
  plan.comment(task, {
    body: said.text('body') ?? '',
    author: namesOf([said.take('author') ?? said.take('user')])[0] ?? '',
    created_at: timeOf(said.text('createdAt') ?? said.text('created_at')),
  });
}
