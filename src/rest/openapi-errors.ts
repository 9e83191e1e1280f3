import { errorCodes, errorMeanings } from '../base/errors.ts';
import { statusOf } from '../http/status.ts';
import { limits } from '../base/limits.ts';
import type { RouteBinding } from '../operations/declaration/route-binding.ts';

type Json = Readonly<Record<string, unknown>>;

/** The shape of all errors. */
export const errorSchema: Json = {
  type: 'object',
  required: ['error', 'message'],
  properties: {
    error: {
      enum: errorCodes,
      description: errorCodes.map((code) => `- \`${code}\` (${statusOf[code]}): ${errorMeanings[code]}`).join('\n'),
    },
    message: { type: 'string', description: 'What is wrong and how to correct it.' },
    field: { type: 'string', description: 'The path of the first invalid member.' },
    details: {
      type: 'array',
      maxItems: limits.violationsMax,
      items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};

const statuses: readonly number[] = [...new Set(errorCodes.map((code) => statusOf[code]))];

const headers: Readonly<Record<number, Json>> = {
  401: { 'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } },
  429: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
  503: {
    'Retry-After': { description: 'Seconds to wait, if a later retry can succeed.', schema: { type: 'integer' } },
  },
};

/** The responses of all errors, by name. */
export const errorResponses: Json = {
  Error: { description: 'The error.', content: errorContent() },
  ...Object.fromEntries(statuses.map((status) => [`Error${status}`, errorResponse(status)])),
};

function errorResponse(status: number): Json {
  const codes = errorCodes.filter((code) => statusOf[code] === status);
  const [first] = codes;
  return {
    description: codes.map((code) => `\`${code}\`: ${errorMeanings[code]}`).join(' '),
    ...(headers[status] === undefined ? {} : { headers: headers[status] }),
    content: errorContent({ error: first, message: 'What is wrong and how to correct it.' }),
  };
}

function errorContent(example?: Json): Json {
  const schema = { $ref: '#/components/schemas/Error' };
  return { 'application/json': example === undefined ? { schema } : { schema, example } };
}

/** The component response of each status; `default` for all others. */
export function errorResponsesOf(possible: readonly number[]): Json {
  const named = possible.map((status) => [status, { $ref: `#/components/responses/Error${status}` }] as const);
  return { ...Object.fromEntries(named), default: { $ref: '#/components/responses/Error' } };
}

/** The error statuses of an operation. */
export function errorsOf(route: RouteBinding, hasBody: boolean): number[] {
  const { effect, link } = route.operation;
  const writes = effect !== 'read';
  const found = [400, 409];
  if (link === undefined) found.push(401, 403);
  else found.push(410);
  if (route.parameters.length > 0) found.push(404);
  if (writes && route.hasTag && route.replaces) found.push(412);
  if (hasBody) found.push(413, 415);
  // Too many request bodies are in flight.
  if (hasBody || link?.perMinuteMax !== undefined) found.push(429);
  if (hasBody || writes) found.push(503);
  return found.sort((a, b) => a - b);
}
