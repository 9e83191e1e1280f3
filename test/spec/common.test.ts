import { expect } from 'chai';
import { type Transport, mcpTransport, overBoth, restTransport } from '../support/both.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { TestService } from '../support/service.ts';

interface Plan {
  readonly project_id: string;
  readonly goal_id: string;
  readonly task_id: string;
  readonly document_id: string;
  readonly folder_id: string;
}

async function plan(transport: Transport): Promise<Plan> {
  const { id: project_id } = await transport.call('create_project', { name: 'Plan' });
  const make = async (operation: string, input: object): Promise<string> =>
    (await transport.call(operation, { project_id, ...input })).id as string;
  return {
    project_id,
    goal_id: await make('create_goal', { objective: 'Harvest', name: 'First' }),
    task_id: await make('create_task', { label: 'Dig', tags: ['bed'] }),
    document_id: await make('create_document', { title: 'Soil', body: 'x' }),
    folder_id: await make('create_folder', { name: 'Notes' }),
  };
}

/** The naming field of each resource, and the operations that accept it. */
const named = [
  ['create_project', 'name', () => ({})],
  ['update_project', 'name', ({ project_id }: Plan) => ({ project_id })],
  ['create_task', 'label', ({ project_id }: Plan) => ({ project_id })],
  ['update_task', 'label', ({ task_id }: Plan) => ({ task_id })],
  ['create_document', 'title', ({ project_id }: Plan) => ({ project_id, body: '' })],
  ['update_document', 'title', ({ document_id }: Plan) => ({ document_id })],
  ['create_folder', 'name', ({ project_id }: Plan) => ({ project_id })],
  ['update_folder', 'name', ({ folder_id }: Plan) => ({ folder_id })],
  ['create_goal', 'name', ({ project_id }: Plan) => ({ project_id, objective: 'x' })],
  ['update_goal', 'name', ({ goal_id }: Plan) => ({ goal_id })],
] as const;

const base32 = '[0-9a-hjkmnp-tv-z]';
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('Every resource', () => {
  overBoth('has an id of its kind, the code of the project and ten characters more [D1.ids]', async (transport) => {
    const ids = await plan(transport);
    const code = new RegExp(`^prj_(${base32}{6})${base32}{10}$`).exec(ids.project_id)?.[1];
    const { tags } = await transport.call('list_tags', { project_id: ids.project_id });
    const ends = { from_type: 'task', from_id: ids.task_id, to_type: 'document', to_id: ids.document_id };
    const edge = await transport.call('create_edge', { project_id: ids.project_id, ...ends });
    await transport.call('update_task', { task_id: ids.task_id, label: 'Dig on' });
    const { revisions } = await transport.call('list_revisions', { project_id: ids.project_id });
    for (const [prefix, id] of [
      ...([
        ['gol', ids.goal_id],
        ['tsk', ids.task_id],
        ['doc', ids.document_id],
        ['fld', ids.folder_id],
      ] as const),
      ...([
        ['tag', tags[0].id],
        ['edg', edge.id],
        ['rev', revisions[0].id],
      ] as const),
    ])
      expect(id).to.match(new RegExp(`^${prefix}_${code}${base32}{10}$`));
  });

  overBoth(
    'created in one millisecond has an id that ascends in the order of creation [D1.id-order, D1.order]',
    async (transport) => {
      const tasks = Array.from({ length: 100 }, (_, at) => ({ key: `k${at}`, label: `Task ${at}` }));
      const { scaffold } = await transport.call('scaffold_project_from_plan', { name: 'Plan', tasks });
      const { project, key_to_id: ids } = scaffold;
      const made = tasks.map(({ key }) => ids[key] as string);
      expect(made).to.deep.equal([...made].sort());
      const listed = (await transport.service.rest.get(`/projects/${project.id}/tasks`)).body.tasks;
      expect(new Set(listed.map((task: { created_at: string }) => task.created_at)).size).to.equal(1);
      expect(listed.map(({ id }: { id: string }) => id)).to.deep.equal(made);
    },
  );

  overBoth('has an id that a caller cannot choose [D1.no-chosen-ids]', async (transport) => {
    const ids = await plan(transport);
    for (const [operation, , input] of named) {
      const own = operation.startsWith('create') ? { name: 'x' } : {};
      const refused = await transport.refusal(operation, { ...input(ids), ...own, id: 'mine' });
      expect(refused.error, operation).to.equal('invalid_argument');
      expect(JSON.stringify(refused), operation).to.include('"id"');
    }
  });

  overBoth(
    'has the times of its creation and last change, in UTC with milliseconds [D1.times, D1.stamps]',
    async (transport) => {
      const ids = await plan(transport);
      const { project_id, goal_id, task_id, document_id } = ids;
      const tag = (await transport.call('list_tags', { project_id })).tags[0];
      const folder = (await transport.service.rest.get(`/folders/${ids.folder_id}`)).body;
      const read = async (): Promise<{ id: string; created_at: string; updated_at: string }[]> => [
        await transport.call('get_project', { project_id }),
        await transport.call('get_goal', { goal_id }),
        await transport.call('get_task', { task_id }),
        await transport.call('get_document', { document_id }),
      ];
      const before = await read();
      for (const one of [...before, tag, folder]) {
        expect(one.created_at, one.id).to.match(time);
        expect(one.updated_at, one.id).to.match(time);
      }
      await transport.call('update_project', { project_id, description: 'new' });
      await transport.call('update_goal', { goal_id, objective: 'new' });
      await transport.call('update_task', { task_id, description: 'new' });
      await transport.call('update_document', { document_id, body: 'new' });
      for (const [at, one] of (await read()).entries()) {
        expect(one.created_at).to.equal(before[at]!.created_at);
        expect(one.updated_at >= before[at]!.updated_at, one.id).to.equal(true);
      }
      const verified = await transport.call('update_task', { task_id, verified_at: '2026-03-01T01:30:00.5+02:00' });
      expect(verified.verified_at).to.equal('2026-02-28T23:30:00.500Z');
      for (const verified_at of ['yesterday', '2026-03-01', 1_700_000_000_000, '2026-13-01T00:00:00Z'])
        expect(await transport.refusal('update_task', { task_id, verified_at })).to.include({ field: 'verified_at' });
    },
  );

  overBoth('accepts as due_date an existing date as YYYY-MM-DD [D1.due-date]', async (transport) => {
    const { task_id } = await plan(transport);
    for (const due_date of ['2030-01-31', '2028-02-29', null])
      expect(await transport.call('update_task', { task_id, due_date })).to.include({ due_date });
    for (const due_date of [
      '2030-02-30',
      '2027-02-29',
      '31.01.2030',
      '2030-1-1',
      '2030-01-31T00:00:00Z',
      '',
      20300131,
    ]) {
      const refused = await transport.refusal('update_task', { task_id, due_date });
      expect(refused, String(due_date)).to.include({ error: 'invalid_argument', field: 'due_date' });
    }
  });

  overBoth('is unchanged if absent, and cleared by null if it is optional [D1.null, D13.absent]', async (transport) => {
    const { task_id, document_id, project_id } = await plan(transport);
    const set = { priority: 'high', lane: 'auto', severity: 'low', assignee: 'ann', due_date: '2030-01-31' };
    await transport.call('update_task', { task_id, ...set });
    expect(await transport.call('update_task', { task_id, label: 'x' })).to.include(set);
    for (const name of Object.keys(set)) {
      expect((await transport.call('update_task', { task_id, [name]: null }))[name], name).to.equal(null);
    }
    for (const name of ['label', 'status', 'kind', 'description', 'goal_id', 'tags', 'position', 'commit_refs']) {
      const input = { task_id, [name]: null };
      // Null counts as omitted over MCP where it cannot clear.
      if (transport.name === 'MCP') expect(await transport.call('update_task', input), name).to.include({ label: 'x' });
      else
        expect(await transport.refusal('update_task', input), name).to.include({
          ...{ error: 'invalid_argument', field: name },
        });
    }
    await transport.call('update_document', { document_id, status_line: 'draft', position: { x: 1, y: 2 } });
    expect(await transport.call('update_document', { document_id, title: 'x' })).to.include({ status: 'draft' });
    const cleared = await transport.call('update_document', { document_id, status_line: null, position: null });
    expect(cleared).to.include({ status: null, position: null, title: 'x' });
    await transport.call('update_project', { project_id, description: 'x' });
    expect(await transport.call('update_project', { project_id, description: null })).to.include({ description: null });
  });

  overBoth('has a name of 1 to 500 characters that is not blank [D1.name-length, D1.blank]', async (transport) => {
    const ids = await plan(transport);
    for (const [operation, field, input] of named) {
      // Over MCP, an empty text that may be left out is.
      const empty =
        transport.name === 'MCP' && (operation.startsWith('update_') || operation === 'create_goal') ? [] : [''];
      for (const value of [...empty, ' \n\t\u00a0\u2003', 'x'.repeat(501), '\u{1f331}'.repeat(501)]) {
        const refused = await transport.refusal(operation, { ...input(ids), [field]: value });
        expect(refused, `${operation} ${JSON.stringify(value.slice(0, 3))}`).to.include({
          ...{ error: 'invalid_argument', field },
        });
      }
      const longest = `${operation} `.padEnd(499, 'é') + '\u{1f331}';
      expect((await transport.call(operation, { ...input(ids), [field]: longest }))[field], operation).to.equal(
        longest,
      );
    }
    for (const objective of ['', ' \n ']) {
      const refused = await transport.refusal('create_goal', { project_id: ids.project_id, objective });
      expect(refused).to.include({ error: 'invalid_argument', field: 'objective' });
    }
  });

  overBoth(
    'has a body of at most 2 MiB, and is requested with arrays of at most 10,000 items [D1.body-length, D1.array-length]',
    async (transport) => {
      const { task_id, project_id } = await plan(transport);
      const most = 'é'.repeat(1024 * 1024);
      await transport.call('update_task', { task_id, description: most });
      const { description } = (await transport.service.rest.get(`/tasks/${task_id}`)).body;
      expect(description === most, 'not a byte is lost').to.equal(true);
      const over = await transport.refusal('update_task', { task_id, description: `${most}x` });
      expect(over).to.include({ error: 'invalid_argument', field: 'description' });
      const tasks = Array.from({ length: 10_001 }, (_, at) => ({ key: `k${at}`, label: 'x' }));
      const input = { project_id, tasks };
      const refused = await transport.service.rest.post(`/projects/${project_id}/scaffold`, { tasks });
      const other = await (await transport.service.mcp()).call('scaffold_project_from_plan', input);
      for (const error of [refused.body, other.value])
        expect(error).to.include({ error: 'invalid_argument', field: 'tasks' });
      expect((await transport.call('list_tasks', { project_id })).tasks).to.have.length(1);
    },
  );
});

describe('Every request', () => {
  let service: TestService;
  let ids: Plan;
  before(async () => {
    service = await TestService.start();
    ids = await plan(restTransport(service));
  });
  after(() => service.stop());

  it('is rejected with unknown members, by name and at every depth, over both interfaces [D1.unknown-members]', async () => {
    const { project_id, task_id, goal_id } = ids;
    for (const transport of [restTransport(service), mcpTransport(service, await service.mcp())]) {
      for (const [operation, input, field] of [
        ['create_task', { project_id, label: 'x', colour: 'red' }, 'colour'],
        ['update_task', { task_id, position: { x: 1, y: 2, z: 3 } }, 'position.z'],
        ['list_tasks', { project_id, colour: 'red' }, 'colour'],
        ['get_task', { task_id, colour: 'red' }, 'colour'],
        ['list_projects', { colour: 'red' }, 'colour'],
        [
          'create_goal',
          { project_id, objective: 'x', verification_surface: { kind: 'human_sign_off', by: 'x' } },
          'by',
        ],
        ['complete_goal', { goal_id, evidence: { kind: 'human_sign_off', approved_by: 'x', colour: 1 } }, 'colour'],
      ] as const) {
        const refused = await transport.refusal(operation, input);
        expect(refused.error, `${operation} over ${transport.name}`).to.equal('invalid_argument');
        expect(refused.field, `${operation} over ${transport.name}`).to.match(new RegExp(`(^|\\.)${field}$`));
      }
    }
    const { tasks } = (await service.rest.get(`/projects/${project_id}/tasks`)).body;
    expect(tasks, 'nothing is dropped and the rest done').to.have.length(1);
    const deep = await service.rest.put(`/projects/${project_id}/canvas`, {
      nodes: [{ id: 'a', label: 'A', depth: 1 }],
    });
    expect(deep.body).to.include({ error: 'invalid_argument', field: 'nodes[0].depth' });
  });

  it('has a body of at most 16 MiB, over both interfaces [D1.request-size]', async () => {
    const blank = (text: string): string => text.padEnd(16 * 1024 * 1024 + 1);
    const task = { label: 'x' };
    const over = await service.rest.post(`/projects/${ids.project_id}/tasks`, blank(JSON.stringify(task)));
    expect([over.status, over.body.error]).to.deep.equal([413, 'payload_too_large']);
    const params = { name: 'create_task', arguments: { project_id: ids.project_id, ...task } };
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect((await rawMcp(service.url, blank(call))).status).to.equal(413);
    const most = await service.rest.post(`/projects/${ids.project_id}/tasks`, blank(JSON.stringify(task)).slice(0, -1));
    expect(most.status).to.equal(201);
    expect((await rawMcp(service.url, blank(call).slice(0, -1))).status).to.equal(200);
  });

  it('without a credential is the owner’s on loopback, over both interfaces [S.auth.loopback, D10.owner]', async () => {
    const plain = await fetch(`${service.url}/api/v1/projects`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"name": "Mine"}',
    });
    const { id } = (await plain.json()) as { id: string };
    const task = (await service.rest.post(`/projects/${id}/tasks`, { label: 'Dig' })).body;
    await service.rest.patch(`/tasks/${task.id}`, { label: 'By the owner' });
    const agent = await service.mcp({ name: 'coder' });
    const { projects } = await agent.get('list_projects');
    expect(projects.map((project: { id: string }) => project.id)).to.include.members([id, ids.project_id]);
    await agent.get('update_task', { task_id: task.id, label: 'By a client' });
    const { revisions } = (await service.rest.get(`/projects/${id}/revisions?target_type=task`)).body;
    const authors = revisions.map(({ author }: { author: string }) => author) as string[];
    expect(authors).to.deep.equal(['agent:coder', 'human:Ada']);
    expect((await service.rest.delete(`/projects/${id}`)).status, 'what only an owner may').to.equal(204);
  });
});
