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

/** What `gh issue list --json` prints; people choose some of them. */
const printed = new Set([
  ...['assignees', 'author', 'body', 'closed', 'closedAt', 'closedByPullRequestsReferences', 'comments', 'createdAt'],
  ...['id', 'isPinned', 'labels', 'milestone', 'number', 'projectCards', 'projectItems', 'reactionGroups', 'state'],
  ...['stateReason', 'title', 'updatedAt', 'url'],
]);

function isIssue(fields: Fields): boolean {
  const { number, title, state, url, html_url: page } = fields;
  if (typeof number !== 'number' || typeof title !== 'string') return false;
  const address = typeof page === 'string' ? page : url;
  if (typeof state === 'string' || (typeof address === 'string' && address.includes('/issues/'))) return true;
  const names = Object.keys(fields);
  return names.length > 2 && names.every((name) => printed.has(name));
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
    const members = new Members(fields);
    refer(references, members, String(number));
    const comments = members.objects('comments');
    const task = addIssue(plan, members, String(number), goals);
    references.add(String(number), task);
    for (const comment of comments) addComment(plan, task, comment);
  }
  references.join();
  return plan.finish();
}

function addIssue(plan: PlanBuilder, members: Members, id: string, goals: Map<string, string>): string {
  const labels = namesOf(members.take('labels'));
  const [assignee = null, ...others] = namesOf(members.take('assignees'));
  const type = namesOf([members.take('type') ?? members.take('issueType')])[0];
  const milestone = objectOf(members.take('milestone'));
  const { status, reason } = stateOf(members);
  const author = namesOf([members.take('author') ?? members.take('user')])[0];
  const comments = members.take('comments');
  if (typeof comments === 'number' && comments > 0)
    plan.remarks.add(
      'Comments that are not in the file: gh issue list --json comments prints them.',
      `#${id} (${comments})`,
    );
  return plan.task({
    ...{ label: members.text('title') ?? '', description: members.text('body') ?? '', assignee },
    ...{ status, priority: labels.map(priorityOfLabel).find((one) => one !== undefined) ?? null },
    created_at: timeOf(members.text('createdAt') ?? members.text('created_at')),
    tags: [...labels, ...(type === undefined ? [] : [type])],
    goal: milestone === undefined ? undefined : goalOf(plan, goals, milestone),
    kept: {
      id,
      url: members.text('html_url') ?? members.text('url'),
      author,
      ...(others.length > 0 && { 'other assignees': others }),
      'closed as': reason,
      ...restOf(members),
    },
  });
}

/** An issue that was closed because it is not planned is not done: the reason is kept. */
function stateOf(members: Members): { readonly status: string; readonly reason?: string } {
  const closed = members.text('state')?.toLowerCase() === 'closed';
  const reason = [members.text('stateReason'), members.text('state_reason')].find(
    (one) => one !== undefined && one !== '',
  );
  if (closed && /^(not_planned|duplicate)$/i.test(reason ?? '')) return { status: 'backlog', reason: reason! };
  return { status: closed ? 'done' : 'todo' };
}

/** The members that matter to a person. */
function restOf(members: Members): Kept {
  return Object.fromEntries(
    Object.entries(members.rest()).filter(([name, value]) => !bookkeeping.test(name) && value !== false),
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
    const called = typeof login === 'string' ? login : name;
    return typeof called === 'string' && called !== '' ? [called] : [];
  });
}

function goalOf(plan: PlanBuilder, goals: Map<string, string>, milestone: Fields): string | undefined {
  const members = new Members(milestone);
  const name = members.text('title');
  if (name === undefined) return undefined;
  const known = goals.get(name);
  if (known !== undefined) return known;
  // A paused goal offers no tasks.
  const status = members.text('state')?.toLowerCase() === 'closed' ? 'paused' : 'active';
  const due = members.text('dueOn') ?? members.text('due_on');
  const objective = members.text('description') ?? '';
  const goal = plan.goal({
    ...{ name, objective, status, created_at: timeOf(members.text('created_at')), foreignId: name },
    kept: { due, closed_at: members.text('closed_at') },
  });
  goals.set(name, goal);
  return goal;
}

function refer(references: TaskReferences, members: Members, id: string): void {
  const parent = members.take('parent') ?? members.text('parent_issue_url');
  for (const to of numbersOf(parent)) references.refer('part', id, to, 'parent');
  for (const from of numbersOf(members.take('subIssues'))) references.refer('part', from, id, 'parent');
  for (const to of numbersOf(members.take('blockedBy'))) references.refer('depends', id, to, 'blockedBy');
  for (const from of numbersOf(members.take('blocking'))) references.refer('depends', from, id, 'blockedBy');
}

/** The numbers of one issue or several: objects, lists, `{nodes}`, or addresses that end with a number. */
function numbersOf(value: unknown): string[] {
  if (typeof value === 'string') return [/\/(\d+)$/.exec(value)?.[1]].filter((number) => number !== undefined);
  if (Array.isArray(value)) return value.flatMap(numbersOf);
  const { number, nodes } = objectOf(value) ?? {};
  return typeof number === 'number' ? [String(number)] : Array.isArray(nodes) ? nodes.flatMap(numbersOf) : [];
}

function addComment(plan: PlanBuilder, task: string, comment: Fields): void {
  const members = new Members(comment);
  plan.comment(task, {
    body: members.text('body') ?? '',
    author: namesOf([members.take('author') ?? members.take('user')])[0] ?? '',
    created_at: timeOf(members.text('createdAt') ?? members.text('created_at')),
  });
}
