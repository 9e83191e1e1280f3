import { expect } from 'chai';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { RestClient } from '../support/rest-client.ts';
import { startService } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

interface Entry {
  readonly id: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly label: string;
}

describe('The trash', () => {
  let service: TestService;
  let project: string;

  beforeEach(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  afterEach(() => service.stop());

  const made = async (path: string, body: object): Promise<{ readonly id: string }> => {
    const answer = await service.rest.post(`/projects/${project}/${path}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body as { id: string };
  };
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const answer = await service.rest.get(path);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Record<string, unknown>;
  };
  /** Deletes a resource; returns the id of its entry. */
  const deleted = async (path: string): Promise<string> => {
    const answer = await service.rest.delete(path);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(204);
    return answer.headers.get('X-Planner-Trash')!;
  };
  const trash = async (query = ''): Promise<Entry[]> =>
    (await read(`/projects/${project}/trash${query}`))['trash'] as Entry[];
  const restore = (id: string): ReturnType<RestClient['post']> =>
    service.rest.post(`/projects/${project}/trash/${id}/restore`);
  const restored = async (id: string): Promise<{ left_out: object[] }> => {
    const answer = await restore(id);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as { left_out: object[] };
  };

  it('lists a deletion with its author, expiry and contents, newest first, and names it in a header [D3.trash]', async () => {
    const [a, b] = [await made('tasks', { label: 'Dig' }), await made('tasks', { label: 'Sow' })];
    await made('edges', { from_type: 'task', from_id: a.id, to_type: 'task', to_id: b.id });
    await service.rest.post(`/tasks/${a.id}/comments`, { body: 'deep' });
    const ids = [await deleted(`/tasks/${a.id}`), await deleted(`/tasks/${b.id}`)];
    const [newest, oldest, ...others] = await trash();
    expect(others).to.deep.equal([]);
    expect([newest!.id, oldest!.id]).to.deep.equal(ids.toReversed());
    expect(oldest).to.deep.include({
      ...{ project_id: project, target_type: 'task', target_id: a.id, label: 'Dig', deleted_by: 'human:Ada' },
      ...{ edges: 1, comments: 1, records: 0, restorable: true },
    });
    const { created_at: at, expires_at: until } = oldest as unknown as { created_at: string; expires_at: string };
    expect(Date.parse(until) - Date.parse(at)).to.equal(30 * 86_400_000);
    expect((await trash(`?target_id=${b.id}`)).map(({ id }) => id)).to.deep.equal([ids[1]]);
    const { trash: page, next_cursor: cursor } = await read(`/projects/${project}/trash?limit=1`);
    expect((page as Entry[]).map(({ id }) => id)).to.deep.equal([ids[1]]);
    expect((await trash(`?limit=1&cursor=${String(cursor)}`)).map(({ id }) => id)).to.deep.equal([ids[0]]);
  });

  it('restores a task as it was, with comments and edges in both directions [D3.trash-restore]', async () => {
    const [a, b, c] = [
      await made('tasks', { label: 'Dig' }),
      await made('tasks', { label: 'Sow', description: 'deep', tags: ['bed'], position: { x: 3, y: 4 } }),
      await made('documents', { title: 'How', body: 'Slowly' }),
    ];
    await made('edges', { from_type: 'task', from_id: a.id, to_type: 'task', to_id: b.id, label: 'before' });
    await made('edges', { from_type: 'task', from_id: b.id, to_type: 'document', to_id: c.id, label: 'reads' });
    await service.rest.post(`/tasks/${b.id}/comments`, { body: 'one' });
    const state = async (): Promise<unknown[]> => {
      const { updated_at: _, ...task } = await read(`/tasks/${b.id}`);
      return [
        task,
        (await read(`/tasks/${b.id}/comments`))['comments'],
        (await read(`/projects/${project}/edges`))['edges'],
      ];
    };
    const before = await state();
    const entry = await deleted(`/tasks/${b.id}`);
    expect((await service.rest.get(`/tasks/${b.id}`)).status).to.equal(404);
    expect(await restored(entry)).to.deep.include({ trash_id: entry, target_id: b.id, label: 'Sow', left_out: [] });
    expect(await state()).to.deep.equal(before);
    expect(await trash()).to.deep.equal([]);
    expect((await restore(entry)).body).to.include({ error: 'not_found', resource: 'trash' });
  });

  it('lists the edges that it leaves out; one to a record in the trash returns with that [D3.trash-restore]', async () => {
    const [a, b] = [await made('tasks', { label: 'Dig' }), await made('tasks', { label: 'Sow' })];
    const edge = await made('edges', { from_type: 'task', from_id: a.id, to_type: 'task', to_id: b.id });
    const entry = await deleted(`/tasks/${b.id}`);
    const first = await deleted(`/tasks/${a.id}`);
    const { left_out: left } = await restored(entry);
    expect(left).to.deep.equal([
      {
        type: 'edge',
        id: edge.id,
        reason: 'The task "Dig" at its other end is in the trash: the edge returns with it.',
      },
    ]);
    expect((await restored(first)).left_out).to.deep.equal([]);
    const { edges } = (await read(`/projects/${project}/edges`)) as { edges: { id: string }[] };
    expect(edges.map(({ id }) => id)).to.deep.equal([edge.id]);
    // The deletions are restored in the other order.
    const [one, two] = [await deleted(`/tasks/${a.id}`), await deleted(`/tasks/${b.id}`)];
    expect((await restored(one)).left_out).to.deep.equal([
      {
        type: 'edge',
        id: edge.id,
        reason: 'The task "Sow" at its other end is in the trash: the edge returns with it.',
      },
    ]);
    expect((await restored(two)).left_out).to.deep.equal([]);
    expect(((await read(`/projects/${project}/edges`))['edges'] as object[]).length).to.equal(1);
  });

  it('restores an edge, a comment, a view and a prototype with its screens [D3.trash-restore]', async () => {
    const [a, b] = [await made('tasks', { label: 'Dig' }), await made('tasks', { label: 'Sow' })];
    const edge = await made('edges', {
      ...{ from_type: 'task', from_id: a.id, to_type: 'task', to_id: b.id },
      ...{ label: 'before', style: 'dashed' },
    });
    const comment = (await service.rest.post(`/tasks/${a.id}/comments`, { body: 'one *two*' })).body as { id: string };
    const view = await made('views', { name: 'Mine', config: { sort: 'label' } });
    const prototype = await made('prototypes', { name: 'Phone', viewport: { width: 390, height: 844 } });
    const screen = await made('artifacts', { title: 'Home', kind: 'html', content: 'x', prototype_id: prototype.id });
    const state = async (): Promise<unknown[]> => [
      (await read(`/projects/${project}/edges`))['edges'],
      (await read(`/tasks/${a.id}/comments`))['comments'],
      await read(`/views/${view.id}`),
      await read(`/prototypes/${prototype.id}`).then(({ screens: _, ...rest }) => rest),
      (await read(`/artifacts/${screen.id}`))['prototype_id'],
    ];
    const before = await state();
    const entries = [
      await deleted(`/projects/${project}/edges/${edge.id}`),
      await deleted(`/comments/${comment.id}`),
      await deleted(`/views/${view.id}`),
      await deleted(`/prototypes/${prototype.id}`),
    ];
    expect((await trash()).map(({ target_type, label }) => [target_type, label])).to.deep.equal([
      ['prototype', 'Phone'],
      ['view', 'Mine'],
      ['comment', 'one two'],
      ['edge', 'Dig → Sow'],
    ]);
    for (const entry of entries) expect((await restored(entry)).left_out).to.deep.equal([]);
    expect(await state()).to.deep.equal(before);
  });

  it('restores a folder with its contents, unless that was moved since [D3.trash-restore]', async () => {
    const folder = await made('folders', { name: 'Plans' });
    const inner = await made('folders', { name: 'Old', parent_folder_id: folder.id });
    const [one, two] = [
      await made('documents', { title: 'One', body: '', folder_id: folder.id }),
      await made('documents', { title: 'Two', body: '', folder_id: folder.id }),
    ];
    const entry = await deleted(`/folders/${folder.id}`);
    expect((await trash())[0]).to.include({ target_type: 'folder', label: 'Plans', records: 3 });
    await service.rest.patch(`/documents/${two.id}`, { folder_id: inner.id });
    const { left_out: left } = await restored(entry);
    expect(left).to.deep.equal([{ type: 'document', id: two.id, reason: 'Its folder_id was changed since.' }]);
    expect(await read(`/folders/${folder.id}`)).to.include({ name: 'Plans', parent_folder_id: null });
    expect(await read(`/folders/${inner.id}`)).to.include({ parent_folder_id: folder.id });
    expect(await read(`/documents/${one.id}`)).to.include({ folder_id: folder.id });
    expect(await read(`/documents/${two.id}`)).to.include({ folder_id: inner.id });
  });

  it('restores a tag in the tasks that had it, in addition to the tags that they have since [D3.trash-restore]', async () => {
    const task = await made('tasks', { label: 'Dig', tags: ['bed', 'spring'] });
    const { tags } = (await read(`/projects/${project}/tags`)) as { tags: { id: string; name: string }[] };
    const bed = tags.find(({ name }) => name === 'bed')!;
    await service.rest.patch(`/tags/${bed.id}`, { color: '#00ff00' });
    const entry = await deleted(`/tags/${bed.id}`);
    await service.rest.patch(`/tasks/${task.id}`, { tags: ['autumn'] });
    await restored(entry);
    const { tags: shown } = (await read(`/tasks/${task.id}`)) as { tags: { name: string; color: string | null }[] };
    expect(shown.map(({ name, color }) => [name, color])).to.deep.equal([
      ['autumn', null],
      ['bed', '#00ff00'],
    ]);
  });

  it('names the entry that has to be restored first, and a name that is taken by now [D3.trash-restore]', async () => {
    const task = await made('tasks', { label: 'Dig' });
    const { id: comment } = (await service.rest.post(`/tasks/${task.id}/comments`, { body: 'one' })).body as {
      id: string;
    };
    const [about, whole] = [await deleted(`/comments/${comment}`), await deleted(`/tasks/${task.id}`)];
    const refused = await restore(about);
    expect(refused.status).to.equal(409);
    expect(refused.body).to.include({ error: 'conflict', trash_id: whole });
    expect((refused.body as { message: string }).message).to.include('"Dig" is in the trash too: restore it first');
    await restored(whole);
    await restored(about);
    const folder = await made('folders', { name: 'Plans' });
    const entry = await deleted(`/folders/${folder.id}`);
    await made('folders', { name: 'Others' });
    await service.rest.patch(`/folders/${(await made('folders', { name: 'Else' })).id}`, { name: 'plans' });
    expect((await restore(entry)).status).to.equal(400);
    expect((await trash()).map(({ id }) => id)).to.deep.equal([entry]);
  });

  it('leaves out existing records, and has one entry for a record deleted twice [D3.trash]', async () => {
    const { id } = await made('notes', { title: 'List', body: 'one' });
    await deleted(`/notes/${id}`);
    const { revisions } = (await read(`/projects/${project}/revisions`)) as { revisions: { id: string }[] };
    expect((await service.rest.post(`/revisions/${revisions[0]!.id}/restore`)).status).to.equal(200);
    expect(await trash()).to.deep.equal([]);
    await service.rest.patch(`/notes/${id}`, { body: 'two' });
    const again = await deleted(`/notes/${id}`);
    expect((await trash()).map((entry) => entry.id)).to.deep.equal([again]);
    await restored(again);
    expect(await read(`/notes/${id}`)).to.include({ body: 'two' });
  });

  it('has the deletions of agents over MCP too, and is for people only [D3.trash]', async () => {
    const [a, b] = [await made('tasks', { label: 'Dig' }), await made('tasks', { label: 'Sow' })];
    const edge = await made('edges', { from_type: 'task', from_id: a.id, to_type: 'task', to_id: b.id });
    const client = await service.mcp();
    const { value } = await client.call('delete_edge', { project_id: project, edge_id: edge.id });
    const [entry] = await trash();
    expect(value).to.deep.equal({ deleted: edge.id, trash_id: entry!.id });
    await restored(entry!.id);
    const { edges } = (await client.call('list_edges', { project_id: project })).value as { edges: object[] };
    expect(edges).to.have.length(1);
    const { secret } = (await service.rest.post('/keys', { kind: 'agent', project_id: project, name: 'b' })).body as {
      secret: string;
    };
    const agent = new RestClient(service.url, { Authorization: `Bearer ${secret}` });
    expect((await agent.get(`/projects/${project}/trash`)).status).to.equal(403);
  });

  it('ends after 30 days [D3.trash]', async () => {
    await service.stop();
    let now = Date.parse('2026-03-01T12:00:00.000Z');
    service = await TestService.start({ clock: { ...systemClock, now: () => now } });
    project = await service.project();
    const { id } = await made('notes', { title: 'List', body: 'one' });
    const entry = await deleted(`/notes/${id}`);
    now = Date.parse('2026-03-31T11:59:59.999Z');
    expect(await trash()).to.have.length(1);
    const { headers } = await service.rest.get(`/projects/${project}/trash`);
    now = Date.parse('2026-03-31T12:00:00.000Z');
    const later = await service.rest.get(`/projects/${project}/trash`, { 'If-None-Match': headers.get('ETag')! });
    expect(later.body).to.deep.equal({ trash: [] });
    expect((await restore(entry)).status).to.equal(404);
  });

  it('restores the name of a file, and text that a person wrote into it, also after a restart [D3.trash-file]', async () => {
    await service.store.flush();
    const [directory = ''] = readdirSync(join(service.root, 'projects'));
    const place = join(service.root, 'projects', directory);
    const files: Readonly<Record<string, string>> = {
      'tasks/My own name.md':
        '---\nid: mine-1\nlabel:   "Dig"   # by hand\nestimate: 3 days\nstatus: todo\n---\r\nTwo metres.\r\n',
      'notes/Without front matter.md': 'Only a text.\n',
      'documents/Deep.md': '---\ntags: [a, b]\ntitle: Deep\n---\n# Soil\n',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(place, dirname(path)), { recursive: true });
      writeFileSync(join(place, path), text);
    }
    await service.store.rescan();
    const { notes } = (await read(`/projects/${project}/notes`)) as { notes: { id: string }[] };
    const { documents } = (await read(`/projects/${project}/documents`)) as { documents: { id: string }[] };
    const paths = [`/tasks/mine-1`, `/notes/${notes[0]!.id}`, `/documents/${documents[0]!.id}`];
    const shown = async (): Promise<unknown[]> =>
      Promise.all(paths.map(async (path) => (await read(path))['title'] ?? (await read(path))['label']));
    const before = await shown();
    const entries: string[] = [];
    for (const path of paths) entries.push(await deleted(path));
    await service.store.flush();
    for (const path of Object.keys(files)) expect(existsSync(join(place, path)), path).to.equal(false);
    await service.restart();
    for (const entry of entries) await restored(entry);
    await service.store.flush();
    expect(await shown()).to.deep.equal(before);
    // The id and the time that the path and the file had given are written: the record keeps both.
    const byPerson = (text: string): string =>
      text.replace(/^(?:id: (?!mine-1)|created_at: ).*\n/gm, '').replace(/^---\n---\n/, '');
    for (const [path, text] of Object.entries(files))
      expect(byPerson(readFileSync(join(place, path), 'utf8')), path).to.equal(text);
  });

  rarely('restores records that were deleted before a kill [D3.trash-durable]', async function () {
    this.timeout(300_000);
    const directory = mkdtempSync(join(tmpdir(), 'planner-trash-'));
    try {
      const first = await startService(directory);
      const rest = new RestClient(first.url);
      const { id } = (await rest.post('/projects', { name: 'Plan' })).body as { id: string };
      const task = (await rest.post(`/projects/${id}/tasks`, { label: 'Dig' })).body as { id: string };
      const { id: comment } = (await rest.post(`/tasks/${task.id}/comments`, { body: 'one' })).body as { id: string };
      const note = (await rest.post(`/projects/${id}/notes`, { title: 'List', body: 'two' })).body as { id: string };
      await rest.delete(`/comments/${comment}`);
      await rest.delete(`/notes/${note.id}`);
      await rest.delete(`/tasks/${task.id}`);
      await first.kill();
      const second = await startService(directory);
      const after = new RestClient(second.url);
      const { trash: entries } = (await after.get(`/projects/${id}/trash`)).body as { trash: Entry[] };
      expect(entries.map(({ target_id }) => target_id)).to.deep.equal([task.id, note.id, comment]);
      for (const entry of entries)
        expect((await after.post(`/projects/${id}/trash/${entry.id}/restore`)).status).to.equal(200);
      const { comments } = (await after.get(`/tasks/${task.id}/comments`)).body as { comments: { body: string }[] };
      expect(comments.map(({ body }) => body)).to.deep.equal(['<p>one</p>']);
      expect((await after.get(`/notes/${note.id}`)).body).to.include({ body: 'two' });
      await second.stop();
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
