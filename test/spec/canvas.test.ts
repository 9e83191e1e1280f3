import { expect } from 'chai';
import { mcpTransport, restTransport } from '../support/both.ts';
import { nastyTexts, oneLine } from '../support/nasty-texts.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

interface Node {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface Canvas {
  readonly nodes: readonly Node[];
  readonly edges: readonly (Node & { readonly label: string | null; readonly edge_id: string })[];
  readonly layout: unknown;
}

describe('The canvas', () => {
  let service: TestService;
  let project_id: string;
  before(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    project_id = await service.project();
  });
  after(() => service.stop());

  const path = (): string => `/projects/${project_id}/canvas`;
  const put = (body: object): Promise<RestResponse> => service.rest.put(path(), body);
  const get = async (): Promise<Canvas> => (await service.rest.get(path())).body as Canvas;
  async function puts(body: object): Promise<Canvas> {
    const answer = await put(body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Canvas;
  }

  it('is an object of nodes, edges and layout, even if it was never written [S.canvas.object, S.rest.GET /projects/:id/canvas, D5.layout]', async () => {
    const { status, body } = await service.rest.get(path());
    expect([status, body]).to.deep.equal([200, { nodes: [], edges: [], layout: null }]);
    expect((await service.rest.get('/projects/prj_none/canvas')).body).to.include({ error: 'not_found' });
  });

  it('written with 3 nodes and 2 labeled edges is read with the same coordinates and labels, also after a restart [S.conformance.3, S.canvas.same, S.rest.PUT /projects/:id/canvas, D5.canvas]', async () => {
    const nodes = [
      { id: 'node-a', label: 'A', x: 0.1, y: -20.25 },
      { id: 'node_b', label: 'B', x: 1e21, y: 5e-324, width: 120.5 },
      { id: 'node_c', label: 'C', x: -1234567.891, y: 9007199254740991, width: 10, height: 0 },
    ];
    const edges = [
      { id: 'e-1', from_id: 'node-a', to_id: 'node_b', label: 'first:  then "that"' },
      { id: 'e-2', from_id: 'node_b', to_id: 'node_c', label: '# no comment' },
    ];
    const layout = { zoom: 1.5, pan: [1, -2.5], nested: { $ref: 'x', empty: null, list: [[], {}] }, '': 'ü' };
    const written = await puts({ nodes, edges, layout });
    for (const life of ['this', 'the next']) {
      const canvas = await get();
      expect(canvas, life).to.deep.equal(written);
      expect(canvas.nodes).to.deep.equal(nodes.map((node) => ({ ...node, type: 'task', status: 'todo' })));
      expect(canvas.edges.map(({ id, from_id, to_id, label }) => ({ id, from_id, to_id, label }))).to.deep.equal(edges);
      expect(canvas.layout).to.deep.equal(layout);
      await service.restart();
    }
    expect(await puts(written), 'what was read can be written').to.deep.equal(written);
  });

  it('keeps labels that look like other values [S.canvas.same]', async () => {
    const texts = [...new Set(nastyTexts.map(oneLine))].filter(
      (text) => text.trim() !== '' && text.length <= 500 && text.isWellFormed(),
    );
    const nodes = texts.map((label, at) => ({ id: `n${at}`, label, x: at, y: -at }));
    const edges = texts.slice(1).map((label, at) => ({ id: `e${at}`, from_id: 'n0', to_id: `n${at + 1}`, label }));
    expect((await put({ nodes, edges })).status).to.equal(200);
    for (const life of ['this', 'the next']) {
      const canvas = await get();
      const labels = new Map([...canvas.nodes, ...canvas.edges].map(({ id, label }) => [id, label]));
      for (const { id, label } of [...nodes, ...edges]) expect(labels.get(id), `${id} in ${life} life`).to.equal(label);
      await service.restart();
    }
  });

  it('shows each task, and documents once they have a position; edges only between shown nodes [D5.canvas, D5.documents, D5.shown-edges]', async () => {
    const rest = restTransport(service);
    const task = await rest.call('create_task', { project_id, label: 'Dig', status: 'done' });
    const link_to = task.id as string;
    const document = await rest.call('create_document', { project_id, title: 'Soil', body: '', link_to });
    const node = { id: link_to, type: 'task', label: 'Dig', status: 'done', x: 0, y: 0 };
    expect(await get()).to.deep.include({ nodes: [node], edges: [] });
    const position = { x: 3, y: 4 };
    await rest.call('update_document', { document_id: document.id, position, status_line: 'draft' });
    const shown = { id: document.id, type: 'document', label: 'Soil', status: 'draft', ...position };
    const { nodes, edges } = await get();
    // Records created in one millisecond are in the order of their ids.
    expect(nodes).to.have.deep.members([node, shown]);
    expect(edges.map(({ edge_id }) => edge_id)).to.deep.equal([document.links[0].edge_id]);
    await puts({ nodes: [{ id: document.id, x: 5, y: 6, width: 7, height: 8 }] });
    expect((await get()).nodes).to.have.deep.members([node, { ...shown, x: 5, y: 6, width: 7, height: 8 }]);
    await rest.call('update_document', { document_id: document.id, position: null });
    expect(await get()).to.deep.include({ nodes: [node], edges: [] });
  });

  it('changes only position and size of a known node [D5.known-node]', async () => {
    await puts({ nodes: [{ id: 'a', label: 'A', x: 1, y: 2, width: 5, height: 6 }] });
    await restTransport(service).call('update_task', { project_id, task_id: 'a', status: 'done', label: 'New' });
    const stale = { id: 'a', type: 'task', label: 'Old', status: 'todo', x: 7, y: 8, height: null };
    const { nodes } = await puts({ nodes: [stale] });
    expect(nodes).to.deep.equal([{ id: 'a', type: 'task', label: 'New', status: 'done', x: 7, y: 8, width: 5 }]);
    expect((await puts({ nodes: [{ id: 'a' }] })).nodes).to.deep.equal(nodes);
  });

  it('creates a todo task of the default goal from an unknown node under the id that the client chose [D5.unknown-node, D1.chosen-ids]', async () => {
    const { default_goal_id: goal_id } = (await service.rest.get(`/projects/${project_id}`)).body;
    const ids = ['a', 'A-_z09', 'x'.repeat(64), 'tsk_0123456789abcdef'];
    await puts({ nodes: ids.map((id) => ({ id, label: id, status: 'done', x: 1, y: 2 })) });
    for (const task_id of ids) {
      const task = (await service.rest.get(`/tasks/${task_id}?project_id=${project_id}`)).body;
      expect(task).to.deep.include({ id: task_id, label: task_id, status: 'todo', goal_id, position: { x: 1, y: 2 } });
    }
    for (const id of ['', 'a b', 'a/b', '..', 'ä', 'x'.repeat(65), 'a.b', 7]) {
      const { status, body } = await put({ nodes: [{ id, label: 'x' }] });
      expect([status, body.field], String(id)).to.deep.equal([400, 'nodes[0].id']);
    }
    for (const label of [undefined, ' ', null]) {
      const { status, body } = await put({ nodes: [{ id: 'new', label }] });
      expect([status, body.field], String(label)).to.deep.equal([400, 'nodes[0].label']);
    }
    const taken = await put({ nodes: [{ id: goal_id, label: 'x' }] });
    expect([taken.status, taken.body.field], 'an id that is not free').to.deep.equal([400, 'nodes[0].id']);
    expect((await get()).nodes.map(({ id }) => id)).to.have.members(ids);
  });

  it('accepts a chosen id that is unused in its project, and requires the project if the id is ambiguous [D1.chosen-ids, D1.ambiguous-id]', async () => {
    const other = await service.project('Other');
    for (const id of [project_id, other])
      expect(
        (await service.rest.put(`/projects/${id}/canvas`, { nodes: [{ id: 'twin', label: id }] })).status,
      ).to.equal(200);
    const transports = [restTransport(service), mcpTransport(service, await service.mcp())];
    for (const transport of transports) {
      for (const [name, input] of [
        ['get_task', {}],
        ['update_task', { description: 'x' }],
      ] as const) {
        const refused = await transport.refusal(name, { task_id: 'twin', ...input });
        expect(refused).to.include({ error: 'conflict', resource: 'task', id: 'twin' });
        expect(refused['project_ids']).to.have.members([project_id, other]);
        for (const id of [project_id, other])
          expect(await transport.call(name, { task_id: 'twin', project_id: id, ...input })).to.include({ label: id });
      }
    }
    expect((await service.rest.delete('/tasks/twin')).status).to.equal(409);
    expect((await service.rest.delete(`/tasks/twin?project_id=${other}`)).status).to.equal(204);
    expect((await service.rest.get('/tasks/twin')).body).to.include({ label: project_id });
  });

  it('upserts: listed items are created or changed, others stay [S.canvas.upsert, D5.put-keeps, D5.layout]', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id, x) => ({ id, label: id, x, y: 0 }));
    const layout = { zoom: 1 };
    await puts({ nodes: [a, b], edges: [{ id: 'ab', from_id: 'a', to_id: 'b', label: 'x' }], layout });
    await puts({ nodes: [{ ...b, x: 9 }, c], edges: [{ id: 'bc', from_id: 'b', to_id: 'c' }] });
    const after = await get();
    expect(after.nodes.map(({ id, x }) => [id, x])).to.have.deep.members([
      ['a', 0],
      ['b', 9],
      ['c', 2],
    ]);
    expect(after.edges.map(({ id, label }) => [id, label])).to.have.deep.members([
      ['ab', 'x'],
      ['bc', null],
    ]);
    expect(after.layout).to.deep.equal(layout);
    expect(await puts({}), 'nothing').to.deep.equal(after);
    expect(await puts({ nodes: [], edges: [] })).to.deep.equal(after);
    expect((await puts({ layout: { other: true } })).layout, 'a layout is replaced whole').to.deep.equal({
      other: true,
    });
    expect(await puts({ layout: null })).to.deep.equal({ ...after, layout: null });
    for (const wrong of [[], 'x', 1]) expect((await put({ layout: wrong })).body).to.include({ field: 'layout' });
  });

  it('finds edges by id, else by ends and label [D5.put-edges]', async () => {
    const nodes = ['a', 'b', 'c'].map((id) => ({ id, label: id }));
    const [made] = (await puts({ nodes, edges: [{ from_id: 'a', to_id: 'b', label: 'x' }] })).edges;
    const edges = async (...list: object[]): Promise<Canvas['edges']> => (await puts({ edges: list })).edges;
    expect(await edges({ from_id: 'a', to_id: 'b', label: 'X', style: 'bold' })).to.deep.equal([
      { ...made!, style: 'bold' },
    ]);
    expect(await edges({ id: made!.id, label: 'y', style: null })).to.deep.equal([{ ...made!, label: 'y' }]);
    expect(await edges({ edge_id: made!.id, to_id: 'c' })).to.deep.equal([{ ...made!, label: 'y', to_id: 'c' }]);
    const both = await edges({ id: 'mine', from_id: 'a', to_id: 'c' });
    expect(both.map(({ id, label }) => [id, label])).to.have.deep.members([
      [made!.id, 'y'],
      ['mine', null],
    ]);
    expect((await service.rest.get(`/projects/${project_id}/edges`)).body.edges).to.have.deep.members([...both]);
  });

  it('is written all or nothing, and names the invalid item [D5.put-atomic]', async () => {
    const good = { id: 'a', label: 'A', x: 1, y: 1 };
    await puts({ nodes: [{ id: 'z', label: 'Z' }], layout: { zoom: 1 } });
    const before = await get();
    for (const [body, field] of [
      [{ nodes: [good, { id: 'b' }] }, 'nodes[1].label'],
      [{ nodes: [good, { id: 'b', label: 'B', x: 1 }] }, 'nodes[1]'],
      [{ nodes: [good, { id: 'b', label: 'B', type: 'document' }] }, 'nodes[1].id'],
      [{ nodes: [good, { id: 'b', label: 'B', colour: 1 }] }, 'nodes[1].colour'],
      [{ nodes: [good, { id: 'b', label: 'B', x: '1', y: 2 }] }, 'nodes[1].x'],
      [{ nodes: [good, { id: 'z', type: 'document' }] }, 'nodes[1].type'],
      [{ nodes: [good], edges: [{ from_id: 'a', to_id: 'none' }] }, 'edges[0].to_id'],
      [
        {
          nodes: [good],
          edges: [
            { from_id: 'a', to_id: 'z' },
            { from_id: 'a', to_id: 'a' },
          ],
        },
        'edges[1].to_id',
      ],
      [{ nodes: [good], edges: [{ id: 'e', edge_id: 'f', from_id: 'a', to_id: 'z' }] }, 'edges[0].edge_id'],
      [{ nodes: [good], layout: { zoom: 2 }, edges: [{ to_id: 'a' }] }, 'edges[0].from_id'],
      [{ nodes: [good], colour: 1 }, 'colour'],
    ] as const) {
      const { status, body: refused } = await put(body);
      expect([status, refused.error, refused.field], JSON.stringify(body)).to.deep.equal([
        400,
        'invalid_argument',
        field,
      ]);
    }
    expect(await get()).to.deep.equal(before);
  });
});
