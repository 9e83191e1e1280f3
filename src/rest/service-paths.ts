import { parametersOf, templateOf } from '../operations/declaration/route-binding.ts';

type Json = Readonly<Record<string, unknown>>;

/** The description of a route of the service itself. */
interface ServicePath {
  readonly summary: string;
  readonly description?: string;
  /** Requires no credential, not even if the service is hosted. */
  readonly open?: true;
  /** The schema of a JSON response, or the content types of any other. */
  readonly answer: Json | readonly string[];
  /** The schema of a JSON body. */
  readonly body?: Json;
  /** Further statuses than every route has. */
  readonly errors?: readonly number[];
}

function object(properties: Json, optional: readonly string[] = []): Json {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

const count = { type: 'integer', minimum: 0 };
const text = { type: 'string' };
const diagnosis = object(
  {
    problems: { type: 'array', items: { $ref: '#/components/schemas/Problem' } },
    mended: { type: 'array', items: text },
    upgraded: { type: 'array', items: text, description: 'Upgrades of the files whose backup still exists.' },
  },
  ['upgraded'],
);

/** Every route of the service itself by method and path: one list for both the routes and their description. */
export const servicePaths = {
  'GET /health': { summary: 'Whether the service is running', open: true, answer: object({ ok: { const: true } }) },
  'GET /ready': {
    summary: 'Whether the store accepts writes',
    description:
      '503 `unavailable` once the journal could not be written: reads continue, writes are rejected until a restart.',
    answer: object({
      ready: { const: true },
      projects: count,
      pending: { ...count, description: 'Acknowledged changes that are not in their files yet.' },
      journal_bytes: count,
      git: {
        type: ['string', 'null'],
        description: 'The git operation in progress, if it prevents files from being written.',
      },
      watch: {
        enum: ['events', 'poll', 'off'],
        description: 'How edits of files are noticed: by events of the system, or by polling; `off`: not at all.',
      },
      problems: { ...count, description: 'Problems of the root itself.' },
    }),
    errors: [503],
  },
  'GET /openapi.json': { summary: 'This description', answer: { type: 'object' } },
  'GET /docs': { summary: 'This description as a page', answer: ['text/html; charset=utf-8'] },
  'GET /docs/errors': { summary: 'Every error code, as a page', answer: ['text/html; charset=utf-8'] },
  'GET /docs/page.css': { summary: 'Style of the pages', answer: ['text/css; charset=utf-8'] },
  'GET /docs/page.js': { summary: 'The script of the page', answer: ['text/javascript; charset=utf-8'] },
  'GET /docs/swagger-ui.css': { summary: 'Style of Swagger UI', answer: ['text/css; charset=utf-8'] },
  'GET /docs/swagger-ui.js': { summary: 'Swagger UI', answer: ['text/javascript; charset=utf-8'] },
  'GET /service': {
    summary: 'Version and process of the service',
    answer: object({
      version: text,
      pid: count,
      instance: text,
      embedded: { type: 'boolean', description: 'Whether `planner mcp` runs it, for the client that started that.' },
    }),
  },
  'POST /service/hand-over': {
    summary: 'End this service, so that another one can serve the root',
    description:
      'Only an embedded service does so; its `planner mcp` uses the next service. A caller without a credential gets 403, on loopback too. `planner serve` calls it.',
    answer: object({ handing_over: { const: true } }),
    errors: [409],
  },
  'GET /doctor': {
    summary: 'The problems of all files of the root',
    description: 'Reads every file. `planner doctor` shows the same.',
    answer: diagnosis,
  },
  'POST /doctor': {
    summary: 'Make the repairs that lose no data, then return the remaining problems',
    description: '`mended` lists the repairs. 409 while a git command runs. `planner doctor --fix` does the same.',
    answer: diagnosis,
    errors: [409, 503],
  },
  'POST /flush': {
    summary: 'Responds when no write to files is pending',
    answer: object({ flushed: { const: true } }),
    errors: [503],
  },
  'POST /call/:operation': {
    summary: 'Run an operation by name',
    description:
      'The body is its whole input, members of the path included; the response is that of the tool of the same name.',
    body: { type: 'object' },
    answer: { type: 'object' },
    errors: [404, 409, 413, 415, 503],
  },
} as const satisfies Readonly<Record<string, ServicePath>>;

type Named<K> = K extends `${infer Method} ${infer Path}` ? { readonly method: Method; readonly path: Path } : never;

/** Method and path of a route in the list above. */
export type ServicePlace = Named<keyof typeof servicePaths>;

/** The list in the form of the OpenAPI description. */
export const describedPaths: readonly (readonly [method: string, path: string, described: ServicePath])[] =
  Object.entries(servicePaths).map(([place, described]) => {
    const [method = '', path = ''] = place.split(' ');
    return [method, path, described];
  });

/** The operation id of a route of the service itself. */
export function operationIdOf(method: string, path: string): string {
  return [method.toLowerCase(), ...[...path.matchAll(/[a-z]+/g)].map(([word]) => word)].join('_');
}

/** The routes in the form for programs. */
export const describedRoutes = describedPaths.map(([method, path, { body }]) => ({
  name: operationIdOf(method, path),
  method,
  template: templateOf(path),
  members: [
    ...parametersOf(path).map((wireName) => ({ wireName, place: 'path' }) as const),
    ...(body === undefined ? [] : [{ wireName: 'body', place: 'body' } as const]),
  ],
}));
