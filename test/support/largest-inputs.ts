import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { pathMembers, schemaOf } from './catalogue-calls.ts';
import { largeProject } from './large-project.ts';
import type { LargeProject } from './large-project.ts';
import { Random } from './random.ts';
import { RandomInput } from './random-input.ts';
import type { TestService } from './service.ts';

type Input = Readonly<Record<string, unknown>>;

/** The targets of the largest inputs: a large project, and the records made for it. */
export interface Large extends LargeProject {
  readonly service: TestService;
  /** The oldest revision of the document with many. */
  readonly revision: string;
  /** The tag of all tasks. */
  readonly tag: string;
  /** An edge of the first task. */
  readonly edge: string;
  readonly key: string;
  readonly share: string;
  /** Links: to the prototype with all screens, and for participants. */
  readonly link: string;
  readonly participation: string;
}

/** A project with so many records of each kind, and links to it. */
export async function large(service: TestService, count: number): Promise<Large> {
  const made = await largeProject(service, count);
  const { rest } = service;
  const path = `/projects/${made.id}`;
  const of = async (below: string): Promise<unknown> => (await rest.get(`${path}${below}`)).body as unknown;
  const { revisions } = (await of(`/revisions?target_id=${made.documents[0]}`)) as { revisions: { id: string }[] };
  const { tags } = (await of('/tags')) as { tags: { id: string }[] };
  const { edges } = (await of(`/edges?from_id=${made.tasks[0]}`)) as { edges: { id: string }[] };
  const token = (url: string): string => url.slice(url.lastIndexOf('/') + 1);
  const share = (await rest.post(`/prototypes/${made.prototype}/share`, {})).body as { id: string; url: string };
  const invitation = (await rest.post(`${path}/participant-links`, {})).body as { url: string };
  return {
    ...{ ...made, service, revision: revisions.at(-1)!.id, tag: tags[0]!.id, edge: edges[0]!.id },
    ...{ share: share.id, link: token(share.url), participation: token(invitation.url) },
    key: ((await rest.post('/keys', { kind: 'owner', name: 'Bo' })).body as { id: string }).id,
  };
}

/** The records around which all others are, by the members that take their ids. */
function pool(of: Large): Map<string, readonly string[]> {
  const first = {
    ...{ task_id: of.tasks, document_id: of.documents, artifact_id: of.artifacts, comment_id: of.comments },
    ...{ note_id: of.notes, submission_id: of.submissions, view_id: of.views, run_id: of.runs, goal_id: of.goals },
    ...{ file_id: of.files, record_id: of.tasks },
  };
  const only = {
    ...{ project_id: of.id, folder_id: of.folder, prototype_id: of.prototype, revision_id: of.revision },
    ...{ tag_id: of.tag, edge_id: of.edge, key_id: of.key, share_id: of.share, token: of.link },
  };
  return new Map<string, readonly string[]>([
    ...Object.entries(first).map(([member, ids]) => [member, ids.slice(0, 1)] as const),
    ...Object.entries(only).map(([member, id]) => [member, [id]] as const),
  ]);
}

const each = <T>(from: readonly string[], make: (id: string, at: number) => T): T[] => from.map(make);

/** A text with more lines for more records. */
const lines = ({ tasks }: Large): string => 'A line.\n'.repeat(10 * tasks.length);

function plan({ tasks }: Large): Input {
  return {
    tasks: each(tasks, (_, at) => ({ key: `k${at}`, label: `Bed ${at}` })),
    edges: each(tasks.slice(1), (_, at) => ({ from: 'k0', to: `k${at + 1}` })),
    documents: each(tasks, (_, at) => ({ title: `Bed ${at}`, body: '' })),
  };
}

type Chosen = (of: Large) => Input | readonly Input[] | Promise<Input>;

/**
 * Inputs that a schema does not determine: inputs with which an operation handles all records at once, or is not
 * refused.
 */
const chosen: Readonly<Record<string, Chosen>> = {
  put_canvas: ({ tasks, documents }) => ({
    nodes: each([...tasks, ...documents], (id, at) => ({ id, x: at, y: 1 })),
    edges: each(documents, (id) => ({ from_id: id, to_id: tasks[0], label: 'shows' })),
  }),
  move_documents: ({ documents }) => ({ document_ids: documents, folder_id: null }),
  scaffold_project: plan,
  scaffold_project_from_plan: (of) => ({ name: 'New', ...plan(of) }),
  create_document: (of) => ({ title: 'New', body: lines(of), link_to: of.tasks }),
  update_document: (of) => ({ document_id: of.documents[1], body: lines(of), link_to: of.tasks }),
  create_task: (of) => ({ label: 'New', description: lines(of), tags: ['all', 'new'] }),
  change_tasks: ({ tasks }) => [
    {
      tasks: each(tasks, (task_id, at) => ({ task_id, severity: 'low', below: tasks[at - 1] ?? '*' })),
      edges: each(tasks.slice(1), (to) => ({ from: tasks[0], to })),
    },
    { tasks: each(tasks, (_, at) => ({ key: `k${at}`, label: `Bed ${at}` })) },
  ],
  search: () => [{ query: 'bed' }, { query: 'bed', bodies: true }],
  find_record: ({ id }) => ({ text: 'Bed 1', kinds: ['goal', 'folder', 'task'], project_id: id }),
  list_tasks: ({ goals }) => [
    {},
    { tags: ['all'] },
    { assignee: 'Bo' },
    { goal_id: goals[0] },
    { limit: 10 },
    { order: 'rank' },
    { order: 'work', limit: 10 },
  ],
  list_edges: ({ tasks }) => [{}, { from_id: tasks[0] }, { to_id: tasks[1] }],
  list_revisions: ({ documents }) => [{}, { target_id: documents[0] }, { author: 'human:Ada' }],
  list_comments: ({ discussed }) => [{}, { target_type: 'task', target_id: discussed }],
  list_task_comments: ({ discussed }) => ({ task_id: discussed }),
  get_task: ({ tasks }) => each(tasks.slice(0, 2), (task_id) => ({ task_id })),
  list_task_backlinks: ({ tasks }) => ({ task_id: tasks[1] }),
  export_project: ({ id }) =>
    each(['planner-export-v1', 'json-canvas', 'csv'], (format) => ({ project_id: id, format })),
  get_full_revisions: ({ revision }) => ({ ids: revision }),
  create_folder: ({ folder }) => ({ name: 'New', parent_folder_id: folder }),
  create_edge: ({ tasks, documents }) => ({
    ...{ from_type: 'task', from_id: tasks[0], to_type: 'document', to_id: documents[0] },
  }),
  create_share_link: ({ prototype }) => ({ prototype_id: prototype }),
  show_share_screen: ({ link, artifacts }) => ({ token: link, artifact_id: artifacts[0] }),
  get_participation: ({ participation }) => ({ token: participation }),
  participate: ({ participation }) => ({ token: participation, participant_name: 'Bo', title: 'Plums' }),
  invoke_goal: ({ service, id }) => defaultGoal(service, id),
  archive_goal: ({ service, id, goals: [, goal_id] }) => paused(service, id, goal_id!),
  unarchive_goal: ({ goals: [, goal_id] }) => ({ goal_id }),
  add_comment: ({ tasks }) => ({ target_type: 'task', target_id: tasks[0], body: 'Why?' }),
  update_agent_run: ({ runs: [, run_id] }) => ({ run_id, label: 'Day' }),
  answer_agent_run: async ({ service, id, runs: [, run_id] }) => {
    await service.rest.post(`/agent-runs/${run_id}/progress?project_id=${id}`, { message: 'Which?' });
    return { run_id, answer: 'This one.' };
  },
  attach_file: () => ({ filename: 'a.txt', mime: 'text/plain', content_base64: 'YQ==' }),
  create_key: () => ({ kind: 'owner', name: 'Cy' }),
  import_project: async ({ service, id }) => (await service.rest.get(`/projects/${id}/export`)).body as Input,
  apply_record_changes: ({ tasks }) => ({
    changes: each(tasks, (_, at) => ({
      collection: 'note',
      id: `not_0000000000${String(at).padStart(6, '0')}`,
      was: null,
      to: null,
    })),
  }),
  delete_edge: async ({ service, id }) => {
    const { edges } = (await service.rest.get(`/projects/${id}/edges?limit=1`)).body as { edges: { id: string }[] };
    return { edge_id: edges[0]!.id };
  },
  restore_from_trash: async ({ service, id, tasks }) => {
    const { trash } = (await service.rest.get(`/projects/${id}/trash?target_id=${tasks[0]}`)).body as {
      trash: { id: string }[];
    };
    return { trash_id: trash[0]!.id };
  },
};

async function defaultGoal(service: TestService, id: string): Promise<Input> {
  const { default_goal_id: goal_id } = (await service.rest.get(`/projects/${id}`)).body as { default_goal_id: string };
  return { goal_id };
}

async function paused(service: TestService, project_id: string, goal_id: string): Promise<Input> {
  await service.rest.post(`/goals/${goal_id}/pause`, { project_id });
  return { goal_id };
}

/** The inputs with which an operation handles the most: chosen ones, else the members that the schema requires. */
export async function largestInputs(operation: AnyOperation, of: Large): Promise<readonly Input[]> {
  const { name, scope, effect } = operation;
  const schema = schemaOf(operation);
  const own = await chosen[name]?.(of);
  const required = new RandomInput(new Random(1), pool(of)).members(schema, 0, pathMembers(operation));
  const isInProject = scope === 'project' && (effect === 'read' || effect === 'write' || effect === 'delete');
  const takesProject = Object.hasOwn(schema.properties ?? {}, 'project_id') && (isInProject || name === 'search');
  const inputs = own === undefined ? [required] : Array.isArray(own) ? (own as Input[]) : [own as Input];
  return inputs.map((input) => ({ ...(takesProject && { project_id: of.id }), ...input }));
}
