import { expect } from 'chai';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Transport, mcpTransport, overBoth, restTransport } from '../support/both.ts';
import { Random } from '../support/random.ts';
import { TestService } from '../support/service.ts';

interface Row {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** The lists of a project that are in both interfaces, with the member that contains their rows. */
const lists = [
  ['list_tasks', 'tasks'],
  ['list_edges', 'edges'],
  ['list_tags', 'tags'],
  ['list_goals', 'goals'],
] as const;

const idOf = (row: Row): string => row.id ?? (row['edge_id'] as string);

/** Seven rows in each list. */
async function fill(service: TestService, project_id: string): Promise<void> {
  const rest = restTransport(service);
  const task = (label: string, tags: readonly string[]): Promise<Row> =>
    rest.call('create_task', { project_id, label, tags }) as Promise<Row>;
  const first = await task('first', []);
  for (let at = 1; at < 7; at++) {
    const { id: to_id } = await task(`task ${at}`, [`tag ${at}`]);
    const ends = { from_type: 'task', from_id: first.id, to_type: 'task', to_id };
    await rest.call('create_edge', { project_id, ...ends });
    if (at === 1) await rest.call('create_edge', { project_id, ...ends, label: 'relates' });
    await rest.call('create_goal', { project_id, objective: `goal ${at}`, name: `goal ${at}` });
  }
  await service.rest.post(`/projects/${project_id}/tags`, { name: 'tag 7' });
}

async function pages(transport: Transport, operation: string, plural: string, input: object): Promise<Row[][]> {
  const found: Row[][] = [];
  let cursor: string | undefined;
  do {
    const answer = await transport.call(operation, { ...input, ...(cursor === undefined ? {} : { cursor }) });
    found.push(answer[plural] as Row[]);
    cursor = answer.next_cursor as string | undefined;
  } while (cursor !== undefined);
  return found;
}

describe('Lists', () => {
  overBoth(
    'are read page by page with limit and cursor, each row once and in one order [D1.limit]',
    async (transport) => {
      const project_id = await transport.service.project('1');
      await fill(transport.service, project_id);
      for (let at = 2; at <= 7; at++) await transport.service.project(String(at));
      for (const [operation, plural, input] of [
        ...lists.map(([name, rows]) => [name, rows, { project_id }] as const),
        ['list_projects', 'projects', {}] as const,
      ]) {
        const [whole, ...more] = await pages(transport, operation, plural, input);
        expect([whole!.length, more.length], operation).to.deep.equal([7, 0]);
        for (const [limit, sizes] of [
          [3, [3, 3, 1]],
          [7, [7]],
          [1000, [7]],
        ] as const) {
          const found = await pages(transport, operation, plural, { ...input, limit });
          expect(
            found.map(({ length }) => length),
            `${operation} by ${limit}`,
          ).to.deep.equal(sizes);
          expect(found.flat().map(idOf), operation).to.deep.equal(whole!.map(idOf));
        }
        for (const limit of [0, -1, 1001, 1.5]) {
          const refused = await transport.refusal(operation, { ...input, limit });
          expect(refused, `${operation} ${limit}`).to.include({ error: 'invalid_argument', field: 'limit' });
        }
        for (const cursor of [
          'x',
          Buffer.from('["a"]').toString('base64url'),
          Buffer.from('[1,2]').toString('base64url'),
        ]) {
          const refused = await transport.refusal(operation, { ...input, cursor });
          expect(refused, `${operation} ${cursor}`).to.include({ error: 'invalid_argument', field: 'cursor' });
        }
      }
    },
  );

  overBoth('continue after their cursor although rows before and at it were deleted [D1.limit]', async (transport) => {
    const project_id = await transport.service.project();
    await fill(transport.service, project_id);
    const all = (await transport.call('list_tasks', { project_id })).tasks.map(idOf) as string[];
    const { tasks, next_cursor: cursor } = await transport.call('list_tasks', { project_id, limit: 3 });
    for (const { id } of tasks as Row[]) await transport.service.rest.delete(`/tasks/${id}`);
    await transport.call('create_task', { project_id, label: 'new' });
    const rest = (await transport.call('list_tasks', { project_id, cursor })).tasks.map(idOf) as string[];
    expect(rest.slice(0, -1)).to.deep.equal(all.slice(3));
    expect(rest).to.have.length(5);
  });
});

describe('Lists, over REST', () => {
  let service: TestService;
  let project_id: string;
  before(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    project_id = await service.project();
  });
  after(() => service.stop());

  const get = async (path: string, id = project_id): Promise<{ body: Record<string, Row[]>; etag: string }> => {
    const { status, body, headers } = await service.rest.get(`/projects/${id}${path}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    // Every list shows one state, and follows from it.
    const { events_cursor: _, ...rows } = body as Record<string, Row[]>;
    return { body: rows, etag: headers.get('etag')! };
  };

  it('return every row without limit and cursor, agents 100 of them [D1.all, D2.mcp-rows]', async () => {
    const nodes = Array.from({ length: 1203 }, (_, at) => ({ id: `t${at}`, label: `Task ${at}` }));
    const edges = nodes.slice(1).map(({ id }) => ({ from_id: 't0', to_id: id }));
    const long = await service.project('Long');
    expect((await service.rest.put(`/projects/${long}/canvas`, { nodes, edges })).status).to.equal(200);
    const agent = mcpTransport(service, await service.mcp());
    for (const [operation, plural, count] of [
      ['list_tasks', 'tasks', 1203],
      ['list_edges', 'edges', 1202],
    ] as const) {
      const { body } = await get(`/${plural}`, long);
      expect(body).to.have.all.keys(plural);
      expect(body[plural]).to.have.length(count);
      const answer = await agent.call(operation, { project_id: long });
      expect(answer[plural]).to.have.length(100);
      expect(answer.next_cursor).to.be.a('string');
    }
    await service.rest.delete(`/projects/${long}`);
  });

  it('are ordered by created_at, then id; tags by name [D1.order]', async () => {
    await fill(service, project_id);
    const nodes = ['z', 'm', 'a'].map((id) => ({ id, label: id }));
    await service.rest.put(`/projects/${project_id}/canvas`, { nodes });
    for (const plural of ['tasks', 'edges', 'goals']) {
      const rows = (await get(`/${plural}`)).body[plural]!;
      const order = rows.map(({ created_at, id }) => `${created_at as string} ${id}`);
      expect(order, plural).to.deep.equal([...order].sort());
    }
    const own = (await get('/tasks')).body['tasks']!.map(idOf).filter((id) => nodes.some((node) => node.id === id));
    expect(own, 'made at one moment').to.deep.equal(['a', 'm', 'z']);
    const names = (await get('/tags')).body['tags']!.map(({ name }) => name as string);
    expect(names).to.deep.equal([...names].sort());
  });

  it('return changes and removals since a tag, so that a polling client has all of them, over restarts too [D1.since, D1.tag-restart]', async () => {
    const random = new Random(Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_101));
    const rest = restTransport(service);
    const views = ['/tasks', '/tasks?status=todo', '/tasks?tag=bed', '/edges', '/tags', '/goals', '/folders'].map(
      (path) => ({ path, plural: /\w+/.exec(path)![0], rows: new Map<string, Row>(), etag: '', deltas: 0 }),
    );
    const tasks: string[] = [];
    const change = async (): Promise<void> => {
      const kind = tasks.length < 3 ? 0 : random.integer(0, 6);
      if (kind === 0) {
        const { id } = await rest.call('create_task', { project_id, label: 'x', tags: ['bed'] });
        tasks.push(id as string);
      }
      const [task_id, to_id] = [random.pick(tasks), random.pick(tasks)];
      if (kind === 1) await rest.call('update_task', { task_id, status: random.pick(['todo', 'done']) });
      if (kind === 2) await rest.call('update_task', { task_id, tags: random.pick([[], ['bed'], ['path']]) });
      if (kind === 3) await service.rest.delete(`/tasks/${tasks.splice(tasks.indexOf(task_id), 1)[0]}`);
      const ends = { from_type: 'task', from_id: task_id, to_type: 'task', to_id };
      if (kind === 4 && to_id !== task_id) await rest.call('create_edge', { project_id, ...ends });
      if (kind === 5) await rest.call('create_folder', { project_id, name: `folder ${random.next()}` });
      const [tag] = (await get('/tags')).body['tags']!;
      if (kind === 6) await rest.call('update_tag', { tag_id: tag!.id, name: random.pick(['bed', 'bett']) });
    };
    for (let step = 0; step < 40; step++) {
      if (step % 15 === 14) await service.restart();
      await change();
      for (const view of views) {
        const since =
          view.etag === '' ? '' : `${view.path.includes('?') ? '&' : '?'}since=${encodeURIComponent(view.etag)}`;
        const { body, etag } = await get(view.path + since);
        if (body['removed'] === undefined) view.rows.clear();
        else if (etag !== view.etag) view.deltas++;
        for (const id of (body['removed'] ?? []) as unknown as string[]) view.rows.delete(id);
        for (const row of body[view.plural]!) view.rows.set(row.id, row);
        view.etag = etag;
        const whole = (await get(view.path)).body[view.plural]!;
        expect([...view.rows.values()], `${view.path} at step ${step}`).to.have.deep.members(whole);
      }
    }
    for (const { path, deltas } of views.slice(0, 3)) expect(deltas, `${path} received only changes`).to.be.above(6);
  });

  it('return no changes since their current tag, and everything since one that is too old or unknown [D1.since]', async () => {
    await fill(service, project_id);
    const present = new Map<string, { etag: string; whole: Row[] }>();
    for (const plural of ['tasks', 'edges', 'tags', 'goals', 'folders']) {
      const { body, etag } = await get(`/${plural}`);
      present.set(plural, { etag, whole: body[plural]! });
      const again = (await get(`/${plural}?since=${encodeURIComponent(etag)}`)).body;
      expect(again, plural).to.deep.equal({ [plural]: [], removed: [] });
      for (const since of ['x', '"a.b"', '"0-1.0"']) {
        const answer = (await get(`/${plural}?since=${encodeURIComponent(since)}`)).body;
        expect(answer, `${plural} since ${since}`).to.deep.equal({ [plural]: body[plural] });
      }
    }
  });

  it('have the same tags after a restart, and other ones if files were edited in between [D1.tag-restart]', async () => {
    await fill(service, project_id);
    const plurals = ['tasks', 'edges', 'tags', 'goals', 'folders'];
    const etags = await Promise.all(plurals.map(async (plural) => [plural, (await get(`/${plural}`)).etag] as const));
    const path = (plural: string): string => `/projects/${project_id}/${plural}`;
    const again = async (plural: string, etag: string): Promise<number> =>
      (await service.rest.get(path(plural), { 'If-None-Match': etag })).status;
    await service.restart();
    for (const [plural, etag] of etags) {
      expect(await again(plural, etag), plural).to.equal(304);
      const unchanged = (await get(`/${plural}?since=${encodeURIComponent(etag)}`)).body;
      expect(unchanged, plural).to.deep.equal({ [plural]: [], removed: [] });
    }
    const [task] = (await get('/tasks')).body['tasks']!;
    const projects = join(service.root, 'projects');
    const tasks = join(
      projects,
      readdirSync(projects).find((name) => name.endsWith(project_id.slice(4, 10)))!,
      'tasks',
    );
    await service.restart({}, () => {
      const file = join(
        tasks,
        readdirSync(tasks).find((name) => name.startsWith('first'))!,
      );
      writeFileSync(file, readFileSync(file, 'utf8').replace('status: todo', 'status: done'));
    });
    expect((await service.rest.get(`/tasks/${task!.id}`)).body.status).to.equal('done');
    for (const [plural, etag] of etags) {
      expect(await again(plural, etag), plural).to.equal(200);
      const { body } = await get(`/${plural}?since=${encodeURIComponent(etag)}`);
      expect(body, `${plural} in full`).to.deep.equal({ [plural]: (await get(`/${plural}`)).body[plural] });
    }
  });
});
