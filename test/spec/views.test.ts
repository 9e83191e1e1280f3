import { expect } from 'chai';
import { type Transport, mcpTransport, overBoth, restTransport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Row {
  readonly id: string;
  readonly name: string;
}

const names = (views: readonly Row[]): string[] => views.map(({ name }) => name);

async function save(service: TestService, project_id: string, view: object): Promise<Row> {
  const { status, body } = await service.rest.post(`/projects/${project_id}/views`, view);
  expect(status, JSON.stringify(body).slice(0, 200)).to.equal(201);
  return body as Row;
}

describe('Views', () => {
  overBoth('are listed by position, then in the order of creation [D7.view, S.mcp.list_views]', async (transport) => {
    const { service } = transport;
    const project_id = await service.project();
    expect((await transport.call('list_views', { project_id })).views).to.deep.equal([]);
    await save(service, project_id, { name: 'c' });
    await save(service, project_id, { name: 'd' });
    await save(service, project_id, { name: 'b', position: 0 });
    await save(service, project_id, {
      name: 'a',
      position: -1.5,
      config: { filter: { status: ['todo'] }, sort: null },
    });
    const { views } = await transport.call('list_views', { project_id });
    expect(names(views)).to.deep.equal(['a', 'c', 'b', 'd']);
    expect(views[0]).to.deep.include({ position: -1.5, config: { filter: { status: ['todo'] }, sort: null } });
    expect(views[3]).to.deep.include({ position: 1, config: {} });
    const pages = [];
    let cursor: string | undefined;
    do {
      const page = await transport.call('list_views', {
        project_id,
        limit: 1,
        ...(cursor === undefined ? {} : { cursor }),
      });
      pages.push(...names(page.views));
      cursor = page.next_cursor as string | undefined;
    } while (cursor !== undefined);
    expect(pages).to.deep.equal(['a', 'c', 'b', 'd']);
    for (const wrong of ['x', Buffer.from('["x","",""]').toString('base64url')])
      expect(await transport.refusal('list_views', { project_id, cursor: wrong })).to.include({ field: 'cursor' });
  });
});

describe('Views, over REST', () => {
  let service: TestService;
  let project_id: string;
  let rest: Transport;
  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
    rest = restTransport(service);
  });
  afterEach(() => service.stop());

  it('are created, read, changed and deleted [D7.view]', async () => {
    const config = { columns: ['label', 'status'], group: { by: 'goal' }, zoom: 1.5, 'own key': null };
    const view = await save(service, project_id, { name: 'Mine', config });
    expect(view).to.have.all.keys('id', 'project_id', 'name', 'config', 'position', 'created_at', 'updated_at');
    expect(view).to.deep.include({ project_id, name: 'Mine', config, position: 0 });
    expect(view.id).to.match(/^viw_/);
    const path = `/views/${view.id}`;
    const got = await service.rest.get(path);
    expect(got.body).to.deep.equal(view);
    const etag = got.headers.get('etag')!;
    const list = await service.rest.get(`/projects/${project_id}/views`);
    const patched = await service.rest.patch(path, { name: 'Ours', position: 7 }, { 'If-Match': etag });
    expect(patched.body).to.deep.include({ name: 'Ours', position: 7, config });
    expect((await service.rest.patch(path, { config: {} }, { 'If-Match': etag })).status).to.equal(412);
    expect((await service.rest.patch(path, { config: { a: 1 } })).body).to.deep.include({
      name: 'Ours',
      config: { a: 1 },
    });
    const since = `/projects/${project_id}/views?since=${encodeURIComponent(list.headers.get('etag')!)}`;
    expect(names((await service.rest.get(since)).body.views)).to.deep.equal(['Ours']);
    await service.restart();
    expect((await service.rest.get(path)).body).to.deep.include({ name: 'Ours', position: 7, config: { a: 1 } });
    expect((await service.rest.delete(path)).status).to.equal(204);
    expect((await service.rest.get(path)).body).to.include({ error: 'not_found', resource: 'view' });
    expect((await service.rest.get(`/projects/${project_id}/views`)).body.views).to.deep.equal([]);
  });

  it('accept a config of at most 64 KiB, and a name [D7.view]', async () => {
    const path = `/projects/${project_id}/views`;
    const fits = { text: 'x'.repeat(64 * 1024 - '{"text":""}'.length) };
    const view = await save(service, project_id, { name: 'Large', config: fits });
    for (const [input, field] of [
      [{ name: 'x', config: { text: `${fits.text}x` } }, 'config'],
      [{ name: 'x', config: { text: 'ü'.repeat(33_000) } }, 'config'],
      [{ name: 'x', config: [] }, 'config'],
      [{ name: 'x', config: null }, 'config'],
      [{ name: 'x', position: 'first' }, 'position'],
      [{ name: ' ' }, 'name'],
      [{ config: {} }, 'name'],
      [{ name: 'x', owner: 'me' }, 'owner'],
    ] as const) {
      const refused = await service.rest.post(path, input);
      expect([refused.status, refused.body.field], field).to.deep.equal([400, field]);
    }
    const patch = await service.rest.patch(`/views/${view.id}`, { config: { text: `${fits.text}x` } });
    expect(patch.body).to.include({ error: 'invalid_argument', field: 'config' });
    expect((await service.rest.get(path)).body.views).to.have.length(1);
    const agent = mcpTransport(service, await service.mcp());
    const { views } = await agent.call('list_views', { project_id });
    expect(views, 'an agent is spared it').to.deep.equal([{ id: view.id, name: 'Large', position: 0 }]);
  });

  it('are read by agents and changed by people [S.view.read-only]', async () => {
    await save(service, project_id, { name: 'Mine' });
    const { tools } = await (await service.mcp()).sdk.listTools();
    expect(tools.filter(({ name }) => /view/.test(name)).map(({ name }) => name)).to.deep.equal(['list_views']);
    expect(tools.find(({ name }) => name === 'list_views')!.annotations).to.include({ readOnlyHint: true });
    expect((await rest.call('list_views', { project_id })).views).to.have.length(1);
  });
});
