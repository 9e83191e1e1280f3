import type { AnyOperation, Group } from '../operations/declaration/operation.ts';
import { groups } from '../operations/groups.ts';
import { AnswerReaders } from '../operations/pipeline/repeat.ts';
import { errorAnswers, errorResponses, errorSchema, errorsOf } from './openapi-errors.ts';
import { describedPaths } from './service-paths.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OpenApiParts {
  readonly catalogue: readonly AnyOperation[];
  readonly version: string;
  /** A definition with its references as `#/components/schemas/<name>`. */
  readonly component: (definition: string) => Json;
}

const prefix = '/api/v1';
const sessionCookie = '__Host-planner';

/** The description of the REST interface, OpenAPI 3.1, derived from the catalogue: what it says is what is served. */
export function openApi({ catalogue, version, component }: OpenApiParts): Json {
  const paths: Record<string, Record<string, Json>> = {};
  const used = new Set<Group>();
  const readers = new AnswerReaders(catalogue);
  const add = (group: Group, method: string, path: string, described: Json): void => {
    used.add(group);
    const templated = prefix + path.replace(/:(\w+)/g, '{$1}');
    (paths[templated] ??= {})[method.toLowerCase()] = { tags: [group.name], ...described };
  };
  for (const [method, path, described] of describedPaths)
    add(groups.service, method, path, describeService(method, path, described));
  for (const operation of catalogue) {
    const { rest } = operation;
    if (rest !== undefined) add(operation.group, rest.method, rest.path, describe(operation, rest, component, readers));
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Planner',
      version,
      summary: 'A planning workspace that people and software agents share, kept as Markdown and JSON files.',
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that answers this.' }],
    // The empty one stands first: on loopback a caller without a credential is the owner.
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

const about = `Resources are bare JSON objects, lists are \`{"<plural>": [...]}\`. Members that are not known are refused, absent leaves a field alone,
null clears it. Names, labels, titles and other texts of one line hold no control characters, line breaks or bidirectional overrides:
in a request they are refused, and only what was read from a file or an export can still have them. Times are ISO 8601 in UTC. Lists answer everything unless \`limit\` is given, and then \`next_cursor\` where there is more.

Every GET carries an \`ETag\`; \`If-None-Match\` answers 304, \`If-Match\` on PATCH and PUT refuses to overwrite what somebody else has
changed, \`since=<ETag>\` on a list answers only what changed. \`Idempotency-Key\` on a write makes repeating it safe for 24 hours.
\`X-Request-Id\` is answered always, and kept where the request bears one.

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
  basic: { type: 'http', scheme: 'basic', description: 'Where PLANNER_AUTH_PASSWORD is set: the user is `planner`.' },
};

/** The groups of `used` in their order; those that a resource declares for itself come behind the others. */
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

function describe(
  operation: AnyOperation,
  door: NonNullable<AnyOperation['rest']>,
  component: OpenApiParts['component'],
  readers: AnswerReaders,
): Json {
  const { properties = {}, required = [] } = component(operation.input) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const wireName = new Map(Object.entries(door.names ?? {}).map(([wire, member]) => [member, wire]));
  const inPath = new Set([...door.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  const members = Object.entries(properties).map(([member, schema]) => ({
    name: wireName.get(member) ?? member,
    schema,
    required: required.includes(member),
    place: inPath.has(member) ? 'path' : 'query',
  }));
  const secured = operation.link === undefined ? {} : { security: [] };
  const inQuery = door.method === 'GET' || door.method === 'DELETE';
  const asParameter = members.filter(({ place, name }) => place === 'path' || inQuery || name === 'project_id');
  const body = members.filter((member) => !asParameter.includes(member));
  const headers = headerParameters(operation, door);
  const hasBody = body.length > 0;
  const errors = errorsOf(operation, { hasBody, ifMatch: headers.some(({ name }) => name === 'If-Match') });
  return {
    operationId: operation.name,
    summary: operation.summary,
    ...(operation.mcp === undefined ? {} : { description: operation.mcp.description }),
    ...secured,
    parameters: [
      ...asParameter.map(({ name, place, schema, required: needed }) => ({
        name,
        in: place,
        required: place === 'path' || needed,
        schema,
      })),
      ...headers,
    ],
    ...(hasBody ? { requestBody: requestBody(body, door.example, door.upload) } : {}),
    responses: {
      ...errorAnswers(errors),
      ...success(operation, door, component),
      ...repeatAnswers(operation, readers),
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
  members: readonly { readonly name: string; readonly schema: Json; readonly required: boolean }[],
  example: Json | undefined,
  upload: NonNullable<AnyOperation['rest']>['upload'],
): Json {
  const required = members.filter((member) => member.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(members.map(({ name, schema: member }) => [name, member])),
    ...requiring(required),
  };
  const form = upload === undefined ? undefined : { 'multipart/form-data': { schema: formSchema } };
  return { required: required.length > 0, content: { ...jsonContent(schema, example), ...form } };
}

function jsonContent(schema: Json, example: Json | undefined): Json {
  return { 'application/json': example === undefined ? { schema } : { schema, example } };
}

function headerParameters(operation: AnyOperation, { method }: NonNullable<AnyOperation['rest']>): Json[] {
  const header = (name: string, description: string): Json => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  });
  const tagged = 'tag' in operation && operation.tag !== undefined;
  if (operation.access === 'read') {
    return tagged
      ? [header('If-None-Match', 'The ETag of an answer that is here already: 304 where it still holds.')]
      : [];
  }
  return [
    ...(tagged && (method === 'PATCH' || method === 'PUT')
      ? [header('If-Match', 'The ETag of the state that is to be changed: 412 where it changed since.')]
      : []),
    header(
      'Idempotency-Key',
      'A repeat with the same key changes nothing and gets the first answer, for 24 hours. Answers over 64 KiB are not kept: if the resource has changed since, the repeat is led to it.',
    ),
    ...(method === 'PATCH'
      ? [
          header(
            'Editing-Session',
            'A name of your own: the changes of a record that bear it in turn are one revision.',
          ),
        ]
      : []),
  ];
}

/** The answers of an operation, the bare resource where the tool's answer wraps it. */
function success(
  operation: AnyOperation,
  door: NonNullable<AnyOperation['rest']>,
  component: OpenApiParts['component'],
): Json {
  if (door.raw === true)
    return Object.fromEntries(statusesOf(door).map((status) => [status, rawResponse(door.produces)]));
  const tag = 'tag' in operation && operation.tag !== undefined && ['GET', 'PATCH', 'PUT'].includes(door.method);
  const notModified =
    tag && door.method === 'GET' ? { 304: { description: 'The caller has this state already.' } } : {};
  if (operation.output === undefined) return { 204: { description: 'Done.' } };
  const wrapped = component(operation.output);
  const properties = wrapped['properties'] as Readonly<Record<string, Json>> | undefined;
  const { [door.bare ?? '']: bare, ...beside } = properties ?? {};
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
  const statuses = statusesOf(door);
  const response = { ...jsonResponse('Done.', schema), ...(tag ? { headers: tagHeader } : {}) };
  return { ...Object.fromEntries(statuses.map((status) => [status, response])), ...notModified };
}

/** What a repeat with an idempotency key gets if its first answer was too large to be kept, and is not what there is now. */
function repeatAnswers(operation: AnyOperation, readers: AnswerReaders): Json {
  if (operation.access === 'read' || operation.output === undefined || operation.link !== undefined) return {};
  if (readers.readerOf(operation) === undefined)
    return { 204: { description: 'A repeat of a call that was carried out before; its answer is not kept any more.' } };
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
    'A repeat of a call that was carried out before; its answer is not kept any more, and the resource has changed since.',
    repeatedSchema,
  ),
  headers: { Location: { description: 'Where to read it again.', schema: { type: 'string' } } },
};

/** Says of an object which members it always has. */
function requiring(required: readonly string[]): Json {
  return required.length === 0 ? {} : { required };
}

const tagHeader: Json = {
  ETag: { description: 'The state that is answered: "<own>.<rest>".', schema: { type: 'string' } },
};

/** An answer that is no JSON. */
function rawResponse(types: readonly string[] = ['*/*']): Json {
  return { description: 'The content itself.', content: Object.fromEntries(types.map((type) => [type, {}])) };
}

function describeService(method: string, path: string, described: (typeof describedPaths)[number][2]): Json {
  const { summary, description, open, answer, body, errors = [] } = described;
  const words = [...path.matchAll(/[a-z]+/g)].map(([word]) => word);
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId: [method.toLowerCase(), ...words].join('_'),
    summary,
    ...(description === undefined ? {} : { description }),
    ...(open === undefined ? {} : { security: [] }),
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body, undefined) } }),
    responses: {
      ...errorAnswers([...new Set([400, ...(open === undefined ? [401, 403] : [403]), ...errors])]),
      200: Array.isArray(answer) ? rawResponse(answer as string[]) : jsonResponse('Done.', answer as Json),
    },
  };
}

function statusesOf({ status, method }: NonNullable<AnyOperation['rest']>): readonly number[] {
  if (typeof status === 'number') return [status];
  if (typeof status === 'function') return [200, 409];
  return [method === 'POST' ? 201 : 200];
}
