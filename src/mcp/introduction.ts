import { instructions } from './instructions.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';
import { initializeResult, readInitialize } from './legacy-sdk.ts';

/** The response to `initialize` while the service is not known yet. It is the same for every service. The caller sets the id. */
export function introduction(params: Readonly<Record<string, unknown>>, version: string): Message {
  const read = readInitialize({ method: 'initialize', params });
  if ('client' in read)
    return { jsonrpc: '2.0', result: initializeResult(params, version, instructions('not_known_yet')) };
  const refusal = new RpcError(rpcCodes.invalidParams, `${read.field}: ${read.message}`, { field: read.field });
  return { jsonrpc: '2.0', error: refusal.toJSON() };
}
