import { stringify } from 'csv-stringify/sync';
import type { PlannerCollections, TaskRecord } from '../domain/collections.ts';
import { isSeen } from '../domain/edges.ts';
import { goalOf } from '../domain/goal-reference.ts';
import { tagsOf } from '../domain/tags.ts';
import { orderingOf } from '../domain/work-order.ts';
import type { View } from '../store/view.ts';

type V = View<PlannerCollections>;

const columns = [
  ...['id', 'label', 'status', 'kind', 'priority', 'lane', 'severity', 'goal', 'assignee', 'due_date', 'tags'],
  ...['depends_on', 'verified_at', 'verified_ref', 'commit_refs', 'created_at', 'updated_at', 'description'],
];

/** A cell that a spreadsheet would take for a formula is quoted by an apostrophe: labels are what anybody wrote. */
const options = { escape_formulas: true, record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const;

/** The tasks of a project as CSV (RFC 4180, with a header), text by text. Several values stand in one cell, parted by spaces; tags by commas. */
export function csvOf(view: V): IterableIterator<string> {
  const prerequisites = new Map<string, string[]>();
  for (const edge of view.edges()) {
    const ordering = edge.fromType === 'task' && isSeen(view, edge) ? orderingOf(edge.from, edge.link) : undefined;
    if (ordering === undefined) continue;
    const known = prerequisites.get(ordering.then);
    if (known === undefined) prerequisites.set(ordering.then, [ordering.first]);
    else if (!known.includes(ordering.first)) known.push(ordering.first);
  }
  const rows = [...view.list('task')].map((task) => ({
    task,
    goal: goalOf(view, task),
    tags: tagsOf(view, task),
    depends_on: (prerequisites.get(task.id) ?? []).sort(),
  }));
  return lines(rows);
}

interface Row {
  readonly task: TaskRecord;
  readonly goal: { readonly id: string; readonly name: string | null } | undefined;
  readonly tags: readonly { readonly name: string }[];
  readonly depends_on: readonly string[];
}

function* lines(rows: readonly Row[]): IterableIterator<string> {
  yield stringify([columns], options);
  for (const { task, goal, tags, depends_on } of rows) {
    const cells: Record<string, unknown> = {
      ...task,
      goal: goal?.name ?? goal?.id ?? '',
      tags: tags.map(({ name }) => name).join(', '),
      depends_on: depends_on.join(' '),
      commit_refs: task.commit_refs.join(' '),
    };
    yield stringify([columns.map((name) => cells[name] ?? '')], options);
  }
}
