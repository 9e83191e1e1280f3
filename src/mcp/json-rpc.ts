import { PlannerError } from '../base/errors.ts';
import type { ErrorBody, ErrorCode } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { givenMembers } from './given-members.ts';

/** Codes of JSON-RPC, and the additional codes of MCP. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
  sessionNotFound: -32001,
  resourceNotFound: -32002,
  /** A header disagrees with the body, or is missing. */
  headerMismatch: -32020,
  /** The version in `_meta` is unknown; `supported` in the data. */
  unsupportedVersion: -32022,
} as const;

/** The JSON-RPC code of an error that ends a whole POST. */
const rpcCodeOf: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_argument: rpcCodes.invalidRequest,
  not_found: rpcCodes.sessionNotFound,
  internal: rpcCodes.internalError,
};

export type Id = string | number;

/** A JSON-RPC message as the SDK accepts it. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** The notification that a resource changed. */
export function updatedNotification(uri: string): Message {
  return { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } };
}

/** An error of one request. `data` is the one shape of all errors. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: ErrorBody;

  constructor(
    code: number,
    message: string,
    details: Readonly<Record<string, unknown>> & { readonly field?: string } = {},
    data = new PlannerError(code === rpcCodes.methodNotFound ? 'not_found' : 'invalid_argument', message, details),
  ) {
    super(message);
    this.code = code;
    this.data = data.toJSON();
  }

  /** The error of a request of which an operation failed. `uri`: of the resource that was requested. */
  static of(error: PlannerError, uri?: unknown): RpcError {
    const code = error.code === 'not_found' ? rpcCodes.resourceNotFound : rpcCodes.invalidParams;
    const isOurs = error.code === 'internal' || error.code === 'unavailable';
    const { field } = error;
    const details = {
      ...(field === undefined ? {} : { field }),
      ...error.details,
      ...(uri === undefined ? {} : { uri }),
    };
    const data = new PlannerError(error.code, error.message, details);
    return new RpcError(isOurs ? rpcCodes.internalError : code, error.message, {}, data);
  }

  /** The member `error` of a response. */
  toJSON(): { readonly code: number; readonly message: string; readonly data: ErrorBody } {
    const { code, message, data } = this;
    return { code, message, data };
  }
}

/** The response to a POST that is rejected as a whole: our error in a JSON-RPC error. `id`: of its request, if it could be read. */
export function rpcFailure(
  error: PlannerError,
  code = rpcCodeOf[error.code] ?? rpcCodes.refused,
  id: Id | null = null,
): object {
  return { jsonrpc: '2.0', id, error: { code, message: error.message, data: error } };
}

/** The id of a body that is one request, valid or not; null without a valid id. */
export function idOf(body: unknown): Id | null {
  const { id, method } = isObject(body) ? body : {};
  return typeof method === 'string' && (typeof id === 'string' || Number.isSafeInteger(id)) ? (id as Id) : null;
}

const batchMessagesMax = 100;
const members = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** Checks a POST's body as messages, so that the SDK gets only well-formed ones. Throws `invalid_argument` with the path. */
export function readMessages(body: unknown): readonly Message[] {
  return Array.isArray(body) ? checkBatch(body.map(givenMembers)) : [checkMessage(givenMembers(body), '')];
}

function checkBatch(body: readonly unknown[]): readonly Message[] {
  if (body.length === 0) throw malformed('', 'A batch contains at least one message.');
  if (body.length > batchMessagesMax)
    throw malformed('', `A batch contains at most ${batchMessagesMax} messages; this one has ${body.length}.`);
  const ids = new Set<Id>();
  for (const [at, message] of body.entries()) {
    const { id, method } = checkMessage(message, `[${at}]`);
    if (id === undefined || method === undefined) continue;
    // Only their ids distinguish the responses.
    if (ids.has(id)) throw malformed(`[${at}].id`, `Two requests of this batch have the id ${JSON.stringify(id)}.`);
    ids.add(id);
    if (method === 'initialize') throw malformed(`[${at}]`, 'initialize is sent alone, not in a batch.');
  }
  return body as readonly Message[];
}

function checkMessage(message: unknown, place: string): Message {
  const at = (member: string): string => (place === '' ? member : `${place}.${member}`);
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw malformed(
      place,
      'A message is a JSON object of JSON-RPC 2.0: {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}.',
    );
  }
  const { jsonrpc, id, method, params, result, error } = message as Record<string, unknown>;
  if (jsonrpc !== '2.0') throw malformed(at('jsonrpc'), 'jsonrpc must be "2.0".');
  for (const name of Object.keys(message)) {
    if (!members.has(name)) throw malformed(at(name), `A JSON-RPC message has no member ${JSON.stringify(name)}.`);
  }
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id)) {
    throw malformed(at('id'), 'id must be a string or an integer.');
  }
  if (method !== undefined) {
    if (typeof method !== 'string') throw malformed(at('method'), 'method must be a string.');
    if (params !== undefined && !isObject(params)) throw malformed(at('params'), 'params must be an object.');
    if (result !== undefined || error !== undefined)
      throw malformed(place, 'A message is a request or a response, not both.');
  } else if (id === undefined || (!isObject(result) && !isRpcError(error))) {
    throw malformed(at('method'), 'A message must have a method or be the response to one.');
  }
  return message as Message;
}

function isRpcError(error: unknown): boolean {
  return isObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string';
}

/** Validates the parameters of a tools/call, except the tool's arguments. Returns the error, or undefined. */
export function refusalOfCall({ params = {} }: Message): RpcError | undefined {
  const { name, arguments: input, _meta: meta, task } = params;
  if (typeof name !== 'string') return refuse('name', 'name must be a string: the name of a tool in tools/list.');
  if (input !== undefined && !isObject(input))
    return refuse('arguments', "arguments must be an object with the tool's arguments by name.");
  if (task !== undefined) return refuse('task', 'Tools respond at once here: leave task out.');
  // The SDK copies the arguments, in which this member would become their prototype.
  if (input !== undefined && Object.hasOwn(input, '__proto__'))
    return refuse('arguments.__proto__', 'There is no argument named __proto__.');
  return refusalOfMeta(meta);
}

/** Validates the parameters of any other request. */
export function refusalOfParams({ method, params = {} }: Message): RpcError | undefined {
  const { cursor, _meta: meta, task } = params;
  // The SDK reports an internal error for it.
  if (task !== undefined) return refuse('task', 'Requests are answered at once here: leave task out.');
  // A null cursor means the present in the extension for events.
  const isPresent = cursor === null && method?.startsWith('events/') === true;
  if (cursor !== undefined && !isPresent && typeof cursor !== 'string')
    return refuse('cursor', 'cursor must be a string.');
  return refusalOfMeta(meta);
}

function refusalOfMeta(meta: unknown): RpcError | undefined {
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return refuse('_meta', '_meta must be an object.');
  const { progressToken: token, 'io.modelcontextprotocol/related-task': related } = meta;
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token)) {
    return refuse('_meta.progressToken', 'progressToken must be a string or an integer.');
  }
  if (related !== undefined)
    return refuse('_meta.io.modelcontextprotocol/related-task', 'This service does not support MCP tasks.');
  const key = meta['planner/key'];
  if (key !== undefined && typeof key !== 'string') return refuse('_meta.planner/key', 'planner/key must be a string.');
  return undefined;
}

function refuse(member: string, message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message, { field: `params.${member}` });
}

function malformed(field: string, message: string): PlannerError {
  return new PlannerError('invalid_argument', message, field === '' ? {} : { field });
}
