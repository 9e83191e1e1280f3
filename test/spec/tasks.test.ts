import { expect } from 'chai';
import { type Transport, overBoth, restTransport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Shown {
  readonly id: string;
  readonly [field: string]: unknown;
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);
const tagsOf = (task: { tags: readonly { name: string }[] }): string[] => task.tags.map(({ name }) => name);

/** A project's id and a function that creates a task in it. */
async function plan(transport: Transport): Promise<{ project_id: string; make: (fields?: object) => Promise<Shown> }> {
  const project_id = await transport.service.project();
  return {
    project_id,
    make: (fields = {}) => transport.call('create_task', { project_id, label: 'Dig', ...fields }) as Promise<Shown>,
  };
}

/** The values of a field, and its default. */
const choices = {
  status: { values: ['scope', 'todo', 'in_progress', 'done', 'backlog'], absent: 'todo' },
  kind: { values: ['build', 'decision'], absent: 'build' },
  priority: { values: ['urgent', 'high', 'medium', 'low', null], absent: null },
  lane: { values: ['auto', 'approve', 'full', null], absent: null },
  severity: { values: ['low', 'medium', 'high', null], absent: null },
} as const;

describe('Tasks', () => {
  overBoth(
    'require only a label; they have all of their fields and belong to the goal General [S.task.label, S.rest.POST /projects/:id/tasks, S.mcp.create_task, D3.task, S.rule.1]',
    async (transport) => {
      const { project_id, make } = await plan(transport);
      const { default_goal_id: goal_id } = await transport.call('get_project', { project_id });
      const { id, created_at, updated_at, ...rest } = await make();
      expect(id).to.match(/^tsk_/);
      expect(created_at).to.be.a('string').and.equal(updated_at);
      expect(rest).to.deep.equal({
        ...{ project_id, goal_id, label: 'Dig', status: 'todo', kind: 'build', priority: null, lane: null },
        ...{ severity: null, description: '', position: { x: 0, y: 0 }, assignee: null, lease_expires_at: null },
        ...{ due_date: null, commit_refs: [], verified_at: null, verified_ref: null, tags: [] },
        ...{ covers: [], gate: null, proof: null, verification_state: null, branch: null },
        ...{ blocked: false, waiting_on: [] },
      });
      for (const label of [undefined, null, '', ' \n']) {
        const refused = await transport.refusal('create_task', {
          project_id,
          ...(label === undefined ? {} : { label }),
        });
        expect(refused, String(label)).to.include({ error: 'invalid_argument', field: 'label' });
      }
      expect((await transport.call('list_tasks', { project_id })).tasks).to.have.length(1);
    },
  );

  overBoth(
    'are created with every field that a caller can set, and are read as written, also after a restart [S.mcp.get_task, S.mcp.create_task, D3.task]',
    async (transport) => {
      const { project_id, make } = await plan(transport);
      const { id: goal_id } = await transport.call('create_goal', { project_id, objective: 'Harvest' });
      const set = {
        ...{ goal_id, label: 'Plant', status: 'scope', kind: 'decision', priority: 'urgent', lane: 'full' },
        ...{ severity: 'high', description: '# Why\n\nBecause.\n', position: { x: -1.5, y: 2e6 }, assignee: 'ann' },
        ...{ due_date: '2030-02-28', commit_refs: ['abcdef0', 'f'.repeat(40)] },
        ...{ verified_at: '2026-01-02T03:04:05.006Z', verified_ref: 'ci/7' },
      };
      const made = await make({ ...set, tags: ['b', 'A'] });
      expect(made).to.deep.include(set);
      expect(tagsOf(made as never)).to.deep.equal(['A', 'b']);
      expect(await transport.call('get_task', { task_id: made.id })).to.deep.equal(made);
      if (transport.name === 'REST') {
        await transport.service.restart();
        expect(await transport.call('get_task', { task_id: made.id })).to.deep.equal(made);
      }
      const refused = await transport.refusal('create_task', { project_id, label: 'x', goal_id: 'gol_none' });
      expect(refused).to.include({ error: 'invalid_argument', field: 'goal_id' });
    },
  );

  overBoth(
    'accept only the values of each enumeration [D3.status, D3.kind, D3.priority, D3.lane, D3.severity, S.errors.invalid-status]',
    async (transport) => {
      const { project_id, make } = await plan(transport);
      const { id: task_id, ...born } = await make();
      for (const [field, { values, absent: unset }] of Object.entries(choices)) {
        expect(born[field], field).to.equal(unset);
        for (const value of values) {
          expect((await transport.call('update_task', { task_id, [field]: value }))[field], field).to.equal(value);
          expect((await make({ [field]: value }))[field], field).to.equal(value);
        }
        const nullable = (values as readonly unknown[]).includes(null);
        // Null and the empty text count as omitted over MCP.
        const absent = transport.name === 'MCP' ? [] : ['', ...(nullable ? [] : [null])];
        for (const value of ['finished', values[0].toUpperCase(), 1, ...absent]) {
          for (const [name, input] of [
            ['update_task', { task_id }],
            ['create_task', { project_id, label: 'x' }],
          ] as const) {
            const refused = await transport.refusal(name, { ...input, [field]: value });
            expect(refused, `${field} ${String(value)}`).to.include({ error: 'invalid_argument', field });
            expect(refused.message).to.include(values.filter((one) => one !== null).join(', '));
          }
        }
      }
    },
  );

  overBoth('change from any status to any other [D3.status]', async (transport) => {
    const { id: task_id } = await (await plan(transport)).make();
    const { values } = choices.status;
    for (const from of values) {
      for (const to of values) {
        await transport.call('update_task', { task_id, status: from });
        expect((await transport.call('update_task', { task_id, status: to })).status, `${from} → ${to}`).to.equal(to);
      }
    }
  });

  overBoth(
    'are updated with the given members; the given tags replace the former ones [S.rest.PATCH /tasks/:id, S.mcp.update_task, S.task.tags, D3.tags]',
    async (transport) => {
      const { make } = await plan(transport);
      const before = await make({ priority: 'high', description: 'deep', tags: ['a', 'b'] });
      const task_id = before.id;
      const set = { status: 'in_progress', label: 'Dig on', description: '*deeper*', position: { x: 3, y: -4 } };
      const after = await transport.call('update_task', { task_id, ...set });
      const { updated_at: _, ...unchanged } = before;
      expect(after, 'the rest is as it was').to.deep.include({ ...unchanged, ...set });
      expect(await transport.call('get_task', { task_id })).to.deep.equal(after);
      expect(tagsOf(await transport.call('update_task', { task_id, tags: ['c', 'A'] }))).to.deep.equal(['a', 'c']);
      expect(tagsOf(await transport.call('update_task', { task_id, label: 'x' }))).to.deep.equal(['a', 'c']);
      expect(tagsOf(await transport.call('update_task', { task_id, tags: [] }))).to.deep.equal([]);
      const wrong = transport.name === 'REST' ? null : 'a, b';
      expect(await transport.refusal('update_task', { task_id, tags: wrong })).to.include({ field: 'tags' });
      expect(await transport.refusal('update_task', { task_id, tags: ['x', ' '] })).to.include({ field: 'tags[1]' });
      expect(await transport.refusal('update_task', { task_id: 'tsk_none', label: 'x' })).to.include({
        ...{ error: 'not_found', resource: 'task', id: 'tsk_none' },
      });
    },
  );

  overBoth(
    'keep at most 50 commit hashes in lower case, and verified_ref with verified_at only [D3.commit_refs, D3.verified_ref]',
    async (transport) => {
      const { make } = await plan(transport);
      const { id: task_id } = await make();
      const update = (fields: object): Promise<Shown> => transport.call('update_task', { task_id, ...fields });
      const refused = async (fields: object, field: string): Promise<void> => {
        const refusal = await transport.refusal('update_task', { task_id, ...fields });
        expect(refusal, JSON.stringify(fields).slice(0, 60)).to.include({ error: 'invalid_argument', field });
      };
      expect((await update({ commit_refs: ['FFF0000', 'A'.repeat(40)] }))['commit_refs']).to.deep.equal([
        'fff0000',
        'a'.repeat(40),
      ]);
      for (const ref of ['abcdef', 'a'.repeat(41), 'ghijklm', ''])
        await refused({ commit_refs: ['abcdef0', ref] }, 'commit_refs[1]');
      const refs = Array.from({ length: 51 }, (_, at) => `abcdef${(at + 16).toString(16)}`);
      expect((await update({ commit_refs: refs.slice(1) }))['commit_refs']).to.have.length(50);
      await refused({ commit_refs: refs }, 'commit_refs');
      await refused({ verified_ref: 'ci/7' }, 'verified_ref');
      await update({ verified_ref: 'ci/7', verified_at: '2026-01-01T00:00:00Z' });
      await refused({ verified_at: null }, 'verified_ref');
      expect(await update({ verified_at: null, verified_ref: null })).to.include({ verified_at: null });
    },
  );

  overBoth(
    'are on the canvas from their creation, at the given position or at the origin [S.task.node]',
    async (transport) => {
      const { project_id, make } = await plan(transport);
      const canvas = async (): Promise<Shown[]> =>
        (await transport.service.rest.get(`/projects/${project_id}/canvas`)).body.nodes as Shown[];
      const first = await make();
      const second = await make({ position: { x: 10, y: 20 }, status: 'scope' });
      expect(await canvas()).to.deep.equal([
        { id: first.id, type: 'task', label: 'Dig', status: 'todo', x: 0, y: 0 },
        { id: second.id, type: 'task', label: 'Dig', status: 'scope', x: 10, y: 20 },
      ]);
      await transport.call('update_task', { task_id: first.id, position: { x: 1, y: 2 } });
      expect((await canvas())[0]).to.include({ x: 1, y: 2 });
    },
  );

  overBoth('omit their descriptions in an agent’s list unless verbose [D3.verbose]', async (transport) => {
    const { project_id, make } = await plan(transport);
    const task = await make({ description: 'long' });
    const rows = async (verbose?: boolean): Promise<object[]> =>
      (await transport.call('list_tasks', { project_id, ...(verbose === undefined ? {} : { verbose }) }))
        .tasks as object[];
    const { description: _, ...light } = task;
    expect(await rows(true)).to.deep.equal([task]);
    const [row] = await rows(transport.name === 'REST' ? false : undefined);
    expect(row).not.to.have.property('description');
    expect(light).to.deep.include(row!);
  });

  describe('in REST only', () => {
    let service: TestService;
    before(async () => {
      service = await TestService.start();
    });
    after(() => service.stop());

    it('are deleted with their edges at both ends and their node, and no others [S.rest.DELETE /tasks/:id, S.task.delete, D3.delete]', async () => {
      const { project_id, make } = await plan(restTransport(service));
      const [a, b, c] = idsOf([await make(), await make(), await make()]) as [string, string, string];
      const document = await restTransport(service).call('create_document', { project_id, title: 'D', body: '' });
      const join = async (from_type: string, from_id: string, to_type: string, to_id: string): Promise<string> =>
        (await restTransport(service).call('create_edge', { project_id, from_type, from_id, to_type, to_id }))
          .id as string;
      await join('task', a, 'task', b);
      await join('task', b, 'document', document.id);
      await join('document', document.id, 'task', b);
      const kept = [await join('task', a, 'task', c), await join('document', document.id, 'task', c)];
      const gone = await service.rest.delete(`/tasks/${b}`);
      expect([gone.status, gone.body]).to.deep.equal([204, undefined]);
      const { edges } = (await service.rest.get(`/projects/${project_id}/edges`)).body;
      // Edges of one millisecond are in the order of their derived ids.
      expect(idsOf(edges)).to.have.members(kept);
      expect(idsOf((await service.rest.get(`/projects/${project_id}/canvas`)).body.nodes)).to.deep.equal([a, c]);
      expect(idsOf((await service.rest.get(`/projects/${project_id}/tasks`)).body.tasks)).to.deep.equal([a, c]);
      const { links, backlinks } = (await service.rest.get(`/documents/${document.id}`)).body;
      expect([idsOf(links), backlinks]).to.deep.equal([[c], []]);
      for (const answer of [await service.rest.get(`/tasks/${b}`), await service.rest.delete(`/tasks/${b}`)])
        expect(answer.body).to.include({ error: 'not_found', resource: 'task', id: b });
      const seen = await (await service.mcp()).call('get_task', { task_id: b });
      expect(seen.value).to.include({ error: 'not_found' });
    });

    it('show their incoming links, and not their outgoing ones [S.rest.GET /tasks/:id/backlinks, D3.backlinks]', async () => {
      const rest = restTransport(service);
      const { project_id, make } = await plan(rest);
      const [target, other] = [await make(), await make({ label: 'Plant' })];
      const document = await rest.call('create_document', { project_id, title: 'Soil', body: '', link_to: target.id });
      const ends = { from_type: 'task', from_id: other.id, to_type: 'task', to_id: target.id };
      const edge = await rest.call('create_edge', { project_id, ...ends });
      const back = { from_type: 'task', from_id: target.id, to_type: 'document', to_id: document.id };
      await rest.call('create_edge', { project_id, ...back, label: 'references' });
      const { backlinks } = (await service.rest.get(`/tasks/${target.id}/backlinks`)).body;
      // Edges of one millisecond are in the order of their derived ids.
      expect(backlinks).to.have.deep.members([
        { type: 'document', id: document.id, title: 'Soil', label: 'documents', edge_id: document.links[0].edge_id },
        { type: 'task', id: other.id, title: 'Plant', label: null, edge_id: edge.edge_id },
      ]);
      expect((await service.rest.get(`/tasks/${other.id}/backlinks`)).body).to.deep.equal({ backlinks: [] });
      expect((await service.rest.get('/tasks/tsk_none/backlinks')).status).to.equal(404);
    });
  });
});
