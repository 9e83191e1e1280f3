import { invalid } from '../base/errors.ts';
import { csvHeader, csvRows } from './csv-rows.ts';
import type { CsvRow } from './csv-rows.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { jira } from './jira.ts';
import { linear } from './linear.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { FileFormat } from './plan-format.ts';
import { isCancelling, priorityOf, statusAmong, cancelled } from './status-synonyms.ts';
import { TaskReferences } from './task-references.ts';

/** Names of columns without their case, `_` and `-`, the first one that a table has counts. */
const columnNames = {
  id: ['id', 'key', 'number', '#'],
  label: ['label', 'title', 'task', 'name', 'summary', 'subject'],
  status: ['status', 'state'],
  description: ['description', 'notes', 'body', 'details'],
  priority: ['priority'],
  assignee: ['assignee', 'assigned to', 'owner'],
  due: ['due date', 'due', 'deadline'],
  created: ['created at', 'created'],
  tags: ['tags', 'labels'],
  goal: ['goal', 'epic', 'milestone', 'project'],
  after: ['depends on', 'blocked by', 'after'],
} as const;

type Column = keyof typeof columnNames;
type Columns = Readonly<Partial<Record<Column, string>>>;

export const csv: FileFormat = {
  kind: 'file',
  name: 'csv',
  places: [],
  detects: (file) => {
    const { label, status } = columnsOf(csvHeader(file.text));
    return label !== undefined && status !== undefined && ![jira, linear].some((one) => one.detects(file));
  },
  read: ({ text }, { name }) => readCsv(text, name),
};

/**
 * Reads a table of tasks, one a row, as a spreadsheet or `planner export --format csv` writes it. Prerequisites are
 * named by id, or by title if the table has no ids. The columns that have no field are kept in the description.
 */
export function readCsv(text: string, name: string): ImportedPlan {
  const columns = columnsOf(csvHeader(text));
  if (columns.label === undefined)
    throw invalid('file', `The table has no column for the title of a task: ${columnNames.label.join(', ')}.`);
  const plan = new PlanBuilder('CSV', name);
  const references = new TaskReferences(plan);
  for (const row of csvRows(text)) {
    plan.countSource('row');
    const cell = (column: Column): string | undefined => unescaped(columns[column] && row.text(columns[column]));
    const label = cell('label') ?? '';
    const id = cell('id') ?? label;
    for (const other of itemsOf(cell('after'), columns.id === undefined ? /[,;]/ : /[,;\s]/))
      references.refer('depends', id, other, 'Depends on');
    references.add(id, addTask(plan, row, { id, label, cell }));
  }
  references.join();
  return plan.finish();
}

function columnsOf(header: readonly string[]): Columns {
  const fold = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, ' ');
  return Object.fromEntries(
    Object.entries(columnNames).flatMap(([column, names]) => {
      const found = names.map((name) => header.find((one) => fold(one) === name)).find((one) => one !== undefined);
      return found === undefined ? [] : [[column, found]];
    }),
  );
}

function addTask(
  plan: PlanBuilder,
  row: CsvRow,
  { id, label, cell }: { id: string; label: string; cell: (column: Column) => string | undefined },
): string {
  const word = cell('status') ?? '';
  const { status, exact } = statusAmong(word, isCancelling(word) ? cancelled : undefined);
  const priority = cell('priority');
  return plan.task({
    ...{ label, status, description: cell('description') ?? '', assignee: cell('assignee') ?? null },
    priority: priorityOf(priority) ?? null,
    due: { name: 'Due date', text: cell('due') },
    created: { name: 'Created', text: cell('created') },
    tags: itemsOf(cell('tags'), /[,;]/),
    goal: plan.goalNamed(cell('goal')),
    kept: {
      ...(exact || word === '' ? undefined : { Status: word }),
      ...(priorityOf(priority) === undefined && { Priority: priority }),
      ...row.rest(),
    },
    foreignId: id,
  });
}

function itemsOf(cell: string | undefined, separator: RegExp): string[] {
  const items = cell?.split(separator) ?? [];
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

/** Removes the apostrophe that an export writes before a cell that a spreadsheet would read as a formula. */
function unescaped(cell: string | undefined): string | undefined {
  return cell?.replace(/^'(?=[=+\-@\t\r])/, '');
}
