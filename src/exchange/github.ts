import type { Fields } from '../domain/exchange/draft.ts';
import { invalid } from '../base/errors.ts';
import type { Dated } from './dates.ts';
import type { ImportedPlan, Kept, Members } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { listOf, objectOf } from './members.ts';
import type { FileFormat } from './plan-format.ts';
import { cancelled, isCancelling, priorityOf } from './status-synonyms.ts';
import { TaskReferences } from './task-references.ts';

/** Members that address or count objects elsewhere, or repeat another member. */
const bookkeeping =
  /(^|_)(url|urls)$|^(id|databaseId|node_id|reactions|reactionGroups|performed_via_github_app|author_association|sub_issues_summary|issue_dependencies_summary|pinned_comment|repository|number|score)$/;

export const github: FileFormat = {
  kind: 'file',
  name: 'github',
  places: [],
  detects: ({ json }) => {
    const issues = issuesIn(json)?.filter((one) => one !== null) ?? [];
    return issues.length > 0 && issues.slice(0, 20).every((one) => isIssue(objectOf(one) ?? {}));
  },
  read: ({ json }, { name }) => readGithub(json, name),
};

/** Members that answers of GitHub have their lists in: `{items}` of a search, `{data: {repository: {issues: {nodes}}}}` of GraphQL. */
const around = ['items', 'data', 'repository', 'organization', 'viewer', 'milestone', 'node', 'search', 'issues'];

/** The list of `gh issue list --json`, of a page of the REST interface, of several (`--slurp`), of a search, or of GraphQL. */
function issuesIn(json: unknown): readonly unknown[] | undefined {
  const list = listOf(json);
  if (list === undefined) {
    const inner = around.map((name) => objectOf(json)?.[name]).find((value) => objectOf(value) ?? listOf(value));
    return inner === undefined ? undefined : issuesIn(inner);
  }
  const pages = list.map((one) => (isIssueLike(one) ? [one] : (issuesIn(one) ?? [one])));
  return pages.flat();
}

function isIssueLike(value: unknown): boolean {
  return typeof objectOf(value)?.['number'] === 'number';
}

/** The members that `gh issue list --json` prints; people choose some of them. */
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
  return new Issues(issues, name).read();
}

class Issues {
  readonly #plan: PlanBuilder;
  readonly #issues: readonly unknown[];
  readonly #references: TaskReferences;
  readonly #goals = new Map<string, string>();
  /** The repository of all issues: numbers count in it. Undefined if there are several. */
  readonly #repository: string | undefined;

  constructor(issues: readonly unknown[], name: string) {
    this.#plan = new PlanBuilder('GitHub', name);
    this.#references = new TaskReferences(this.#plan);
    this.#issues = issues;
    const repositories = new Set(issues.map((one) => repositoryOf(objectOf(one) ?? {})));
    repositories.delete(undefined);
    this.#repository = repositories.size > 1 ? undefined : [...repositories, ''][0];
  }

  read(): ImportedPlan {
    for (const [at, issue] of this.#issues.entries()) {
      this.#plan.countSource('issue');
      if (issue === null) this.#plan.leftOut({ of: 'issue', reason: 'it is empty (null)', where: `[${at}]` });
      else this.#addIssue(objectOf(issue) ?? {}, at);
    }
    this.#references.join();
    return this.#plan.finish();
  }

  #addIssue(fields: Fields, at: number): void {
    const { number, title } = fields;
    if (typeof number !== 'number' || typeof title !== 'string')
      throw invalid(`[${at}]`, `[${at}] is not an issue: one has a number and a title.`);
    if ((fields['pull_request'] ?? undefined) !== undefined)
      return this.#plan.leftOut({ of: 'issue', reason: 'it is a pull request', where: `#${number}`, expected: true });
    const repository = repositoryOf(fields);
    const id = this.#idOf(repository, number);
    const members = this.#plan.members(fields, `#${number}`);
    this.#refer(members, id, repository);
    const comments = members.objects('comments');
    const task = this.#addTask(members, id, repository);
    this.#references.add(id, task);
    for (const comment of comments) {
      const read = this.#plan.members(comment, `comment of #${number}`);
      this.#plan.comment(task, {
        body: read.text('body') ?? '',
        author: nameOf(read.take('author') ?? read.take('user')) ?? '',
        created: createdOf(read),
      });
    }
  }

  /** Numbers of the plan's only repository are ids; the others are with the repository that they count in. */
  #idOf(repository: string | undefined, number: number | string): string {
    return repository === undefined || repository === this.#repository ? String(number) : `${repository}#${number}`;
  }

  #addTask(members: Members, id: string, repository: string | undefined): string {
    const labels = members.list('labels', nameOf);
    const [assignee = null, ...others] = [
      ...new Set([...members.list('assignees', nameOf), ...members.list('assignee', nameOf)]),
    ];
    const types = [...members.list('type', nameOf), ...members.list('issueType', nameOf)];
    const [author] = [...members.list('author', nameOf), ...members.list('user', nameOf)];
    const milestone = objectOf(members.take('milestone'));
    const { status, reason } = stateOf(members, labels);
    const comments = members.peek('comments');
    const count = typeof comments === 'number' ? comments : objectOf(comments)?.['totalCount'];
    if (typeof count === 'number' && count > 0 && (listOf(comments) ?? []).length === 0) {
      const what = 'Comments that are not in the file: gh issue list --json comments prints them.';
      this.#plan.remarks.add(what, `#${id} (${count})`);
    }
    if (listOf(comments) === undefined) members.take('comments');
    return this.#plan.task({
      ...{ label: members.text('title') ?? '', description: members.text('body') ?? '', assignee },
      ...{ status, priority: labels.map(priorityOfLabel).find((one) => one !== undefined) ?? null },
      created: createdOf(members),
      tags: [...labels, ...types],
      goal: milestone && this.#goalOf(milestone, repository),
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

  #goalOf(milestone: Fields, repository: string | undefined): string | undefined {
    const name = typeof milestone['title'] === 'string' ? milestone['title'] : undefined;
    if (name === undefined) return undefined;
    const foreignId = this.#idOf(repository, '') === '' ? name : `${repository} ${name}`;
    const known = this.#goals.get(foreignId);
    if (known !== undefined) return known;
    const members = this.#plan.members(milestone, `milestone ${name}`);
    members.take('title');
    const goal = this.#plan.goal({
      ...{ name, foreignId, objective: members.text('description') ?? '' },
      // A paused goal offers no tasks.
      status: members.text('state')?.toLowerCase() === 'closed' ? 'paused' : 'active',
      created: createdOf(members),
      kept: { due: members.text('dueOn') ?? members.text('due_on'), closed_at: members.text('closed_at') },
    });
    this.#goals.set(foreignId, goal);
    return goal;
  }

  #refer(members: Members, id: string, repository: string | undefined): void {
    const idOf = (value: unknown): string | undefined => this.#idIn(value, repository);
    const references = this.#references;
    const parents = [...members.list('parent', idOf), ...members.list('parent_issue_url', idOf)];
    for (const to of new Set(parents)) references.refer('part', id, to, 'parent');
    for (const from of members.list('subIssues', idOf)) references.refer('part', from, id, 'parent');
    for (const to of members.list('blockedBy', idOf)) references.refer('depends', id, to, 'blockedBy');
    for (const from of members.list('blocking', idOf)) references.refer('depends', from, id, 'blockedBy');
  }

  /**
   * The id of an issue that another issue names by an address, a number, or an object; without a repository it is in
   * this plan.
   */
  #idIn(value: unknown, repository: string | undefined): string | undefined {
    const fields = objectOf(value);
    if (fields === undefined) {
      const number = /(?:^|\/|#)(\d+)$/.exec(['string', 'number'].includes(typeof value) ? String(value) : '')?.[1];
      return number === undefined ? undefined : this.#idOf(repositoryIn(value) ?? repository, number);
    }
    const { number } = fields;
    return typeof number === 'number' ? this.#idOf(repositoryOf(fields) ?? repository, number) : undefined;
  }
}

/** The repository that an issue is in, as `owner/name` in lower case. */
function repositoryOf(issue: Fields): string | undefined {
  const stated = objectOf(issue['repository']) ?? {};
  const named = stated['nameWithOwner'] ?? stated['full_name'];
  if (typeof named === 'string') return named.toLowerCase();
  const { html_url: page, url, repository_url: repository } = issue;
  return [page, url, repository].map(repositoryIn).find((one) => one !== undefined);
}

function repositoryIn(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined;
  const [, owner, name] =
    /^https?:\/\/[^/]+\/(?:(?:api\/v3\/)?repos\/)?([^/]+)\/([^/]+)(?:\/(?:issues|pull)\/\d+.*)?$/.exec(address) ??
    /^([^/\s]+)\/([^/\s#]+)#\d+$/.exec(address) ??
    [];
  return name === undefined ? undefined : `${owner}/${name}`.toLowerCase();
}

function createdOf(members: Members): Dated {
  return { name: 'created', text: members.text('createdAt') ?? members.text('created_at') };
}

/**
 * An issue is closed if any of its members says so. An issue that was closed as not planned is cancelled: the reason is
 * kept.
 */
function stateOf(
  members: Members,
  labels: readonly string[],
): { readonly status: string; readonly reason?: string | undefined } {
  const state = members.text('state')?.toLowerCase();
  const flag = members.take('closed');
  const [reason] = [members.text('stateReason'), members.text('state_reason')].filter((one) => (one ?? '') !== '');
  const closedAt = members.peek('closedAt') ?? members.peek('closed_at') ?? undefined;
  const says = state === 'closed' || state === 'merged' || flag === true;
  const hints = state === undefined && flag !== false && (closedAt !== undefined || /^completed$/i.test(reason ?? ''));
  const isNotPlanned = isCancelling(reason);
  if (!says && !hints && !(state === undefined && isNotPlanned)) return { status: 'todo' };
  // Before there were reasons, labels had them.
  if (isNotPlanned || (reason === undefined && labels.some(isCancelling))) return { status: cancelled, reason };
  return { status: 'done' };
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

/** The name of a label, a person or a type. */
function nameOf(one: unknown): string | undefined {
  const { name, login } = objectOf(one) ?? {};
  return [one, login, name].find((called): called is string => typeof called === 'string' && called !== '');
}
