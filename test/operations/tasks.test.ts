import { expect } from 'chai';
import { planner } from './planner.ts';

describe('Tasks', () => {
  const planned = planner();

  async function newTask(project_id: string, fields: object = {}): Promise<Record<string, never>> {
    const { task } = (await planned.it.call('create_task', { project_id, label: 'Dig', ...fields })) as {
      task: Record<string, never>;
    };
    return task;
  }

  it('have all of their fields, with their defaults [D3.task] [D3.status] [D3.kind]', async () => {
    const project_id = await planned.it.project();
    const { project } = await planned.it.call('get_project', { project_id });
    const task = await newTask(project_id);
    const { id, created_at, updated_at, ...rest } = task;
    expect(id).to.match(/^tsk_[0-9a-z]{16}$/);
    expect(created_at)
      .to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      .and.to.equal(updated_at);
    expect(rest).to.deep.equal({
      ...{
        project_id,
        goal_id: project.default_goal_id,
        label: 'Dig',
        status: 'todo',
        kind: 'build',
        priority: null,
        lane: null,
      },
      ...{
        severity: null,
        description: '',
        position: { x: 0, y: 0 },
        assignee: null,
        lease_expires_at: null,
        due_date: null,
        covers: [],
        gate: null,
        proof: null,
        verification_state: null,
        branch: null,
      },
      ...{ commit_refs: [], verified_at: null, verified_ref: null, tags: [], blocked: false, waiting_on: [] },
    });
  });

  it('are changed by the given members: absent ones stay, null clears [D1.null]', async () => {
    const project_id = await planned.it.project();
    const task = await newTask(project_id, { priority: 'high', assignee: 'ann', description: 'deep' });
    const { task: after } = await planned.it.call('update_task', {
      task_id: task['id'],
      priority: null,
      label: 'Dig deep',
    });
    expect(after).to.include({ label: 'Dig deep', priority: null, assignee: 'ann', description: 'deep' });
  });

  it('may change from any status to any other [D3.status]', async () => {
    const { id: task_id } = await newTask(await planned.it.project());
    for (const status of ['done', 'scope', 'in_progress', 'backlog', 'todo']) {
      expect((await planned.it.call('update_task', { task_id, status })).task.status).to.equal(status);
    }
  });

  it('keep commit hashes in lower case, each once, in the order given [D3.commit_refs]', async () => {
    const task = await newTask(await planned.it.project(), { commit_refs: ['FFF0000', 'aaa0000', 'fff0000'] });
    expect(task['commit_refs']).to.deep.equal(['fff0000', 'aaa0000']);
  });

  it('accept verified_ref with verified_at only [D3.verified_ref]', async () => {
    const project_id = await planned.it.project();
    const refusal = await planned.it.refusal('create_task', { project_id, label: 'x', verified_ref: 'ci/7' });
    expect(refusal).to.include({ error: 'invalid_argument', field: 'verified_ref' });
    const task = await newTask(project_id, { verified_ref: 'ci/7', verified_at: '2026-01-01T02:00:00+02:00' });
    expect(task).to.include({ verified_ref: 'ci/7', verified_at: '2026-01-01T00:00:00.000Z' });
    const cleared = await planned.it.refusal('update_task', { task_id: task['id'], verified_at: null });
    expect(cleared).to.include({ field: 'verified_ref' });
  });

  it('reject an unknown goal as an invalid reference in the body [D2.invalid_argument]', async () => {
    const project_id = await planned.it.project();
    expect(await planned.it.refusal('create_task', { project_id, label: 'x', goal_id: 'gol_none' })).to.include({
      error: 'invalid_argument',
      field: 'goal_id',
    });
  });

  it('that do not exist are not_found, with resource and id [D2.not_found]', async () => {
    const project_id = await planned.it.project();
    for (const [name, input] of [
      ['get_task', {}],
      ['update_task', { label: 'x' }],
      ['delete_task', {}],
      ['list_task_backlinks', {}],
    ] as const) {
      const refusal = await planned.it.refusal(name, { project_id, task_id: 'tsk_none', ...input });
      expect(refusal).to.include({ error: 'not_found', resource: 'task', id: 'tsk_none' });
    }
  });

  it('show their open prerequisites until those or they are done [D3.task]', async () => {
    const project_id = await planned.it.project();
    const [first, second] = [await newTask(project_id), await newTask(project_id)];
    await planned.it.call('create_edge', {
      project_id,
      from_type: 'task',
      from_id: first['id'],
      to_type: 'task',
      to_id: second['id'],
    });
    const shown = async (): Promise<unknown> => {
      const { task } = await planned.it.call('get_task', { task_id: second['id'] });
      return [task.blocked, task.waiting_on];
    };
    expect(await shown()).to.deep.equal([true, [first['id']]]);
    await planned.it.call('update_task', { task_id: first['id'], status: 'done' });
    expect(await shown()).to.deep.equal([false, []]);
    await planned.it.call('update_task', { task_id: first['id'], status: 'todo' });
    await planned.it.call('update_task', { task_id: second['id'], status: 'done' });
    expect(await shown()).to.deep.equal([false, []]);
  });

  it('are listed with each filter, and with several combined [D3.filters]', async () => {
    const project_id = await planned.it.project();
    const { project } = await planned.it.call('get_project', { project_id });
    const a = await newTask(project_id, { status: 'scope', kind: 'decision', priority: 'high', tags: ['bed', 'path'] });
    const b = await newTask(project_id, { lane: 'auto', severity: 'low', assignee: 'ann', tags: ['Path'] });
    const c = await newTask(project_id, { assignee: 'ann', priority: 'high' });
    const ids = async (filter: object): Promise<string[]> => {
      const { tasks } = (await planned.it.call('list_tasks', { project_id, ...filter })) as { tasks: { id: string }[] };
      return tasks.map(({ id }) => id);
    };
    const id = (task: Record<string, string>): string => task['id']!;
    expect(await ids({})).to.deep.equal([a, b, c].map(id));
    expect(await ids({ goal_id: project.default_goal_id })).to.deep.equal([a, b, c].map(id));
    expect(await ids({ status: 'scope' })).to.deep.equal([a].map(id));
    expect(await ids({ kind: 'decision' })).to.deep.equal([a].map(id));
    expect(await ids({ priority: 'high' })).to.deep.equal([a, c].map(id));
    expect(await ids({ lane: 'auto' })).to.deep.equal([b].map(id));
    expect(await ids({ severity: 'low' })).to.deep.equal([b].map(id));
    expect(await ids({ assignee: 'ann' })).to.deep.equal([b, c].map(id));
    expect(await ids({ tags: ['path'] })).to.deep.equal([a, b].map(id));
    expect(await ids({ tags: ['bed', 'PATH'], status: 'todo' })).to.deep.equal([b].map(id));
    expect(await ids({ tags: ['none'] })).to.deep.equal([]);
  });

  it('are listed to agents as light rows, complete if verbose [D2.mcp-rows] [D3.verbose]', async () => {
    const project_id = await planned.it.project();
    const task = await newTask(project_id, { description: 'long', tags: ['bed'], assignee: 'ann' });
    const rows = await planned.it.call('list_tasks', { project_id }, { transport: 'mcp' });
    const row = {
      id: task['id'],
      label: 'Dig',
      status: 'todo',
      goal_id: task['goal_id'],
      blocked: false,
      tags: ['bed'],
      assignee: 'ann',
    };
    expect(rows).to.deep.equal({ tasks: [row] });
    const verbose = await planned.it.call('list_tasks', { project_id, verbose: true }, { transport: 'mcp' });
    expect(verbose).to.deep.equal({ tasks: [task] });
  });

  it('are deleted with their edges, and are backlinks of each other until then [D3.delete] [D3.backlinks]', async () => {
    const project_id = await planned.it.project();
    const [first, second] = [await newTask(project_id), await newTask(project_id)];
    const ends = { from_type: 'task', from_id: first['id'], to_type: 'task', to_id: second['id'] };
    const { edge } = await planned.it.call('create_edge', { project_id, ...ends, label: 'relates' });
    const { backlinks } = await planned.it.call('list_task_backlinks', { task_id: second['id'] });
    expect(backlinks).to.deep.equal([
      { type: 'task', id: first['id'], title: 'Dig', label: 'relates', edge_id: edge.id },
    ]);
    await planned.it.call('delete_task', { task_id: first['id'] });
    expect(await planned.it.call('list_edges', { project_id })).to.deep.equal({ edges: [] });
    expect(await planned.it.call('list_task_backlinks', { task_id: second['id'] })).to.deep.equal({ backlinks: [] });
    const { canvas } = await planned.it.call('get_canvas', { project_id });
    expect(canvas.nodes).to.have.length(1);
  });

  it('change their own tag with their own fields, and the rest of it with other shown values [D1.etag]', async () => {
    const project_id = await planned.it.project();
    const [first, second] = [await newTask(project_id), await newTask(project_id, { tags: ['bed'] })];
    const tag = async (): Promise<string[]> =>
      (await planned.it.dispatch('get_task', { task_id: second['id'] })).etag!.replaceAll('"', '').split('.');
    const [own, rest] = await tag();
    const ends = { from_type: 'task', from_id: first['id'], to_type: 'task', to_id: second['id'] };
    await planned.it.call('create_edge', { project_id, ...ends });
    const [ownLinked, restLinked] = await tag();
    expect(ownLinked).to.equal(own);
    expect(restLinked).not.to.equal(rest);
    await planned.it.call('update_task', { task_id: second['id'], label: 'Plant' });
    const [ownChanged, restChanged] = await tag();
    expect(ownChanged).not.to.equal(own);
    expect(restChanged).to.equal(restLinked);
    await planned.reopen();
    expect(await tag()).to.deep.equal([ownChanged, restChanged]);
  });

  it('are changed with If-Match only if unchanged since they were read [D1.if-match]', async () => {
    const { id: task_id } = await newTask(await planned.it.project());
    const { etag } = await planned.it.dispatch('get_task', { task_id });
    await planned.it.call('update_task', { task_id, label: 'first' }, { ifMatch: etag });
    const refusal = await planned.it.refusal('update_task', { task_id, label: 'second' }, { ifMatch: etag });
    expect(refusal.error).to.equal('precondition_failed');
  });
});
