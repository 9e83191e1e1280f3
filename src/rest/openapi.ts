import type { AnyOperation, Group, RestOptions } from '../operations/declaration/operation.ts';
import { parametersOf, routesOf, templateOf } from '../operations/declaration/route-binding.ts';
import type { BoundMember, InputMembers, RouteBinding } from '../operations/declaration/route-binding.ts';
import { groups } from '../operations/groups.ts';
import { ResponseReaders } from '../operations/pipeline/repeat.ts';
import { errorResponses, errorResponsesOf, errorSchema, errorsOf } from './openapi-errors.ts';
import { describedPaths, operationIdOf } from './service-paths.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiParts {
  readonly catalogue: readonly AnyOperation[];
  readonly version: string;
  /** A definition with its references as `#/components/schemas/<name>`. */
  readonly component: (definition: string) => Json;
}

const sessionCookie = '__Host-planner';

/**
 * The OpenAPI 3.1 description of the REST interface, derived from the catalogue, so that it matches the served
 * interface.
 */
export function openApi({ catalogue, version, component }: OpenApiParts): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const used = new Set<Group>();
  const readers = new ResponseReaders(catalogue);
  const add = (group: Group, method: string, path: string, described: Json): void => {
    used.add(group);
    (paths[templateOf(path)] ??= {})[method.toLowerCase()] = { tags: [group.name], ...described };
  };
  for (const [method, path, described] of describedPaths)
    add(groups.service, method, path, describeService(method, path, described));
  for (const route of routesOf(catalogue))
    add(route.operation.group, route.method, route.path, describe(route, component, readers));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Planner',
      version,
      summary: 'A planning workspace that people and software agents share, kept as Markdown and JSON files.',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that serves this description.' }],
    // The empty requirement is the first: on loopback a caller without a credential is the owner.
    security: [{}, { bearer: [] }, { session: [] }, { basic: [] }],
    tags: tagsOf(used),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { Error: errorSchema, ...referredTo(paths, component) },
      responses: usedResponses(paths),
      securitySchemes,
    },
  };
}

const about = `Resources are bare JSON objects, lists are \`{"<plural>": [...]}\`. Unknown members are rejected, an absent member leaves a field unchanged,
null clears it. Names, labels, titles and other texts of one line contain no control characters, line breaks or bidirectional overrides: requests with them are rejected; only texts from a file or an export can contain them. Times are ISO 8601 in UTC. Lists return everything unless \`limit\` is given, and then \`next_cursor\` if there is more.

Every GET response has an \`ETag\`. \`If-None-Match\` returns 304 if it still matches, \`If-Match\` on PATCH and PUT rejects overwriting another
caller's change, \`since=<ETag>\` on a list returns only what changed. \`Idempotency-Key\` on a write makes it safe to retry for 24 hours.
Every response has an \`X-Request-Id\`: that of the request if it has one.

Errors have one shape, see [the error codes](/api/v1/docs/errors).`;

const securitySchemes: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An owner key, or an agent key that belongs to one project. On loopback none is needed.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: "A browser's session after sign-in, on a hosted service.",
  },
  basic: { type: 'http', scheme: 'basic', description: 'If PLANNER_AUTH_PASSWORD is set: the user is `planner`.' },
};

/** The groups of `used` in order; groups that resources declare themselves are last. */
function tagsOf(used: ReadonlySet<Group>): readonly Json[] {
  const known: readonly Group[] = Object.values(groups);
  const inOrder = [...known.filter((group) => used.has(group)), ...[...used].filter((group) => !known.includes(group))];
  return inOrder.map(({ name, description }) => ({ name, description }));
}

function usedResponses(described: unknown): Json {
  const text = JSON.stringify(described);
  return Object.fromEntries(
    Object.entries({ ...errorResponses, CarriedOut: carriedOut }).filter(([name]) =>
      text.includes(`"#/components/responses/${name}"`),
    ),
  );
}

/** The definitions that a description refers to, directly or through others, by name. */
function referredTo(described: unknown, component: OpenApiParts['component']): Json {
  const found = new Map<string, Json>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const name =
        key === '$ref' && typeof member === 'string' ? /^#\/components\/schemas\/(\w+)$/.exec(member)?.[1] : undefined;
      if (name === undefined) look(member);
      else if (!found.has(name) && name !== 'Error') {
        found.set(name, {});
        found.set(name, component(name));
        look(found.get(name));
      }
    }
  };
  look(described);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function jsonResponse(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

function describe(route: RouteBinding, component: OpenApiParts['component'], readers: ResponseReaders): Json {
  const { operation, options } = route;
  const input = component(operation.input) as InputMembers & { readonly properties?: Readonly<Record<string, Json>> };
  const members = route.members(input).map((bound) => ({ ...bound, schema: input.properties![bound.member]! }));
  const secured = operation.link === undefined ? {} : { security: [] };
  const body = members.filter(({ place }) => place === 'body');
  const hasBody = body.length > 0;
  const errors = errorsOf(route, hasBody);
  return {
    operationId: operation.name,
    summary: operation.summary,
    ...(operation.mcp === undefined ? {} : { description: operation.mcp.description }),
    ...secured,
    parameters: [
      ...members
        .filter(({ place }) => place !== 'body')
        .map(({ wireName, place, schema, required }) => ({ name: wireName, in: place, required, schema })),
      ...headerParameters(route),
    ],
    ...(hasBody ? { requestBody: requestBody(body, options.example, options.upload) } : {}),
    responses: {
      ...errorResponsesOf(errors),
      ...success(route, component),
      ...repeatResponses(route, readers),
    },
  };
}

/** A body that may be a file. */
const formSchema: Json = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
};

function requestBody(
  members: readonly (BoundMember & { readonly schema: Json })[],
  example: Json | undefined,
  upload: RestOptions['upload'],
): Json {
  const required = members.filter((member) => member.required).map(({ wireName }) => wireName);
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(members.map(({ wireName, schema: member }) => [wireName, member])),
    ...requiring(required),
  };
  const form = upload === undefined ? undefined : { 'multipart/form-data': { schema: formSchema } };
  return { required: required.length > 0, content: { ...jsonContent(schema, example), ...form } };
}

function jsonContent(schema: Json, example: Json | undefined): Json {
  return { 'application/json': example === undefined ? { schema } : { schema, example } };
}

function headerParameters(route: RouteBinding): Json[] {
  const header = (name: string, description: string): Json => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  });
  if (route.operation.effect === 'read') {
    return route.hasTag
      ? [header('If-None-Match', 'The ETag of a response that the caller has: 304 if it is still current.')]
      : [];
  }
  return [
    ...(route.hasTag && route.replaces
      ? [header('If-Match', 'The ETag of the expected state: 412 if the resource has another one.')]
      : []),
    header(
      'Idempotency-Key',
      'A retry with the same key changes nothing and gets the first response, for 24 hours. Responses over 64 KiB are not stored: if the resource has changed since, the retry is redirected to it.',
    ),
    ...(route.method === 'PATCH'
      ? [header('Editing-Session', 'Any name: consecutive changes of a record with the same name are one revision.')]
      : []),
  ];
}

/** The responses of an operation: the bare resource if the tool's response wraps it. */
function success(route: RouteBinding, component: OpenApiParts['component']): Json {
  const { operation, options, isTagged } = route;
  if (options.raw === true)
    return Object.fromEntries(route.statuses.map((status) => [status, rawResponse(options.produces)]));
  const notModified =
    isTagged && route.method === 'GET' ? { 304: { description: 'The caller has the current state already.' } } : {};
  if (operation.output === undefined) return { 204: { description: 'Done.' } };
  const wrapped = component(operation.output);
  const properties = wrapped['properties'] as Readonly<Record<string, Json>> | undefined;
  if (isEmpty(route)) return { 204: { description: 'Done.', ...headersOf(options.headers, properties) } };
  const { [options.bare ?? '']: bare, ...beside } = properties ?? {};
  const always = (wrapped['required'] as readonly string[] | undefined) ?? [];
  const schema =
    bare === undefined
      ? wrapped
      : Object.keys(beside).length === 0
        ? bare
        : {
            allOf: [
              bare,
              { type: 'object', properties: beside, ...requiring(always.filter((name) => name in beside)) },
            ],
          };
  const response = { ...jsonResponse('Done.', schema), ...(isTagged ? { headers: tagHeader } : {}) };
  return { ...Object.fromEntries(route.statuses.map((status) => [status, response])), ...notModified };
}

/** Returns whether the response has no body. */
function isEmpty(route: RouteBinding): boolean {
  return route.statuses.includes(204);
}

/** The headers that an operation declares, described as the members of its answer. */
function headersOf(
  headers: Readonly<Record<string, string>> = {},
  members: Readonly<Record<string, Json>> = {},
): { readonly headers?: Json } {
  const described = Object.entries(headers).map(([name, member]) => {
    const { description, ...schema } = members[member] ?? {};
    return [name, { ...(description === undefined ? {} : { description }), schema: { ...schema, type: 'string' } }];
  });
  return described.length === 0 ? {} : { headers: Object.fromEntries(described) as Json };
}

/** The response to a repeat with an idempotency key if the first response was too large to be stored and differs from the current state. */
function repeatResponses(route: RouteBinding, readers: ResponseReaders): Json {
  const { operation } = route;
  if (operation.effect === 'read' || operation.output === undefined || operation.link !== undefined) return {};
  if (isEmpty(route)) return {};
  if (readers.readerOf(operation) === undefined)
    return { 204: { description: 'A retry of a call that was executed before; its response is no longer stored.' } };
  return { 303: { $ref: '#/components/responses/CarriedOut' } };
}

const repeatedSchema: Json = {
  type: 'object',
  required: ['repeated'],
  properties: {
    repeated: {
      type: 'object',
      required: ['message', 'read'],
      properties: {
        message: { type: 'string' },
        read: {
          type: 'object',
          description: 'The operation that reads the resource, and its input.',
          required: ['operation', 'input'],
          properties: { operation: { type: 'string' }, input: { type: 'object' } },
        },
      },
    },
  },
};

const carriedOut: Json = {
  ...jsonResponse(
    'A retry of a call that was executed before; its response is no longer stored, and the resource has changed since.',
    repeatedSchema,
  ),
  headers: { Location: { description: 'The URL of the resource.', schema: { type: 'string' } } },
};

/** The keyword `required` of an object's schema; nothing for an empty list. */
function requiring(required: readonly string[]): Json {
  return required.length === 0 ? {} : { required };
}

const tagHeader: Json = {
  ETag: { description: 'The state of the response: "<own>.<rest>".', schema: { type: 'string' } },
};

/** A response that is not JSON. */
function rawResponse(types: readonly string[] = ['*/*']): Json {
  return { description: 'The content itself.', content: Object.fromEntries(types.map((type) => [type, {}])) };
}

function describeService(method: string, path: string, described: (typeof describedPaths)[number][2]): Json {
  const { summary, description, open, answer, body, errors = [] } = described;
  const parameters = parametersOf(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId: operationIdOf(method, path),
    summary,
    ...(description === undefined ? {} : { description }),
    ...(open === undefined ? {} : { security: [] }),
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body, undefined) } }),
    responses: {
      ...errorResponsesOf([...new Set([400, ...(open === undefined ? [401, 403] : [403]), ...errors])]),
      200: Array.isArray(answer) ? rawResponse(answer as string[]) : jsonResponse('Done.', answer as Json),
    },
  };
}
