import { isObject } from '../base/is-object.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';

/** The first revision of MCP without sessions. Revisions are dates, so their order is the order of the texts. */
export const modernVersion = '2026-07-28';
/** The revisions without sessions that the service supports, as `server/discover` names them. */
export const modernVersions: readonly string[] = [modernVersion];

/** The members of a request's `_meta` that replace the session: its envelope. */
export const metaNames = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
  server: 'io.modelcontextprotocol/serverInfo',
  /** In a notification this member has the id of the request whose stream they belong to. */
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The headers of a request. A modern one repeats members of its body there, for intermediaries. */
export type EnvelopeHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The description of the client in a valid envelope. */
export interface Envelope {
  readonly client: string | undefined;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** The parameter that `Mcp-Name` repeats, by method. */
const namedBy = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);
const base64Name = /^=\?base64\?(.*)\?=$/s;
const canonicalBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Returns whether a message belongs to a revision without sessions: its `_meta` names a version or, if `_meta` names no
 * version, its header a modern one. A response belongs to the other revisions, because only they let the service send
 * requests. So does `initialize`, unless a valid envelope names a modern version.
 */
export function isModern(message: Message, { 'mcp-protocol-version': header }: EnvelopeHeaders = {}): boolean {
  const { method } = message;
  if (method === undefined) return false;
  const claimed = metaOf(message)?.[metaNames.version];
  if (method === 'initialize' && (!isModernVersion(claimed) || refusalOfMeta(message) !== undefined))
    return isModernVersion(header);
  return claimed !== undefined || isModernVersion(header);
}

/** Validates the envelope of a modern message. `headers`: undefined over stdio. Returns the error, or undefined. */
export function refusalOfEnvelope(message: Message, headers: EnvelopeHeaders | undefined): RpcError | undefined {
  const { id, method } = message;
  const header = textOf(headers?.['mcp-protocol-version']);
  if (method === 'initialize' && metaOf(message)?.[metaNames.version] === undefined)
    return mismatch('MCP-Protocol-Version', header, 'initialize belongs to the revisions with sessions');
  // A notification has no response: only its claims are checked.
  if (id === undefined && metaOf(message)?.[metaNames.version] === undefined) return undefined;
  const invalid = refusalOfMeta(message);
  if (invalid !== undefined) return invalid;
  const version = metaOf(message)![metaNames.version] as string;
  const mismatched = headers === undefined ? undefined : disagreement(message, version, headers);
  if (mismatched !== undefined) return mismatched;
  if (!modernVersions.includes(version)) return unsupported(version);
  return headers === undefined || id === undefined ? undefined : missingHeader(message, headers);
}

/** The envelope of a request that `refusalOfEnvelope` accepts. */
export function envelopeOf(message: Message): Envelope {
  const { [metaNames.client]: client, [metaNames.capabilities]: capabilities } = metaOf(message) ?? {};
  return {
    client: isObject(client) ? (client['name'] as string) : undefined,
    capabilities: isObject(capabilities) ? capabilities : {},
  };
}

/** The headers that a modern request has over HTTP. */
export function headersOfRequest(message: Message): Readonly<Record<string, string>> {
  const version = metaOf(message)?.[metaNames.version];
  const name = nameOf(message);
  return {
    ...(typeof version === 'string' ? { 'MCP-Protocol-Version': asHeader(version) } : {}),
    'Mcp-Method': asHeader(message.method!),
    ...(name === undefined ? {} : { 'Mcp-Name': asHeader(name) }),
  };
}

function refusalOfMeta(message: Message): RpcError | undefined {
  const meta = metaOf(message);
  if (meta === undefined) return missing('_meta', '_meta');
  const { version: versionName, capabilities: capabilitiesName, client: clientName } = metaNames;
  const { [versionName]: version, [capabilitiesName]: capabilities, [clientName]: client } = meta;
  if (version === undefined) return missing(`_meta.${versionName}`, versionName);
  if (typeof version !== 'string') return invalidMember(versionName, 'must be a string');
  // Notifications carry the version alone.
  if (message.id === undefined) return undefined;
  if (capabilities === undefined) return missing(`_meta.${capabilitiesName}`, capabilitiesName);
  if (!isObject(capabilities)) return invalidMember(capabilitiesName, 'must be an object');
  if (client !== undefined && !(isObject(client) && typeof client['name'] === 'string'))
    return invalidMember(clientName, 'must be an object with the name of the client');
  return undefined;
}

function disagreement(message: Message, version: string, headers: EnvelopeHeaders): RpcError | undefined {
  const { 'mcp-protocol-version': versionHeader, 'mcp-method': methodHeader } = headers;
  if (versionHeader !== undefined && textOf(versionHeader) !== version)
    return mismatch('MCP-Protocol-Version', textOf(versionHeader), `_meta names ${JSON.stringify(version)}`);
  if (methodHeader !== undefined && textOf(methodHeader) !== message.method)
    return mismatch('Mcp-Method', textOf(methodHeader), `the method is ${JSON.stringify(message.method)}`);
  return undefined;
}

/** A modern request repeats its version, its method and the name that it is about in headers. */
function missingHeader(message: Message, headers: EnvelopeHeaders): RpcError | undefined {
  if (headers['mcp-protocol-version'] === undefined)
    return mismatch('MCP-Protocol-Version', undefined, 'every request has it');
  if (headers['mcp-method'] === undefined) return mismatch('Mcp-Method', undefined, 'every request has it');
  const name = nameOf(message);
  if (name === undefined) return undefined;
  const header = textOf(headers['mcp-name']);
  if (header === undefined) return mismatch('Mcp-Name', undefined, `every ${message.method} has it`);
  if (decoded(header) !== name) return mismatch('Mcp-Name', header, `the body names ${JSON.stringify(name)}`);
  return undefined;
}

function nameOf({ method = '', params }: Message): string | undefined {
  const member = namedBy.get(method);
  const name = member === undefined ? undefined : params?.[member];
  return typeof name === 'string' ? name : undefined;
}

function metaOf({ params }: Message): Readonly<Record<string, unknown>> | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta : undefined;
}

function isModernVersion(version: unknown): boolean {
  return typeof version === 'string' && version.trim() >= modernVersion;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header.trim() : header?.join(', ');
}

/** A value as a header: as it is, or in Base64 if a header cannot contain it. */
function asHeader(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !base64Name.test(value);
  return plain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** The value of such a header; undefined if its Base64 is invalid. */
function decoded(header: string): string | undefined {
  const [, base64] = base64Name.exec(header) ?? [];
  if (base64 === undefined) return header;
  if (!canonicalBase64.test(base64)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

function unsupported(requested: string): RpcError {
  const message = `The version ${JSON.stringify(requested)} of the protocol is not supported in _meta; supported: ${modernVersions.join(', ')}.`;
  const field = `params._meta.${metaNames.version}`;
  return new RpcError(rpcCodes.unsupportedVersion, message, { field, supported: modernVersions, requested });
}

function mismatch(field: string, header: string | undefined, body: string): RpcError {
  const found = header === undefined ? 'is missing' : `is ${JSON.stringify(header)}`;
  const message = `The header ${field} ${found}, but ${body}.`;
  return new RpcError(rpcCodes.headerMismatch, message, { field, mismatch: { header: header ?? null, body } });
}

function missing(path: string, name: string): RpcError {
  const message = `A request of revision ${modernVersion} has ${name} in params._meta: it is missing.`;
  return new RpcError(rpcCodes.invalidParams, message, { field: `params.${path}` });
}

function invalidMember(name: string, problem: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `${name} ${problem}.`, { field: `params._meta.${name}` });
}
