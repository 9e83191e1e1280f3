import { csvHeader, csvRows } from './csv-rows.ts';
import type { CsvRow } from './csv-rows.ts';
import { timeOf } from './dates.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { FileFormat } from './plan-format.ts';
import { cancelled, isStatus, priorityOf, statusAmong } from './status-synonyms.ts';
import { TaskReferences } from './task-references.ts';

const halfDayMs = 12 * 60 * 60 * 1000;

export const linear: FileFormat = {
  kind: 'file',
  name: 'linear',
  places: [],
  detects: ({ text }) => {
    const header = csvHeader(text);
    return ['ID', 'Team', 'Title', 'Status', 'Parent issue'].every((name) => header.includes(name));
  },
  read: ({ text }, { name }) => readLinear(text, name),
};

/**
 * Reads the CSV of Linear's "Export issues as CSV". Issues become tasks, projects goals; parents, blocking and related issues edges. The
 * columns that have no field are kept in the description.
 */
export function readLinear(text: string, name: string): ImportedPlan {
  const plan = new PlanBuilder('Linear', name);
  const references = new TaskReferences(plan);
  for (const row of csvRows(text)) {
    plan.countSource('issue');
    const id = row.text('ID') ?? '';
    references.add(id, addIssue(plan, row, id));
    for (const to of row.items('Parent issue')) references.refer('part', id, to, 'Parent issue');
    for (const to of row.items('Blocked by')) references.refer('depends', id, to, 'Blocked by');
    for (const to of row.items('Related to')) references.refer('relates', id, to, 'Related to');
    for (const to of row.items('Duplicate of')) references.refer('duplicates', id, to, 'Duplicate of');
  }
  references.join();
  return plan.finish();
}

function addIssue(plan: PlanBuilder, row: CsvRow, id: string): string {
  const word = row.text('Status') ?? '';
  const { status, exact } = statusAmong(word, statedBy(row, word));
  const priority = row.text('Priority') ?? '';
  const project = row.text('Project');
  const times = timesOf(row);
  // The parents and links are edges.
  row.all('Parent issue', 'Blocked by', 'Related to', 'Duplicate of');
  return plan.task({
    ...{ label: row.text('Title') ?? '', status, description: row.text('Description') ?? '' },
    ...{ priority: priorityOf(priority) ?? null, assignee: row.text('Assignee') ?? null },
    due: { name: 'Due Date', text: dueDay(row.text('Due Date')) },
    created: { name: 'Created', text: row.text('Created') },
    tags: row.items('Labels'),
    goal: plan.goalNamed(project),
    kept: {
      id,
      ...(exact ? undefined : { Status: word }),
      ...(priorityOf(priority) === undefined && priority !== 'No priority' && { Priority: priority }),
      ...times,
      ...row.rest(),
    },
  });
}

/** The status that the times imply. The time of the start implies one only if the name of the status is unknown. */
function statedBy(row: CsvRow, word: string): string | undefined {
  if (row.text('Completed') !== undefined) return 'done';
  if (row.text('Canceled', 'Cancelled') !== undefined) return cancelled;
  return row.text('Started') !== undefined && !isStatus(word) ? 'in_progress' : undefined;
}

/** The columns that decide the status are kept as well. */
function timesOf(row: CsvRow): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(['Started', 'Completed', 'Canceled', 'Cancelled'].map((name) => [name, row.text(name)]));
}

/** A due date is exported as midnight where it was exported; the nearest midnight of UTC belongs to the same day. */
function dueDay(text: string | undefined): string | undefined {
  const time = timeOf(text);
  return time === undefined ? text : new Date(Date.parse(time) + halfDayMs).toISOString().slice(0, 10);
}
