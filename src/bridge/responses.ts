import type { PlannerError } from '../errors.ts';
import { rpcCodes, rpcFailure } from '../mcp/json-rpc.ts';
import type { RpcId, RpcMessage } from '../client/message.ts';

/** The answer to a request that the bridge has to refuse itself: to a tool's call as the tool's own answer, which is what agents read. */
export function errorResponse({ id, method }: RpcMessage, error: PlannerError): RpcMessage {
  if (method !== 'tools/call') return { ...failure(error), id: id! };
  const body = error.toJSON();
  return resultResponse(id!, {
    content: [{ type: 'text', text: JSON.stringify(body) }],
    structuredContent: body,
    isError: true,
  });
}

export function resultResponse(id: RpcId, result: unknown): RpcMessage {
  return { jsonrpc: '2.0', id, result };
}

/** The answer to what could not be taken as a message. It bears the id where one can be made out. */
export function invalidMessageResponse(error: PlannerError, body: unknown): RpcMessage {
  const { id } = (typeof body === 'object' && body !== null ? body : {}) as { readonly id?: unknown };
  const known = typeof id === 'string' || Number.isSafeInteger(id) ? (id as RpcId) : null;
  return { ...failure(error), id: known as RpcId };
}

/** The answer to a line that is no JSON. */
export function parseErrorResponse(error: PlannerError): RpcMessage {
  return rpcFailure(error, rpcCodes.parseError) as RpcMessage;
}

function failure(error: PlannerError): RpcMessage {
  return rpcFailure(error) as RpcMessage;
}

/** The call with an idempotency key, so that it can be sent again; the client's own key stays. */
export function withIdempotencyKey(message: RpcMessage, newKey: () => string): RpcMessage {
  const { method, params } = message;
  if (method !== 'tools/call' || !isObject(params)) return message;
  const { _meta: meta = {} } = params;
  // Neither is what the service takes: it says so.
  if (!isObject(meta) || meta['planner/key'] !== undefined) return message;
  return { ...message, params: { ...params, _meta: { ...meta, 'planner/key': newKey() } } };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
