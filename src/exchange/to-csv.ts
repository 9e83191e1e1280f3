import { stringify } from 'csv-stringify/sync';
import type { PlannerCollections, PlanReadTransaction, TaskRecord } from '../domain/records/collections.ts';
import { isVisible } from '../domain/links/edges.ts';
import { goalOf } from '../domain/records/goal-reference.ts';
import { tagsOf } from '../domain/plan/tags.ts';
import { orderingOf } from '../domain/graph/work-order.ts';
import { type Chunks, valueOf } from '../base/slices.ts';
import { type Incoming, type Snapshot, withTexts } from '../store/index.ts';

const columns = [
  ...['id', 'label', 'status', 'kind', 'priority', 'lane', 'severity', 'goal', 'assignee', 'due_date', 'tags'],
  ...['depends_on', 'verified_at', 'verified_ref', 'commit_refs', 'created_at', 'updated_at', 'description'],
];

/** A cell that a spreadsheet would read as a formula is prefixed with an apostrophe: labels are untrusted. */
const options = { escape_formulas: true, record_delimiter: 'windows', quoted_match: /[\r\n]/ } as const;

/**
 * The tasks of a project as CSV (RFC 4180, with a header), in chunks, as of the call. Several values in one cell are separated by spaces,
 * tags by commas.
 */
export function csvOf(view: PlanReadTransaction): Chunks {
  return lines([...view.list('task')], [...view.edges()], view.snapshot());
}

type Records = Snapshot<PlannerCollections>;

function* lines(tasks: readonly TaskRecord[], edges: readonly Incoming[], records: Records): Chunks {
  yield stringify([columns], options);
  const prerequisites = new Map<string, string[]>();
  for (const edge of edges) {
    addPrerequisite(prerequisites, records, edge);
    // An empty chunk yields to other work.
    yield '';
  }
  for (const task of tasks) {
    const goal = goalOf(records, task);
    const cells: Record<string, unknown> = {
      ...(yield* valueOf(withTexts(task))),
      goal: goal?.name ?? goal?.id ?? '',
      tags: tagsOf(records, task)
        .map(({ name }) => name)
        .join(', '),
      depends_on: (prerequisites.get(task.id) ?? []).sort().join(' '),
      commit_refs: task.commit_refs.join(' '),
    };
    yield stringify([columns.map((name) => cells[name] ?? '')], options);
  }
}

function addPrerequisite(prerequisites: Map<string, string[]>, records: Records, edge: Incoming): void {
  const ordering = edge.fromType === 'task' && isVisible(records, edge) ? orderingOf(edge.from, edge.link) : undefined;
  if (ordering === undefined) return;
  const known = prerequisites.get(ordering.then);
  if (known === undefined) prerequisites.set(ordering.then, [ordering.first]);
  else if (!known.includes(ordering.first)) known.push(ordering.first);
}
