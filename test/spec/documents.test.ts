import { expect } from 'chai';
import { type Transport, mcpTransport, overBoth, restTransport } from '../support/both.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

interface Linked {
  readonly type: string;
  readonly id: string;
  readonly label: string;
  readonly edge_id: string;
}

const idsOf = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id);
const kibibyte = 1024;

/** A document's id. */
async function write(transport: Transport, project_id: string, title: string, fields: object = {}): Promise<string> {
  return (await transport.call('create_document', { project_id, title, body: '', ...fields })).id as string;
}

async function task(transport: Transport, project_id: string, label: string): Promise<string> {
  return (await transport.call('create_task', { project_id, label })).id as string;
}

/** The backlinks of a task. Always over REST: there is no tool for them. */
async function backlinks(transport: Transport, task_id: string): Promise<Linked[]> {
  return (await restTransport(transport.service).call('list_task_backlinks', { task_id })).backlinks as Linked[];
}

describe('Documents', () => {
  overBoth(
    'are created with a title and a body, both required [S.document.required, S.rest.POST /projects/:id/documents, S.mcp.create_document]',
    async (transport) => {
      const project_id = await transport.service.project();
      const made = await transport.call('create_document', { project_id, title: 'Soil', body: '# Soil\n\nLoam.\n' });
      expect(made).to.include({ project_id, title: 'Soil', body: '# Soil\n\nLoam.\n' });
      expect(made.id).to.match(/^doc_/);
      for (const [field, input] of [
        ['title', { body: 'x' }],
        ['body', { title: 'x' }],
        ['title', { title: ' \t', body: 'x' }],
        ['title', { title: 'x'.repeat(501), body: 'x' }],
        ['body', { title: 'x', body: null }],
        ['colour', { title: 'x', body: 'x', colour: 'green' }],
      ] as const) {
        const refused = await transport.refusal('create_document', { project_id, ...input });
        expect(refused, JSON.stringify(input).slice(0, 60)).to.include({ error: 'invalid_argument', field });
      }
      expect((await transport.call('list_documents', { project_id })).documents).to.have.length(1);
    },
  );

  overBoth(
    'have all of their fields, and links in both directions, each with its edge [D6.document, S.document.links, S.rest.GET /documents/:id, S.mcp.get_document]',
    async (transport) => {
      const project_id = await transport.service.project();
      const dig = await task(transport, project_id, 'Dig');
      const soil = await write(transport, project_id, 'Soil');
      const beds = await write(transport, project_id, 'Beds', { link_to: [dig, soil], position: { x: 1, y: -2.5 } });
      const shown = await transport.call('get_document', { document_id: beds });
      expect(shown).to.have.all.keys(
        ...['id', 'project_id', 'title', 'body', 'status', 'folder_id', 'position', 'links', 'backlinks'],
        ...['created_at', 'updated_at'],
      );
      expect(shown).to.deep.include({ status: null, folder_id: null, position: { x: 1, y: -2.5 }, backlinks: [] });
      const edges: { edge_id: string; to_id: string }[] = (await transport.call('list_edges', { project_id })).edges;
      const edgeTo = (id: string): string => edges.find(({ to_id: to }) => to === id)!.edge_id;
      expect(shown.links).to.have.deep.members([
        { type: 'task', id: dig, title: 'Dig', label: 'documents', edge_id: edgeTo(dig) },
        { type: 'document', id: soil, title: 'Soil', label: 'references', edge_id: edgeTo(soil) },
      ]);
      expect((await transport.call('get_document', { document_id: soil })).backlinks).to.deep.equal([
        { type: 'document', id: beds, title: 'Beds', label: 'references', edge_id: edgeTo(soil) },
      ]);
      expect(await transport.refusal('get_document', { document_id: 'doc_none' })).to.include({
        error: 'not_found',
        resource: 'document',
        id: 'doc_none',
      });
    },
  );

  overBoth(
    'are updated with the given members and keep the others [S.mcp.update_document, S.rest.PATCH /documents/:id]',
    async (transport) => {
      const project_id = await transport.service.project();
      const folder = await transport.call('create_folder', { project_id, name: 'Notes' });
      const dig = await task(transport, project_id, 'Dig');
      const document_id = await write(transport, project_id, 'Soil', { body: 'Loam', status_line: 'draft' });
      const changes: [object, object][] = [
        [{ title: 'Earth' }, { title: 'Earth', body: 'Loam', status: 'draft' }],
        [{ body: '' }, { title: 'Earth', body: '' }],
        [{ status_line: 'final' }, { status: 'final' }],
        [{ status_line: null }, { status: null }],
        [{ folder_id: folder.id }, { folder_id: folder.id, status: null }],
        [{ folder_id: null }, { folder_id: null }],
        [{ position: { x: 3, y: 4 } }, { position: { x: 3, y: 4 } }],
        [{ position: null }, { position: null, title: 'Earth' }],
      ];
      for (const [change, after] of changes) {
        expect(await transport.call('update_document', { document_id, ...change })).to.deep.include(after);
        expect(await transport.call('get_document', { document_id })).to.deep.include(after);
      }
      expect(idsOf((await transport.call('update_document', { document_id, link_to: dig })).links)).to.deep.equal([
        dig,
      ]);
      for (const [field, change] of [
        // Null counts as omitted over MCP where it cannot clear.
        ...(transport.name === 'REST' ? [['title', { title: null }] as const, ['body', { body: null }] as const] : []),
        ['folder_id', { folder_id: 'fld_none' }],
        ['position.x', { position: { x: 'left', y: 1 } }],
      ] as const) {
        const refused = await transport.refusal('update_document', { document_id, ...change });
        expect(refused, field).to.include({ error: 'invalid_argument', field });
      }
    },
  );

  overBoth(
    'are linked by link_to, one id or a list, at creation and in updates [S.document.link_to]',
    async (transport) => {
      const project_id = await transport.service.project();
      const [first, second] = [await task(transport, project_id, 'One'), await task(transport, project_id, 'Two')];
      const document_id = await write(transport, project_id, 'Soil', { link_to: first });
      const other = await write(transport, project_id, 'Beds', { link_to: [first, document_id] });
      const links = async (id: string): Promise<string[]> =>
        idsOf((await transport.call('get_document', { document_id: id })).links);
      expect(await links(document_id)).to.deep.equal([first]);
      expect(await links(other)).to.have.members([first, document_id]);
      await transport.call('update_document', { document_id, link_to: [second, first, second] });
      expect(await links(document_id), 'added, none taken away, none made twice').to.have.members([first, second]);
      await transport.call('update_document', { document_id, link_to: [] });
      expect(await links(document_id)).to.have.members([first, second]);
      const refused = await transport.refusal('update_document', {
        document_id,
        title: 'x',
        link_to: [other, 'tsk_none'],
      });
      expect(refused).to.include({ error: 'invalid_argument', field: 'link_to[1]' });
      expect(await transport.call('get_document', { document_id })).to.include({ title: 'Soil' });
      expect(await links(document_id), 'all or nothing').to.have.members([first, second]);
    },
  );

  overBoth('appear in the backlinks of each task that they are linked to [S.document.many]', async (transport) => {
    const project_id = await transport.service.project();
    const tasks = [];
    for (const label of ['One', 'Two', 'Three']) tasks.push(await task(transport, project_id, label));
    const document_id = await write(transport, project_id, 'Soil', { link_to: tasks });
    const seen: Linked[] = [];
    for (const id of tasks) {
      const [entry, ...others] = await backlinks(transport, id);
      expect(others).to.deep.equal([]);
      expect(entry).to.include({ type: 'document', id: document_id, title: 'Soil', label: 'documents' });
      seen.push(entry!);
    }
    expect(new Set(seen.map(({ edge_id }) => edge_id)).size).to.equal(3);
    await transport.call('delete_edge', { project_id, edge_id: seen[1]!.edge_id });
    expect(await backlinks(transport, tasks[1]!)).to.deep.equal([]);
    expect(await backlinks(transport, tasks[2]!), 'siblings stay').to.deep.equal([seen[2]]);
    expect(idsOf((await transport.call('get_document', { document_id })).links)).to.have.members([tasks[0], tasks[2]]);
  });

  overBoth(
    'are listed as the tree of their folders, in Unfiled if they have no folder [S.document.folder, S.document.tree, S.rest.GET /projects/:id/documents, S.mcp.list_documents]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { id: outer } = await transport.call('create_folder', { project_id, name: 'Outer' });
      const { id: inner } = await transport.call('create_folder', {
        project_id,
        name: 'Inner',
        parent_folder_id: outer,
      });
      const unfiled = await write(transport, project_id, 'Free');
      const [top, deep] = [
        await write(transport, project_id, 'Top', { folder_id: outer }),
        await write(transport, project_id, 'Deep', { folder_id: inner }),
      ];
      expect(await transport.call('get_document', { document_id: unfiled })).to.include({ folder_id: null });
      const tree = await transport.call('list_documents', { project_id });
      expect(idsOf(tree.documents)).to.deep.equal([unfiled]);
      const [shown, ...others] = tree.folders;
      expect(others).to.deep.equal([]);
      expect(shown).to.include({ id: outer, name: 'Outer', parent_folder_id: null });
      expect(idsOf(shown.documents)).to.deep.equal([top]);
      expect(shown.folders[0]).to.include({ id: inner, name: 'Inner', parent_folder_id: outer });
      expect(idsOf(shown.folders[0].documents)).to.deep.equal([deep]);
      const part = await transport.call('list_documents', { project_id, folder_id: inner });
      expect([idsOf(part.documents), part.folders]).to.deep.equal([[deep], []]);
      expect(await transport.refusal('list_documents', { project_id, folder_id: 'fld_none' })).to.include({
        error: 'not_found',
      });
    },
  );

  overBoth(
    'are moved in bulk, each independently: failures are named [S.mcp.move_documents, S.errors.move-partial]',
    async (transport) => {
      const project_id = await transport.service.project();
      const { id: folder_id } = await transport.call('create_folder', { project_id, name: 'Target' });
      const [one, two] = [await write(transport, project_id, 'One'), await write(transport, project_id, 'Two')];
      const foreign = await write(transport, await transport.service.project('Other'), 'Foreign');
      const document_ids = [one, 'doc_none', two, foreign, one];
      const { moved, failed } = await transport.call('move_documents', { project_id, document_ids, folder_id });
      expect(moved).to.deep.equal([one, two]);
      expect(failed.map(({ message: _, ...entry }: { message: string }) => entry)).to.deep.equal([
        { document_id: 'doc_none', error: 'not_found' },
        { document_id: foreign, error: 'not_found' },
      ]);
      for (const { message } of failed) expect(message).to.be.a('string').and.not.equal('');
      expect(await transport.call('get_document', { document_id: two })).to.include({ folder_id });
      const none = await transport.call('move_documents', { project_id, document_ids: ['doc_none'], folder_id: null });
      expect([none.moved, none.failed.length]).to.deep.equal([[], 1]);
      expect(
        await transport.call('move_documents', { project_id, document_ids: [one], folder_id: null }),
      ).to.deep.equal({
        moved: [one],
        failed: [],
      });
      expect(
        await transport.refusal('move_documents', { project_id, document_ids: [one], folder_id: 'fld_none' }),
      ).to.include({ error: 'invalid_argument', field: 'folder_id' });
    },
  );

  it('are found by their ids if no project is named or bound, all in one project [S.mcp.move_documents, D2.project-by-ids]', async () => {
    const service = await TestService.start();
    try {
      const [mcp, rest] = [mcpTransport(service, await service.mcp()), restTransport(service)];
      const [own, other] = [await service.project(), await service.project('Other')];
      const [one, two, foreign] = [
        await write(rest, own, 'One'),
        await write(rest, own, 'Two'),
        await write(rest, other, 'Foreign'),
      ];
      const { id: folder_id } = await rest.call('create_folder', { project_id: own, name: 'Target' });
      const byRoute = async (input: object): Promise<RestResponse> => service.rest.post('/call/move_documents', input);
      const document_ids = ['doc_none', one, two];
      const answer = await mcp.call('move_documents', { document_ids, folder_id });
      expect(answer.moved).to.deep.equal([one, two]);
      expect(answer.failed[0]).to.include({ document_id: 'doc_none', error: 'not_found' });
      expect((await byRoute({ document_ids, folder_id: null })).body.moved).to.deep.equal([one, two]);
      for (const [input, field] of [
        [{ document_ids: [one, foreign], folder_id: null }, 'document_ids[1]'],
        [{ document_ids: [foreign], folder_id }, 'folder_id'],
      ] as const) {
        const refused = {
          error: 'invalid_argument',
          field,
          project_ids: field === 'folder_id' ? [other, own] : [own, other],
        };
        expect(await mcp.refusal('move_documents', input)).to.deep.include(refused);
        const { status, body } = await byRoute(input);
        expect(status).to.equal(400);
        expect(body).to.deep.include(refused);
      }
      const unknown = { document_ids: ['doc_none'], folder_id: null };
      expect(await mcp.refusal('move_documents', unknown)).to.include({ error: 'not_found', resource: 'document' });
      const { goals } = await rest.call('list_goals', { project_id: other });
      expect(await mcp.call('create_task', { label: 'There', goal_id: goals[0].id })).to.include({ project_id: other });
      expect(await mcp.refusal('create_document', { title: 'T', body: '', link_to: [one, foreign] })).to.include({
        error: 'invalid_argument',
        field: 'link_to[1]',
      });
      expect((await mcp.call('create_folder', { name: 'In', parent_folder_id: folder_id })).project_id).to.equal(own);
    } finally {
      await service.stop();
    }
  });

  overBoth('keep every character of their body, also after a restart [D6.body]', async (transport) => {
    const project_id = await transport.service.project();
    const rest = restTransport(transport.service);
    const bodies = [
      ...['', '\n', '\n\n', ' x ', 'a\r\nb\r\n', '---\nid: doc_x\n---\n', '+++\n', '\u{feff}bom', '\u0000\u0007\u001b'],
      ...['<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n', '\u2028\u0085\u00a0', '🌱é e\u0301', '\t- x\n\t\t- y\n'],
      'long line '.repeat(20 * kibibyte),
    ];
    const ids: string[] = [];
    for (const [at, body] of bodies.entries()) ids.push(await write(transport, project_id, `Page ${at}`, { body }));
    for (const [at, document_id] of ids.entries()) {
      const shown = (await transport.call('get_document', { document_id })).body as string;
      // An agent gets a long text in parts, which are tested with their tools.
      const expected = transport.name === 'MCP' ? bodies[at]!.slice(0, shown.length) : bodies[at]!;
      expect(shown === expected, `Page ${at}`).to.equal(true);
    }
    await transport.service.restart();
    for (const [at, document_id] of ids.entries()) {
      expect((await rest.call('get_document', { document_id })).body === bodies[at], `Page ${at}`).to.equal(true);
    }
  });
});

describe('Documents over both transports', () => {
  let service: TestService;
  let project_id: string;
  before(async () => {
    service = await TestService.start();
    project_id = await service.project();
  });
  after(() => service.stop());

  it('call the one-line status status in REST and status_line in MCP [D6.status_line]', async () => {
    const agent = await service.mcp();
    const { body } = await service.rest.post(`/projects/${project_id}/documents`, {
      title: 'Soil',
      body: '',
      status: 'draft',
    });
    expect(body.status).to.equal('draft');
    const { document } = await agent.get('update_document', { document_id: body.id, status_line: 'final' });
    expect(document.status).to.equal('final');
    expect((await service.rest.get(`/documents/${body.id}`)).body.status).to.equal('final');
    expect((await service.rest.patch(`/documents/${body.id}`, { status_line: 'x' })).body).to.include({
      error: 'invalid_argument',
      field: 'status_line',
    });
    const refused = await agent.call('update_document', { document_id: body.id, status: 'x' });
    expect(refused.value).to.include({ error: 'invalid_argument', field: 'status' });
  });

  it('are deleted over REST with their edges and canvas nodes, as tasks are [S.rest.DELETE /documents/:id, D3.delete]', async () => {
    const make = async (path: string, body: object): Promise<string> =>
      (await service.rest.post(`/projects/${project_id}${path}`, body)).body.id as string;
    const [first, second] = [await make('/tasks', { label: 'A' }), await make('/tasks', { label: 'B' })];
    const position = { x: 1, y: 1 };
    const document = await make('/documents', { title: 'D', body: '', position, link_to: [first, second] });
    const other = await make('/documents', { title: 'E', body: '', position, link_to: [document, second] });
    const canvas = async (): Promise<{ nodes: { id: string }[]; edges: { from_id: string; to_id: string }[] }> =>
      (await service.rest.get(`/projects/${project_id}/canvas`)).body;
    expect(idsOf((await canvas()).nodes)).to.include.members([first, second, document, other]);
    const gone = await service.rest.delete(`/documents/${document}`);
    expect([gone.status, gone.body]).to.deep.equal([204, undefined]);
    expect((await service.rest.get(`/documents/${document}`)).status).to.equal(404);
    expect((await service.rest.delete(`/documents/${document}`)).status).to.equal(404);
    expect((await service.rest.delete(`/tasks/${first}`)).status).to.equal(204);
    const left = await canvas();
    expect(idsOf(left.nodes)).to.not.include(document).and.not.include(first);
    const { body } = await service.rest.get(`/projects/${project_id}/edges`);
    expect(
      body.edges.map(({ from_id: from, to_id: to }: { from_id: string; to_id: string }) => [from, to]),
    ).to.deep.equal([[other, second]]);
    expect(idsOf((await service.rest.get(`/documents/${other}`)).body.links)).to.deep.equal([second]);
  });

  it('accept bodies of two MiB and not a byte more, counted as UTF-8 [D1.body-length]', async () => {
    const path = `/projects/${project_id}/documents`;
    const most = 'é'.repeat(kibibyte * kibibyte);
    const { status, body } = await service.rest.post(path, { title: 'Much', body: most });
    expect(status).to.equal(201);
    expect((await service.rest.get(`/documents/${body.id}`)).body.body === most).to.equal(true);
    const more = await service.rest.post(path, { title: 'More', body: `${most}x` });
    expect(more.body).to.include({ error: 'invalid_argument', field: 'body' });
  });
});
