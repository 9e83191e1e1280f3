import { expect } from 'chai';
import { type Transport, overBoth, restTransport } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { TestService } from '../support/service.ts';

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly parent_folder_id: string | null;
}

interface Tree {
  readonly documents: readonly { readonly title: string }[];
  readonly folders: readonly (Tree & { readonly name: string })[];
}

async function folder(transport: Transport, project_id: string, name: string, parent?: string): Promise<string> {
  const input = { project_id, name, ...(parent === undefined ? {} : { parent_folder_id: parent }) };
  return (await transport.call('create_folder', input)).id as string;
}

async function write(
  transport: Transport,
  project_id: string,
  title: string,
  folder_id: string | null,
): Promise<string> {
  return (await transport.call('create_document', { project_id, title, body: title, folder_id })).id as string;
}

/** The tree as text: `Outer(Inner(Deep) Top)`, documents after folders. */
async function outline(transport: Transport, project_id: string): Promise<string> {
  const text = ({ folders, documents }: Tree): string =>
    [...folders.map((one) => `${one.name}(${text(one)})`), ...documents.map(({ title }) => title)].join(' ');
  return text((await transport.call('list_documents', { project_id })) as Tree);
}

describe('Folders', () => {
  overBoth('are nested [S.folder.nested, S.mcp.create_folder]', async (transport) => {
    const project_id = await transport.service.project();
    const outer = await folder(transport, project_id, ' Outer ');
    expect(outer).to.match(/^fld_/);
    const made = await transport.call('create_folder', { project_id, name: 'Inner', parent_folder_id: outer });
    expect(made).to.include({ project_id, name: 'Inner', parent_folder_id: outer });
    await write(transport, project_id, 'Deep', made.id);
    expect(await outline(transport, project_id)).to.equal('Outer(Inner(Deep))');
    for (const [field, input] of [
      ['name', {}],
      ['name', { name: ' ' }],
      ['name', { name: 'x'.repeat(501) }],
      ['name', { name: 'OUTER' }],
      ['parent_folder_id', { name: 'x', parent_folder_id: 'fld_none' }],
    ] as const) {
      const refused = await transport.refusal('create_folder', { project_id, ...input });
      expect(refused, JSON.stringify(input).slice(0, 60)).to.include({ error: 'invalid_argument', field });
    }
  });

  overBoth('are renamed and moved with their contents [S.folder.update, S.mcp.update_folder]', async (transport) => {
    const project_id = await transport.service.project();
    const outer = await folder(transport, project_id, 'Outer');
    const inner = await folder(transport, project_id, 'Inner', outer);
    const document_id = await write(transport, project_id, 'Deep', inner);
    expect(await transport.call('update_folder', { folder_id: inner, name: 'Within' })).to.include({
      id: inner,
      name: 'Within',
      parent_folder_id: outer,
    });
    const other = await folder(transport, project_id, 'Other');
    await transport.call('update_folder', { folder_id: outer, parent_folder_id: other });
    expect(await outline(transport, project_id)).to.equal('Other(Outer(Within(Deep)))');
    await transport.call('update_folder', { folder_id: inner, parent_folder_id: null, name: 'Inner' });
    expect(await outline(transport, project_id)).to.equal('Inner(Deep) Other(Outer())');
    expect(await transport.call('get_document', { document_id })).to.include({ folder_id: inner, body: 'Deep' });
    expect(await transport.refusal('update_folder', { folder_id: 'fld_none', name: 'x' })).to.include({
      error: 'not_found',
      resource: 'folder',
    });
  });

  overBoth(
    'are never nested in themselves: a cycle is rejected, and then nothing changes [S.folder.cycle, S.errors.folder-cycle]',
    async (transport) => {
      const project_id = await transport.service.project();
      const a = await folder(transport, project_id, 'A');
      const b = await folder(transport, project_id, 'B', a);
      const c = await folder(transport, project_id, 'C', b);
      for (const parent_folder_id of [a, b, c]) {
        expect(
          await transport.refusal('update_folder', { folder_id: a, name: 'Z', parent_folder_id }),
          parent_folder_id,
        ).to.include({ error: 'invalid_argument', field: 'parent_folder_id' });
      }
      expect(await outline(transport, project_id)).to.equal('A(B(C()))');
      await transport.call('update_folder', { folder_id: b, parent_folder_id: null });
      await transport.call('update_folder', { folder_id: a, parent_folder_id: c });
      expect(await outline(transport, project_id), 'what is no cycle any more').to.equal('B(C(A()))');
    },
  );

  overBoth(
    'are deleted without their contents, which move to the parent [S.folder.delete, S.mcp.delete_folder]',
    async (transport) => {
      const project_id = await transport.service.project();
      const a = await folder(transport, project_id, 'A');
      const b = await folder(transport, project_id, 'B', a);
      const c = await folder(transport, project_id, 'C', b);
      for (const [title, folder_id] of [
        ['one', a],
        ['two', b],
        ['three', c],
      ] as const)
        await write(transport, project_id, title, folder_id);
      await transport.call('delete_folder', { folder_id: b });
      expect(await outline(transport, project_id)).to.equal('A(C(three) one two)');
      expect(await transport.refusal('delete_folder', { folder_id: b })).to.include({ error: 'not_found' });
      await transport.call('delete_folder', { folder_id: a });
      expect(await outline(transport, project_id), 'Unfiled, at the top').to.equal('C(three) one two');
    },
  );

  overBoth(
    'are deleted into the folder that the caller names, null for Unfiled [D6.delete_folder]',
    async (transport) => {
      const project_id = await transport.service.project();
      const a = await folder(transport, project_id, 'A');
      const b = await folder(transport, project_id, 'B', a);
      const c = await folder(transport, project_id, 'C', b);
      const other = await folder(transport, project_id, 'Other');
      await write(transport, project_id, 'two', b);
      for (const reparent_to of [b, c, 'fld_none']) {
        const refused = await transport.refusal('delete_folder', { folder_id: b, reparent_to });
        expect(refused, reparent_to).to.include({ error: 'invalid_argument', field: 'reparent_to' });
      }
      await folder(transport, project_id, 'c', other);
      expect(
        await transport.refusal('delete_folder', { folder_id: b, reparent_to: other }),
        'two of a name',
      ).to.include({
        error: 'invalid_argument',
      });
      expect(await outline(transport, project_id)).to.equal('A(B(C() two)) Other(c())');
      await transport.call('delete_folder', { folder_id: b, reparent_to: null });
      expect(await outline(transport, project_id)).to.equal('A() C() Other(c()) two');
      await transport.call('delete_folder', { folder_id: c, reparent_to: a });
      await transport.call('delete_folder', { folder_id: a, reparent_to: other });
      expect(await outline(transport, project_id)).to.equal('Other(c()) two');
    },
  );

  overBoth('may take the name of a folder that was renamed or deleted, also after a restart', async (transport) => {
    const project_id = await transport.service.project();
    const [a, b] = [await folder(transport, project_id, 'A'), await folder(transport, project_id, 'B')];
    await write(transport, project_id, 'in a', a);
    await write(transport, project_id, 'in b', b);
    await transport.service.store.flush();
    await transport.call('update_folder', { folder_id: a, name: 'C' });
    await transport.call('update_folder', { folder_id: b, name: 'A' });
    await transport.call('update_folder', { folder_id: a, name: 'B' });
    const again = await folder(transport, project_id, 'C', a);
    expect(again).to.not.be.oneOf([a, b]);
    await write(transport, project_id, 'in c', again);
    const swapped = 'A(in b) B(C(in c) in a)';
    expect(await outline(transport, project_id)).to.equal(swapped);
    await transport.service.restart();
    expect(await outline(restTransport(transport.service), project_id)).to.equal(swapped);
    expect((await restTransport(transport.service).call('get_folder', { folder_id: a })).name).to.equal('B');
    expect(transport.service.store.check()).to.deep.equal([]);
  });
});

describe('Folders over REST', () => {
  let service: TestService;
  let project_id: string;
  let transport: Transport;
  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
    transport = restTransport(service);
  });
  afterEach(() => service.stop());

  it('have their own routes [D6.folder-rest]', async () => {
    const path = `/projects/${project_id}/folders`;
    const made = await service.rest.post(path, { name: 'Notes' });
    expect(made.status).to.equal(201);
    expect(made.body).to.have.all.keys('id', 'project_id', 'name', 'parent_folder_id', 'created_at', 'updated_at');
    const { id } = made.body;
    const inner = (await service.rest.post(path, { name: 'Inner', parent_folder_id: id })).body.id as string;
    const list = await service.rest.get(path);
    expect(list.body.folders.map((one: Shown) => [one.name, one.parent_folder_id])).to.have.deep.members([
      ['Notes', null],
      ['Inner', id],
    ]);
    const one = await service.rest.get(`/folders/${id}`);
    expect([one.status, one.body]).to.deep.equal([200, made.body]);
    const etag = one.headers.get('etag')!;
    expect((await service.rest.get(`/folders/${id}`, { 'If-None-Match': etag })).status).to.equal(304);
    const changed = await service.rest.patch(`/folders/${id}`, { name: 'Papers' }, { 'If-Match': etag });
    expect([changed.status, changed.body.name]).to.deep.equal([200, 'Papers']);
    expect((await service.rest.patch(`/folders/${id}`, { name: 'x' }, { 'If-Match': etag })).status).to.equal(412);
    expect((await service.rest.delete(`/folders/${id}?reparent_to=`)).status).to.equal(204);
    expect((await service.rest.get(`/folders/${id}`)).status).to.equal(404);
    expect((await service.rest.get(`/folders/${inner}`)).body.parent_folder_id).to.equal(null);
    const since = await service.rest.get(`${path}?since=${encodeURIComponent(list.headers.get('etag')!)}`);
    expect([since.body.folders.map((each: Shown) => each.id), since.body.removed]).to.deep.equal([[inner], [id]]);
  });

  it('keep names that are invalid for directories, also after a restart', async () => {
    const names = ['a/b', '..', '.hidden', 'CON', 'dot.', 'what?*', 'naïve 🌱', 'x'.repeat(500), 'a-b', '\\', '~'];
    const ids: string[] = [];
    for (const name of names) {
      const id = await folder(transport, project_id, name);
      ids.push(id);
      await write(transport, project_id, `in ${name.slice(0, 9)}`, id);
    }
    await service.restart();
    for (const [at, folder_id] of ids.entries()) {
      expect(await transport.call('get_folder', { folder_id }), names[at]!.slice(0, 20)).to.include({
        name: names[at],
      });
      const { documents } = await transport.call('list_documents', { project_id, folder_id });
      expect(documents.map(({ title }: { title: string }) => title)).to.deep.equal([`in ${names[at]!.slice(0, 9)}`]);
    }
    expect(service.store.check()).to.deep.equal([]);
    await transport.call('update_folder', { folder_id: ids[0]!, name: 'plain' });
    await transport.call('update_folder', { folder_id: ids[1]!, name: '...' });
    await service.restart();
    expect(await transport.call('get_folder', { folder_id: ids[0]! })).to.include({ name: 'plain' });
    expect(await transport.call('get_folder', { folder_id: ids[1]! })).to.include({ name: '...' });
    for (const path of (await PlanFiles.of(service)).paths()) expect(path).to.not.match(/\.\.\/|[?*\\]/);
  });

  it('are one if two names differ only in case or Unicode form', async () => {
    await folder(transport, project_id, 'Cafe\u0301');
    expect(await transport.refusal('create_folder', { project_id, name: 'CAF\u00c9' })).to.include({ field: 'name' });
    const other = await folder(transport, project_id, 'Bar');
    expect(await transport.refusal('update_folder', { folder_id: other, name: 'caf\u00e9' })).to.include({
      field: 'name',
    });
    expect(await transport.call('update_folder', { folder_id: other, name: 'BAR' }), 'its own').to.include({
      name: 'BAR',
    });
    await service.restart();
    expect(await transport.call('get_folder', { folder_id: other })).to.include({ name: 'BAR' });
  });

  it('are nested at most 30 deep, whatever their names: a path would be too long', async () => {
    let parent: string | undefined;
    const name = 'deep '.repeat(20).trim();
    for (let level = 0; level < 30; level++) parent = await folder(transport, project_id, `${name} ${level}`, parent);
    const document_id = await write(transport, project_id, 'Bottom', parent!);
    const refused = await transport.refusal('create_folder', { project_id, name: 'Deeper', parent_folder_id: parent! });
    expect(refused).to.include({ error: 'invalid_argument', field: 'parent_folder_id' });
    const pair = await folder(transport, project_id, 'Pair');
    await folder(transport, project_id, 'Half', pair);
    const above = (await transport.call('get_folder', { folder_id: parent! })).parent_folder_id as string;
    expect(await transport.refusal('update_folder', { folder_id: pair, parent_folder_id: above })).to.include({
      error: 'invalid_argument',
      field: 'parent_folder_id',
    });
    await service.store.flush();
    expect(service.store.check()).to.deep.equal([]);
    expect((await transport.call('list_problems', { project_id }))['problems']).to.deep.equal([]);
    expect(await transport.call('get_document', { document_id })).to.include({ folder_id: parent, body: 'Bottom' });
    await service.restart();
    expect(await transport.call('get_document', { document_id })).to.include({ folder_id: parent, body: 'Bottom' });
  });
});
