import { expect } from 'chai';
import { overBoth } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Shown {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly blocked: boolean;
}

describe('Changes of many tasks', () => {
  overBoth(
    'create and change tasks in their order, with references to those of the same call [A.batch.refs, A.batch.atomic]',
    async (transport) => {
      const project_id = await transport.service.project();
      const known = (await transport.call('create_task', { project_id, label: 'Known' })) as Shown;
      const answer = await transport.call('change_tasks', {
        project_id,
        tasks: [
          { key: 'a', label: 'A', tags: ['new'], priority: 'high' },
          { task_id: known.id, status: 'done', commit_refs: ['abcdef0'] },
          { key: 'b', label: 'B', above: 'a' },
          { task_id: known.id, label: 'Known well' },
        ],
        edges: [
          { from: 'a', to: 'b', label: 'depends_on' },
          { from: known.id, to: 'b' },
        ],
      });
      const { tasks, tasks_total, key_to_id: ids, warnings } = answer;
      expect((tasks as Shown[]).map(({ label, status, blocked }) => [label, status, blocked])).to.deep.equal([
        ['A', 'todo', true],
        ['Known well', 'done', false],
        ['B', 'todo', false],
        ['Known well', 'done', false],
      ]);
      expect([tasks_total, warnings]).to.deep.equal([4, []]);
      expect((await transport.call('get_task', { task_id: ids.a })).waiting_on).to.deep.equal([ids.b]);
      const { edges } = await transport.call('list_edges', { project_id });
      expect(edges).to.have.length(2);
      const closed = await transport.call('change_tasks', {
        project_id,
        tasks: [],
        edges: [{ from: ids.a, to: ids.b }],
      });
      expect(closed.warnings).to.have.length(1);
    },
  );

  overBoth(
    'are none if one of them is refused, which the error names [A.batch.errors, A.batch.atomic]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { id } = (await transport.call('create_task', { project_id, label: 'Known' })) as Shown;
      const first = { key: 'a', label: 'A' };
      for (const [tasks, edges, field] of [
        [[first, { label: 'B', goal_id: 'gol_none' }], [], 'tasks[1].goal_id'],
        [[first, { status: 'done' }], [], 'tasks[1].label'],
        [[first, { task_id: 'tsk_none', status: 'done' }], [], 'tasks[1].task_id'],
        [[first, { task_id: id, key: 'b' }], [], 'tasks[1].key'],
        [[first, first], [], 'tasks[1].key'],
        [[first, { label: 'B', status: 'finished' }], [], 'tasks[1].status'],
        [[first, { label: 'B', below: 'c' }], [], 'tasks[1].below'],
        [[{ task_id: id, label: 'Other' }], [{ from: id, to: 'nowhere' }], 'edges[0].to'],
        [[first], [{ from: 'a', to: 'a' }], 'edges[0].to'],
      ] as const)
        expect(await transport.refusal('change_tasks', { project_id, tasks, edges }), field).to.include({
          error: 'invalid_argument',
          field,
        });
      const { tasks } = await transport.call('list_tasks', { project_id });
      expect((tasks as Shown[]).map(({ label }) => label)).to.deep.equal(['Known']);
    },
  );

  it('are one change, once for each key of a repeated call, of up to 10,000 tasks [A.batch.atomic]', async () => {
    const service = await TestService.start();
    try {
      const { rest } = service;
      const project_id = await service.project();
      const path = `/projects/${project_id}`;
      const tasks = Array.from({ length: 1000 }, (_, at) => ({ label: `Task ${at}`, tags: ['many'] }));
      const send = (): ReturnType<typeof rest.send> =>
        rest.send('POST', `${path}/tasks/batch`, { tasks }, { 'Idempotency-Key': 'once' });
      const [made, again] = [await send(), await send()];
      // So long an answer is not kept.
      expect([made.status, again.status]).to.deep.equal([200, 204]);
      expect((await rest.get(`${path}/tasks`)).body.tasks).to.have.length(1000);
      expect((await rest.post(`${path}/undo`, {})).body.changes_total).to.be.at.least(1000);
      expect((await rest.get(`${path}/tasks`)).body.tasks).to.deep.equal([]);
      const items = ['A', 'B', 'C'].map((label) => ({ key: label.toLowerCase(), label }));
      const { a, b, c } = (await rest.post(`${path}/tasks/batch`, { tasks: items, edges: [{ from: 'a', to: 'b' }] }))
        .body.key_to_id as Record<string, string>;
      const { secret } = (await rest.post('/keys', { kind: 'agent', project_id, name: 'builder' })).body;
      const asAgent = { Authorization: `Bearer ${secret}` };
      const refusals = [
        await rest.post(`${path}/tasks/batch`, { tasks: [], delete: [a, a] }),
        await rest.send('POST', `${path}/tasks/batch`, { tasks: [], delete: [a] }, asAgent),
      ];
      expect(refusals.map(({ body }) => [body.error, body.field])).to.deep.equal([
        ['invalid_argument', 'delete[1]'],
        ['forbidden', undefined],
      ]);
      const left = { tasks: [{ task_id: c, label: 'D' }], delete: [a, b] };
      expect((await rest.post(`${path}/tasks/batch`, left)).status).to.equal(200);
      const shown = async (): Promise<string[]> =>
        (await rest.get(`${path}/tasks`)).body.tasks.map(({ label }: Shown) => label);
      expect(await shown()).to.deep.equal(['D']);
      await rest.post(`${path}/undo`, {});
      expect(await shown()).to.deep.equal(['A', 'B', 'C']);
      expect((await rest.get(`${path}/edges`)).body.edges).to.have.length(1);
      const tooMany = Array.from({ length: 10_001 }, () => ({ label: 'x' }));
      const refused = await rest.post(`${path}/tasks/batch`, { tasks: tooMany });
      expect(refused.body).to.include({ error: 'invalid_argument', field: 'tasks' });
    } finally {
      await service.stop();
    }
  });
});
