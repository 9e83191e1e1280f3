import { expect } from 'chai';
import { SdkServer, isSpoken, readInitialize } from '../../src/mcp/legacy-sdk.ts';
import type { Exchange, Request } from '../../src/mcp/exchange.ts';

describe("The SDK's server of all POSTs", () => {
  const server = new SdkServer({ tools: [] }, '1.2.3');
  const exchange = (call: Exchange['call']): Exchange => ({
    instructions: '',
    call,
    handle: () => undefined,
  });
  const unused = exchange(() => Promise.reject(new Error('No tool is called here.')));
  const request = (id: number | string, method: string, params?: Request['params']): Request => ({
    jsonrpc: '2.0',
    id,
    method,
    ...(params && { params }),
  });

  it('responds to each call by its own exchange, with its own id, even if others have the same id', async () => {
    const callers = Array.from({ length: 50 }, (_, i) =>
      exchange(async (name, input) => {
        await new Promise((resolve) => setTimeout(resolve, (i * 7) % 20));
        return { value: { caller: i, name, ...input }, isError: false };
      }),
    );
    const answers = await Promise.all(
      callers.map((caller, i) =>
        server.answer(request(1, 'tools/call', { name: 'water', arguments: { bed: i } }), caller),
      ),
    );
    answers.forEach(({ id, result }, i) => {
      expect(id).to.equal(1);
      expect(result).to.have.deep.property('structuredContent', { caller: i, name: 'water', bed: i });
    });
  });

  it('returns the value of a call as text and structured content, and marks an error', async () => {
    for (const isError of [false, true]) {
      const caller = exchange(() => Promise.resolve({ value: { a: 1 }, isError }));
      const { result } = await server.answer(request(1, 'tools/call', { name: 'water' }), caller);
      expect(result).to.deep.equal({
        content: [{ type: 'text', text: '{"a":1}' }],
        structuredContent: { a: 1 },
        ...(isError && { isError }),
      });
    }
    expect((await server.answer(request(1, 'tools/none'), unused)).error).to.deep.include({ code: -32601 });
  });

  it('rejects anything except requests, so that no caller waits for ever', async () => {
    const { jsonrpc, id, error } = await server.answer(request('x', 'ping', { _meta: 5 }), unused);
    expect([jsonrpc, id]).to.deep.equal(['2.0', 'x']);
    expect(error).to.have.property('code').that.equals(-32600);
    expect((await server.answer(request(2, 'ping'), unused)).result).to.deep.equal({});
  });

  it('starts with the requested version, or with its own latest', async () => {
    const initialize = async (protocolVersion: string): Promise<unknown> => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'coder', version: '1' } };
      expect(readInitialize(request(1, 'initialize', params))).to.deep.equal({ client: 'coder', canAsk: false });
      return (await server.answer(request(1, 'initialize', params), { ...unused, instructions: 'Dig.' })).result;
    };
    const latest = ['2025-11-25', '2025-06-18'].find(isSpoken)!;
    for (const [requested, spoken] of [
      ['2024-11-05', '2024-11-05'],
      [latest, latest],
      ['1999-01-01', latest],
    ] as const)
      expect(await initialize(requested)).to.deep.equal({
        protocolVersion: spoken,
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
        serverInfo: { name: 'planner', title: 'Planner', version: '1.2.3' },
        instructions: 'Dig.',
      });
    expect([isSpoken('2024-11-05'), isSpoken('1999-01-01')]).to.deep.equal([true, false]);
  });

  it('reports the invalid member of an initialize', () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { version: '1' } };
    expect(readInitialize(request(1, 'initialize', params))).to.include({ field: 'params.clientInfo.name' });
    expect(readInitialize(request(1, 'initialize'))).to.include({ field: 'params' });
  });

  it('reports an error of the service by its message, without ending anything', async () => {
    const { error } = await server.answer(request(3, 'tools/call', { name: 'water' }), unused);
    expect(error).to.deep.include({ code: -32603, message: 'No tool is called here.' });
  });
});
