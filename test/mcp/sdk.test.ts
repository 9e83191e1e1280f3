import { expect } from 'chai';
import { SdkServer } from '../../src/mcp/sdk.ts';
import type { Exchange, Request } from '../../src/mcp/sdk.ts';

describe("The SDK's server behind all POSTs", () => {
  const server = new SdkServer({ tools: [] }, '1.2.3');
  const exchange = (call: Exchange['call']): Exchange => ({ instructions: '', call });
  const unused = exchange(() => Promise.reject(new Error('Nobody calls a tool here.')));
  const request = (id: number | string, method: string, params?: Request['params']): Request => ({
    jsonrpc: '2.0',
    id,
    method,
    ...(params && { params }),
  });

  it('answers each call by its own exchange, under its own id, whoever else bears that id', async () => {
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

  it('refuses what it does not take for a request: nobody waits for ever', async () => {
    const { id, error } = await server.answer(request('x', 'ping', { _meta: 5 }), unused);
    expect(id).to.equal('x');
    expect(error).to.have.property('code').that.equals(-32600);
    expect((await server.answer(request(2, 'ping'), unused)).result).to.deep.equal({});
  });

  it('tells an error of the service by its message, without ending anything', async () => {
    const { error } = await server.answer(request(3, 'tools/call', { name: 'water' }), unused);
    expect(error).to.deep.include({ code: -32603, message: 'Nobody calls a tool here.' });
  });
});
