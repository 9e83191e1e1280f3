import { expect } from 'chai';
import { readJsonCanvas } from '../../src/exchange/json-canvas.ts';
import { documentOf } from '../support/draft-document.ts';
import { TestService } from '../support/service.ts';
import { edgesOf, named, remarksOf } from './support.ts';

const box = (x: number, y: number): object => ({ x, y, width: 100, height: 50 });

const canvas = {
  nodes: [
    { id: 'g', type: 'group', label: 'Spring', x: -10, y: -10, width: 500, height: 200 },
    { id: 'e', type: 'group', label: 'Nothing', x: 9000, y: 0, width: 1, height: 1 },
    { id: 'a', type: 'text', text: '# Dig\n\nDeep.\n- [ ] a box', color: '4', ...box(0, 0) },
    { id: 'b', type: 'text', text: '- [x] Sow', color: '#ff0000', ...box(200.5, 0) },
    { id: 'c', type: 'file', file: 'notes/What we know.md', subpath: '#soil', ...box(1000, 0) },
    { id: 'd', type: 'link', url: 'https://example.org/', ...box(1000, 300) },
    { id: 'f', type: 'text', text: '', ...box(1000, 600) },
  ],
  edges: [
    { id: '1', fromNode: 'a', toNode: 'b', fromSide: 'right', toSide: 'left', label: 'then' },
    { id: '2', fromNode: 'b', toNode: 'c', fromEnd: 'arrow', color: '1' },
    { id: '3', fromNode: 'g', toNode: 'c' },
  ],
};

describe('Importing from JSON Canvas', () => {
  const plan = readJsonCanvas(canvas, 'Board');
  const tasks = named(plan, 'tasks');

  it('imports texts as tasks, files and links as documents, groups as tags, edges as edges [D9.moving.canvas]', () => {
    expect(plan.report.counts).to.deep.equal({ tasks: 3, documents: 2, tags: 1, edges: 2 });
    expect(tasks['Dig']).to.deep.include({
      ...{ description: 'Deep.\n- [ ] a box', status: 'done', tags: ['Spring'], position: { x: 0, y: 0 } },
      size: { width: 100, height: 50 },
    });
    expect(tasks['Sow']).to.deep.include({ status: 'done', position: { x: 200.5, y: 0 }, description: '' });
    expect(tasks['(untitled)']).to.include({ status: 'todo' });
    const documents = named(plan, 'documents');
    expect(documents['notes/What we know.md'].body).to.equal('[notes/What we know.md](notes/What%20we%20know.md#soil)');
    expect(documents['https://example.org/']).to.deep.include({
      ...{ body: '<https://example.org/>', position: { x: 1000, y: 300 } },
      size: { width: 100, height: 50 },
    });
    expect(edgesOf(plan)).to.deep.equal(['Dig -then-> Sow', 'Sow --> notes/What we know.md']);
    expect(tasks['Sow'].links[0]).to.include({ arrow_direction: 'both', type: 'document' });
  });

  it('leaves out the layout of a large canvas, and says so [D9.moving.kept]', () => {
    const nodes = Array.from({ length: 2000 }, (_, at) => ({
      ...{ id: `node ${at}`, type: 'text', text: `Dig ${at}`, x: at, y: 0, width: 9, height: 9 },
      styles: 'x'.repeat(100),
    }));
    const { draft, report } = readJsonCanvas({ nodes, edges: [] }, 'Large');
    expect(draft.canvas).to.equal(null);
    expect(draft.lists.get('tasks')).to.have.length(2000);
    expect(report.remarks.map(({ what }) => what)).to.include(
      'Ids, colours, groups and further edges of a large canvas: they were left out.',
    );
  });

  it('keeps members without a field in the layout, and reports omissions [D9.moving.kept]', () => {
    const { layout } = plan.draft.canvas as { layout: { json_canvas: Record<string, object> } };
    expect(Object.values(layout.json_canvas['edges']!)).to.deep.equal([
      { at: 0, id: '1', more: { fromSide: 'right', toSide: 'left' } },
      { at: 1, id: '2', more: { color: '1' } },
    ]);
    expect(layout.json_canvas['nodes']).to.deep.include({
      'planner://task/tasks-2': { at: 3, id: 'b', before: '- [x] ', color: '#ff0000' },
    });
    expect(layout.json_canvas['groups']).to.deep.equal([
      { at: 0, item: canvas.nodes[0] },
      { at: 1, item: canvas.nodes[1] },
    ]);
    expect(remarksOf(plan)).to.deep.equal([
      '1 × A task without a name: it is called (untitled).',
      '1 × An edge of a group: it is in the layout of the canvas.',
    ]);
  });

  it('reports edges that are no edges of a plan [D9.moving.kept]', () => {
    const [a, b] = ['a', 'b'].map((id, at) => ({ id, type: 'text', text: id, ...box(at, 0) }));
    const ends = { fromNode: 'a', toNode: 'b' };
    const edges = [
      { id: '1', ...ends, label: 'Then' },
      { id: '2', ...ends, label: 'then' },
      { id: '3', ...ends },
      { id: '4', fromNode: 'a', toNode: 'a' },
      { id: '5', fromNode: 'a', toNode: 'gone' },
    ];
    const read = readJsonCanvas({ nodes: [a, b, b, 'no node'], edges }, 'Board');
    expect(edgesOf(read)).to.deep.equal(['a -Then-> b', 'a --> b']);
    expect(remarksOf(read)).to.deep.equal([
      '1 × An id of several nodes: edges use the first one.',
      '1 × A further edge between the same nodes with the same label: it is in the layout of the canvas.',
      '1 × An edge from a node to itself: it is in the layout of the canvas.',
      '1 × An edge of a missing node: it was left out.',
      '1 × An entry that is not an object: it was left out.',
    ]);
  });
});

/** A board as Obsidian writes it, with the members of its plugins. */
const board = {
  nodes: [
    { id: '9f1c0a11d2e3b401', type: 'group', x: -60, y: -80, width: 900, height: 420, color: '6', label: 'Sprint 1' },
    {
      ...{ id: '9f1c0a11d2e3b402', type: 'group', x: 900, y: -80, width: 500, height: 420, label: '' },
      ...{ background: 'pics/paper.png', backgroundStyle: 'cover' },
    },
    text('a000000000000001', '# Log in\n\nWith a key.', { x: 0, y: 0, color: '1' }),
    text('a000000000000002', 'Log out', { x: 400, y: 0, height: 61 }),
    text('a000000000000003', '- [x] Ship\n- [ ] Announce', { x: 0, y: 200 }),
    text('a000000000000004', '- [ ] Rest', { x: 400, y: 200, color: '4' }),
    text('a000000000000005', '  Trailing  blanks  \r\n\n\nbelow\n', { x: 950, y: 0, color: '#1a2b3c' }),
    text('a000000000000006', '', { x: 950, y: 200, width: 30 }),
    text('a000000000000007', `${'long '.repeat(150)}\nbelow`, { x: 1400, y: 0, color: '3' }),
    text('a000000000000008', 'Trivial', { x: 1400, y: 200, color: '5', styleAttributes: { border: 'dashed' } }),
    text('a000000000000009', '- [/] Half done', { x: 1800, y: 0 }),
    text('a000000000000010', '- [-] Given up', { x: 1800, y: 200 }),
    { id: 'f1', type: 'file', file: 'Notes/What we know.md', subpath: '#soil', x: 0, y: 500, width: 400, height: 777 },
    { id: 'f2', type: 'file', file: 'pics/Ä bed.png', x: 500, y: 500, width: 222, height: 333, color: '2' },
    { id: 'l1', type: 'link', url: 'https://example.org/?a=b', x: 900, y: 500, width: 640, height: 480 },
  ],
  edges: [
    edge('e1', 'a000000000000001', 'a000000000000002', { fromSide: 'right', toSide: 'left' }),
    edge('e2', 'a000000000000001', 'a000000000000002', { fromSide: 'bottom', toSide: 'bottom', color: '5' }),
    edge('e3', 'a000000000000001', 'a000000000000002', { label: 'because' }),
    edge('e4', 'a000000000000002', 'a000000000000003', { fromEnd: 'arrow', toEnd: 'arrow' }),
    edge('e5', 'a000000000000003', 'a000000000000004', { toEnd: 'none' }),
    edge('e6', 'a000000000000004', 'a000000000000005', { fromEnd: 'arrow', toEnd: 'none', label: ' ' }),
    edge('e7', 'a000000000000005', 'f1', { fromEnd: 'none', toEnd: 'arrow', styleAttributes: { path: 'dotted' } }),
    edge('e8', '9f1c0a11d2e3b401', '9f1c0a11d2e3b402', { fromSide: 'right', toSide: 'left', label: 'next' }),
    edge('e9', 'a000000000000006', '9f1c0a11d2e3b401', {}),
    edge('e10', 'f2', 'f2', { fromSide: 'top', toSide: 'bottom' }),
    edge('e11', 'l1', 'f2', { label: 'long '.repeat(120) }),
  ],
  metadata: { version: '1.0-1.0', frontmatter: {} },
};

function text(id: string, content: string, more: object): object {
  return { id, type: 'text', text: content, width: 250, height: 60, ...more };
}

function edge(id: string, fromNode: string, toNode: string, more: object): object {
  return { id, fromNode, toNode, ...more };
}

// Answers of every kind.
// oxlint-disable-next-line typescript/no-explicit-any
type Answer = any;

describe('A JSON Canvas that is imported', () => {
  let service: TestService;
  let id: string;
  before(async () => {
    service = await TestService.start();
    id = await imported(documentOf(readJsonCanvas(board, 'Board').draft));
  });
  after(() => service.stop());

  const imported = async (document: object): Promise<string> => {
    const { status, body } = await service.rest.post('/projects/import', document);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id as string;
  };
  const exported = async (project: string): Promise<Answer> =>
    (await service.rest.get(`/projects/${project}/export?format=json-canvas`)).body;
  const tasks = async (project: string): Promise<Answer> =>
    Object.fromEntries(
      (await service.rest.get(`/projects/${project}/tasks`)).body.tasks.map((task: Answer) => [task.label, task]),
    );

  it('has the statuses of its tick boxes [D9.moving.canvas, D9.moving.states]', async () => {
    const all = await tasks(id);
    expect(['Half done', 'Given up'].map((label) => all[label].status)).to.deep.equal(['in_progress', 'done']);
    expect(all['Given up'].tags.map(({ name }: Answer) => name)).to.deep.equal(['cancelled']);
  });

  it('is exported as it was [D9.moving.canvas, D9.formats]', async () => {
    expect(await exported(id)).to.deep.equal(board);
    // Under other ids of its records, too.
    const copy = await imported((await service.rest.get(`/projects/${id}/export`)).body);
    expect(await exported(copy)).to.deep.equal(board);
    await service.restart();
    expect(await exported(copy)).to.deep.equal(board);
    expect(service.store.check()).to.deep.equal([]);
  });

  it('is exported with the changes in the plan [D9.moving.canvas, D9.formats]', async () => {
    const copy = await imported(documentOf(readJsonCanvas(board, 'Changed').draft));
    const all = await tasks(copy);
    const change = async (label: string, fields: object): Promise<void> => {
      const { status, body } = await service.rest.patch(`/tasks/${all[label].id}`, fields);
      expect(status, JSON.stringify(body)).to.equal(200);
    };
    await change('Log in', { status: 'in_progress', label: 'Sign in' });
    await change('Ship', { status: 'todo' });
    await change('Rest', { status: 'backlog', description: 'Long.' });
    await change('Trailing blanks', { description: 'above' });
    await service.rest.delete(`/tasks/${all['Log out'].id}`);
    await service.rest.post(`/projects/${copy}/tasks`, { label: 'New', position: { x: 7, y: 8 } });
    const { nodes, edges } = await exported(copy);
    const found = Object.fromEntries(nodes.map((node: Answer) => [node.id, node]));
    expect(found['a000000000000001']).to.include({ text: '# Sign in\n\nWith a key.', color: '3' });
    expect(found['a000000000000003']).to.include({ text: '- [ ] Ship\n- [ ] Announce' }).and.not.have.property('color');
    expect(found['a000000000000004']).to.include({ text: '- [ ] Rest\n\nLong.' }).and.not.have.property('color');
    expect(found['a000000000000005']).to.include({ text: '# Trailing blanks\n\nabove', color: '#1a2b3c' });
    expect(nodes.at(-1)).to.include({ type: 'text', text: '# New', x: 7, y: 8 });
    // The edges of the deleted task are gone, parallel ones as well.
    expect(edges.map((one: Answer) => one.id)).to.deep.equal(['e5', 'e6', 'e7', 'e8', 'e9', 'e10', 'e11']);
    const again = readJsonCanvas({ nodes, edges }, 'Again');
    expect(Object.keys(named(again, 'tasks'))).to.include.members(['Sign in', 'Rest', 'New']);
  });

  it('does not break exports if a client stores another layout [D9.formats]', async () => {
    for (const kept of [null, 7, { nodes: [1], edges: 'x', groups: [{ item: { type: 'text' } }, 7], lines: [{}] }]) {
      const { status } = await service.rest.put(`/projects/${id}/canvas`, { layout: { json_canvas: kept } });
      expect(status).to.equal(200);
      const { nodes, edges } = await exported(id);
      expect([nodes.length, edges.length]).to.deep.equal([13, 7]);
    }
  });
});

describe('The canvas of a plan', () => {
  it('keeps its arrows in JSON Canvas [D9.formats]', async () => {
    const service = await TestService.start();
    try {
      const project = await service.project();
      const ids = ['a', 'b'];
      const nodes = ids.map((one, x) => ({ id: `own-${one}`, label: one, x, y: 0 }));
      const arrows = ['none', 'both', 'backward', 'forward', null];
      const edges = arrows.map((arrow_direction, at) => ({
        ...{ from_id: 'own-a', to_id: 'own-b', label: `edge ${at}`, arrow_direction },
      }));
      await service.rest.put(`/projects/${project}/canvas`, { nodes, edges });
      const { body } = await service.rest.get(`/projects/${project}/export?format=json-canvas`);
      const read = readJsonCanvas(body, 'Again');
      const links = named(read, 'tasks')['a'].links as Answer[];
      const found = Object.fromEntries(links.map(({ label, arrow_direction }) => [label, arrow_direction]));
      expect(found).to.deep.equal({
        ...{ 'edge 0': 'none', 'edge 1': 'both', 'edge 2': 'backward' },
        ...{ 'edge 3': undefined, 'edge 4': undefined },
      });
    } finally {
      await service.stop();
    }
  });
});
