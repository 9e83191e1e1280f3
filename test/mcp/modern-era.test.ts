import { expect } from 'chai';
import { headersOfRequest, metaNames } from '../../src/mcp/envelope.ts';
import { ItemService } from '../support/item-service.ts';
import { catalogue } from '../support/items.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { envelope, ModernClient, modernRequest } from '../support/modern-client.ts';
import type { ModernClientOptions } from '../support/modern-client.ts';
import { answerOf } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';

describe('The revision of MCP without sessions', () => {
  let service: ItemService;
  let project: string;
  let item: string;
  const clients: ModernClient[] = [];

  before(async () => {
    service = await new ItemService().start();
    ({ project, item } = await service.plan());
  });

  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await service.stop();
  });

  async function connect(options?: ModernClientOptions): Promise<ModernClient> {
    const client = await ModernClient.connect(service.url, options);
    clients.push(client);
    return client;
  }

  type Request = ReturnType<typeof modernRequest>;

  /** Posts a request with the headers that it needs, except the ones that a test gives. */
  async function post(request: Request, headers: Record<string, string | undefined> = {}): Promise<RestResponse> {
    const all = { ...headersOfRequest(request), ...headers };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return answerOf(await rawMcp(service.url, request, Object.fromEntries(given)));
  }

  const callOf = (id: number, name: string, input: object, meta: object = {}): Request =>
    modernRequest(id, 'tools/call', { name, arguments: input, _meta: meta });

  describe('to the client of the second SDK', () => {
    it('is chosen by a client that knows it, and one that does not gets a session [D2.modern]', async () => {
      expect((await connect()).version).to.equal('2026-07-28');
      expect((await connect({ mode: { pin: '2026-07-28' } })).version).to.equal('2026-07-28');
      expect((await connect({ mode: 'legacy' })).version).to.equal('2025-11-25');
    });

    it('lists the same tools and describes the same working loop as in a session [D2.modern]', async () => {
      const [modern, legacy] = [await connect(), await service.mcp()];
      const { tools } = await modern.sdk.listTools();
      expect(tools.map(({ name }) => name)).to.deep.equal(
        catalogue.flatMap(({ name, mcp }) => (mcp === undefined ? [] : [name])),
      );
      expect(JSON.parse(JSON.stringify(tools))).to.deep.equal((await legacy.sdk.listTools()).tools);
      expect(modern.sdk.getInstructions()).to.equal(legacy.sdk.getInstructions());
    });

    for (const mode of ['auto', 'legacy'] as const) {
      it(`returns results and errors of tools, and runs a repeated key once: ${mode} [D2.modern]`, async () => {
        const client = await connect({ mode, name: `coder-${mode}` });
        expect((await client.get('get_task', { item_id: item })).item).to.include({ label: 'First' });
        const refused = await client.call('create_task', { project_id: project, label: '' });
        expect(refused).to.have.property('isError', true);
        expect(refused.value).to.include({ error: 'invalid_argument', field: 'label' });
        const once = { project_id: project, label: `Once ${mode}` };
        const made = await client.call('create_task', once, `key-${mode}`);
        expect(made.value.warnings).to.deep.equal([`made by agent:coder-${mode}`]);
        expect(await client.call('create_task', once, `key-${mode}`)).to.deep.equal(made);
        await client.call('no_such_tool').then(
          () => expect.fail('There is no such tool.'),
          (error: unknown) => expect((error as Error).message).to.include('no_such_tool'),
        );
      });
    }
  });

  describe('over HTTP', () => {
    it('names versions, capabilities, instructions and how long they hold [D2.modern]', async () => {
      const { status, body, headers } = await post(modernRequest('d', 'server/discover'));
      expect([status, body.id]).to.deep.equal([200, 'd']);
      expect(headers.get('mcp-session-id')).to.equal(null);
      const { result } = body;
      expect(result).to.have.all.keys(
        'supportedVersions',
        'capabilities',
        'instructions',
        'ttlMs',
        'cacheScope',
        'resultType',
        '_meta',
      );
      expect(result).to.deep.include({
        supportedVersions: ['2026-07-28'],
        capabilities: {
          ...{ tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
          extensions: { 'io.modelcontextprotocol/events': {}, 'io.modelcontextprotocol/skills': {} },
        },
        cacheScope: 'private',
        resultType: 'complete',
      });
      expect(result.ttlMs).to.be.above(0);
      expect(result._meta[metaNames.server]).to.deep.equal({ name: 'planner', title: 'Planner', version: '1.2.3' });
    });

    it('marks every result as complete, and the list of tools as the same for everybody [D2.modern]', async () => {
      const list = (await post(modernRequest(1, 'tools/list'))).body.result;
      expect(list).to.include({ resultType: 'complete', cacheScope: 'public' });
      expect(list.ttlMs).to.be.above(0);
      const { result } = (await post(callOf(2, 'get_task', { item_id: item }))).body;
      expect(result).to.include({ resultType: 'complete' }).and.not.have.any.keys('ttlMs', 'cacheScope', 'isError');
      expect(JSON.parse(result.content[0].text)).to.deep.equal(result.structuredContent);
      const refused = (await post(callOf(3, 'get_task', { item_id: 'none' }))).body.result;
      expect(refused).to.include({ resultType: 'complete', isError: true });
    });

    it('needs neither both types in Accept nor the name of the client [D2.modern]', async () => {
      const meta = envelope();
      const { [metaNames.client]: _, ...nameless } = meta;
      const request = { ...callOf(1, 'create_task', { project_id: project, label: 'By nobody' }) };
      request.params['_meta'] = nameless;
      const { status, body } = await post(request, { Accept: 'application/json' });
      expect(status).to.equal(200);
      expect(body.result.structuredContent.warnings).to.deep.equal(['made by agent:mcp']);
    });

    it('responds to two calls in flight with the same id, each with its own result', async () => {
      const [a, b] = await Promise.all([
        post(callOf(7, 'get_task', { item_id: item })),
        post(callOf(7, 'list_tasks', { project_id: project })),
      ]);
      expect(a.body.result.structuredContent).to.have.property('item');
      expect(b.body.result.structuredContent).to.have.property('items');
    });

    it('accepts a notification without a response, and refuses one of an unknown version', async () => {
      const of = (version: string): object => ({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 1, _meta: { [metaNames.version]: version } },
      });
      expect((await rawMcp(service.url, of('2026-07-28'))).status).to.equal(202);
      const { status, body } = answerOfText(await rawMcp(service.url, of('2099-01-01')));
      expect(status).to.equal(400);
      expect((await body).error.code).to.equal(-32022);
      const bare = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      expect((await rawMcp(service.url, bare, { 'MCP-Protocol-Version': '2026-07-28' })).status).to.equal(202);
    });

    it('logs the method or the tool of a request', async () => {
      await post(callOf(1, 'get_task', { item_id: item }));
      await post(modernRequest(2, 'server/discover'));
      const routes = service.log.map(({ route }) => route);
      expect(routes).to.include.members(['/mcp get_task', '/mcp server/discover']);
    });
  });

  describe('rejects', () => {
    interface Refusal {
      readonly status?: number;
      readonly code: number;
      readonly field: string;
      readonly data?: object;
    }

    async function refused(
      request: Request,
      headers: Record<string, string | undefined>,
      { status = 400, code, field, data = {} }: Refusal,
    ): Promise<void> {
      const answer = await post(request, headers);
      expect(answer.body.error, JSON.stringify(answer.body)).to.include({ code });
      expect([answer.status, answer.body.id]).to.deep.equal([status, request.id]);
      expect(answer.body.error.data).to.deep.include({ field, ...data });
      expect(answer.body.error.data.message).to.equal(answer.body.error.message);
    }

    const list = (meta: object = {}): Request => modernRequest('mine', 'tools/list', { _meta: meta });

    it('headers that disagree with the body, or are missing, with -32020 [D2.modern-refusals]', async () => {
      const code = -32020;
      const call = callOf(5, 'get_task', { item_id: item });
      await refused(list(), { 'MCP-Protocol-Version': '2025-11-25' }, { code, field: 'MCP-Protocol-Version' });
      await refused(list(), { 'MCP-Protocol-Version': undefined }, { code, field: 'MCP-Protocol-Version' });
      await refused(list(), { 'Mcp-Method': 'tools/call' }, { code, field: 'Mcp-Method' });
      await refused(list(), { 'Mcp-Method': undefined }, { code, field: 'Mcp-Method' });
      await refused(call, { 'Mcp-Name': undefined }, { code, field: 'Mcp-Name' });
      const mismatch = { header: 'list_tasks', body: 'the body names "get_task"' };
      await refused(call, { 'Mcp-Name': 'list_tasks' }, { code, field: 'Mcp-Name', data: { mismatch } });
      for (const name of ['=?base64?Z2V0X3Rhc2s?=', '=?base64?/w==?='])
        await refused(call, { 'Mcp-Name': name }, { code, field: 'Mcp-Name' });
      expect((await post(call, { 'Mcp-Name': ' =?base64?Z2V0X3Rhc2s=?= ' })).status).to.equal(200);
      const initialize = { jsonrpc: '2.0', id: 'mine', method: 'initialize', params: {} } as const;
      await refused(initialize, { 'MCP-Protocol-Version': '2026-07-28' }, { code, field: 'MCP-Protocol-Version' });
    });

    it('versions that it does not support with -32022, and names the supported ones [D2.modern-refusals]', async () => {
      for (const requested of ['2099-01-01', '2025-11-25', 'none'])
        await refused(
          modernRequest('mine', 'tools/list', { _meta: { [metaNames.version]: requested } }),
          {},
          {
            code: -32022,
            field: `params._meta.${metaNames.version}`,
            data: { supported: ['2026-07-28'], requested },
          },
        );
    });

    it('an envelope that is incomplete or malformed, with -32602 and the member [D2.modern-refusals]', async () => {
      const [code, field] = [-32602, (name: string): string => `params._meta.${name}`];
      await refused(list({ [metaNames.capabilities]: undefined }), {}, { code, field: field(metaNames.capabilities) });
      await refused(list({ [metaNames.capabilities]: [] }), {}, { code, field: field(metaNames.capabilities) });
      await refused(list({ [metaNames.client]: { version: '1' } }), {}, { code, field: field(metaNames.client) });
      await refused(list({ [metaNames.version]: 5 }), {}, { code, field: field(metaNames.version) });
      const header = { 'MCP-Protocol-Version': '2026-07-28' };
      await refused(list({ [metaNames.version]: undefined }), header, { code, field: field(metaNames.version) });
      const bare = { jsonrpc: '2.0', id: 'mine', method: 'tools/list', params: {} } as const;
      await refused(bare, header, { code, field: 'params._meta' });
    });

    it('methods that it does not have with 404, also methods of the revisions with sessions [D2.modern-refusals]', async () => {
      for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'no/such', 'constructor'])
        await refused(modernRequest('mine', method), {}, { status: 404, code: -32601, field: 'method' });
    });

    it('parameters of a request that are none, within the response [D2.modern-refusals]', async () => {
      const invalid = { status: 200, code: -32602 };
      const call = modernRequest('mine', 'tools/call', { name: 'get_task', arguments: 5 });
      await refused(call, {}, { ...invalid, field: 'params.arguments' });
      await refused(modernRequest('mine', 'tools/call', {}), {}, { ...invalid, field: 'params.name' });
      await refused(modernRequest('mine', 'tools/list', { cursor: 5 }), {}, { ...invalid, field: 'params.cursor' });
      await refused(callOf(9, 'no_such_tool', {}), {}, { ...invalid, field: 'params.name' });
      await refused(callOf(9, 'constructor', {}), {}, { ...invalid, field: 'params.name' });
    });

    it('a batch with one of its requests, and echoes the id of a message that is none [D2.modern-refusals]', async () => {
      const batch = answerOfText(await rawMcp(service.url, [list()]));
      expect(batch.status).to.equal(400);
      expect(await batch.body).to.deep.include({ id: null });
      const malformed = answerOfText(await rawMcp(service.url, { ...list(), extra: 1 }));
      expect([malformed.status, (await malformed.body).id]).to.deep.equal([400, 'mine']);
    });
  });

  function answerOfText(response: Response): { readonly status: number; readonly body: Promise<RestResponse['body']> } {
    return { status: response.status, body: response.json() };
  }
});
