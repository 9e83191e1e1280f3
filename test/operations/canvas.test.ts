import { expect } from 'chai';
import { planner } from './planner.ts';

describe('The canvas', () => {
  const planned = planner();

  it('is read as it was written: 3 nodes, 2 labeled edges and the layout [D5.canvas] [D5.unknown-node] [D5.layout]', async () => {
    const project_id = await planned.it.project();
    const nodes = [
      { id: 'a', label: 'A', x: 0.1, y: -20.25 },
      { id: 'b', label: 'B', x: 1e6, y: 0, width: 120 },
      { id: 'c', label: 'C', x: 3, y: 4, width: 10, height: 20 },
    ];
    const edges = [
      { id: 'e1', from_id: 'a', to_id: 'b', label: 'first' },
      { id: 'e2', from_id: 'b', to_id: 'c', label: 'then  that' },
    ];
    const layout = { zoom: 1.5, pan: [1, 2], nested: { $ref: 'x', empty: null } };
    await planned.it.call('put_canvas', { project_id, nodes, edges, layout });
    await planned.reopen();
    const { canvas } = await planned.it.call('get_canvas', { project_id });
    expect(canvas.nodes).to.deep.equal(nodes.map((node) => ({ ...node, type: 'task', status: 'todo' })));
    expect(canvas.layout).to.deep.equal(layout);
    for (const [at, edge] of edges.entries()) expect(canvas.edges[at]).to.include(edge);
    const { project } = await planned.it.call('get_project', { project_id });
    expect((await planned.it.call('get_task', { project_id, task_id: 'a' })).task).to.include({
      goal_id: project.default_goal_id,
    });
    expect(await planned.it.call('put_canvas', { project_id, ...canvas })).to.deep.equal({ canvas });
  });

  it('changes only position and size of a known node [D5.known-node] [D5.put-keeps]', async () => {
    const project_id = await planned.it.project();
    await planned.it.call('put_canvas', {
      project_id,
      nodes: [
        { id: 'a', label: 'A', x: 1, y: 2, width: 5, height: 6 },
        { id: 'b', label: 'B' },
      ],
    });
    await planned.it.call('update_task', { project_id, task_id: 'a', status: 'done' });
    const stale = { id: 'a', label: 'Old', status: 'todo', x: 7, y: 8, width: null };
    const { canvas } = await planned.it.call('put_canvas', { project_id, nodes: [stale] });
    expect(canvas.nodes).to.deep.equal([
      { id: 'a', type: 'task', label: 'A', status: 'done', x: 7, y: 8, height: 6 },
      { id: 'b', type: 'task', label: 'B', status: 'todo', x: 0, y: 0 },
    ]);
    expect(canvas.layout).to.equal(null);
  });

  it('shows documents once they have a position, and edges only between shown nodes [D5.documents] [D5.shown-edges]', async () => {
    const project_id = await planned.it.project();
    const { task } = await planned.it.call('create_task', { project_id, label: 'Dig' });
    const { document } = await planned.it.call('create_document', {
      project_id,
      title: 'Soil',
      body: '',
      link_to: task.id,
    });
    const shown = async (): Promise<number[]> => {
      const { canvas } = await planned.it.call('get_canvas', { project_id });
      return [canvas.nodes.length, canvas.edges.length];
    };
    expect(await shown()).to.deep.equal([1, 0]);
    await planned.it.call('put_canvas', { project_id, nodes: [{ id: document.id, type: 'document', x: 1, y: 1 }] });
    expect(await shown()).to.deep.equal([2, 1]);
    await planned.it.call('update_document', { document_id: document.id, position: null });
    expect(await shown()).to.deep.equal([1, 0]);
  });

  it('finds edges by id, else by ends and label, and changes or moves them [D5.put-edges]', async () => {
    const project_id = await planned.it.project();
    const nodes = ['a', 'b', 'c'].map((id) => ({ id, label: id }));
    const put = async (edges: object[]): Promise<{ id: string }[]> =>
      ((await planned.it.call('put_canvas', { project_id, nodes, edges })) as { canvas: { edges: { id: string }[] } })
        .canvas.edges;
    const [made] = await put([{ id: 'e', from_id: 'a', to_id: 'b', label: 'x' }]);
    expect(await put([{ from_id: 'a', to_id: 'b', label: 'X', style: 'bold' }])).to.deep.equal([
      { ...made, style: 'bold' },
    ]);
    expect(await put([{ id: 'e', label: 'y', style: null }])).to.deep.equal([{ ...made, label: 'y' }]);
    expect(await put([{ edge_id: 'e', from_id: 'c', label: null }])).to.deep.equal([
      { ...made, from_id: 'c', label: null },
    ]);
  });

  it('is written all or nothing, and names the invalid item [D5.put-atomic]', async () => {
    const project_id = await planned.it.project();
    const good = { id: 'a', label: 'A' };
    const refusals: [object, string][] = [
      [{ nodes: [good, { id: 'b' }] }, 'nodes[1].label'],
      [{ nodes: [good, { id: 'b', label: 'B', x: 1 }] }, 'nodes[1]'],
      [{ nodes: [good, { id: 'b', label: 'B', type: 'document' }] }, 'nodes[1].id'],
      [{ nodes: [good], edges: [{ from_id: 'a', to_id: 'none' }] }, 'edges[0].to_id'],
      [{ nodes: [good], edges: [{ from_id: 'a', to_id: 'a' }] }, 'edges[0].to_id'],
      [{ nodes: [good], edges: [{ to_id: 'a' }] }, 'edges[0].from_id'],
      [{ nodes: [good], edges: [{ id: 'e', edge_id: 'f' }] }, 'edges[0].edge_id'],
    ];
    for (const [input, field] of refusals) {
      expect(await planned.it.refusal('put_canvas', { project_id, ...input })).to.include({
        error: 'invalid_argument',
        field,
      });
    }
    expect((await planned.it.call('get_canvas', { project_id })).canvas).to.deep.equal({
      nodes: [],
      edges: [],
      layout: null,
    });
  });

  it('rejects the id of another kind of record as a node [D1.chosen-ids]', async () => {
    const project_id = await planned.it.project();
    const { project } = await planned.it.call('get_project', { project_id });
    const nodes = [{ id: project.default_goal_id, label: 'A' }];
    expect(await planned.it.refusal('put_canvas', { project_id, nodes })).to.include({ field: 'nodes[0].id' });
  });
});
