import { catalogue } from '../../src/operations/catalogue.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { routeOf } from '../../src/operations/declaration/route-binding.ts';
import { inlinedForUs } from '../../src/schema/inline.ts';
import { headersOfRequest, modernVersion } from '../../src/mcp/envelope.ts';
import { mcpHeaders } from './mcp-client.ts';
import { modernRequest } from './modern-client.ts';
import type { InputSchema } from './random-input.ts';
import { exchange } from './rest-client.ts';
import type { TestService } from './service.ts';

export type TransportName = 'REST' | 'MCP';

/** The outcome of a call, equal for both transports. `status` is HTTP's; over MCP the status of the POST. */
export interface CallOutcome {
  readonly status: number;
  /** The error; undefined if the call succeeded. */
  readonly error: { readonly error: string; readonly field?: string; readonly message: string } | undefined;
  readonly value: unknown;
}

/** Every operation with each of its transports. */
export const callable: readonly (readonly [operation: AnyOperation, transport: TransportName])[] = catalogue.flatMap(
  (operation) => [
    ...(operation.rest === undefined ? [] : [[operation, 'REST'] as const]),
    ...(operation.mcp === undefined ? [] : [[operation, 'MCP'] as const]),
  ],
);

/** The schema of an operation's input, self-contained and with Planner's own keywords. */
export function schemaOf({ input }: AnyOperation): InputSchema {
  return inlinedForUs(input);
}

/** The members that a route has in its path. */
export function pathMembers(operation: AnyOperation): ReadonlySet<string> {
  return new Set(routeOf(operation)?.parameters);
}

/** Returns whether a route takes members in its query. */
export function takesQuery(operation: AnyOperation): boolean {
  return routeOf(operation)?.queryIsInput === true;
}

/** The name of a member over a transport. */
export function wireName(operation: AnyOperation, transport: TransportName, member: string): string {
  return transport === 'MCP' ? member : (routeOf(operation)?.wireNameOf(member) ?? member);
}

/** Where a route takes an input: its path, query and body. Members of the path must be texts. */
export function requestOf(
  operation: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): { readonly url: string; readonly body: Record<string, unknown> | undefined } {
  const route = routeOf(operation)!;
  const left = new Map(Object.entries(input));
  const inPath = route.parameters.map((member) => {
    const value = left.get(member) ?? 'absent';
    left.delete(member);
    return [member, (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()] as const;
  });
  const path = route.address(Object.fromEntries(inPath));
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [member, value] of left) {
    const name = route.wireNameOf(member);
    if (!route.queryIsInput && member !== 'project_id') body[name] = value;
    else
      for (const item of Array.isArray(value) ? value : [value])
        query.append(name, item === null ? '' : typeof item === 'object' ? JSON.stringify(item) : String(item));
  }
  const url = query.size === 0 ? path : `${path}?${query.toString()}`;
  return { url, body: route.queryIsInput ? undefined : body };
}

/** Sends an input unchanged, valid or not, without a client library. Over MCP without a session if the headers name the modern version. */
export async function send(
  service: TestService,
  operation: AnyOperation,
  transport: TransportName,
  input: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<CallOutcome> {
  return transport === 'REST'
    ? sendRest(service, operation, input, headers)
    : sendMcp(service, operation, input, headers);
}

async function sendRest(
  service: TestService,
  operation: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Promise<CallOutcome> {
  const { url, body } = requestOf(operation, input);
  const { status, body: value } = await service.rest.send(operation.rest!.method, url, body, { ...headers });
  return { status, value, error: status >= 400 ? (value as CallOutcome['error']) : undefined };
}

async function sendMcp(
  service: TestService,
  { name }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): Promise<CallOutcome> {
  const params = { name, arguments: input };
  const modern = modernVersion === headers['MCP-Protocol-Version'];
  const message = modern
    ? modernRequest(1, 'tools/call', params)
    : { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params };
  const { status, body } = await exchange(`${service.url}/mcp`, {
    method: 'POST',
    headers: { ...mcpHeaders, ...headers, ...(modern ? headersOfRequest(message) : {}) },
    body: JSON.stringify(message),
  });
  const { result, error } = body as {
    result?: { isError?: boolean; structuredContent: unknown };
    error?: { data: CallOutcome['error'] };
  };
  const value = result?.structuredContent;
  const refused = error?.data ?? (result?.isError === true ? (value as CallOutcome['error']) : undefined);
  return { status, value, error: refused };
}
