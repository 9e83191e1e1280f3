import type { RecordProblem, View } from '../store/index.ts';
import type { PlannerCollections } from './records/collections.ts';

type V = View<PlannerCollections>;

/**
 * References to records that do not exist: ends of links (a missing prerequisite does not block), targets of comments, the prototype of a
 * screen, the task of a submission. Caused by files that were removed or are not merged yet, never by a call.
 */
export function* danglingReferences(view: V): Iterable<RecordProblem> {
  yield* danglingLinks(view);
  for (const { id, target_type: type, target_id: target } of view.list('comment')) {
    // An annotated file need not be in the project.
    if (type !== 'artifact' && missing(view, target)) yield dangling(id, `The comment is about the ${type} ${target}`);
  }
  for (const { id, prototype_id: prototype } of view.list('artifact'))
    if (prototype !== null && missing(view, prototype))
      yield dangling(id, `The screen belongs to the prototype ${prototype}`);
  for (const { id, linked_task_id: task } of view.list('submission'))
    if (task !== null && missing(view, task)) yield dangling(id, `The submission is linked to the task ${task}`);
}

function* danglingLinks(view: V): Iterable<RecordProblem> {
  for (const { from, link } of view.edges()) {
    if (!missing(view, link.to)) continue;
    const label = link.label === undefined ? '' : ` labelled ${JSON.stringify(link.label)}`;
    yield dangling(from, `A link${label} refers to the ${link.type} ${link.to}`);
  }
}

/** The record of an unreadable file exists, and has its own problem. */
function missing(view: V, id: string): boolean {
  return view.find(id) === undefined && view.problemOf(id) === undefined;
}

function dangling(id: string, what: string): RecordProblem {
  return {
    id,
    kind: 'dangling_reference',
    reason: `${what}, which does not exist.`,
    remedy: 'Restore its file or remove the reference; until then the reference is ignored.',
  };
}
