import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '../../src/operations/catalogue.ts';
import { overBoth, restTransport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Listed {
  readonly id: string;
}

const idsOf = (rows: readonly Listed[]): string[] => rows.map(({ id }) => id);

const fields = [
  'id',
  'name',
  'description',
  'repo_url',
  'folder_path',
  'default_goal_id',
  'created_at',
  'updated_at',
] as const;

describe('Projects', () => {
  overBoth(
    'are created from a name and an optional description, and start with the active goal General [S.rest.POST /projects, S.mcp.create_project, S.project.name, D3.project, D4.general]',
    async (transport) => {
      const plain = await transport.call('create_project', { name: 'Garden' });
      expect(plain).to.have.all.keys(...fields);
      expect(plain).to.include({ name: 'Garden', description: null, repo_url: null, folder_path: null });
      const described = await transport.call('create_project', { name: 'Garden', description: 'Beds and *paths*' });
      expect(described).to.include({ name: 'Garden', description: 'Beds and *paths*' });
      expect(described.id, 'names need not be unique').not.to.equal(plain.id);
      const { goals } = await transport.call('list_goals', { project_id: plain.id });
      expect(goals).to.have.length(1);
      expect(goals[0]).to.include({ id: plain.default_goal_id, name: 'General', status: 'active' });
      for (const input of [{}, { description: 'x' }, { name: null }, { name: ' ' }, { name: 'x'.repeat(501) }]) {
        const refused = await transport.refusal('create_project', input);
        expect(refused, JSON.stringify(input).slice(0, 40)).to.include({ error: 'invalid_argument', field: 'name' });
      }
      expect((await transport.call('list_projects')).projects, 'nothing is made by what is refused').to.have.length(2);
      const kept = await transport.call('update_project', { project_id: plain.id, description: 'no name given' });
      expect(kept).to.include({ name: 'Garden', description: 'no name given' });
    },
  );

  overBoth('are listed, oldest first [S.rest.GET /projects, S.mcp.list_projects]', async (transport) => {
    expect(await transport.call('list_projects')).to.deep.equal({ projects: [] });
    const made = [];
    for (const name of ['b', 'a', 'c']) made.push(await transport.call('create_project', { name }));
    const { projects } = await transport.call('list_projects');
    expect(projects).to.have.deep.members(made);
    const order = (one: { created_at: string; id: string }): string => `${one.created_at} ${one.id}`;
    expect(projects.map(order)).to.deep.equal(projects.map(order).sort());
  });

  overBoth(
    'show their fields and a summary of their contents [S.rest.GET /projects/:id, S.project.summary, D3.summary]',
    async (transport) => {
      const made = await transport.call('create_project', { name: 'Plan' });
      const project_id = made.id as string;
      const { summary: empty, ...project } = await transport.call('get_project', { project_id });
      expect(project).to.include(made);
      const none = { scope: 0, todo: 0, in_progress: 0, done: 0, backlog: 0 };
      expect(empty).to.deep.include({ tasks: none, documents: 0, goals: 1, problems: 0 });
      for (const status of ['todo', 'done', 'done', 'scope', 'backlog', 'in_progress', 'done'])
        await transport.call('create_task', { project_id, label: status, status });
      await transport.call('create_document', { project_id, title: 'D', body: '' });
      await transport.call('create_goal', { project_id, objective: 'G' });
      const { summary } = await transport.call('get_project', { project_id });
      const tasks = { scope: 1, todo: 1, in_progress: 1, done: 3, backlog: 1 };
      expect(summary).to.deep.include({ tasks, documents: 1, goals: 2, problems: 0 });
    },
  );

  overBoth(
    'are updated with the given members, and null clears an optional one [S.rest.PATCH /projects/:id, S.mcp.update_project, S.project.null, D3.project-patch]',
    async (transport) => {
      const { id: project_id } = await transport.call('create_project', { name: 'Plan' });
      const set = { name: 'Yard', description: 'x', repo_url: 'git@example.org:a/b.git', folder_path: 'code/app' };
      expect(await transport.call('update_project', { project_id, ...set })).to.include(set);
      expect(await transport.call('update_project', { project_id, name: 'Garden' })).to.include({
        ...set,
        name: 'Garden',
      });
      const cleared = { repo_url: null, folder_path: null };
      await transport.call('update_project', { project_id, ...cleared });
      await transport.call('update_project', { project_id });
      expect(await transport.call('get_project', { project_id })).to.include({
        ...cleared,
        name: 'Garden',
        description: 'x',
      });
      const name = transport.name === 'REST' ? null : 5;
      expect(await transport.refusal('update_project', { project_id, name })).to.include({ field: 'name' });
      expect(await transport.refusal('update_project', { project_id, default_goal_id: 'x' })).to.include({
        error: 'invalid_argument',
        field: 'default_goal_id',
      });
      expect(await transport.refusal('update_project', { project_id: 'prj_none', name: 'x' })).to.include({
        error: 'not_found',
        resource: 'project',
        id: 'prj_none',
      });
    },
  );

  overBoth(
    'accept a repo_url without credentials and a folder_path inside the repository, at creation and in updates [D3.repo_url, D3.folder_path]',
    async (transport) => {
      const { id: project_id } = await transport.call('create_project', { name: 'Plan' });
      const right = [
        ['repo_url', ['https://example.org/a.git', 'http://h/a', 'ssh://git@h/a', 'git://h/a', 'git@h:a/b', 'h:a']],
        ['folder_path', ['.', 'a', 'a/b c/d.e', '..a']],
      ] as const;
      for (const [field, values] of right) {
        for (const value of values) {
          expect(await transport.call('update_project', { project_id, [field]: value })).to.include({ [field]: value });
        }
      }
      const wrong = [
        ['repo_url', ['', 'x', 'https://a:b@h/a', 'https://token@h/a', 'ssh://git:pw@h/a', 'file:///etc', 'https://']],
        ['folder_path', ['', '/', '/etc', 'a/', 'a//b', '..', 'a/../b', 'a\\b', 'C:/x', './a']],
      ] as const;
      for (const [field, values] of wrong) {
        for (const value of values) {
          for (const [name, input] of [
            ['update_project', { project_id }],
            ['create_project', { name: 'Other' }],
          ] as const) {
            // To an agent's client, which creates, nothing empty is a value.
            if (value === '' && name === 'create_project' && transport.name === 'MCP') continue;
            const refused = await transport.refusal(name, { ...input, [field]: value });
            expect(refused, `${name} ${value}`).to.include({ error: 'invalid_argument', field });
          }
        }
      }
      expect((await transport.call('list_projects')).projects).to.have.length(1);
    },
  );
});

describe('Projects, by the service', () => {
  let service: TestService;
  before(async () => {
    service = await TestService.start();
  });
  after(() => service.stop());

  it('exist in addition to health, which needs no project [S.rest.GET /health, S.conformance.1]', async () => {
    const { status, body, headers } = await service.rest.get('/health');
    expect([status, body]).to.deep.equal([200, { ok: true }]);
    expect(headers.get('content-type')).to.match(/^application\/json/);
  });

  it('show agents tasks, documents and the canvas as well, as light rows [S.mcp.get_project, D3.get_project]', async () => {
    const project_id = await service.project();
    const rest = restTransport(service);
    const task = await rest.call('create_task', { project_id, label: 'Dig', description: 'long' });
    const folder = await rest.call('create_folder', { project_id, name: 'F' });
    const position = { x: 5, y: 6 };
    const to_id = task.id as string;
    const document = await rest.call('create_document', {
      ...{ project_id, title: 'Soil', body: 'long', status_line: 'draft' },
      ...{ folder_id: folder.id, position, link_to: to_id },
    });
    const { project } = await (await service.mcp()).get('get_project', { project_id });
    expect(project).to.include({ id: project_id, name: 'Plan', tasks_total: 1, documents_total: 1 });
    expect(project).to.have.property('summary');
    expect(idsOf(project.tasks)).to.deep.equal([to_id]);
    expect(project.tasks[0])
      .to.include({ label: 'Dig', status: 'todo', blocked: false })
      .and.not.have.key('description');
    expect(project.documents).to.deep.equal([
      { id: document.id, title: 'Soil', status: 'draft', folder_id: folder.id },
    ]);
    const { nodes, edges, nodes_total, edges_total, layout } = project.canvas;
    expect(nodes).to.deep.equal([
      { id: to_id, type: 'task', label: 'Dig', status: 'todo', x: 0, y: 0 },
      { id: document.id, type: 'document', label: 'Soil', status: 'draft', ...position },
    ]);
    expect(edges).to.have.length(1);
    expect(edges[0]).to.include({ from_id: document.id, to_id, label: 'documents' });
    expect([nodes_total, edges_total, layout]).to.deep.equal([2, 1, null]);
    const overRest = (await service.rest.get(`/projects/${project_id}`)).body;
    expect(overRest).to.have.all.keys(...fields, 'summary');
  });

  it('are deleted with everything in them, for both interfaces [S.rest.DELETE /projects/:id]', async () => {
    const [project_id, other] = [await service.project('Doomed'), await service.project('Spared')];
    const rest = restTransport(service);
    const task = await rest.call('create_task', { project_id, label: 'Dig', tags: ['bed'] });
    const goal = await rest.call('create_goal', { project_id, objective: 'G' });
    const folder = await rest.call('create_folder', { project_id, name: 'F' });
    const document = await rest.call('create_document', { project_id, title: 'D', body: '', link_to: task.id });
    const spared = await rest.call('create_task', { project_id: other, label: 'Stays' });
    await service.store.flush();
    const gone = await service.rest.delete(`/projects/${project_id}`);
    expect([gone.status, gone.body]).to.deep.equal([204, undefined]);
    const paths = [
      ...['', '/tasks', '/documents', '/edges', '/goals', '/canvas', '/tags'].map(
        (end) => `/projects/${project_id}${end}`,
      ),
      ...[`/tasks/${task.id}`, `/goals/${goal.id}`, `/documents/${document.id}`, `/folders/${folder.id}`],
      `/tags/${task.tags[0].id}`,
    ];
    for (const life of ['this', 'the next']) {
      for (const path of paths) expect((await service.rest.get(path)).status, `${path}, in ${life} life`).to.equal(404);
      const agent = await service.mcp();
      expect((await agent.call('get_task', { task_id: task.id })).value).to.include({ error: 'not_found' });
      const { projects } = await agent.get('list_projects');
      expect(idsOf(projects)).to.include(other).and.not.include(project_id);
      expect((await service.rest.get(`/tasks/${spared.id}`)).body).to.include({ label: 'Stays' });
      await service.restart();
    }
    expect((await service.rest.delete(`/projects/${project_id}`)).status).to.equal(404);
    expect(readdirSync(join(service.root, 'projects')).some((name) => name.startsWith('doomed'))).to.equal(false);
    expect(readdirSync(join(service.root, 'local', 'trash')).map((name) => name.includes('.doomed-'))).to.deep.equal([
      true,
    ]);
  });

  it('and their contents cannot be deleted by a tool; delete_edge and delete_folder delete only structure [S.rule.4, S.rule.5]', async () => {
    const project_id = await service.project();
    const rest = restTransport(service);
    const task = await rest.call('create_task', { project_id, label: 'Dig' });
    const folder = await rest.call('create_folder', { project_id, name: 'F' });
    const input = { project_id, title: 'D', body: '', folder_id: folder.id, link_to: task.id };
    const document = await rest.call('create_document', input);
    const agent = await service.mcp();
    const { tools } = await agent.sdk.listTools();
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint !== false);
    expect(destructive.map(({ name }) => name)).to.have.members(['delete_edge', 'delete_folder']);
    const deleting = /delete|remove|destroy|purge|trash/;
    expect(tools.map(({ name }) => name).filter((name) => deleting.test(name))).to.have.length(2);
    const ids = { project_id, task_id: task.id, document_id: document.id };
    const hidden = catalogue.filter(({ rest: transport, mcp }) => transport?.method === 'DELETE' && mcp === undefined);
    expect(hidden.map(({ name }) => name)).to.include.members(['delete_project', 'delete_task', 'delete_document']);
    for (const { name } of hidden) {
      const failure = await agent.call(name, ids).then(
        ({ isError }) => isError,
        () => true,
      );
      expect(failure, name).to.equal(true);
    }
    await agent.get('delete_edge', { edge_id: document.links[0].edge_id });
    await agent.get('delete_folder', { folder_id: folder.id });
    expect((await service.rest.get(`/tasks/${task.id}`)).status).to.equal(200);
    expect((await service.rest.get(`/documents/${document.id}`)).body).to.deep.include({ folder_id: null, links: [] });
  });
});
