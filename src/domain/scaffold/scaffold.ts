import { invalid } from '../../base/errors.ts';
import type { Incoming, Link, Tx } from '../../store/index.ts';
import { mapInSteps, type Steps } from '../../base/slices.ts';
import type {
  DocumentRecord,
  GoalRecord,
  PlannerCollections,
  ProjectRecord,
  ScaffoldEdge,
  ScaffoldInput,
  TaskRecord,
} from '../records/collections.ts';
import { createDocument, documentById, updateDocument } from '../content/documents.ts';
import { foldLabel } from '../graph/edge-label.ts';
import { type End, type EndType, endOf, putLinks } from '../links/edges.ts';
import { defaultGoalId } from '../records/goal-reference.ts';
import { createGoal, goalById } from '../plan/goals.ts';
import { shapeOf } from '../graph/graph-shape.ts';
import { createProject, projectOf } from '../plan/projects.ts';
import { checkKeys, type Keyed, linksOf, planGraph } from './scaffold-keys.ts';
import { freeTop, layOut } from './plan-layout.ts';
import { createTask, taskById } from '../plan/tasks.ts';

/** The records created from a plan, in the plan's order. */
export interface Scaffold {
  readonly project: ProjectRecord;
  /** The goal of the plan's tasks: the one created with it, else the project's default goal. */
  readonly goal: GoalRecord;
  readonly tasks: readonly TaskRecord[];
  readonly edges: readonly Incoming[];
  readonly documents: readonly DocumentRecord[];
  readonly key_to_id: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/**
 * Creates a whole plan, in slices: goal, tasks, edges and documents, in the transaction's project, or in a new one if the plan has a `name`
 * (the transaction is then on that new, empty project). All or nothing, like the transaction. Tasks without a position are laid out by
 * their depth in the order of work.
 */
export function* scaffold(tx: Tx<PlannerCollections>, plan: ScaffoldInput): Steps<Scaffold> {
  const keys = checkKeys(plan);
  const project = projectFor(tx, plan);
  const goal = plan.goal === undefined ? undefined : createGoal(tx, plan.goal);
  const goalId = goal?.goal.id ?? defaultGoalId(tx);
  const graph = planGraph(plan, keys);
  const places = layOut(graph, freeTop(tx));
  const ids = new Map<string, string>();
  const taskIds = yield* mapInSteps(plan.tasks, ({ key, ...fields }) => {
    const { id } = createTask(tx, { position: places.get(key), ...fields, goal_id: goalId });
    ids.set(key, id);
    return id;
  });
  const documentIds = yield* createDocuments(tx, plan, ids);
  const edges = yield* join(tx, plan.edges ?? [], keys, ids);
  return {
    project,
    goal: goalById(tx, goalId),
    tasks: taskIds.map((id) => taskById(tx, id)),
    edges,
    documents: documentIds.map((id) => documentById(tx, id)),
    key_to_id: Object.fromEntries(ids),
    warnings: [...(goal?.warnings ?? []), ...cycleWarnings(shapeOf(graph).cycles)],
  };
}

function projectFor(tx: Tx<PlannerCollections>, plan: ScaffoldInput): ProjectRecord {
  const { name, description, project_id: id } = plan;
  if (name === undefined) {
    if (description == null) return projectOf(tx);
    throw invalid('description', 'description describes a new project: give its name too, or omit the description.');
  }
  if (id === undefined) return createProject(tx, { name, ...(description === undefined ? {} : { description }) });
  throw invalid('name', 'name creates a new project and project_id names an existing one: give one of them.');
}

/** Documents first, then their links: a document may link to a later one. */
function* createDocuments(tx: Tx<PlannerCollections>, plan: ScaffoldInput, ids: Map<string, string>): Steps<string[]> {
  const documents = plan.documents ?? [];
  const made = yield* mapInSteps(documents, ({ key, title, body = '', status_line: status = null }) => {
    const { id } = createDocument(tx, { title, body, status_line: status });
    if (key !== undefined) ids.set(key, id);
    return id;
  });
  for (const [at, { link_to: linkTo }] of documents.entries()) {
    const targets = linksOf(linkTo).map((key) => ids.get(key) ?? key);
    if (targets.length > 0) updateDocument(tx, { document_id: made[at] ?? '', link_to: targets });
    yield;
  }
  return made;
}

/** Creates a plan's edges, with all edges from one record together: a hub of thousands of edges is written once. */
function* join(
  tx: Tx<PlannerCollections>,
  edges: readonly ScaffoldEdge[],
  keys: ReadonlyMap<string, Keyed>,
  ids: ReadonlyMap<string, string>,
): Steps<Incoming[]> {
  const leaving = new Map<string, Map<string, Omit<Link, 'id'>>>();
  const nameOf = ({ to, label }: ScaffoldEdge): string => `${foldLabel(label)}\0${ids.get(to)}`;
  for (const edge of edges) {
    const links = leaving.get(edge.from) ?? new Map<string, Omit<Link, 'id'>>();
    leaving.set(edge.from, links);
    if (!links.has(nameOf(edge))) links.set(nameOf(edge), linkOf(tx, edge, keys, ids));
  }
  const made = new Map<string, Incoming>();
  for (const [key, links] of leaving) {
    const [type, id] = [keys.get(key) as EndType, ids.get(key) ?? ''];
    const source = endOf(tx, type, id) as End;
    // The store derives the ids: both ends are new, so the ids are free.
    putLinks(tx, type, source, [...source.links, ...links.values()] as Link[]);
    for (const link of endOf(tx, type, id)?.links ?? []) {
      made.set(`${key}\0${foldLabel(link.label)}\0${link.to}`, { from: id, fromType: type, link });
    }
    yield;
  }
  return edges.map((edge) => made.get(`${edge.from}\0${nameOf(edge)}`)).filter((edge) => edge !== undefined);
}

function linkOf(
  tx: Tx<PlannerCollections>,
  { to, label }: ScaffoldEdge,
  keys: ReadonlyMap<string, Keyed>,
  ids: ReadonlyMap<string, string>,
): Omit<Link, 'id'> {
  const labelled = label === undefined || label === null ? {} : { label };
  return { to: ids.get(to) ?? '', type: keys.get(to) ?? '', ...labelled, created_at: tx.now };
}

function cycleWarnings(cycles: readonly (readonly string[])[]): string[] {
  return cycles.map((cycle) => {
    const [first = ''] = cycle;
    return `These tasks form a dependency cycle: ${[...cycle, first].join(' → ')}. Delete one of the edges.`;
  });
}
