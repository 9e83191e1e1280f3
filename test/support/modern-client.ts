import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Transport, VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { metaNames, modernVersion } from '../../src/mcp/envelope.ts';
import type { ToolOutcome } from './mcp-client.ts';

export interface ModernClientOptions {
  readonly name?: string;
  /** Default: the newest revision that both support. */
  readonly mode?: VersionNegotiationOptions['mode'];
  /** Headers of every request: a credential. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly capabilities?: object;
}

/** The second SDK's client, which negotiates the revision. */
export class ModernClient {
  readonly sdk: Client;

  private constructor(sdk: Client) {
    this.sdk = sdk;
  }

  static connect(url: string, options: ModernClientOptions = {}): Promise<ModernClient> {
    const { headers } = options;
    const requestInit = headers === undefined ? {} : { requestInit: { headers } };
    return ModernClient.over(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), requestInit), options);
  }

  static async over(transport: Transport, options: ModernClientOptions = {}): Promise<ModernClient> {
    const { name = 'modern', mode = 'auto', capabilities = {} } = options;
    const sdk = new Client({ name, version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
    await sdk.connect(transport);
    return new ModernClient(sdk);
  }

  /** The negotiated revision. */
  get version(): string | undefined {
    return this.sdk.getNegotiatedProtocolVersion();
  }

  async call(name: string, input: Record<string, unknown> = {}, key?: string): Promise<ToolOutcome> {
    const meta = key === undefined ? {} : { _meta: { 'planner/key': key } };
    const result = await this.sdk.callTool({ name, arguments: input, ...meta });
    return { isError: result.isError === true, value: result.structuredContent };
  }

  /** Calls a tool that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async get(name: string, input: Record<string, unknown> = {}): Promise<any> {
    const { isError, value } = await this.call(name, input);
    if (isError) throw new Error(`${name} answered ${JSON.stringify(value)}`);
    return value;
  }

  close(): Promise<void> {
    return this.sdk.close();
  }
}

/** The envelope of a modern request. */
export function envelope(client: string | undefined = 'raw', version: string = modernVersion): Record<string, unknown> {
  return {
    [metaNames.version]: version,
    [metaNames.capabilities]: {},
    ...(client === undefined ? {} : { [metaNames.client]: { name: client, version: '1' } }),
  };
}

/** A modern request without any client. */
export function modernRequest(
  id: number | string,
  method: string,
  params: { readonly _meta?: object; readonly [name: string]: unknown } = {},
): { jsonrpc: '2.0'; id: number | string; method: string; params: Record<string, unknown> } {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...envelope(), ...params._meta } } };
}
