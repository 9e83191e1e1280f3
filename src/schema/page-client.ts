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

/** The members of an OpenAPI 3.1 description that a client is generated from. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The schema of a response, `no JSON` for a page or a file; undefined for an empty response. */
type Answer = Schema | 'no JSON' | undefined;

/** The route of an operation, and the location of its members in a request. */
export interface ClientRoute {
  /** The operationId. */
  readonly name: string;
  readonly method: string;
  /** The template in OpenAPI's syntax: `/api/v1/tasks/{task_id}`. */
  readonly template: string;
  readonly members: readonly { readonly wireName: string; readonly place: 'path' | 'query' | 'body' }[];
}

interface Call {
  readonly name: string;
  readonly input: Schema;
  readonly answer: Answer;
}

const json = 'application/json';

/** The types of the page's requests and responses: the components of the description, and a request and a response for each operation. */
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

/** How the page calls each operation, by operationId, in the order of the description. */
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

/** The route of each operation: \`{member}\` of the path, members of the \`query\`, and whether the others are a body. */
export const routes = {
${routes.join('\n')}
} as const;

/** The input of each operation, wherever its members are in the request, and the body of its response. */
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
      // If the body may be anything, the input may have any members.
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

/** The name in a reference to a component. */
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

/** The type of an object has only the listed members. A schema of `allOf` does not forbid others, so it is closed here. */
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
