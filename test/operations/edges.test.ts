import { expect } from 'chai';
import { planner } from './planner.ts';

describe('Edges', () => {
  const planned = planner();

  async function ends(): Promise<{ project_id: string; task: string; other: string; document: string }> {
    const project_id = await planned.it.project();
    const id = async (label: string): Promise<string> =>
      (await planned.it.call('create_task', { project_id, label })).task.id as string;
    const { document } = await planned.it.call('create_document', { project_id, title: 'Soil', body: '' });
    return { project_id, task: await id('Dig'), other: await id('Plant'), document: document.id };
  }

  it('have an id and, equal, edge_id, and all of their fields [D5.edge]', async () => {
    const { project_id, task, document } = await ends();
    const input = {
      project_id,
      from_type: 'document',
      from_id: document,
      to_type: 'task',
      to_id: task,
      label: 'explains',
      style: 'dashed',
    };
    const { edge } = await planned.it.call('create_edge', { ...input, arrow_direction: 'both' });
    const { id, edge_id, created_at, ...rest } = edge;
    expect(id).to.match(/^edg_/).and.to.equal(edge_id);
    expect(created_at).to.match(/Z$/);
    expect(rest).to.deep.equal({ ...input, arrow_direction: 'both' });
    expect(await planned.it.call('list_edges', { project_id })).to.deep.equal({ edges: [edge] });
  });

  it('are not created twice with the same ends and folded label [D5.edge-once] [D3.labels-alike]', async () => {
    const { project_id, task, other } = await ends();
    const input = { project_id, from_type: 'task', from_id: task, to_type: 'task', to_id: other };
    const { edge } = await planned.it.call('create_edge', { ...input, label: 'depends_on' });
    expect(await planned.it.call('create_edge', { ...input, label: 'Depends on' })).to.deep.equal({ edge });
    await planned.it.call('create_edge', input);
    const { edges } = await planned.it.call('list_edges', { project_id });
    expect(edges).to.have.length(2);
  });

  it('join two existing records of the given types [D5.endpoints] [D3.self-edge]', async () => {
    const { project_id, task, document } = await ends();
    const input = { project_id, from_type: 'task', from_id: task, to_type: 'task', to_id: task };
    expect(await planned.it.refusal('create_edge', input)).to.include({ error: 'invalid_argument', field: 'to_id' });
    const unknown = await planned.it.refusal('create_edge', { ...input, to_id: 'tsk_none' });
    expect(unknown).to.include({ error: 'invalid_argument', field: 'to_id' });
    const wrong = await planned.it.refusal('create_edge', { ...input, to_id: document });
    expect(wrong).to.include({ error: 'invalid_argument', field: 'to_type' });
    expect(await planned.it.call('list_edges', { project_id })).to.deep.equal({ edges: [] });
  });

  it('are deleted one by one, their siblings untouched', async () => {
    const { project_id, task, other, document } = await ends();
    const input = { project_id, from_type: 'task', from_id: task };
    const { edge } = await planned.it.call('create_edge', { ...input, to_type: 'task', to_id: other });
    const { edge: sibling } = await planned.it.call('create_edge', { ...input, to_type: 'document', to_id: document });
    expect(await planned.it.call('delete_edge', { edge_id: edge.id })).to.include({ deleted: edge.id });
    expect(await planned.it.call('list_edges', { project_id })).to.deep.equal({ edges: [sibling] });
    expect(await planned.it.refusal('delete_edge', { project_id, edge_id: edge.id })).to.include({
      error: 'not_found',
      resource: 'edge',
    });
  });

  it('are listed by one of their ends', async () => {
    const { project_id, task, other, document } = await ends();
    const { edge: out } = await planned.it.call('create_edge', {
      project_id,
      from_type: 'task',
      from_id: task,
      to_type: 'task',
      to_id: other,
    });
    const { edge: back } = await planned.it.call('create_edge', {
      project_id,
      from_type: 'document',
      from_id: document,
      to_type: 'task',
      to_id: task,
    });
    const ids = async (filter: object): Promise<string[]> =>
      ((await planned.it.call('list_edges', { project_id, ...filter })) as { edges: { id: string }[] }).edges.map(
        ({ id }) => id,
      );
    expect(await ids({ from_id: task })).to.deep.equal([out.id]);
    expect(await ids({ to_id: task })).to.deep.equal([back.id]);
    expect(await ids({ from_id: document, to_id: task })).to.deep.equal([back.id]);
    expect(await ids({ from_id: other })).to.deep.equal([]);
  });

  it('change neither revisions nor updated_at of their ends [D7.unversioned]', async () => {
    const { project_id, task, other } = await ends();
    const before = (await planned.it.call('get_task', { task_id: task })).task;
    await planned.it.call('create_edge', {
      project_id,
      from_type: 'task',
      from_id: task,
      to_type: 'task',
      to_id: other,
    });
    await planned.it.call('update_task', { task_id: task, position: { x: 3, y: 4 } });
    const after = (await planned.it.call('get_task', { task_id: task })).task;
    expect(after.updated_at).to.equal(before.updated_at);
    expect(await planned.it.call('list_revisions', { project_id })).to.deep.equal({ revisions: [] });
  });
});
