import { csvHeader, csvRows } from './csv-rows.ts';
import type { CsvRow } from './csv-rows.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { FileFormat } from './plan-format.ts';
import { isDate } from './dates.ts';
import { markdownOfJira } from './jira-markup.ts';
import { cancelled, isCancelling, isStatus, priorityOf, statusAmong, statusOf } from './status-synonyms.ts';
import { TaskReferences } from './task-references.ts';

/** Jira calls issues work items since 2025. */
const keyColumns = ['Issue key', 'Work item key', 'Key'];
const typeColumns = ['Issue Type', 'Work type', 'Work item type'];
const parentColumns = ['Parent key', 'Parent', 'Parent id', 'Custom field (Epic Link)', 'Epic Link'];

export const jira: FileFormat = {
  kind: 'file',
  name: 'jira',
  places: [],
  detects: ({ text }) => {
    const header = csvHeader(text);
    return header.includes('Summary') && header.includes('Status') && keyColumns.some((name) => header.includes(name));
  },
  read: ({ text }, { name }) => readJira(text, name),
};

/**
 * Reads the CSV of Jira ("Export Excel CSV"), in which columns repeat. Issues become tasks, labels, components and types tags; parents,
 * epics and links edges; comments comments. Columns that have no field are kept in the description.
 */
export function readJira(text: string, name: string): ImportedPlan {
  const rows = csvRows(text);
  const projects = new Set(rows.flatMap((row) => row.all('Project name')));
  const plan = new PlanBuilder('Jira', projects.size === 1 ? [...projects].join('') : name);
  const references = new TaskReferences(plan);
  // Parents are named by number or by key.
  const keys = new Map(rows.map((row) => [row.text('Issue id', 'Work item id') ?? '', keyOf(row)]));
  for (const row of rows) {
    plan.countSource('issue');
    const key = keyOf(row);
    const parents = new Set(row.all(...parentColumns).map((parent) => keys.get(parent) ?? parent));
    for (const parent of parents) references.refer('part', key, parent, 'Parent');
    const kinds = addLinks(references, row, key);
    const comments = row.all('Comment', 'Comments');
    const attachments = row.all('Attachment', 'Attachments');
    const task = addIssue(plan, row, key);
    plan.keep(task, { ...kinds, Attachment: attachments });
    for (const attachment of attachments) reportAttachment(plan, key, attachment);
    references.add(key, task);
    for (const comment of comments) addComment(plan, task, comment);
  }
  references.join();
  return plan.finish();
}

function keyOf(row: CsvRow): string {
  return row.text(...keyColumns) ?? '';
}

/** Returns the links of kinds that edges have no name for. */
function addLinks(references: TaskReferences, row: CsvRow, key: string): Readonly<Record<string, string[]>> {
  const kinds: Record<string, string[]> = {};
  for (const direction of ['Inward', 'Outward']) {
    const pattern = new RegExp(`^${direction} (?:issue|work item) link \\((.*)\\)$`);
    for (const { name, group } of row.matching(pattern)) {
      for (const other of row.all(name)) {
        // An inward link names an issue that blocks this one; the outward links of the others say the same.
        const [from, to] = direction === 'Inward' ? [key, other] : [other, key];
        if (/block/i.test(group)) references.refer('depends', from, to, group);
        else if (/duplicate/i.test(group)) references.refer('duplicates', to, from, group);
        else references.refer('relates', key, other, group);
        if (!/block|duplicate|relate/i.test(group)) (kinds[name] ??= []).push(other);
      }
    }
  }
  return kinds;
}

function addIssue(plan: PlanBuilder, row: CsvRow, key: string): string {
  const word = row.text('Status') ?? '';
  const resolution = row.text('Resolution');
  const resolved = row.text('Resolved', 'Resolution Date', 'Resolution date');
  const category = row.text('Status Category');
  const { status, exact } = statusAmong(word, statedBy({ resolution, resolved, category }));
  const type = row.text(...typeColumns);
  const priority = row.text('Priority');
  return plan.task({
    ...{ label: row.text('Summary') ?? '', status, description: markdownOfJira(row.text('Description') ?? '') },
    ...{ priority: priorityOf(priority) ?? null, assignee: row.text('Assignee') ?? null },
    due: { name: 'Due date', text: row.text('Due Date', 'Due date') },
    created: { name: 'Created', text: row.text('Created') },
    tags: [
      ...row.all('Labels').flatMap((cell) => cell.split(/\s+/)),
      ...row.all('Component/s', 'Components'),
      ...(type === undefined || type === 'Task' ? [] : [type]),
    ],
    kept: {
      id: key,
      ...(exact ? undefined : { Status: word }),
      ...(priorityOf(priority) === undefined && { Priority: priority }),
      ...{ Resolution: resolution, Resolved: resolved },
      ...row.rest(),
    },
  });
}

/** Statements of Jira besides the status, which each team names as it likes. An issue with a resolution is finished. */
function statedBy(of: {
  readonly resolution: string | undefined;
  readonly resolved: string | undefined;
  readonly category: string | undefined;
}): string | undefined {
  const { resolution = 'Unresolved', resolved, category } = of;
  if (isCancelling(resolution) || /^incomplete$/i.test(resolution)) return cancelled;
  if (!/^(unresolved|none|-)$/i.test(resolution) || resolved !== undefined) return 'done';
  return category !== undefined && isStatus(category) ? statusOf(category).status : undefined;
}

/** An attachment is `time;author;name;address`: the export has no files. */
function reportAttachment(plan: PlanBuilder, key: string, cell: string): void {
  plan.countSource('attachment');
  const where = `${key}: ${cell.split(';')[2] ?? cell}`;
  plan.leftOut({ of: 'attachment', reason: 'its file is not in the export; its address is in the text', where });
}

/** A comment is `time;author;text`. */
function addComment(plan: PlanBuilder, task: string, cell: string): void {
  const [, time, author = '', text = ''] = /^([^;]*);([^;]*);([\s\S]*)$/.exec(cell) ?? [];
  const isComplete = isDate(time);
  plan.comment(task, {
    ...{ author: isComplete ? author : '', body: markdownOfJira(isComplete ? text : cell) },
    ...(isComplete && { created: { name: 'Comment', text: time } }),
  });
}
