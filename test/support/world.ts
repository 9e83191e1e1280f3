import { catalogue } from '../../src/operations/catalogue.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { pathMembers, schemaOf, send } from './catalogue-calls.ts';
import { Random } from './random.ts';
import { RandomInput } from './random-input.ts';
import type { TestService } from './service.ts';

/** The prefix of an id to the members that take such ids, besides `<resource>_id`. */
const takers: Readonly<Record<string, readonly string[]>> = {
  prj: ['project_id'],
  tsk: ['task_id', 'target_id', 'from_id', 'to_id', 'link_to', 'link_task_id', 'task_ref'],
  doc: ['document_id', 'target_id', 'to_id', 'link_to'],
  gol: ['goal_id'],
  fld: ['folder_id', 'parent_folder_id', 'reparent_to'],
  edg: ['edge_id'],
  cmt: ['comment_id'],
  not: ['note_id', 'target_id'],
  fil: ['file_id'],
  art: ['artifact_id', 'target_id'],
  pro: ['prototype_id'],
  shr: ['share_id'],
  rev: ['revision_id'],
  viw: ['view_id'],
  run: ['run_id'],
  sub: ['submission_id', 'target_id'],
  tag: ['tag_id'],
  key: ['key_id'],
};

/** Paths by which something is made, and not changed or moved. */
const makes = /^\/projects\/:project_id\/(?!import|move|restore)[\w-]+$|\/(share|comments|submissions)$/;

/** An edge between two tasks of one project. */
function edgeOf(world: World): [path: string, body: object] {
  const tasks = world.ids.get('task_id')!;
  const from = tasks.at(-1)!;
  const to = tasks.find((id) => id !== from && id.slice(4, 10) === from.slice(4, 10)) ?? from;
  const project = world.ids.get('project_id')!.find((id) => id.slice(4, 10) === from.slice(4, 10))!;
  return [`/projects/${project}/edges`, { from_type: 'task', from_id: from, to_type: 'task', to_id: to }];
}

const perMemberMax = 40;

/** The known ids by the members that take them, learnt from responses. */
export class World {
  readonly ids = new Map<string, string[]>();

  /** Learns every id, cursor and token in a response. */
  learn(value: unknown, key = ''): void {
    if (typeof value === 'string') return this.#text(value, key);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) this.learn(member, Array.isArray(value) ? key : name);
  }

  /** The ids for an operation's members: a link's token is one of its kind. */
  for({ link }: AnyOperation): ReadonlyMap<string, readonly string[]> {
    if (link === undefined) return this.ids;
    return new Map([...this.ids, ['token', this.ids.get(link.kind === 'resource' ? 's token' : 'p token') ?? []]]);
  }

  #text(value: string, key: string): void {
    const prefix = /^([a-z]{3})_[0-9a-z]{16}$/.exec(value)?.[1];
    for (const member of takers[prefix ?? ''] ?? []) this.#keep(member, value);
    if (key === 'next_cursor') this.#keep('cursor', value);
    const [, page, token] = /\/([sp])\/([\w-]{30,})$/.exec(value) ?? [];
    if (token !== undefined) this.#keep(`${page} token`, token);
  }

  #keep(member: string, value: string): void {
    const known = this.ids.get(member) ?? [];
    this.ids.set(member, known);
    if (known.includes(value)) return;
    known.push(value);
    if (known.length > perMemberMax) known.shift();
  }
}

/**
 * A service with two projects and something of every kind that the catalogue can make: each operation that creates is
 * called a few times with sound input, in rounds, so that dependent records find their targets.
 */
export async function populate(service: TestService, random = new Random(7)): Promise<World> {
  const world = new World();
  for (const name of ['Garden', 'Kitchen']) {
    const { body: project } = await service.rest.post('/projects', { name });
    world.learn(project);
    for (const label of ['First', 'Second'])
      world.learn((await service.rest.post(`/projects/${project.id}/tasks`, { label })).body);
  }
  const making = catalogue.filter(({ rest }) => rest?.method === 'POST' && makes.test(rest.path));
  for (let round = 0; round < 4; round++) {
    for (const operation of making) {
      const inputs = new RandomInput(random, world.for(operation));
      const input = inputs.members(schemaOf(operation), 0.15, pathMembers(operation));
      const outcome = await send(service, operation, 'REST', input);
      if (outcome.error === undefined) world.learn(outcome.value);
      if (operation.name === 'create_edge') world.learn((await service.rest.post(...edgeOf(world))).body);
    }
    // Changed records have revisions.
    const [task] = world.ids.get('task_id')!;
    await service.rest.patch(`/tasks/${task!}`, { label: `Changed ${round}` });
  }
  for (const project of world.ids.get('project_id')!)
    world.learn((await service.rest.get(`/projects/${project}/revisions`)).body);
  await service.store.flush();
  return world;
}
