import { expect } from 'chai';
import { type Transport, overBoth } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Row {
  readonly id: string;
}

async function prototype(transport: Transport, project_id: string, name = 'Checkout'): Promise<string> {
  return (await transport.call('create_prototype', { project_id, name })).id as string;
}

async function screen(transport: Transport, project_id: string, prototype_id: string, title = 'Cart'): Promise<string> {
  const input = { project_id, title, kind: 'html', content: `<p>${title}</p>`, prototype_id };
  return (await transport.call('create_artifact', input)).id as string;
}

const ids = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);

describe('Prototypes', () => {
  overBoth(
    'have a name and a positive viewport [D6.prototype, S.mcp.create_prototype, S.mcp.update_prototype, S.mcp.list_prototypes]',
    async (transport) => {
      const project_id = await transport.service.project();
      const viewport = { width: 390, height: 844 };
      const made = await transport.call('create_prototype', { project_id, name: 'Checkout', viewport });
      expect(made).to.deep.include({ project_id, name: 'Checkout', viewport, screens: [] });
      expect(made.id).to.match(/^pro_[0-9a-z]{16}$/);
      const plain = await transport.call('create_prototype', { project_id, name: 'Plain' });
      expect(plain.viewport).to.deep.equal({ width: 1280, height: 800 });
      for (const [input, field] of [
        [{}, 'name'],
        [{ name: ' ' }, 'name'],
        [{ name: 'x', viewport: { width: 0, height: 1 } }, 'viewport.width'],
        [{ name: 'x', viewport: { width: 1, height: -1 } }, 'viewport.height'],
        [{ name: 'x', viewport: { width: 1 } }, 'viewport.height'],
        [{ name: 'x', viewport: { width: 1, height: 1, depth: 1 } }, 'viewport.depth'],
        [{ name: 'x', screens: [] }, 'screens'],
      ] as const) {
        const refused = await transport.refusal('create_prototype', { project_id, ...input });
        expect(refused, field).to.include({ error: 'invalid_argument', field });
      }
      const wide = { width: 1920.5, height: 1080 };
      await transport.call('update_prototype', { prototype_id: made.id, viewport: wide });
      await transport.call('update_prototype', { prototype_id: made.id, name: 'Pay' });
      const read = await transport.call('get_prototype', { prototype_id: made.id });
      expect(read).to.deep.include({ name: 'Pay', viewport: wide });
      const { prototypes } = await transport.call('list_prototypes', { project_id });
      expect(ids(prototypes)).to.deep.equal([made.id, plain.id]);
      expect(await transport.refusal('get_prototype', { prototype_id: 'pro_none' })).to.include({
        error: 'not_found',
        resource: 'prototype',
      });
    },
  );

  overBoth(
    'show the HTML artifacts with their id as screens, oldest first [S.prototype.screens, S.mcp.get_prototype, D6.prototype]',
    async (transport) => {
      const project_id = await transport.service.project();
      const prototype_id = await prototype(transport, project_id);
      const screens = [];
      for (const title of ['Cart', 'Pay', 'Thanks'])
        screens.push(await screen(transport, project_id, prototype_id, title));
      await transport.call('create_artifact', { project_id, title: 'Alone', kind: 'html' });
      const read = await transport.call('get_prototype', { prototype_id });
      expect(ids(read.screens)).to.deep.equal(screens);
      expect(read.screens[0]).to.have.all.keys('id', 'title', 'kind', 'updated_at');
      const page = await transport.call('get_prototype', { prototype_id, limit: 2 });
      const rest = await transport.call('get_prototype', { prototype_id, cursor: page.next_cursor });
      expect(ids([...page.screens, ...rest.screens])).to.deep.equal(screens);
      const markdown = { project_id, title: 'x', kind: 'markdown', prototype_id };
      expect(await transport.refusal('create_artifact', markdown)).to.include({
        error: 'invalid_argument',
        field: 'kind',
      });
      expect(await transport.refusal('update_artifact', { artifact_id: screens[0], kind: 'markdown' })).to.include({
        error: 'invalid_argument',
        field: 'kind',
      });
      await transport.call('update_artifact', { artifact_id: screens[0], kind: 'markdown', prototype_id: null });
      expect(ids((await transport.call('get_prototype', { prototype_id })).screens)).to.deep.equal(screens.slice(1));
    },
  );

  overBoth(
    'move a screen to another prototype with its id and its comments [S.prototype.move, S.mcp.move_screen]',
    async (transport) => {
      const project_id = await transport.service.project();
      const [from, to] = [await prototype(transport, project_id), await prototype(transport, project_id, 'Other')];
      const artifact_id = await screen(transport, project_id, from);
      await transport.call('add_artifact_comment', { project_id, artifact_id, body: 'Larger.' });
      const moved = await transport.call('move_screen', { artifact_id, prototype_id: to });
      expect(moved).to.include({ id: artifact_id, prototype_id: to });
      expect((await transport.call('get_prototype', { prototype_id: from })).screens).to.deep.equal([]);
      expect(ids((await transport.call('get_prototype', { prototype_id: to })).screens)).to.deep.equal([artifact_id]);
      expect((await transport.call('list_artifact_comments', { project_id, artifact_id })).comments).to.have.length(1);
      const report = (await transport.call('create_artifact', { project_id, title: 'Report' })).id as string;
      expect(await transport.refusal('move_screen', { artifact_id: report, prototype_id: to })).to.include({
        error: 'invalid_argument',
        field: 'artifact_id',
      });
      const elsewhere = await prototype(transport, await transport.service.project('Elsewhere'));
      for (const prototype_id of ['pro_none', elsewhere])
        expect(await transport.refusal('move_screen', { artifact_id, prototype_id })).to.include({
          error: 'invalid_argument',
          field: 'prototype_id',
        });
      expect(await transport.call('get_artifact', { artifact_id })).to.include({ prototype_id: to });
    },
  );

  overBoth(
    'get a copy of a screen under a new id, with the same content and without comments [S.prototype.copy, S.mcp.copy_screen]',
    async (transport) => {
      const project_id = await transport.service.project();
      const [from, to] = [await prototype(transport, project_id), await prototype(transport, project_id, 'Other')];
      const artifact_id = await screen(transport, project_id, from);
      await transport.call('add_artifact_comment', { project_id, artifact_id, body: 'Larger.' });
      const { id } = await transport.call('copy_screen', { artifact_id, prototype_id: to });
      expect(id).to.not.equal(artifact_id);
      expect(await transport.call('get_artifact', { artifact_id: id })).to.include({
        title: 'Cart',
        content: '<p>Cart</p>',
        kind: 'html',
        prototype_id: to,
      });
      expect((await transport.call('list_artifact_comments', { project_id, artifact_id: id })).comments).to.deep.equal(
        [],
      );
      expect(ids((await transport.call('get_prototype', { prototype_id: from })).screens)).to.deep.equal([artifact_id]);
      const named = await transport.call('copy_screen', { artifact_id, prototype_id: from, title: 'Cart, empty' });
      expect(named.title).to.equal('Cart, empty');
      expect(await transport.refusal('copy_screen', { artifact_id: 'art_none', prototype_id: to })).to.include({
        error: 'not_found',
      });
    },
  );
});

describe('Prototypes over REST', () => {
  let service: TestService;
  let project_id: string;
  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
  });
  afterEach(() => service.stop());

  it('leave their screens as artifacts when they are deleted [D6.prototype]', async () => {
    const { id } = (await service.rest.post(`/projects/${project_id}/prototypes`, { name: 'Flow' })).body;
    const screens = `/projects/${project_id}/artifacts`;
    const screen = (await service.rest.post(screens, { title: 'A', kind: 'html', prototype_id: id })).body;
    const tag = (await service.rest.get(`/prototypes/${id}`)).headers.get('etag')!;
    expect((await service.rest.get(`/prototypes/${id}`, { 'If-None-Match': tag })).status).to.equal(304);
    expect((await service.rest.patch(`/artifacts/${screen.id}`, { title: 'B' })).status).to.equal(200);
    expect((await service.rest.get(`/prototypes/${id}`, { 'If-None-Match': tag })).status).to.equal(200);
    expect((await service.rest.delete(`/prototypes/${id}`)).status).to.equal(204);
    expect((await service.rest.get(`/prototypes/${id}`)).status).to.equal(404);
    expect((await service.rest.get(`/artifacts/${screen.id}`)).body).to.include({ prototype_id: null, title: 'B' });
    expect((await service.rest.get(`/projects/${project_id}/problems`)).body.problems).to.deep.equal([]);
  });

  it('are counted in the project, and are files of their own [D6.prototype, A.format.one-file]', async () => {
    await service.rest.post(`/projects/${project_id}/prototypes`, { name: 'Flow' });
    await service.rest.post(`/projects/${project_id}/artifacts`, { title: 'A' });
    const { summary } = (await service.rest.get(`/projects/${project_id}`)).body;
    expect(summary).to.include({ prototypes: 1, artifacts: 1 });
    await service.restart();
    expect((await service.rest.get(`/projects/${project_id}/prototypes`)).body.prototypes).to.have.length(1);
  });
});
