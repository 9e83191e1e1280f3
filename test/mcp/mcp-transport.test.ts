import { expect } from 'chai';
import { ItemService } from '../support/item-service.ts';
import { catalogue } from '../support/items.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { answerOf } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';

describe('the MCP transport', () => {
  let service: ItemService;
  let project: string;
  let item: string;

  before(async () => {
    service = await new ItemService().start();
    ({ project, item } = await service.plan());
  });

  after(() => service.stop());

  async function post(body: unknown, headers: Record<string, string> = {}): Promise<RestResponse> {
    return answerOf(await rawMcp(service.url, body, headers));
  }

  const request = (id: number | string, method: string, params?: object): object => ({
    jsonrpc: '2.0',
    id,
    method,
    ...(params && { params }),
  });
  const callOf = (id: number, name: string, input: object): object =>
    request(id, 'tools/call', { name, arguments: input });
  const initialize = (id: number): object =>
    request(id, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });

  describe('to a client', () => {
    it('lists the tools in one page and fixed order, with annotations and without output schemas [D2.annotations]', async () => {
      const client = await service.mcp();
      const { tools, nextCursor } = await client.sdk.listTools();
      expect(nextCursor).to.equal(undefined);
      const names = tools.map(({ name }) => name);
      expect(names)
        .to.deep.equal(catalogue.flatMap(({ name, mcp }) => (mcp === undefined ? [] : [name])))
        .and.to.include('get_task');
      for (const tool of tools) {
        expect(tool.outputSchema).to.equal(undefined);
        expect(tool.annotations).to.have.all.keys(
          'title',
          'readOnlyHint',
          'destructiveHint',
          'idempotentHint',
          'openWorldHint',
        );
      }
      expect(tools.find(({ name }) => name === 'get_task')!.annotations).to.include({
        readOnlyHint: true,
        idempotentHint: true,
      });
      expect(tools.find(({ name }) => name === 'create_task')!.annotations).to.include({
        readOnlyHint: false,
        openWorldHint: false,
      });
    });

    it('returns the object of a tool as text and structured content [D2.mcp-answer]', async () => {
      const client = await service.mcp();
      const result = await client.sdk.callTool({ name: 'get_task', arguments: { item_id: item } });
      expect(result.structuredContent).to.deep.include({ item: (await service.rest.get(`/items/${item}`)).body });
      const [content] = result.content as { type: string; text: string }[];
      expect(JSON.parse(content!.text)).to.deep.equal(result.structuredContent);
      expect(result.isError).to.equal(undefined);
    });

    it('returns errors of the caller as errors of the tool [D2.shape]', async () => {
      const client = await service.mcp();
      const result = await client.sdk.callTool({
        name: 'create_task',
        arguments: { project_id: project, label: '', colour: 1 },
      });
      expect(result.isError).to.equal(true);
      expect(result.structuredContent).to.include({ error: 'invalid_argument' });
      const [content] = result.content as { text: string }[];
      expect(JSON.parse(content!.text)).to.deep.equal(result.structuredContent);
    });

    it('responds to a repeated planner/key as it did the first time', async () => {
      const client = await service.mcp();
      const input = { project_id: project, label: 'Once' };
      const first = await client.call('create_task', input, 'mcp-1');
      expect(await client.call('create_task', input, 'mcp-1')).to.deep.equal(first);
      const other = await client.call('create_task', { ...input, label: 'Twice' }, 'mcp-1');
      expect(other.value).to.include({ error: 'conflict' });
    });

    it('describes the working loop at initialize, and reports that no project is bound [D2.instructions]', async () => {
      const text = (await service.mcp()).sdk.getInstructions()!;
      expect(Buffer.byteLength(text)).to.be.at.most(2048);
      for (const tool of [
        'invoke_goal',
        'get_next_task',
        'claim_task',
        'update_task',
        'complete_goal',
        'list_projects',
      ]) {
        expect(text).to.include(tool);
      }
    });

    it('names the client as the author of its changes', async () => {
      const client = await service.mcp({ name: 'coder' });
      const { warnings } = await client.get('create_task', { project_id: project, label: 'By an agent' });
      expect(warnings).to.deep.equal(['made by agent:coder']);
    });

    it('responds to two calls in flight with the same id', async () => {
      const [a, b] = await Promise.all([
        post(callOf(7, 'get_task', { item_id: item })),
        post(callOf(7, 'list_tasks', { project_id: project })),
      ]);
      expect(a.body.result.structuredContent).to.have.property('item');
      expect(b.body.result.structuredContent).to.have.property('items');
    });
  });

  describe('keeps sessions', () => {
    it('from initialize on, and serves calls without one [D2.sessionless]', async () => {
      const begun = await post(initialize(1));
      expect(begun.headers.get('mcp-session-id')).to.match(/^[\w-]{32}$/);
      const call = await post(callOf(1, 'get_task', { item_id: item }));
      expect(call.status).to.equal(200);
      expect(call.headers.get('mcp-session-id')).to.equal(null);
      expect(call.body.result.structuredContent).to.have.property('item');
    });

    it('over a restart: the client continues under its name [D2.session-resume]', async () => {
      const session = (await service.mcp({ name: 'coder' })).session!;
      await service.restart();
      const called = await post(callOf(1, 'create_task', { project_id: project, label: 'After' }), {
        'Mcp-Session-Id': session,
      });
      expect(called.body.result.structuredContent.warnings).to.deep.equal(['made by agent:coder']);
    });

    it('accepts an unknown id as a new session', async () => {
      const called = await post(callOf(1, 'get_task', { item_id: item }), {
        'Mcp-Session-Id': 'a-session-from-before',
      });
      expect(called.status).to.equal(200);
    });

    it('until DELETE; then they are 404 [D2.session-ended]', async () => {
      const client = await service.mcp();
      const session = client.session!;
      await client.transport.terminateSession();
      const called = await post(callOf(1, 'get_task', { item_id: item }), { 'Mcp-Session-Id': session });
      expect(called.status).to.equal(404);
      expect(called.body.error).to.deep.include({ code: -32001 });
      expect(called.body.error.data).to.include({ error: 'not_found', resource: 'session', id: session });
      const again = await fetch(`${service.url}/mcp`, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
      expect(again.status).to.equal(404);
      expect((await fetch(`${service.url}/mcp`, { method: 'DELETE' })).status).to.equal(400);
    });

    it('starts no session for an initialize without an id', async () => {
      const { status, headers } = await post({ ...initialize(1), id: undefined });
      expect([status, headers.get('mcp-session-id')]).to.deep.equal([202, null]);
    });

    it('whose client is the author of changes in them, and of no others', async () => {
      const { session } = await service.mcp({ name: 'coder' });
      const make = async (headers: Record<string, string>): Promise<unknown> => {
        const { body } = await post(callOf(1, 'create_task', { project_id: project, label: 'By whom' }), headers);
        return body.result.structuredContent.warnings;
      };
      expect(await make({ 'Mcp-Session-Id': session! })).to.deep.equal(['made by agent:coder']);
      expect(await make({})).to.deep.equal(['made by agent:mcp']);
    });

    it('starts no session for a rejected initialize', async () => {
      const refused = await post(request(1, 'initialize', { protocolVersion: 5 }));
      expect(refused.headers.get('mcp-session-id')).to.equal(null);
      expect(refused.body.error).to.deep.include({ code: -32602 });
      const unacceptable = await post(initialize(1), { Accept: 'application/json' });
      expect(unacceptable.status).to.equal(406);
      expect(unacceptable.headers.get('mcp-session-id')).to.equal(null);
      expect(unacceptable.body.error.data).to.include({ error: 'invalid_argument', field: 'Accept' });
    });
  });

  describe('over HTTP', () => {
    it('serves /mcp and /mcp/, and nothing below [D2.mcp-paths]', async () => {
      const send = (path: string): Promise<Response> =>
        fetch(service.url + path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
          body: JSON.stringify(request(1, 'ping')),
        });
      expect([(await send('/mcp')).status, (await send('/mcp/')).status, (await send('/mcp/x')).status]).to.deep.equal([
        200, 200, 404,
      ]);
    });

    it('serves /mcp with a query, too, and nothing below with a final slash [D2.mcp-paths]', async () => {
      const statuses = await Promise.all(
        ['/mcp?x=1', '/mcp/?x=1', '/mcp/x/', '/mcp/x/?y'].map(async (path) => {
          const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
          const body = JSON.stringify(request(1, 'ping'));
          return (await fetch(service.url + path, { method: 'POST', headers, body })).status;
        }),
      );
      expect(statuses).to.deep.equal([200, 200, 404, 404]);
    });

    it('requires a POST to carry a message and to accept both types', async () => {
      const bare = await answerOf(await fetch(`${service.url}/mcp`, { method: 'POST' }));
      expect([bare.status, bare.body.error.code, bare.body.error.data.error]).to.deep.equal([
        ...[400, -32600, 'invalid_argument'],
      ]);
      expect(bare.body.error.message).to.include('must contain a JSON-RPC message');
      for (const Accept of ['application/json', 'text/event-stream', 'application/*']) {
        const refused = await post(request(1, 'ping'), { Accept });
        expect([refused.status, refused.body.error.code, refused.body.id]).to.deep.equal([406, -32000, 1]);
      }
    });

    it('takes every Accept that allows both types [D13.accept]', async () => {
      for (const Accept of ['*/*', 'application/*, text/*;q=0.5', 'Application/JSON, Text/Event-Stream'])
        expect((await post(request(1, 'ping'), { Accept })).status, Accept).to.equal(200);
    });

    it('takes arguments of null, and arguments as their JSON text [D13.absent, D13.json-text]', async () => {
      const none = await post(request(1, 'tools/call', { name: 'list_projects', arguments: null }));
      expect(none.body.result).to.have.nested.property('structuredContent.projects');
      const tool = { name: 'list_tasks', arguments: { limit: '1', project_id: project } };
      const { body } = await post(request(1, 'tools/call', tool));
      expect(body.result.structuredContent, JSON.stringify(body)).to.have.property('items');
    });

    it('logs the requested method, if it is known, and the caller [A.log-line]', async () => {
      const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const cases: readonly (readonly [body: unknown, route: string])[] = [
        [initialize(1), '/mcp initialize'],
        [note, '/mcp notifications/initialized'],
        [request(1, 'ping'), '/mcp ping'],
        [request(1, 'tools/list'), '/mcp tools/list'],
        [callOf(1, 'get_task', { item_id: item }), '/mcp get_task'],
        [[callOf(1, 'get_task', { item_id: item })], '/mcp get_task'],
        [callOf(1, 'secret', {}), '/mcp'],
        [request(1, 'tools/call', { name: 5 }), '/mcp'],
        [request(1, 'tools/call'), '/mcp'],
        [request(1, 'secret'), '/mcp'],
        [[request(1, 'ping'), request(2, 'ping')], '/mcp'],
        ['{', '/mcp'],
      ];
      for (const [at, [body, route]] of cases.entries()) {
        await post(body, { 'X-Request-Id': `named-${at}` });
        const logged = (): Readonly<Record<string, unknown>> | undefined =>
          service.log.find((entry) => entry['id'] === `named-${at}`);
        while (logged() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
        expect(logged()).to.include({ route, caller: 'owner' });
      }
    });

    it('uses the project that a header names if a call names none', async () => {
      const headers = { 'Planner-Project': project };
      const { body } = await post(callOf(1, 'list_tasks', {}), headers);
      expect(body.result.structuredContent.items).to.be.an('array');
      const begun = await post(initialize(1), headers);
      expect(begun.body.result.instructions).to.include(project);
      const made = await post(callOf(1, 'create_task', { label: 'There' }), headers);
      expect(made.body.result.structuredContent.warnings).to.deep.equal(['made by agent:mcp']);
      const without = await post(callOf(1, 'list_tasks', {}));
      expect(without.body.result).to.deep.include({ isError: true });
    });

    it('responds to GET and other methods with 405 and Allow [D2.mcp-get]', async () => {
      for (const method of ['GET', 'PUT', 'OPTIONS']) {
        const response = await fetch(`${service.url}/mcp`, { method, headers: { Accept: 'text/event-stream' } });
        expect([response.status, response.headers.get('allow')], method).to.deep.equal([405, 'POST, DELETE']);
      }
    });

    it('responds to an unsupported protocol version with 400', async () => {
      const { status, body } = await post(request(1, 'ping'), { 'MCP-Protocol-Version': '1999-01-01' });
      expect(status).to.equal(400);
      expect(body.error.data).to.include({ error: 'invalid_argument', field: 'MCP-Protocol-Version' });
      expect((await post(request(1, 'ping'), { 'MCP-Protocol-Version': '2025-06-18' })).status).to.equal(200);
    });

    it('responds to a batch in its order, and not to notifications', async () => {
      const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const unknown = request(2, 'tools/nothing');
      const { body } = await post([note, request('b', 'ping'), unknown, request(1, 'ping')]);
      expect(body.map(({ id }: { id: unknown }) => id)).to.deep.equal(['b', 2, 1]);
      expect(body[1].error.code).to.equal(-32601);
      expect((await post([request(7, 'ping')])).body).to.deep.equal([{ jsonrpc: '2.0', id: 7, result: {} }]);
      expect((await post(note)).status).to.equal(202);
    });

    it('responds to an unknown credential with 401 [D10.sent]', async () => {
      const refused = await post(request(1, 'ping'), { Authorization: 'Bearer nothing' });
      expect(refused.status).to.equal(401);
      expect(refused.headers.get('www-authenticate')).to.include('Bearer');
      expect(refused.body.error.data).to.include({ error: 'unauthorized' });
    });

    it('responds to invalid JSON with a JSON-RPC error that contains the error shape of all transports [D2.parse-error]', async () => {
      const { status, body } = await post('{"jsonrpc": "2.0",');
      expect(status).to.equal(400);
      expect(body).to.deep.include({ jsonrpc: '2.0', id: null });
      expect(body.error.code).to.equal(-32700);
      expect(body.error.data).to.include({ error: 'invalid_argument', line: 1 });
    });

    it('accepts only JSON in UTF-8, without encoding, up to 16 MiB', async () => {
      expect((await post(request(1, 'ping'), { 'Content-Type': 'text/plain' })).status).to.equal(415);
      expect((await post(request(1, 'ping'), { 'Content-Encoding': 'gzip' })).status).to.equal(415);
      expect((await post(`"${'x'.repeat(16 * 1024 * 1024)}"`)).status).to.equal(413);
    });
  });

  describe('rejects', () => {
    const malformed: Record<string, [unknown, string | undefined]> = {
      'a message that is no object': ['5', undefined],
      'an empty batch': [[], undefined],
      'another version of JSON-RPC': [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 'jsonrpc'],
      'an id that is none': [{ jsonrpc: '2.0', id: { a: 1 }, method: 'ping' }, 'id'],
      'a method that is no string': [{ jsonrpc: '2.0', id: 1, method: 5 }, 'method'],
      'parameters that are no object': [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, 'params'],
      'a member that JSON-RPC does not have': [{ jsonrpc: '2.0', id: 1, method: 'ping', extra: 1 }, 'extra'],
      'a message that is neither request nor answer': [{ jsonrpc: '2.0', id: 1 }, 'method'],
      'a batch with two requests of one id': [
        [
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          { jsonrpc: '2.0', id: 1, method: 'ping' },
        ],
        '[1].id',
      ],
    };
    for (const [what, [body, field]] of Object.entries(malformed)) {
      it(what, async () => {
        const answer = await post(body);
        expect(answer.status).to.equal(400);
        expect(answer.body.error.code).to.equal(-32600);
        expect(answer.body.error.data.error).to.equal('invalid_argument');
        expect(answer.body.error.data.field).to.equal(field);
      });
    }

    const parameters: Record<string, [object, string]> = {
      'a tool without a name': [request(1, 'tools/call', { arguments: {} }), 'params.name'],
      'arguments that are no object': [
        request(1, 'tools/call', { name: 'get_task', arguments: [1] }),
        'params.arguments',
      ],
      'a task of MCP': [request(1, 'tools/call', { name: 'get_task', task: { ttl: 1 } }), 'params.task'],
      'a task of MCP beside a tool': [request(1, 'ping', { task: { ttl: 1 } }), 'params.task'],
      'a task of MCP beside initialize': [
        request(1, 'initialize', {
          ...{ protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'garden', version: '1' } },
          task: { ttl: 1 },
        }),
        'params.task',
      ],
      'a task of MCP in an unknown method': [request(1, 'constructor', { task: {} }), 'params.task'],
      '_meta that is no object': [request(1, 'tools/call', { name: 'get_task', _meta: 5 }), 'params._meta'],
      'a progress token that is none': [
        request(1, 'tools/list', { _meta: { progressToken: {} } }),
        'params._meta.progressToken',
      ],
      'a cursor that is no text': [request(1, 'tools/list', { cursor: 5 }), 'params.cursor'],
      'a tool that is not there': [request(1, 'tools/call', { name: 'drop_everything' }), 'params.name'],
      'an operation that is no tool': [request(1, 'tools/call', { name: 'delete_item' }), 'params.name'],
    };
    for (const [what, [body, field]] of Object.entries(parameters)) {
      it(`${what}, in its own words`, async () => {
        const answer = await post(body);
        expect(answer.status).to.equal(200);
        expect(answer.body.id).to.equal(1);
        expect(answer.body.error.code).to.equal(-32602);
        expect(answer.body.error.data).to.include({ error: 'invalid_argument', field });
        expect(JSON.stringify(answer.body)).not.to.include('invalid_type');
      });
    }

    it('an unknown method', async () => {
      const answer = await post(request(1, 'logging/setLevel'));
      expect(answer.body.error).to.deep.include({ code: -32601 });
      const standIn = await post(request(1, 'planner/refused'));
      expect(standIn.body.error).to.deep.include({ code: -32601 });
    });
  });

  it('responds to a batch together, with the rejected requests in their places', async () => {
    const { body } = await post([
      callOf(1, 'get_task', { item_id: item }),
      request('b', 'tools/call', { name: 5 }),
      request(3, 'ping'),
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } },
    ]);
    const byId = new Map(
      (body as { id: unknown; result?: object; error?: object }[]).map((answer) => [answer.id, answer]),
    );
    expect(byId.get(1)).to.have.nested.property('result.structuredContent.item');
    expect(byId.get('b')).to.have.nested.property('error.data.field', 'params.name');
    expect(byId.get('b')).to.include({ jsonrpc: '2.0' });
    expect(byId.get(3)).to.deep.include({ result: {} });
  });

  it('accepts notifications and responses without a response', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
      { jsonrpc: '2.0', id: 1, result: {} },
      [{ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'No.' } }],
    ]) {
      const answer = await post(body);
      expect([answer.status, answer.body]).to.deep.equal([202, undefined]);
    }
  });

  it('serves the project that config.json binds, and reports it at initialize [D2.instructions]', async () => {
    const bound = new ItemService();
    try {
      await bound.start();
      const { project: only } = await bound.plan('Bound plan');
      bound.defaultProject = only;
      await bound.restart();
      const client = await bound.mcp();
      expect(client.sdk.getInstructions()).to.include('Bound plan').and.include(only);
      expect((await client.get('list_tasks')).items).to.have.length(1);
    } finally {
      await bound.stop();
    }
  });
});
