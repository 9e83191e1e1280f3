import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

interface Called {
  readonly name: string;
  /** A text `$x` is the argument x of the client. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The service's counterparts of the names that a client uses. */
export interface Renamed {
  readonly tools?: Readonly<Record<string, Called>>;
  /** Also for completions: the name of an argument is the first one given here. */
  readonly prompts?: Readonly<Record<string, Called>>;
  readonly uris?: Readonly<Record<string, string>>;
}

export interface RenamingProxy {
  readonly url: string;
  close(): Promise<void>;
}

interface Message {
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly ref?: { readonly type: string; readonly name?: string };
    readonly argument?: { readonly value: string };
  };
}

/** A proxy before a service: replaces names of tools, prompts and resources that a client uses with the service's own. */
export async function renamingProxy(service: string, renamed: Renamed): Promise<RenamingProxy> {
  const server = createServer((request, response) => void forward(request, response));
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers } = request.headers;
    const text = Buffer.concat((await request.toArray()) as Buffer[]).toString();
    const message = text === '' ? undefined : inTermsOf(JSON.parse(text) as Message, renamed);
    const name = message?.params?.name ?? message?.params?.uri;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const answer = await fetch(service + request.url, {
        method: request.method!,
        headers: {
          ...(headers as Record<string, string>),
          ...('mcp-name' in headers && name !== undefined ? { 'mcp-name': name } : {}),
        },
        ...(message === undefined ? {} : { body: JSON.stringify(message) }),
        signal: gone.signal,
      });
      const session = answer.headers.get('mcp-session-id');
      response.writeHead(answer.status, {
        'Content-Type': answer.headers.get('content-type') ?? 'application/json',
        ...(session === null ? {} : { 'Mcp-Session-Id': session }),
      });
      response.flushHeaders();
      if (answer.body === null) response.end();
      else
        Readable.fromWeb(answer.body as never)
          .on('error', () => response.destroy())
          .pipe(response);
    } catch {
      response.destroy();
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The message with the names of the service. */
function inTermsOf(message: Message, { tools = {}, prompts = {}, uris = {} }: Renamed): Message {
  const { method = '', params = {} } = message;
  const of = method === 'tools/call' ? tools : method === 'prompts/get' ? prompts : {};
  const called = of[params.name ?? ''];
  if (called !== undefined) return { ...message, params: { ...params, ...calling(called, params.arguments) } };
  const uri = uris[params.uri ?? ''];
  if (uri !== undefined) return { ...message, params: { ...params, uri } };
  const completed = prompts[params.ref?.name ?? ''];
  if (completed === undefined) return message;
  const [argument = ''] = Object.keys(completed.input);
  const ref = { type: 'ref/prompt', name: completed.name };
  return { ...message, params: { ...params, ref, argument: { ...params.argument, name: argument } } } as Message;
}

function calling({ name, input }: Called, given: Called['input'] = {}): object {
  const values = Object.entries(input).map(([key, value]) => {
    const own = typeof value === 'string' && value.startsWith('$') ? given[value.slice(1)] : value;
    return [key, own] as const;
  });
  return { name, arguments: Object.fromEntries(values) };
}
