import { isObject } from '../base/is-object.ts';
type Members = Readonly<Record<string, unknown>>;

/** How deep a request has members that may be null for "not given": params, capabilities, one of them, its members. */
const levels = 4;

/**
 * A message without the placeholders of its client for "not given", because its language has no other way: null, and
 * for the arguments of a tool an empty text or list, too; a text that is the JSON of an object replaces the arguments.
 * Anything but a request or notification is returned as it is.
 */
export function givenMembers(message: unknown): unknown {
  if (!isObject(message) || typeof message['method'] !== 'string') return message;
  const { method, id, params, result, error, ...beside } = message;
  const isNotification = id === null && method.startsWith('notifications/');
  return {
    ...beside,
    method,
    ...(id === undefined || isNotification ? {} : { id }),
    ...(params == null ? {} : { params: isObject(params) ? givenParams(method, params) : params }),
    ...(result == null ? {} : { result }),
    ...(error == null ? {} : { error }),
  };
}

function givenParams(method: string, params: Members): Members {
  // A cursor that is null means the present in the extension for events.
  if (method.startsWith('events/')) return params;
  // Null in the arguments of a tool is judged by its schema.
  if (method !== 'tools/call') return withoutNulls(params, levels);
  const { arguments: input, ...beside } = params;
  const given = toolArguments(input);
  return { ...withoutNulls(beside, levels), ...(given == null ? {} : { arguments: given }) };
}

function toolArguments(input: unknown): unknown {
  if (Array.isArray(input) && input.length === 0) return undefined;
  if (typeof input !== 'string') return input;
  if (input.trim() === '') return undefined;
  try {
    const parsed = JSON.parse(input) as unknown;
    return parsed === null || isObject(parsed) ? parsed : input;
  } catch {
    return input;
  }
}

function withoutNulls(members: Members, depth: number): Members {
  const given = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [name, depth > 1 && isObject(value) ? withoutNulls(value, depth - 1) : value]),
  );
}
