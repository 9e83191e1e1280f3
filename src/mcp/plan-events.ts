import { PlannerError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { limits } from '../base/limits.ts';
import { eventTypes } from '../operations/events.ts';
import type { Event, EventListAnswer, ListEventsInput } from '../schema/types.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';
import type { Read } from './resources.ts';

type Params = Readonly<Record<string, unknown>>;

/** Error codes of the extension of MCP for events, SEP-3415. */
export const codes = { notFound: -32023, forbidden: -32024, exhausted: -32025, unsupported: -32026 } as const;

/** An agent that wants an event sooner waits for it, or opens a stream. */
const nextPollMs = 5_000;
const waitSecondsMax = 30;
const present = 'now';

const inputSchema = {
  type: 'object',
  properties: {
    project_id: { type: 'string', description: 'Default: the bound project.' },
    resource: { type: 'string', description: 'Only events of the record with this id.' },
  },
  additionalProperties: false,
} as const;

const payloadSchema = {
  type: 'object',
  required: ['author', 'source', 'project_id', 'resource', 'changes'],
  properties: {
    author: { type: 'string' },
    source: { type: 'string' },
    project_id: { type: 'string' },
    resource: {
      type: 'object',
      required: ['type', 'id', 'label'],
      properties: { type: { type: 'string' }, id: { type: 'string' }, label: { type: ['string', 'null'] } },
    },
    changes: { type: 'array', items: { type: 'object', required: ['field'] } },
    revision_id: { type: 'string' },
    untrusted: { const: true },
  },
} as const;

const known: ReadonlySet<string> = new Set(eventTypes.map(({ name }) => name));

/** `events/list`: one page. */
export function listEventTypes(): Params {
  const events = eventTypes.map((type) => ({ ...type, delivery: ['push', 'poll'], inputSchema, payloadSchema }));
  return { resultType: 'complete', events };
}

/** The events that a request follows, in terms of `list_events`. */
export interface Subscription {
  readonly input: ListEventsInput & { readonly since: string };
  /** Older events are left out. Milliseconds. */
  readonly maxAgeMs: number | undefined;
}

/** Reads the parameters of a request for the events of a type. Throws `RpcError`. */
export function subscriptionOf({ name, arguments: given = {}, cursor = null, maxAgeMs }: Params): Subscription {
  if (typeof name !== 'string') throw badParam('name', 'name must be the name of an event type.');
  if (!known.has(name)) throw notFound(`There is no event type ${JSON.stringify(name)}: events/list names all.`);
  if (!isObject(given)) throw badParam('arguments', 'arguments must be an object.');
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(inputSchema.properties, key))
      throw badParam(`arguments.${key}`, `Event types have no argument ${JSON.stringify(key)}.`);
    if (typeof value !== 'string') throw badParam(`arguments.${key}`, `${key} must be a text.`);
  }
  if (cursor !== null && typeof cursor !== 'string')
    throw badParam('cursor', 'cursor must be that of an earlier response, or null for the present.');
  const input = { ...(given as Partial<ListEventsInput>), types: name, since: cursor ?? present };
  return { input, maxAgeMs: integerOf('maxAgeMs', maxAgeMs, 0, Number.MAX_SAFE_INTEGER) };
}

/** `events/poll`. With `timeoutMs` it waits for an event. Rejects with `RpcError` or `PlannerError`. */
export async function pollEvents(read: Read, params: Params, now: number): Promise<Params> {
  const { input, maxAgeMs } = subscriptionOf(params);
  const limit = integerOf('maxEvents', params['maxEvents'], 1, limits.listLimitMax);
  const timeoutMs = integerOf('timeoutMs', params['timeoutMs'], 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const wait = Math.min(Math.ceil(timeoutMs / 1000), waitSecondsMax);
  try {
    const answer = (await read('list_events', {
      ...input,
      ...(limit === undefined ? {} : { limit }),
      ...(wait === 0 ? {} : { wait }),
    })) as unknown as EventListAnswer;
    const { events, skipped } = recent(answer.events, maxAgeMs, now);
    return result(events.map(occurrenceOf), answer.cursor, answer.more, skipped);
  } catch (thrown) {
    const cursor = expiredAt(thrown);
    if (cursor === undefined) throw asRpcError(thrown);
    return result([], cursor, false, true);
  }
}

/** `events/subscribe`: events are not sent to URLs that clients name; people create webhooks. */
export function refuseWebhook(params: Params): never {
  subscriptionOf(params);
  const message =
    'Events are not delivered to URLs over MCP: use events/stream or events/poll. A person creates a webhook: planner webhooks.';
  throw rpcError(codes.unsupported, 'invalid_argument', message, { feature: 'deliveryMode', value: 'webhook' });
}

/** The events that are not too old, and whether any was left out. */
export function recent(
  events: readonly Event[],
  maxAgeMs: number | undefined,
  now: number,
): { readonly events: readonly Event[]; readonly skipped: boolean } {
  if (maxAgeMs === undefined) return { events, skipped: false };
  const kept = events.filter(({ at }) => Date.parse(at) >= now - maxAgeMs);
  return { events: kept, skipped: kept.length < events.length };
}

/** An event in the form of the extension. */
export function occurrenceOf({ cursor, type: name, at: timestamp, ...data }: Event): Params {
  return { eventId: `${data.project_id}:${cursor}`, name, timestamp, data };
}

/** The cursor at which a client whose own expired continues; undefined for another error. */
export function expiredAt(thrown: unknown): string | undefined {
  const isExpired = thrown instanceof PlannerError && thrown.code === 'cursor_expired';
  return isExpired ? (thrown.details['cursor'] as string) : undefined;
}

/** An error with the code that the extension has for it. */
export function asRpcError(thrown: unknown): unknown {
  if (!(thrown instanceof PlannerError)) return thrown;
  const { code, message } = thrown;
  if (code === 'not_found') return notFound(message, {});
  if (code === 'rate_limited') return rpcError(codes.exhausted, code, message, { limit: 'subscriptions' });
  return thrown;
}

function result(events: readonly Params[], cursor: string, hasMore: boolean, truncated: boolean): Params {
  return { resultType: 'complete', events, cursor, truncated, hasMore, nextPollMs };
}

function integerOf(member: string, value: unknown, min: number, max: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  throw badParam(member, `${member} must be an integer from ${min} to ${max}.`);
}

function notFound(message: string, details: Params = { kind: 'event' }): RpcError {
  return rpcError(codes.notFound, 'not_found', message, details);
}

function rpcError(
  code: number,
  error: 'not_found' | 'rate_limited' | 'invalid_argument',
  message: string,
  details: Params,
): RpcError {
  return new RpcError(code, message, {}, new PlannerError(error, message, details));
}

function badParam(member: string, message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, message, { field: `params.${member}` });
}
