import { expect } from 'chai';
import { overBoth } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Row {
  readonly id: string;
  readonly label: string;
}

describe('The frontier', () => {
  overBoth(
    'returns one task after another until the goal is complete [S.mcp.get_next_task, S.mcp.claim_task, S.rule.2, S.state.next]',
    async (transport) => {
      const { scaffold } = await transport.call('scaffold_project_from_plan', {
        name: 'Plan',
        tasks: ['a', 'b', 'c'].map((key) => ({ key, label: key })),
        edges: [
          { from: 'a', to: 'b', label: 'depends_on' },
          { from: 'b', to: 'c', label: 'depends_on' },
        ],
      });
      const project_id = scaffold.project.id as string;
      const done: string[] = [];
      for (;;) {
        const next = await transport.call('get_next_task', { project_id });
        if (next.next_task === null) {
          expect(next.reason).to.equal('no_todo_tasks');
          break;
        }
        const { id: task_id, label } = next.next_task as Row;
        const claim = await transport.call('claim_task', { project_id, task_id, agent_ref: 'ada' });
        expect(claim).to.include({ claimed: true });
        expect(claim.task).to.include({ id: task_id, status: 'in_progress', assignee: 'ada', lease_expires_at: null });
        await transport.call('update_task', { task_id, status: 'done' });
        done.push(label);
      }
      expect(done).to.deep.equal(['c', 'b', 'a']);
      expect(await transport.call('complete_goal', { goal_id: scaffold.goal.id })).to.include({ status: 'complete' });
    },
  );

  overBoth('lists blocked tasks with their prerequisites [D3.next, D3.next-blocked]', async (transport) => {
    const { scaffold } = await transport.call('scaffold_project_from_plan', {
      name: 'Plan',
      tasks: [
        { key: 'first', label: 'First', status: 'in_progress' },
        { key: 'then', label: 'Then', description: 'Text' },
      ],
      edges: [{ from: 'first', to: 'then' }],
    });
    const ids = scaffold.key_to_id;
    const next = await transport.call('get_next_task', { project_id: scaffold.project.id });
    expect(next).to.deep.equal({
      next_task: null,
      reason: 'all_blocked',
      blocked: [
        {
          task: { id: ids.then, label: 'Then', status: 'todo' },
          waiting_on: [{ id: ids.first, label: 'First', status: 'in_progress' }],
        },
      ],
      blocked_total: 1,
    });
    const verbose = await transport.call('get_next_task', { project_id: scaffold.project.id, verbose: true });
    expect(verbose.blocked[0].task).to.include({ description: 'Text', blocked: true });
  });

  overBoth('names the active goals to choose from [D3.next-reasons]', async (transport) => {
    const project_id = await transport.service.project();
    const goal = await transport.call('create_goal', { project_id, name: 'Ship', objective: 'Ship it' });
    const next = await transport.call('get_next_task', { project_id });
    expect(next).to.include({ next_task: null, reason: 'no_todo_tasks' });
    const built = await transport.call('create_task', { project_id, label: 'Build', goal_id: goal.id });
    expect((await transport.call('get_next_task', { project_id })).next_task.id).to.equal(built.id);
    await transport.call('create_task', { project_id, label: 'Sweep' });
    const several = await transport.call('get_next_task', { project_id });
    expect(several).to.include({ next_task: null, reason: 'multiple_active_goals' });
    expect(several.active_goals[1]).to.deep.include({ id: goal.id, name: 'Ship', objective: 'Ship it' });
  });

  it('over REST lists each active goal with its own next task, also if a current goal is set [D3.next-goals]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const path = `/projects/${project}/next-task`;
      const { body: ship } = await service.rest.post(`/projects/${project}/goals`, { name: 'Ship', objective: 'It' });
      const add = async (label: string, goal_id?: string): Promise<string> =>
        (
          await service.rest.post(`/projects/${project}/tasks`, {
            label,
            ...(goal_id === undefined ? {} : { goal_id }),
          })
        ).body.id as string;
      const build = await add('Build', ship.id);
      const [general] = (await service.rest.get(path)).body.active_goals;
      expect(general).to.include({ name: 'General', next_task: null, reason: 'no_tasks' });
      await service.rest.post(`/goals/${ship.id}/invoke`);
      const sweep = await add('Sweep');
      const { body } = await service.rest.get(path);
      expect(body).to.include({ reason: 'ok' }).and.have.nested.property('next_task.id', build);
      expect(body.active_goals).to.deep.equal([
        {
          ...{ id: general.id, name: 'General', objective: general.objective },
          ...{ next_task: { id: sweep, label: 'Sweep', status: 'todo' }, reason: 'ok' },
        },
        {
          ...{ id: ship.id, name: 'Ship', objective: 'It' },
          ...{ next_task: { id: build, label: 'Build', status: 'todo' }, reason: 'ok' },
        },
      ]);
      const chosen = await service.rest.get(`${path}?goal_id=${ship.id}`);
      expect(chosen.body).to.not.have.property('active_goals');
      await service.rest.post(`/goals/${general.id}/pause`);
      expect((await service.rest.get(path)).body).to.not.have.property('active_goals');
    } finally {
      await service.stop();
    }
  });

  overBoth(
    'returns the graph with depths, roots, cycles and actionable tasks [S.mcp.get_task_graph, D3.graph]',
    async (transport) => {
      const { scaffold } = await transport.call('scaffold_project_from_plan', {
        name: 'Plan',
        tasks: ['a', 'b', 'c', 'd'].map((key) => ({ key, label: key, status: 'scope' })),
        edges: [
          { from: 'a', to: 'b' },
          { from: 'c', to: 'd' },
          { from: 'd', to: 'c' },
        ],
      });
      const { a, b, c, d } = scaffold.key_to_id;
      const graph = await transport.call('get_task_graph', { project_id: scaffold.project.id });
      expect(graph.nodes[1]).to.deep.equal({ id: b, label: 'b', status: 'scope', depth: 1, prerequisites: [a] });
      expect(graph).to.deep.include({
        nodes_total: 4,
        roots: [a],
        cycles: [[c, d]],
        cycles_total: 1,
        actionable_if_released: [a],
        actionable_if_released_total: 1,
      });
      const ofGoal = await transport.call('get_task_graph', {
        project_id: scaffold.project.id,
        goal_id: scaffold.goal.id,
      });
      expect(ofGoal).to.deep.equal(graph);
    },
  );
});

describe('claim_task', () => {
  it('assigns a task that 24 agents claim together to one of them [D3.claim, S.state.claim]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const { body: task } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Wanted' });
      const refs = Array.from({ length: 24 }, (_, i) => `agent-${i}`);
      const agents = await Promise.all(refs.map(() => service.mcp()));
      const answers = await Promise.all(
        agents.map((agent, i) => agent.get('claim_task', { task_id: task.id, agent_ref: refs[i] })),
      );
      const winners = refs.filter((_, i) => answers[i].claimed === true);
      expect(winners).to.have.length(1);
      expect((await service.rest.get(`/tasks/${task.id}`)).body.assignee).to.equal(winners[0]);
      for (const answer of answers) {
        if (answer.claimed !== true)
          expect(answer).to.deep.equal({ claimed: false, reason: 'taken_or_not_actionable', assignee: winners[0] });
      }
    } finally {
      await service.stop();
    }
  });

  it('over REST is 200, or 409 with the same body [D3.claim-refused]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const { body: task } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Wanted' });
      const first = await service.rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'ada', lease_seconds: 60 });
      expect(first.status).to.equal(200);
      expect(Date.parse(first.body.task.lease_expires_at)).to.be.greaterThan(Date.parse(first.body.task.created_at));
      const second = await service.rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'bob' });
      expect(second.status).to.equal(409);
      expect(second.body).to.deep.equal({ claimed: false, reason: 'taken_or_not_actionable', assignee: 'ada' });
    } finally {
      await service.stop();
    }
  });

  it('keeps a lease across a restart [A.service.durable]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const { body: task } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Wanted' });
      const { body } = await service.rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'ada', lease_seconds: 600 });
      await service.restart();
      expect((await service.rest.get(`/tasks/${task.id}`)).body.lease_expires_at).to.equal(body.task.lease_expires_at);
    } finally {
      await service.stop();
    }
  });
});

describe('GET /projects/:id/next-task', () => {
  it('returns the inner object, and accepts tags as tag [D3.next-rest]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      await service.rest.post(`/projects/${project}/tasks`, { label: 'Plain' });
      await service.rest.post(`/projects/${project}/tasks`, { label: 'Tagged', tags: ['api'] });
      expect((await service.rest.get(`/projects/${project}/next-task`)).body.next_task.label).to.equal('Plain');
      const { body } = await service.rest.get(`/projects/${project}/next-task?tag=api&tag=web`);
      expect(body.next_task.label).to.equal('Tagged');
    } finally {
      await service.stop();
    }
  });

  it('is unchanged for a poll until the next task changes [D1.etag]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const path = `/projects/${project}/next-task`;
      const { body: task } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Plain' });
      const tag = (await service.rest.get(path)).headers.get('etag') ?? '';
      expect((await service.rest.get(path, { 'If-None-Match': tag })).status).to.equal(304);
      await service.rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'ada' });
      expect((await service.rest.get(path, { 'If-None-Match': tag })).body.reason).to.equal('no_todo_tasks');
    } finally {
      await service.stop();
    }
  });
});

describe('Long lists to an agent', () => {
  it('are cut, with their totals: 100 nodes and ids of the graph, 20 blocked tasks [D2.mcp-embedded]', async () => {
    const service = await TestService.start();
    try {
      const agent = await service.mcp();
      const keys = Array.from({ length: 150 }, (_, i) => `t${i}`);
      const { scaffold } = await agent.get('scaffold_project_from_plan', {
        name: 'Plan',
        tasks: [{ key: 'first', label: 'First', status: 'in_progress' }, ...keys.map((key) => ({ key, label: key }))],
        edges: keys.map((to) => ({ from: 'first', to })),
      });
      expect(scaffold.counts).to.deep.equal({ tasks: 151, edges: 150, documents: 0 });
      const project_id = scaffold.project.id as string;
      const graph = await agent.get('get_task_graph', { project_id });
      expect(graph.nodes).to.have.length(100);
      expect(graph).to.include({ nodes_total: 151, roots_total: 1 });
      const rest = await agent.get('get_task_graph', { project_id, cursor: graph.next_cursor });
      expect([...graph.nodes, ...rest.nodes].map(({ label }: Row) => label)).to.deep.equal(['First', ...keys]);
      const blocked: string[] = [];
      for (let cursor: string | undefined; ;) {
        const { next } = await agent.get('get_next_task', { project_id, ...(cursor === undefined ? {} : { cursor }) });
        expect(next.blocked_total).to.equal(150);
        expect(next.blocked.length).to.be.at.most(20);
        blocked.push(...next.blocked.map((row: { task: Row }) => row.task.label));
        cursor = next.next_cursor as string | undefined;
        if (cursor === undefined) break;
      }
      expect(blocked).to.deep.equal(keys);
      expect((await service.rest.get(`/projects/${project_id}/next-task`)).body.blocked).to.have.length(150);
    } finally {
      await service.stop();
    }
  });
});
