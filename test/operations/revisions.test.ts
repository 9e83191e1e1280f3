import { expect } from 'chai';
import { planner } from './planner.ts';

interface Revision {
  readonly id: string;
  readonly changed_fields: string[];
}

describe('Revisions', () => {
  const planned = planner();

  const revisions = async (project_id: string, filter: object = {}): Promise<Revision[]> =>
    ((await planned.it.call('list_revisions', { project_id, ...filter })) as { revisions: Revision[] }).revisions;

  it('have author, changed fields and target, newest first [D7.revision] [D7.versioned]', async () => {
    const project_id = await planned.it.project();
    const { task } = await planned.it.call('create_task', { project_id, label: 'Dig' });
    await planned.it.call('update_task', { task_id: task.id, status: 'done', tags: ['bed'] });
    await planned.it.call('update_task', { task_id: task.id, label: 'Dig deep' });
    const [newest, oldest, ...others] = await revisions(project_id, { target_id: task.id });
    expect(others).to.deep.equal([]);
    expect(newest).to.deep.include({
      project_id,
      target_type: 'task',
      target_id: task.id,
      author: 'human:test',
      changed_fields: ['label'],
    });
    expect(oldest!.changed_fields).to.have.members(['status', 'tags']);
    expect(await revisions(project_id, { target_type: 'document' })).to.deep.equal([]);
  });

  it('are filtered by author: one by the full name, or all of a kind [D7.revision]', async () => {
    const project_id = await planned.it.project();
    const { task } = await planned.it.call('create_task', { project_id, label: 'Dig' });
    await planned.it.call('update_task', { task_id: task.id, status: 'done' });
    for (const [author, found] of [
      ['human', 1],
      ['human:test', 1],
      ['human:te', 0],
      ['hum', 0],
      ['agent', 0],
    ] as const)
      expect(await revisions(project_id, { author }), author).to.have.length(found);
  });

  it('show every versioned field as it was before the change [D7.revision]', async () => {
    const project_id = await planned.it.project();
    const { task } = await planned.it.call('create_task', { project_id, label: 'one', priority: 'low', tags: ['a'] });
    for (const change of [{ label: 'two' }, { priority: 'high' }, { label: 'three', tags: [] }]) {
      await planned.it.call('update_task', { task_id: task.id, ...change });
    }
    const all = await revisions(project_id);
    const snapshots = await Promise.all(
      all.map(
        async ({ id }) => (await planned.it.call('get_revision', { revision_id: id })).revision.snapshot as object,
      ),
    );
    expect(snapshots.map((snapshot) => ({ ...snapshot }))).to.have.length(3);
    expect(snapshots[0]).to.deep.include({
      label: 'two',
      priority: 'high',
      tags: ['a'],
      goal_id: task.goal_id,
      status: 'todo',
    });
    expect(snapshots[1]).to.deep.include({ label: 'two', priority: 'low', tags: ['a'] });
    expect(snapshots[2]).to.deep.include({ label: 'one', priority: 'low', tags: ['a'] });
  });

  it('restore a record as it was before the change, which creates a revision itself [D7.restore]', async () => {
    const project_id = await planned.it.project();
    const { document } = await planned.it.call('create_document', { project_id, title: 'One', body: 'first' });
    await planned.it.call('update_document', { document_id: document.id, body: 'second' });
    await planned.it.call('update_document', { document_id: document.id, title: 'Two', body: 'third' });
    const [, oldest] = await revisions(project_id);
    const { restored } = await planned.it.call('restore_revision', { revision_id: oldest!.id });
    expect(restored).to.include({ id: document.id, title: 'One', body: 'first' });
    expect(await revisions(project_id)).to.have.length(3);
  });

  it('restore only the fields that a revision changed, if that is requested: later changes of other fields remain [D7.restore-changed]', async () => {
    const project_id = await planned.it.project();
    const { document } = await planned.it.call('create_document', { project_id, title: 'One', body: 'first' });
    await planned.it.call('update_document', { document_id: document.id, title: 'Two' });
    await planned.it.call('update_document', { document_id: document.id, body: 'second' });
    const [, renaming] = await revisions(project_id);
    const input = { revision_id: renaming!.id, changed_fields_only: true };
    const { restored } = await planned.it.call('restore_revision', input);
    expect(restored).to.include({ id: document.id, title: 'One', body: 'second' });
    await planned.it.call('delete_document', { document_id: document.id });
    const back = await planned.it.call('restore_revision', input);
    expect(back.restored).to.include({ id: document.id, title: 'One', body: 'first' });
  });

  it('restore a deleted task with its edges in both directions, also after a restart [D3.delete-restore]', async () => {
    const project_id = await planned.it.project();
    const nodes = ['a', 'b', 'c', 'd'].map((id) => ({ id, label: id, x: 1, y: 2 }));
    const edges = [
      { id: 'ab', from_id: 'a', to_id: 'b', label: 'x' },
      { id: 'bc', from_id: 'b', to_id: 'c', style: 'dashed' },
      { id: 'bd', from_id: 'b', to_id: 'd' },
    ];
    await planned.it.call('put_canvas', { project_id, nodes, edges });
    await planned.it.call('update_task', { project_id, task_id: 'b', description: 'deep', tags: ['bed'] });
    const before = (await planned.it.call('get_task', { project_id, task_id: 'b' })).task;
    const canvas = (await planned.it.call('get_canvas', { project_id })).canvas;
    await planned.it.call('delete_task', { project_id, task_id: 'b' });
    await planned.it.call('delete_task', { project_id, task_id: 'd' });
    await planned.reopen();
    const [, deletion] = await revisions(project_id);
    expect(deletion!.changed_fields).to.deep.equal(['deleted']);
    await planned.it.call('restore_revision', { revision_id: deletion!.id });
    const { updated_at: _, ...after } = (await planned.it.call('get_task', { project_id, task_id: 'b' })).task;
    const { updated_at: __, ...former } = before;
    expect(after).to.deep.equal(former);
    const seen = (await planned.it.call('get_canvas', { project_id })).canvas;
    expect(seen.edges).to.deep.equal(canvas.edges.filter(({ to_id: to }: { to_id: string }) => to !== 'd'));
  });

  it('restore an older state of a record that was deleted since', async () => {
    const project_id = await planned.it.project();
    const { task } = await planned.it.call('create_task', { project_id, label: 'one' });
    await planned.it.call('update_task', { task_id: task.id, label: 'two' });
    await planned.it.call('delete_task', { task_id: task.id });
    const [, change] = await revisions(project_id);
    const { restored } = await planned.it.call('restore_revision', { revision_id: change!.id });
    expect(restored).to.include({ id: task.id, label: 'one' });
  });

  it('restore a document without its folder as unfiled', async () => {
    const project_id = await planned.it.project();
    const { folder } = await planned.it.call('create_folder', { project_id, name: 'Notes' });
    const { document } = await planned.it.call('create_document', {
      project_id,
      title: 'Soil',
      body: 'x',
      folder_id: folder.id,
    });
    await planned.it.call('delete_document', { document_id: document.id });
    await planned.it.call('delete_folder', { folder_id: folder.id });
    const [deletion] = await revisions(project_id);
    const { restored } = await planned.it.call('restore_revision', { revision_id: deletion!.id });
    expect(restored).to.include({ title: 'Soil', body: 'x', folder_id: null });
  });

  it('are listed page by page, newest first', async () => {
    const project_id = await planned.it.project();
    const { task } = await planned.it.call('create_task', { project_id, label: '0' });
    for (let at = 1; at <= 5; at++) await planned.it.call('update_task', { task_id: task.id, label: String(at) });
    const all = await revisions(project_id);
    const first = await planned.it.call('list_revisions', { project_id, limit: 3 });
    const rest = await planned.it.call('list_revisions', { project_id, limit: 3, cursor: first.next_cursor });
    expect([...first.revisions, ...rest.revisions]).to.deep.equal(all);
    expect(rest.next_cursor).to.equal(undefined);
  });
});
