import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import {
  RpcError,
  readMessages,
  refusalOfCall,
  refusalOfParams,
  rpcCodes,
  rpcFailure,
} from '../../src/mcp/json-rpc.ts';
import type { Message } from '../../src/mcp/json-rpc.ts';

/** The place that an error names, '' without a place, undefined where a body is taken. */
function refusedAt(body: unknown): string | undefined {
  try {
    readMessages(body);
  } catch (thrown) {
    if (!(thrown instanceof PlannerError)) throw thrown;
    expect(thrown.code).to.equal('invalid_argument');
    expect(thrown.field).to.not.equal('');
    return thrown.field ?? '';
  }
  return undefined;
}

const message = (members: object): object => ({ jsonrpc: '2.0', ...members });
const request = (id: unknown, method = 'ping'): object => message({ id, method });
const error = { code: -32603, message: 'No.' };

describe('The messages of a POST', () => {
  it('are parsed as requests, notifications and responses, alone or as a batch', () => {
    const taken = [
      request(1),
      request('a'),
      message({ method: 'notifications/initialized', params: {} }),
      message({ id: 1, result: {} }),
      message({ id: 1, error }),
    ];
    for (const one of taken) expect(readMessages(one)).to.deep.equal([one]);
    expect(readMessages(taken)).to.deep.equal(taken);
    expect(readMessages([request(1, 'initialize')].slice(1).concat(taken))).to.deep.equal(taken);
    // Several answers or notifications may look alike.
    const again = [taken[2], taken[2], taken[3], taken[3]];
    expect(readMessages(again)).to.deep.equal(again);
    expect(readMessages(request(1, 'initialize'))).to.have.length(1);
    const many = Array.from({ length: 100 }, (_, at) => request(at));
    expect(readMessages(many)).to.have.length(100);
  });

  it('are rejected with the path of the invalid value', () => {
    const cases: readonly (readonly [body: unknown, at: string])[] = [
      [null, ''],
      ['text', ''],
      [5, ''],
      [{}, 'jsonrpc'],
      [message({ id: 1, method: 'ping', jsonrpc: '1.0' }), 'jsonrpc'],
      [message({ id: 1, method: 'ping', extra: 1 }), 'extra'],
      [request(1.5), 'id'],
      [request(null), 'id'],
      [request({}), 'id'],
      [message({ id: 1, method: 5 }), 'method'],
      [message({ id: 1, method: 'ping', params: [] }), 'params'],
      [message({ id: 1, method: 'ping', result: {} }), ''],
      [message({ id: 1, method: 'ping', error }), ''],
      [message({ id: 1 }), 'method'],
      [message({ result: {} }), 'method'],
      [message({ id: 1, result: 5 }), 'method'],
      [message({ id: 1, error: 5 }), 'method'],
      [message({ id: 1, error: { ...error, code: 1.5 } }), 'method'],
      [message({ id: 1, error: { code: 1 } }), 'method'],
    ];
    for (const [body, at] of cases) {
      expect([body, refusedAt(body)]).to.deep.equal([body, at]);
      const place = at === '' ? '[1]' : `[1].${at}`;
      expect([body, refusedAt([request('first'), body])]).to.deep.equal([body, place]);
    }
    expect(refusedAt([[request(1)]])).to.equal('[0]');
  });

  it('have no member that their client wrote for "not given" [D13.absent]', () => {
    const read = (method: string, params: unknown, more: object = {}): unknown =>
      readMessages(message({ id: 1, method, params, ...more }))[0]!.params;
    expect(readMessages(message({ id: 1, method: 'ping', params: null, result: null, error: null }))).to.deep.equal([
      request(1, 'ping'),
    ]);
    expect(readMessages([message({ id: null, method: 'notifications/initialized', params: null })])).to.deep.equal([
      message({ method: 'notifications/initialized' }),
    ]);
    expect(read('tools/list', { cursor: null, _meta: { progressToken: null } })).to.deep.equal({ _meta: {} });
    const name = 'get_task';
    for (const none of [null, '', ' ', [], 'null'])
      expect(
        read('tools/call', { name, arguments: none, _meta: null, task: null }),
        JSON.stringify(none),
      ).to.deep.equal({
        name,
      });
    // Null in arguments is judged by the schema of the tool.
    const input = { task_id: 'a', assignee: null };
    expect(read('tools/call', { name, arguments: input })).to.deep.equal({ name, arguments: input });
    expect(read('tools/call', { name, arguments: JSON.stringify(input) })).to.deep.equal({ name, arguments: input });
    for (const wrong of ['{', '[1]', '5', [1], 5])
      expect(read('tools/call', { name, arguments: wrong })).to.deep.equal({ name, arguments: wrong });
    const clientInfo = { name: 'c', version: '1' };
    expect(
      read('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: { roots: { listChanged: null }, sampling: null },
        clientInfo: { ...clientInfo, title: null },
      }),
    ).to.deep.equal({ protocolVersion: '2025-06-18', capabilities: { roots: {} }, clientInfo });
    expect(read('events/poll', { cursor: null })).to.deep.equal({ cursor: null });
  });

  it('are a batch of one to a hundred, whose requests have ids of their own, without initialize', () => {
    expect(refusedAt([])).to.equal('');
    expect(refusedAt(Array.from({ length: 101 }, (_, at) => request(at)))).to.equal('');
    expect(refusedAt([request(1), request(2), request(1)])).to.equal('[2].id');
    expect(refusedAt([request(1), request('1')])).to.equal(undefined);
    expect(refusedAt([request(1), request(2, 'initialize')])).to.equal('[1]');
  });
});

describe('The parameters of a request', () => {
  const of = (params?: Record<string, unknown>): Message =>
    message({ id: 1, method: 'm', ...(params && { params }) }) as Message;
  const fieldOf = (refusal: RpcError | undefined): string | undefined => {
    if (refusal !== undefined) expect(refusal.toJSON()).to.deep.include({ code: -32602, message: refusal.message });
    return refusal?.data.field;
  };
  const ownProto = JSON.parse('{"__proto__":1}') as object;
  const metas: readonly (readonly [meta: unknown, at: string | undefined])[] = [
    [undefined, undefined],
    [{}, undefined],
    [{ progressToken: 1, 'planner/key': 'k' }, undefined],
    [{ progressToken: 'a' }, undefined],
    [5, '_meta'],
    [{ progressToken: 1.5 }, '_meta.progressToken'],
    [{ progressToken: null }, '_meta.progressToken'],
    [{ 'io.modelcontextprotocol/related-task': {} }, '_meta.io.modelcontextprotocol/related-task'],
    [{ 'planner/key': 5 }, '_meta.planner/key'],
  ];

  it('of a call are a name, arguments and the further members of MCP', () => {
    const name = 'get_task';
    for (const [params, at] of [
      [{ name }, undefined],
      [{ name, arguments: { a: 1 } }, undefined],
      [{}, 'name'],
      [undefined, 'name'],
      [{ name: 5 }, 'name'],
      [{ name, arguments: [] }, 'arguments'],
      [{ name, arguments: null }, 'arguments'],
      [{ name, arguments: '{}' }, 'arguments'],
      [{ name, task: {} }, 'task'],
      [{ name, arguments: ownProto }, 'arguments.__proto__'],
    ] as const)
      expect([params, fieldOf(refusalOfCall(of(params)))]).to.deep.equal([params, at && `params.${at}`]);
    for (const [meta, at] of metas)
      expect([meta, fieldOf(refusalOfCall(of({ name, _meta: meta })))]).to.deep.equal([meta, at && `params.${at}`]);
  });

  it('of any other request are a cursor and the further members of MCP', () => {
    for (const [params, at] of [
      [undefined, undefined],
      [{ cursor: 'c' }, undefined],
      [{ cursor: 5 }, 'cursor'],
      [{ cursor: null }, 'cursor'],
      [{ task: {} }, 'task'],
    ] as const)
      expect([params, fieldOf(refusalOfParams(of(params)))]).to.deep.equal([params, at && `params.${at}`]);
    for (const [meta, at] of metas)
      expect([meta, fieldOf(refusalOfParams(of({ _meta: meta })))]).to.deep.equal([meta, at && `params.${at}`]);
  });
});

describe('An error of JSON-RPC', () => {
  it('has the shape of all errors as its data', () => {
    const unknown = new RpcError(rpcCodes.methodNotFound, 'There is no method eat.');
    expect(unknown.toJSON()).to.deep.equal({
      code: -32601,
      message: 'There is no method eat.',
      data: { error: 'not_found', message: 'There is no method eat.' },
    });
    expect(new RpcError(rpcCodes.invalidParams, 'No.').data).to.include({ error: 'invalid_argument' });
  });

  it('of a whole POST has the JSON-RPC code of its error code', () => {
    const codeOf = (code: PlannerError['code']): unknown => {
      const failure = rpcFailure(new PlannerError(code, 'No.')) as { error: { code: number } };
      expect(failure).to.deep.include({ jsonrpc: '2.0', id: null });
      expect(failure.error).to.deep.include({ message: 'No.' });
      return failure.error.code;
    };
    expect((['invalid_argument', 'not_found', 'internal', 'rate_limited'] as const).map(codeOf)).to.deep.equal([
      ...[rpcCodes.invalidRequest, rpcCodes.sessionNotFound, rpcCodes.internalError, rpcCodes.refused],
    ]);
    expect(rpcCodes).to.include({
      invalidRequest: -32600,
      sessionNotFound: -32001,
      internalError: -32603,
      refused: -32000,
    });
    expect(rpcFailure(new PlannerError('conflict', 'No.'), 7)).to.have.nested.property('error.code', 7);
  });
});
