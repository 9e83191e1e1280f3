import { metaNames, modernVersions, refusalOfEnvelope } from './envelope.ts';
import { instructions } from './instructions.ts';
import type { Message } from './json-rpc.ts';

/** How long clients may reuse results that depend on the version of the service only, in milliseconds. */
export const listTtlMs = 300_000;
/** The instructions name the bound project, which may be renamed. */
const discoverTtlMs = 60_000;

export const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} };

/** The additional capabilities of revisions without sessions. */
export const modernCapabilities = {
  ...capabilities,
  extensions: { 'io.modelcontextprotocol/events': {}, 'io.modelcontextprotocol/skills': {} },
};

export function serverInfo(version: string): { name: string; title: string; version: string } {
  return { name: 'planner', title: 'Planner', version };
}

/** The result of `server/discover`, the same for every service except for the instructions. */
export function discovery(text: string): {
  supportedVersions: string[];
  capabilities: typeof modernCapabilities;
  instructions: string;
  ttlMs: number;
  cacheScope: 'private';
} {
  return {
    supportedVersions: [...modernVersions],
    capabilities: modernCapabilities,
    instructions: text,
    ttlMs: discoverTtlMs,
    cacheScope: 'private',
  };
}

/**
 * The response to a modern request over stdio that needs no service: its rejection, or the result of `server/discover`,
 * which is the same for every service. Undefined if the service has to respond.
 */
export function answerWithoutService(message: Message, version: string): Message | undefined {
  const { id, method } = message;
  const refusal = refusalOfEnvelope(message, undefined);
  if (refusal !== undefined) return { jsonrpc: '2.0', id: id!, error: refusal.toJSON() };
  if (method !== 'server/discover') return undefined;
  // The SDK adds the last two for a service.
  const common = { resultType: 'complete', _meta: { [metaNames.server]: serverInfo(version) } };
  return { jsonrpc: '2.0', id: id!, result: { ...discovery(instructions('not_known_yet')), ...common } };
}
