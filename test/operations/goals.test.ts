import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { overBoth } from '../support/both.ts';
import { TestService } from '../support/service.ts';

const objective = 'Ship it';
const gate = { kind: 'gate_command', command: 'exit 7' };
const green = { kind: 'gate_command', exit_code: 0 };
const red = { kind: 'gate_command', exit_code: 1, detail: 'Two tests fail.' };

describe('Goals', () => {
  overBoth(
    'are created, read, listed and changed [S.mcp.create_goal, S.mcp.get_goal, S.mcp.list_goals, S.mcp.update_goal, S.rest.POST /projects/:id/goals, S.rest.GET /goals/:id, S.goal.cycle_tasks, S.rest.GET /projects/:id/goals, S.rest.PATCH /goals/:id]',
    async (transport) => {
      const project_id = await transport.service.project();
      const made = await transport.call('create_goal', { project_id, name: 'Ship', objective, budget: '2 days' });
      expect(made).to.include({ project_id, name: 'Ship', objective, status: 'active', budget: '2 days' });
      expect(made.warnings).to.have.length(1);
      await transport.call('create_task', { project_id, label: 'Build', goal_id: made.id, description: 'Long text' });
      const { cycle_tasks: tasks, ...goal } = await transport.call('get_goal', { goal_id: made.id });
      const { warnings: _, ...shown } = made;
      expect(goal).to.deep.equal({ ...shown, cycle_tasks_total: 1 });
      expect(tasks[0]).to.include({ label: 'Build', status: 'todo', goal_id: made.id });
      const { goals } = await transport.call('list_goals', { project_id });
      expect(goals.map(({ name }: { name: string }) => name)).to.deep.equal(['General', 'Ship']);
      const changed = await transport.call('update_goal', {
        goal_id: made.id,
        name: 'Sail',
        budget: null,
        verification_surface: gate,
      });
      expect(changed).to.deep.include({
        name: 'Sail',
        budget: null,
        verification_surface: JSON.stringify(gate),
        warnings: [],
      });
    },
  );

  overBoth(
    'accept a verification surface as JSON text or an object, and always return it as JSON text [S.goal.surface, D4.surface]',
    async (transport) => {
      const project_id = await transport.service.project();
      const items = [{ criterion: 'It is fast.' }];
      const checklist = { kind: 'acceptance_checklist', items };
      const goal = await transport.call('create_goal', {
        ...{ project_id, objective },
        verification_surface: JSON.stringify(checklist),
      });
      const surface = JSON.parse(goal.verification_surface as string);
      expect(surface.kind).to.equal('acceptance_checklist');
      expect(surface.items[0]).to.include(items[0]);
      expect(surface.items[0].id).to.be.a('string');
      const { verification_surface: text } = goal;
      const goal_id = goal.id;
      const again = await transport.call('update_goal', { goal_id, verification_surface: checklist });
      expect(again.verification_surface, 'an object').to.equal(text);
      for (const [operation, input] of [
        ['get_goal', { goal_id }],
        ['pause_goal', { goal_id }],
        ['resume_goal', { goal_id }],
      ] as const)
        expect((await transport.call(operation, input)).verification_surface, operation).to.equal(text);
      const { goals } = await transport.call('list_goals', { project_id });
      expect(goals.map((one: typeof goal) => one.verification_surface)).to.deep.equal([null, text]);
      await transport.call('create_task', { project_id, label: 'Run', goal_id });
      expect((await transport.call('invoke_goal', { goal_id })).goal.verification_surface).to.equal(text);
      const made = await transport.call('scaffold_project_from_plan', {
        project_id,
        goal: { name: 'Plan', objective, verification_surface: checklist },
        tasks: [{ key: 'a', label: 'A' }],
      });
      expect(made.scaffold.goal.verification_surface).to.equal(text);
      await transport.call('update_goal', { goal_id, verification_surface: gate });
      const { revisions } = await transport.call('list_revisions', { project_id, target_id: goal_id });
      const { snapshot } = await transport.call('get_revision', { revision_id: revisions[0].id });
      expect(snapshot.verification_surface).to.equal(text);
      const { body: diff } = await transport.service.rest.get(`/revisions/${revisions[0].id}/diff`);
      expect(diff.changes).to.deep.equal([
        { field: 'verification_surface', before: text, after: JSON.stringify(gate) },
      ]);
      const restored = await transport.service.rest.post(`/revisions/${revisions[0].id}/restore`, {});
      expect(restored.body.verification_surface).to.equal(text);
      const refused = await transport.refusal('create_goal', {
        project_id,
        objective,
        verification_surface: 'npm test',
      });
      expect(refused).to.include({ error: 'invalid_argument', field: 'verification_surface' });
    },
  );

  overBoth(
    'require an objective that is not blank, and accept no status by update [S.goal.objective, D4.status]',
    async (transport) => {
      const project_id = await transport.service.project();
      expect(await transport.refusal('create_goal', { project_id })).to.include({
        error: 'invalid_argument',
        field: 'objective',
      });
      expect(await transport.refusal('create_goal', { project_id, objective: ' \n' })).to.include({
        field: 'objective',
      });
      const goal = await transport.call('create_goal', { project_id, objective, status: 'paused' });
      expect(goal.status).to.equal('paused');
      const refused = await transport.refusal('update_goal', { goal_id: goal.id, status: 'active' });
      expect(refused).to.include({ error: 'invalid_argument', field: 'status' });
    },
  );

  overBoth('have a contract of which every part can be changed and cleared [S.goal.contract]', async (transport) => {
    const project_id = await transport.service.project();
    const { id: goal_id } = await transport.call('create_goal', { project_id, objective });
    const contract = {
      name: 'Ship',
      objective: 'Ship more',
      constraints: 'No downtime',
      boundaries: 'Not the mail',
      iteration_policy: 'One task a day',
      stop_condition: 'Two red gates',
      budget: '3 days',
    };
    expect(await transport.call('update_goal', { goal_id, ...contract })).to.include(contract);
    const cleared = {
      name: null,
      constraints: null,
      boundaries: null,
      iteration_policy: null,
      stop_condition: null,
      budget: null,
    };
    expect(await transport.call('update_goal', { goal_id, ...cleared })).to.include({
      ...cleared,
      objective: 'Ship more',
    });
    const wrong = transport.name === 'REST' ? null : 5;
    expect(await transport.refusal('update_goal', { goal_id, objective: wrong })).to.include({ field: 'objective' });
  });

  overBoth('are active, paused, complete or blocked [S.goal.status]', async (transport) => {
    const project_id = await transport.service.project();
    for (const status of ['active', 'paused', 'complete', 'blocked']) {
      expect(await transport.call('create_goal', { project_id, objective, status })).to.include({ status });
      const { goals } = await transport.call('list_goals', { project_id, status });
      expect(
        goals.map((goal: { status: string }) => goal.status),
        status,
      )
        .to.include(status)
        .and.satisfy((all: string[]) => new Set(all).size === 1);
    }
    expect(await transport.refusal('create_goal', { project_id, objective, status: 'open' })).to.include({
      error: 'invalid_argument',
      field: 'status',
    });
  });

  overBoth(
    'contain tasks that name none: these belong to the default goal, in any status, with a warning if it is not active [D4.default, S.rule.1]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { goals } = await transport.call('list_goals', { project_id });
      const [{ id: goal_id, name }] = goals;
      expect(name).to.equal('General');
      const task = await transport.call('create_task', { project_id, label: 'Build' });
      expect(task).to.include({ goal_id }).and.not.have.property('warnings');
      await transport.call('pause_goal', { goal_id });
      const late = await transport.call('create_task', { project_id, label: 'Test' });
      expect(late.goal_id).to.equal(goal_id);
      expect(late.warnings).to.have.length(1);
      const given = await transport.call('create_goal', { project_id, objective });
      expect(await transport.call('create_task', { project_id, label: 'Ship', goal_id: given.id })).to.include({
        goal_id: given.id,
      });
    },
  );

  overBoth(
    'are paused and resumed, each from one status only [S.mcp.pause_goal, S.mcp.resume_goal, S.rest.POST /goals/:id/pause, S.rest.POST /goals/:id/resume]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { id: goal_id } = await transport.call('create_goal', { project_id, objective });
      expect(await transport.refusal('resume_goal', { goal_id })).to.include({ error: 'conflict', status: 'active' });
      expect(await transport.call('pause_goal', { goal_id })).to.include({ id: goal_id, status: 'paused' });
      expect(await transport.refusal('pause_goal', { goal_id })).to.include({ error: 'conflict', status: 'paused' });
      expect(await transport.call('resume_goal', { goal_id })).to.include({ status: 'active' });
    },
  );

  overBoth(
    'are worked on again after red evidence once they are resumed: next task and invoke agree [D4.resume, D3.next-inactive, S.mcp.resume_goal]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { id: goal_id } = await transport.call('create_goal', {
        project_id,
        objective,
        verification_surface: gate,
      });
      const { id: task_id } = await transport.call('create_task', { project_id, label: 'Build', goal_id });
      const { remediation_task: remedy, hint } = await transport.call('complete_goal', { goal_id, evidence: red });
      expect(hint).to.include(`a person has to release the task "${remedy.label}" (${remedy.id})`);
      const next = async (): Promise<unknown> => await transport.call('get_next_task', { project_id, goal_id });
      expect(await next()).to.include({ reason: 'goal_blocked', next_task: null, hint });
      expect(await transport.refusal('invoke_goal', { goal_id })).to.include({ reason: 'not_active' });
      expect(await transport.call('resume_goal', { goal_id })).to.include({ status: 'active' });
      expect(await next()).to.have.nested.property('next_task.id', task_id);
      expect((await transport.call('invoke_goal', { goal_id })).first_task.id).to.equal(task_id);
      expect(await transport.call('get_task', { task_id: remedy.id })).to.include({ status: 'scope', goal_id });
    },
  );

  overBoth('are listed with archived ones, without them, or those only [D4.list-archived]', async (transport) => {
    const project_id = await transport.service.project();
    const { id: goal_id } = await transport.call('create_goal', {
      project_id,
      name: 'Old',
      objective,
      status: 'complete',
    });
    const archived = await transport.service.rest.post(`/goals/${goal_id}/archive`);
    expect(archived.body).to.include({ id: goal_id, status: 'complete' });
    expect(archived.body.archived_at).to.be.a('string');
    const names = async (filter: object): Promise<string[]> =>
      (await transport.call('list_goals', { project_id, ...filter })).goals.map(({ name }: { name: string }) => name);
    expect(await names({})).to.deep.equal(['General', 'Old']);
    expect(await names({ archived: false })).to.deep.equal(['General']);
    expect(await names({ archived: true })).to.deep.equal(['Old']);
  });

  overBoth(
    'are completed or blocked on evidence [S.mcp.complete_goal, S.rest.POST /goals/:id/complete, S.goal.last_verification]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { id: goal_id } = await transport.call('create_goal', {
        project_id,
        objective,
        verification_surface: gate,
      });
      const { id: task_id } = await transport.call('create_task', { project_id, label: 'Build', goal_id });
      expect(await transport.refusal('complete_goal', { goal_id })).to.include({
        error: 'verification_required',
        required_kind: 'gate_command',
      });
      const open = await transport.refusal('complete_goal', { goal_id, evidence: green });
      expect(open).to.deep.include({ error: 'blocked_by_incomplete_tasks', incomplete_task_ids: [task_id] });
      const blocked = await transport.call('complete_goal', { goal_id, evidence: red });
      expect(blocked.status).to.equal('blocked');
      expect(blocked.last_verification).to.deep.include({
        green: false,
        kind: 'gate_command',
        detail: 'Exit code 1.\n\nTwo tests fail.',
      });
      expect(blocked.remediation_task).to.include({ status: 'scope', goal_id });
      await transport.call('update_task', { task_id, status: 'done' });
      const complete = await transport.call('complete_goal', { goal_id, evidence: green });
      expect(complete.status).to.equal('complete');
      const remedy = await transport.call('get_task', { task_id: blocked.remediation_task.id });
      expect(remedy.status).to.equal('done');
    },
  );

  overBoth('reject evidence of unknown shape, and name the member [D4.evidence]', async (transport) => {
    const project_id = await transport.service.project();
    const { id: goal_id } = await transport.call('create_goal', { project_id, objective, verification_surface: gate });
    for (const evidence of [
      { kind: 'gate_command' },
      { kind: 'gate_command', exit_code: 0, colour: 'green' },
      { kind: 'vibes' },
      'green',
    ]) {
      const refused = await transport.refusal('complete_goal', { goal_id, evidence });
      expect(refused.error, JSON.stringify(evidence)).to.equal('invalid_argument');
      expect(refused.field, JSON.stringify(evidence)).to.match(/^evidence/);
    }
  });

  overBoth('unknown and in other projects are not_found', async (transport) => {
    const project_id = await transport.service.project();
    const { goals } = await transport.call('list_goals', { project_id: await transport.service.project('Other') });
    for (const goal_id of ['gol_none']) {
      expect(await transport.refusal('get_goal', { goal_id })).to.include({
        error: 'not_found',
        resource: 'goal',
        id: goal_id,
      });
      expect(await transport.refusal('get_next_task', { project_id, goal_id })).to.include({ error: 'not_found' });
    }
    expect(await transport.refusal('get_task_graph', { project_id, goal_id: goals[0].id })).to.include({
      error: 'not_found',
    });
  });
});

describe('Evidence of a goal', () => {
  overBoth('is taken back by restoring its revision [D4.evidence-history]', async (transport) => {
    const { service } = transport;
    const project_id = await service.project();
    const goal = await transport.call('create_goal', { project_id, objective, verification_surface: gate });
    const state = async (): Promise<unknown> => {
      const { status, last_verification: last } = await transport.call('get_goal', { goal_id: goal.id });
      return [status, (last as { green: boolean } | null)?.green ?? null];
    };
    const takeBack = async (): Promise<void> => {
      const { revisions } = await transport.call('list_revisions', { project_id, target_id: goal.id });
      const [{ id, changed_fields: fields }] = revisions;
      expect(fields).to.have.members(['status', 'last_verification']);
      expect((await service.rest.post(`/revisions/${id}/restore`)).status).to.equal(200);
    };
    await transport.call('complete_goal', { goal_id: goal.id, evidence: red });
    expect(await state()).to.deep.equal(['blocked', false]);
    await takeBack();
    expect(await state()).to.deep.equal(['active', null]);
    await transport.call('complete_goal', { goal_id: goal.id, evidence: red });
    await transport.call('complete_goal', { goal_id: goal.id, evidence: green });
    expect(await state()).to.deep.equal(['complete', true]);
    await takeBack();
    expect(await state()).to.deep.equal(['blocked', false]);
  });
});

describe('Goals over REST', () => {
  it('are completed with status 200, and reopened by a person [D4.red, D4.reopen]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const { body: goal } = await service.rest.post(`/projects/${project}/goals`, {
        objective,
        verification_surface: gate,
      });
      expect((await service.rest.post(`/goals/${goal.id}/complete`, { evidence: red })).status).to.equal(200);
      expect((await service.rest.post(`/goals/${goal.id}/reopen`)).body).to.include({
        error: 'conflict',
        status: 'blocked',
      });
      await service.rest.post(`/goals/${goal.id}/complete`, { evidence: green });
      const { status, body } = await service.rest.post(`/goals/${goal.id}/reopen`);
      expect(status).to.equal(200);
      expect(body.status).to.equal('active');
    } finally {
      await service.stop();
    }
  });

  it('are archived and unarchived by people only, and leave a list without archived ones by a delta [D4.archive, D4.list-archived]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const { body: goal } = await service.rest.post(`/projects/${project}/goals`, { objective });
      const list = `/projects/${project}/goals?archived=false`;
      const tag = (await service.rest.get(list)).headers.get('etag') ?? '';
      expect((await service.rest.post(`/goals/${goal.id}/archive`)).body).to.include({ error: 'conflict' });
      await service.rest.post(`/goals/${goal.id}/pause`);
      expect((await service.rest.post(`/goals/${goal.id}/archive`)).status).to.equal(200);
      const { body } = await service.rest.get(`${list}&since=${encodeURIComponent(tag)}`);
      expect(body).to.deep.include({ goals: [], removed: [goal.id] });
      const key = await service.rest.post('/keys', { kind: 'agent', name: 'Worker', project_id: project });
      const headers = { Authorization: `Bearer ${key.body.key ?? key.body.secret}` };
      for (const verb of ['archive', 'unarchive']) {
        const refused = await service.rest.send('POST', `/goals/${goal.id}/${verb}`, undefined, headers);
        expect(refused.status, verb).to.equal(403);
      }
      expect((await service.rest.post(`/goals/${goal.id}/unarchive`)).body).to.include({
        status: 'paused',
        archived_at: null,
      });
    } finally {
      await service.stop();
    }
  });

  it('say which agent reported their evidence, in answers and in their files [D4.evidence-reported]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const key = await service.rest.post('/keys', { kind: 'agent', name: 'Worker', project_id: project });
      const headers = { Authorization: `Bearer ${key.body.secret}` };
      for (const [from, reported] of [
        [headers, 'Worker'],
        [{}, undefined],
      ] as const) {
        const { body: goal } = await service.rest.post(`/projects/${project}/goals`, {
          objective,
          verification_surface: gate,
        });
        const completed = await service.rest.send('POST', `/goals/${goal.id}/complete`, { evidence: green }, from);
        expect(completed.body.last_verification).to.include({ green: true, detail: 'Exit code 0.' });
        expect(completed.body.last_verification.reported_by).to.equal(reported);
        await service.store.flush();
        const { path } = (await service.rest.get(`/projects/${project}/records/${goal.id}/file`)).body;
        const file = readFileSync(join(service.directory, path as string), 'utf8');
        expect(/reported_by: "?(\w+)/.exec(file)?.[1]).to.equal(reported);
      }
    } finally {
      await service.stop();
    }
  });

  it('have an own tag that changes with the goal, and another part that changes with its tasks [D1.etag]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const { body: goal } = await service.rest.post(`/projects/${project}/goals`, { objective });
      const path = `/goals/${goal.id}`;
      const tagOf = async (): Promise<readonly string[]> =>
        ((await service.rest.get(path)).headers.get('etag') ?? '').replaceAll('"', '').split('.');
      const [own, rest] = await tagOf();
      expect((await service.rest.get(path, { 'If-None-Match': `"${own}.${rest}"` })).status).to.equal(304);
      await service.rest.post(`/projects/${project}/tasks`, { label: 'Build', goal_id: goal.id });
      const [sameOwn, otherRest] = await tagOf();
      expect(sameOwn).to.equal(own);
      expect(otherRest).to.not.equal(rest);
      await service.rest.post(`${path}/pause`);
      expect((await tagOf())[0]).to.not.equal(own);
      const stale = await service.rest.patch(path, { objective: 'More' }, { 'If-Match': `"${own}.${rest}"` });
      expect(stale.status).to.equal(412);
    } finally {
      await service.stop();
    }
  });

  it('return changes since a tag', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const tag = (await service.rest.get(`/projects/${project}/goals`)).headers.get('etag') ?? '';
      const { body: goal } = await service.rest.post(`/projects/${project}/goals`, { objective });
      const { body } = await service.rest.get(`/projects/${project}/goals?since=${encodeURIComponent(tag)}`);
      expect(body.goals.map(({ id }: { id: string }) => id)).to.deep.equal([goal.id]);
      expect(body.removed).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });
});

describe('get_goal over MCP', () => {
  it('cuts cycle_tasks at 100 light rows, with their total and a cursor, unless more are requested [D2.mcp-embedded, D3.verbose]', async () => {
    const service = await TestService.start();
    try {
      const project_id = await service.project();
      const tasks = Array.from({ length: 120 }, (_, i) => ({
        key: `t${i}`,
        label: `Task ${i}`,
        description: 'Much to say',
      }));
      const agent = await service.mcp();
      const { scaffold } = await agent.get('scaffold_project_from_plan', { project_id, goal: { objective }, tasks });
      const goal_id = scaffold.goal.id as string;
      const { goal, next_cursor: cursor } = await agent.get('get_goal', { goal_id });
      expect(goal.cycle_tasks).to.have.length(100);
      expect(goal.cycle_tasks_total).to.equal(120);
      expect(goal.cycle_tasks[0]).to.not.have.property('description');
      const rest = await agent.get('get_goal', { goal_id, cursor });
      expect(rest.goal.cycle_tasks.map(({ label }: { label: string }) => label)).to.deep.equal(
        tasks.slice(100).map(({ label }) => label),
      );
      expect(rest).to.not.have.property('next_cursor');
      const verbose = await agent.get('get_goal', { goal_id, limit: 2, verbose: true });
      expect(verbose.goal.cycle_tasks.map(({ description }: { description: string }) => description)).to.deep.equal([
        'Much to say',
        'Much to say',
      ]);
      const { body } = await service.rest.get(`/goals/${goal_id}`);
      expect(body.cycle_tasks).to.have.length(120);
    } finally {
      await service.stop();
    }
  });
});
