import type { PlannerError } from '../base/errors.ts';
import { isModern } from '../mcp/envelope.ts';
import { RpcError, rpcCodes, rpcFailure } from '../mcp/json-rpc.ts';
import type { Message } from '../mcp/json-rpc.ts';
import type { RpcId, RpcMessage } from '../client/message.ts';
import { isObject } from '../base/is-object.ts';

/** The response to a request that the bridge itself rejects. For a tool call it is a tool result, since agents read that. */
export function errorResponse(message: RpcMessage, error: PlannerError): RpcMessage {
  const { id, method } = message;
  if (method !== 'tools/call') return { ...failure(error), id: id! };
  const body = error.toJSON();
  return resultResponse(id!, {
    content: [{ type: 'text', text: JSON.stringify(body) }],
    structuredContent: body,
    isError: true,
    ...(isModern(message as Message) ? { resultType: 'complete' } : {}),
  });
}

export function resultResponse(id: RpcId, result: unknown): RpcMessage {
  return { jsonrpc: '2.0', id, result };
}

/** The response to an invalid message, with its id if it has a valid one. */
export function invalidMessageResponse(error: PlannerError, body: unknown): RpcMessage {
  const { id } = (typeof body === 'object' && body !== null ? body : {}) as { readonly id?: unknown };
  const known = typeof id === 'string' || Number.isSafeInteger(id) ? (id as RpcId) : null;
  return { ...failure(error), id: known as RpcId };
}

/** The response to a line that is not JSON. */
export function parseErrorResponse(error: PlannerError): RpcMessage {
  return rpcFailure(error, rpcCodes.parseError) as RpcMessage;
}

function failure(error: PlannerError): RpcMessage {
  return rpcFailure(error) as RpcMessage;
}

/** The response to `server/discover` of a client whose directories have to be requested: only a session can. The client starts one then. */
export function rootsNeededResponse(id: RpcId): RpcMessage {
  const message =
    'The directories that this client works in decide which plan it uses, and only a session can request them: use initialize, or start planner mcp with --root.';
  return { jsonrpc: '2.0', id, error: new RpcError(rpcCodes.methodNotFound, message).toJSON() };
}

/** Adds an idempotency key to a call, so that it can be retried. A key of the client is kept. */
export function withIdempotencyKey(message: RpcMessage, newKey: () => string): RpcMessage {
  const { method, params } = message;
  if (method !== 'tools/call' || !isObject(params)) return message;
  const { _meta: meta = {} } = params;
  // The service rejects invalid parameters itself.
  if (!isObject(meta) || meta['planner/key'] !== undefined) return message;
  return { ...message, params: { ...params, _meta: { ...meta, 'planner/key': newKey() } } };
}
