import { componentPrefix } from './component.ts';
import { compiledTypes } from './compiled-types.ts';
import type { Schema } from './schemas.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Described {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** The members of an OpenAPI 3.1 description that a client is made from. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The schema of an answer, `no JSON` for a page or a file, or nothing. */
type Answer = Schema | 'no JSON' | undefined;

/** Where an operation is served, and where its members are in a request. */
export interface ClientRoute {
  /** The operationId. */
  readonly name: string;
  readonly method: string;
  /** As OpenAPI writes it: `/api/v1/tasks/{task_id}`. */
  readonly template: string;
  readonly members: readonly { readonly wireName: string; readonly place: 'path' | 'query' | 'body' }[];
}

interface Call {
  readonly name: string;
  readonly input: Schema;
  readonly answer: Answer;
}

const json = 'application/json';

/** The types of what the page sends and is answered: the components of the description, and a request and an answer for each operation. */
export async function pageTypes(document: OpenApiDocument): Promise<string> {
  const { schemas } = document.components;
  const ofCalls = callsOf(document).flatMap(({ name, input, answer }) => [
    [requestName(name), input] as const,
    ...(typeof answer !== 'object' || nameOf(answer) !== undefined ? [] : [[answerName(name), answer] as const]),
  ]);
  const taken = ofCalls.find(([name]) => name in schemas);
  if (taken !== undefined) throw new Error(`${taken[0]} is a component of the OpenAPI description and a call's type.`);
  const all = { ...schemas, ...Object.fromEntries(ofCalls) };
  const text = await compiledTypes(closed(all) as Record<string, Schema>, (ref) => nameOf({ $ref: ref })!);
  return `${banner}\n${text}`;
}

/** How the page reaches each operation, by its operationId, in the order of the description. */
export function pageClient(document: OpenApiDocument, served: readonly ClientRoute[]): string {
  const calls = callsOf(document);
  const byName = new Map(served.map((route) => [route.name, route]));
  const routes = calls.map(({ name }) => {
    const { method, template, members } = byName.get(name)!;
    const inQuery = members.filter(({ place }) => place === 'query').map(({ wireName }) => wireName);
    const query = inQuery.length === 0 ? '' : `, query: ${JSON.stringify(inQuery)}`;
    const body = members.some(({ place }) => place === 'body') ? ', body: true' : '';
    return `  ${name}: { method: '${method}', path: '${template}'${query}${body} },`;
  });
  const typeOf = ({ name, answer }: Call): string =>
    answer === undefined
      ? 'undefined'
      : answer === 'no JSON'
        ? 'unknown'
        : `types.${nameOf(answer) ?? answerName(name)}`;
  const types = calls.map(
    (call) =>
      `  readonly ${call.name}: { readonly input: types.${requestName(call.name)}; readonly answer: ${typeOf(call)} };`,
  );
  return `${banner}
import type * as types from './types.ts';

/** Where each operation is served: \`{member}\` of the path, members of the \`query\`, and whether the others are a body. */
export const routes = {
${routes.join('\n')}
} as const;

/** What each operation takes, whatever its place in the request, and the body of its answer. */
export interface Calls {
${types.join('\n')}
}
`;
}

const banner = '/** Made from `schemas/generated/openapi.json` by `npm run generate`. Do not edit. */';

function callsOf({ paths }: OpenApiDocument): Call[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods).map(callOf));
}

function callOf(described: Described): Call {
  const { operationId, parameters, requestBody, responses } = described;
  const placed = parameters.filter((parameter) => parameter.in !== 'header');
  const body = requestBody?.content[json]?.schema ?? {};
  return {
    name: operationId,
    input: {
      // A body that may be anything leaves the whole open.
      ...body,
      type: 'object',
      properties: {
        ...Object.fromEntries(placed.map(({ name, schema }) => [name, schema])),
        ...(body['properties'] as Schema | undefined),
      },
      required: [
        ...placed.filter(({ required }) => required).map(({ name }) => name),
        ...((body['required'] as string[] | undefined) ?? []),
      ],
    },
    answer: answerOf(responses),
  };
}

function answerOf(responses: Described['responses']): Answer {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  if (response?.content === undefined) return undefined;
  return response.content[json]?.schema ?? 'no JSON';
}

/** Of a reference to a component, its name. */
function nameOf(schema: Schema): string | undefined {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string' || Object.keys(beside).length > 0) return undefined;
  return $ref.slice(componentPrefix.length);
}

function requestName(operationId: string): string {
  return `${pascal(operationId)}Request`;
}

function answerName(operationId: string): string {
  return `${pascal(operationId)}Answer`;
}

function pascal(operationId: string): string {
  return operationId.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** In a type, an object with listed members has no others: a schema leaves that open if `allOf` combines it with another. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, closed(member)]),
  );
  return inner['type'] === 'object' && inner['properties'] !== undefined
    ? { additionalProperties: false, ...inner }
    : inner;
}
