import { expect } from 'chai';
import { type Transport, overBoth, restTransport } from '../support/both.ts';
import { nastyTexts } from '../support/nasty-texts.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

interface Row {
  readonly id: string;
  readonly title: string;
}

async function made(transport: Transport, project_id: string, title: string, body?: string): Promise<string> {
  const note = await transport.call('create_note', { project_id, title, ...(body === undefined ? {} : { body }) });
  return note.id as string;
}

describe('Notes', () => {
  overBoth(
    'have a title and a Markdown body, kept as they were written [S.note.fields, D6.note, S.mcp.create_note, S.mcp.get_note]',
    async (transport) => {
      const project_id = await transport.service.project();
      const body = '# Frost\r\n\n*Late* in May.  \n\n<b>x</b>\n';
      const note = await transport.call('create_note', { project_id, title: 'Frost', body });
      expect(note).to.have.all.keys('id', 'project_id', 'title', 'body', 'created_at', 'updated_at');
      expect(note).to.include({ project_id, title: 'Frost', body });
      expect(note.id).to.match(/^not_[0-9a-z]{16}$/);
      expect(await transport.call('get_note', { note_id: note.id })).to.deep.equal(note);
      expect(await transport.call('create_note', { project_id, title: 'Empty' })).to.include({ body: '' });
      for (const [input, field] of [
        [{}, 'title'],
        [{ title: ' ' }, 'title'],
        [{ title: 'x'.repeat(501) }, 'title'],
        [{ title: 'x', body: 7 }, 'body'],
        [{ title: 'x', body: 'x'.repeat(2 * 1024 * 1024 + 1) }, 'body'],
        [{ title: 'x', folder_id: null }, 'folder_id'],
      ] as const) {
        const refused = await transport.refusal('create_note', { project_id, ...input });
        expect(refused, field).to.include({ error: 'invalid_argument', field });
      }
      expect((await transport.call('list_notes', { project_id })).notes).to.have.length(2);
    },
  );

  overBoth('are updated with the given members [S.mcp.update_note]', async (transport) => {
    const project_id = await transport.service.project();
    const note_id = await made(transport, project_id, 'Frost', 'Late.');
    expect(await transport.call('update_note', { note_id, title: 'Ice' })).to.include({ title: 'Ice', body: 'Late.' });
    expect(await transport.call('update_note', { note_id, body: '' })).to.include({ title: 'Ice', body: '' });
    expect(await transport.call('get_note', { note_id })).to.include({ title: 'Ice', body: '' });
    const wrong = transport.name === 'REST' ? null : 5;
    expect(await transport.refusal('update_note', { note_id, title: wrong })).to.include({ field: 'title' });
    expect(await transport.refusal('update_note', { note_id: 'not_none', title: 'x' })).to.include({
      error: 'not_found',
      resource: 'note',
      id: 'not_none',
    });
  });

  overBoth(
    'are listed oldest first, for agents without bodies unless requested [S.mcp.list_notes, D3.verbose-notes]',
    async (transport) => {
      const project_id = await transport.service.project();
      const ids = [];
      for (const title of ['b', 'a', 'c']) ids.push(await made(transport, project_id, title, `body of ${title}`));
      const { notes } = await transport.call('list_notes', { project_id });
      expect(notes.map(({ id }: Row) => id)).to.deep.equal(ids);
      expect('body' in notes[0]).to.equal(transport.name === 'REST');
      const light = (await transport.call('list_notes', { project_id, verbose: false })).notes;
      expect(light[0]).to.include({ title: 'b' }).and.not.have.property('body');
      const whole = (await transport.call('list_notes', { project_id, verbose: true })).notes;
      expect(whole.map(({ body }: { body: string }) => body)).to.deep.equal(['body of b', 'body of a', 'body of c']);
      const first = await transport.call('list_notes', { project_id, limit: 2 });
      const rest = await transport.call('list_notes', { project_id, limit: 2, cursor: first.next_cursor });
      expect([...first.notes, ...rest.notes].map(({ id }: Row) => id)).to.deep.equal(ids);
    },
  );
});

describe('Notes, over REST and in files', () => {
  let service: TestService;
  let project_id: string;
  let rest: Transport;
  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
    rest = restTransport(service);
  });
  afterEach(() => service.stop());

  it('have their own routes, with entity tags and since [D6.note]', async () => {
    const path = `/projects/${project_id}/notes`;
    const created = await service.rest.post(path, { title: 'Frost', body: 'x' });
    expect(created.status).to.equal(201);
    const { id } = created.body as Row;
    const got = await service.rest.get(`/notes/${id}`);
    const etag = got.headers.get('etag')!;
    expect((await service.rest.get(`/notes/${id}`, { 'If-None-Match': etag })).status).to.equal(304);
    const listed = await service.rest.get(path);
    const patched = await service.rest.patch(`/notes/${id}`, { title: 'Ice' }, { 'If-Match': etag });
    expect(patched.status).to.equal(200);
    expect((await service.rest.patch(`/notes/${id}`, { title: 'Snow' }, { 'If-Match': etag })).status).to.equal(412);
    const since = (tag: string): string => `${path}?since=${encodeURIComponent(tag)}`;
    const delta = await service.rest.get(since(listed.headers.get('etag')!));
    expect([delta.body.notes, delta.body.removed]).to.deep.equal([[patched.body], []]);
    expect((await service.rest.delete(`/notes/${id}`)).status).to.equal(204);
    expect((await service.rest.get(`/notes/${id}`)).status).to.equal(404);
    expect((await service.rest.delete(`/notes/${id}`)).status).to.equal(404);
    const later = (await service.rest.get(since(delta.headers.get('etag')!))).body;
    expect([later.notes, later.removed]).to.deep.equal([[], [id]]);
  });

  it('are created by a Markdown file that is placed in notes, and follow its edits [A.edit.live]', async () => {
    const files = await PlanFiles.of(service);
    files.write('notes/from hand.md', '# What we saw\n\nTwo deer.\n');
    const found = async (): Promise<Row & { body: string }> => {
      const { notes } = await rest.call('list_notes', { project_id });
      expect(notes).to.have.length(1);
      return notes[0] as Row & { body: string };
    };
    await files.until(found);
    const note = await found();
    expect(note).to.include({ title: 'from hand', body: '# What we saw\n\nTwo deer.' });
    expect(await rest.call('get_note', { note_id: note.id })).to.deep.equal(note);
    files.write('notes/from hand.md', '# What we saw\n\nThree deer.\n');
    await files.until(async () => expect((await found()).body).to.include('Three'));
    expect((await found()).id).to.equal(note.id);
    await rest.call('update_note', { note_id: note.id, body: 'No deer.' });
    await service.store.flush();
    expect(files.read('notes/from hand.md')).to.include('No deer.').and.include(note.id);
    expect(files.paths().filter((path) => path.startsWith('notes/'))).to.deep.equal(['notes/from hand.md']);
  });

  rarely('read back byte for byte after a restart, with any content [D6.note]', async () => {
    const made = [];
    const bodies = nastyTexts.filter((text) => text.isWellFormed());
    for (const body of bodies) made.push(await rest.call('create_note', { project_id, title: 'Nasty', body }));
    await service.restart();
    rest = restTransport(service);
    for (const [at, note] of made.entries()) {
      expect(await rest.call('get_note', { note_id: note.id })).to.deep.equal({ ...note, body: bodies[at] });
    }
  });

  it('are restored with their history when their deletion is restored [D7.versioned-others, D7.restore]', async () => {
    const note = await rest.call('create_note', { project_id, title: 'Frost', body: 'Late in May.' });
    await rest.call('update_note', { note_id: note.id, title: 'Ice', body: 'Late in June.' });
    await service.rest.delete(`/notes/${note.id}`);
    const revisions = (await rest.call('list_revisions', { project_id, target_type: 'note' })).revisions;
    expect(revisions.map(({ changed_fields }: { changed_fields: string[] }) => changed_fields)).to.deep.equal([
      ['deleted'],
      ['title', 'body'],
    ]);
    const { snapshot } = await rest.call('get_revision', { revision_id: revisions[0].id });
    expect(snapshot).to.deep.equal({ title: 'Ice', body: 'Late in June.', edges: [], comments: [] });
    const back = await rest.call('restore_revision', { revision_id: revisions[0].id });
    expect(back).to.include({ id: note.id, title: 'Ice', body: 'Late in June.', created_at: note.created_at });
    expect(await rest.call('restore_revision', { revision_id: revisions[1].id })).to.include({
      title: 'Frost',
      body: 'Late in May.',
    });
    expect(await rest.call('get_note', { note_id: note.id })).to.include({ title: 'Frost' });
  });
});
