import type { PlannerCollections, ScaffoldAnswer, ScaffoldInput } from '../domain/records/collections.ts';
import { documentRow, showDocumentDetail } from '../domain/content/documents.ts';
import { edgeRow, showEdge } from '../domain/links/edges.ts';
import { showGoal } from '../domain/plan/goals.ts';
import { showProject } from '../domain/plan/projects.ts';
import { scaffold } from '../domain/scaffold/scaffold.ts';
import { showTask, taskRow } from '../domain/plan/task-view.ts';
import { atOnce, mapInSteps, type Steps } from '../base/slices.ts';
import type { Tx } from '../store/index.ts';
import { groups } from './groups.ts';
import { deferred } from './pipeline/deferred.ts';
import { isLarge } from './pipeline/large-input.ts';
import type { Context, SlicedRule } from './declaration/operation.ts';
import { answerBytesMax, fittingIds } from './pipeline/fitting-ids.ts';
import { pageOf } from './pipeline/page.ts';
import type { CreateOrUseProject, PlannerOperation, Write } from './declaration/planner-operation.ts';

/** The shares of what an answer to an agent has beside ids that each list gets. */
const shares = { tasks: 0.45, edges: 0.3, documents: 0.2 } as const;

function* runSliced(tx: Tx<PlannerCollections>, input: ScaffoldInput, context: Context): Steps<ScaffoldAnswer> {
  const made = yield* scaffold(tx, input);
  const agent = context.transport === 'mcp';
  const ids = agent ? fittingIds(made.key_to_id) : { kept: made.key_to_id, bytes: 0, warnings: [] };
  const left = answerBytesMax - ids.bytes;
  // Rows that do not fit an agent are omitted: `counts` has the totals and `key_to_id` the ids.
  function* rows<R, W>(all: readonly R[], show: (row: R) => W, bytesMax: number): Steps<readonly W[]> {
    if (agent) return pageOf(all, {}, context, { show, position: () => [], bytesMax }).rows;
    const shown = yield* mapInSteps(all, show);
    return context.streams === true ? deferred(shown, (row) => row) : shown;
  }
  type Result = ScaffoldAnswer['scaffold'];
  const { tasks, edges, documents } = made;
  return {
    scaffold: {
      project: showProject(made.project),
      goal: showGoal(tx, made.goal),
      tasks: yield* rows(
        tasks,
        (task): Result['tasks'][number] => (agent ? taskRow(tx, task) : showTask(tx, task)),
        left * shares.tasks,
      ),
      edges: yield* rows(
        edges,
        (edge): Result['edges'][number] => (agent ? edgeRow(edge) : showEdge(tx, edge)),
        left * shares.edges,
      ),
      documents: yield* rows(
        documents,
        (document): Result['documents'][number] =>
          agent ? documentRow(tx, document) : showDocumentDetail(tx, document),
        left * shares.documents,
      ),
      key_to_id: ids.kept,
      counts: { tasks: tasks.length, edges: edges.length, documents: documents.length },
    },
    warnings: [...made.warnings, ...ids.warnings],
  };
}

const run = (tx: Tx<PlannerCollections>, input: ScaffoldInput, context: Context): ScaffoldAnswer =>
  atOnce(runSliced(tx, input, context));

const sliced: SlicedRule<PlannerCollections, ScaffoldInput, ScaffoldAnswer> = {
  when: ({ tasks, edges, documents }) => isLarge(tasks, edges, documents),
  run: runSliced,
};

const anywhere: CreateOrUseProject<ScaffoldInput, ScaffoldAnswer> = {
  name: 'scaffold_project_from_plan',
  summary: 'Create a whole plan at once, in a new project or an existing one',
  group: groups.service,
  input: 'ScaffoldInput',
  output: 'ScaffoldAnswer',
  scope: 'project',
  effect: 'create_or_write',
  rest: {
    method: 'POST',
    path: '/scaffold',
    example: {
      name: 'Web shop',
      goal: { objective: 'Customers can pay.' },
      tasks: [
        { key: 'cards', label: 'Take cards', status: 'todo', priority: 'high' },
        { key: 'invoices', label: 'Send invoices' },
      ],
      edges: [{ from: 'invoices', to: 'cards', label: 'depends_on' }],
      documents: [{ title: 'Payments', body: '# Payments\n\nCards first, invoices later.', link_to: 'cards' }],
    },
  },
  mcp: {
    title: 'Scaffold project from plan',
    description:
      'Creates a whole plan in one call, all or nothing: goal, tasks, the edges that order them, documents. Give name for a new project, else it is added to the bound one (or project_id). Items refer to each other by keys; key_to_id returns their ids. Then invoke_goal.',
  },
  projectName: ({ name, project_id: id }) => (id === undefined ? name : undefined),
  run,
  sliced,
};

/** The operation below a project's path. */
const within: Write<ScaffoldInput, ScaffoldAnswer> = {
  name: 'scaffold_project',
  summary: 'Create a whole plan at once in a project',
  group: groups.projects,
  input: 'ScaffoldInput',
  output: 'ScaffoldAnswer',
  scope: 'project',
  effect: 'write',
  rest: { method: 'POST', path: '/projects/:project_id/scaffold' },
  run,
  sliced,
};

export const scaffoldOperations: readonly PlannerOperation[] = [anywhere, within];
