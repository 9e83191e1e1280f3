import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Called {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface RenamingProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** A proxy before a service: replaces tool names that a client calls with the service's own. */
export async function renamingProxy(service: string, names: Readonly<Record<string, Called>>): Promise<RenamingProxy> {
  const server = createServer((request, response) => void forward(request, response));
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers } = request.headers;
    const chunks = (await request.toArray()) as Buffer[];
    const body = Buffer.concat(chunks).toString();
    const name = nameOf(body, names);
    const answer = await fetch(service + request.url, {
      method: request.method!,
      headers: {
        ...(headers as Record<string, string>),
        ...('mcp-name' in headers && name !== undefined ? { 'mcp-name': name } : {}),
      },
      ...(body === '' ? {} : { body: renamed(body, names) }),
    });
    const session = answer.headers.get('mcp-session-id');
    response.writeHead(answer.status, {
      'Content-Type': answer.headers.get('content-type') ?? 'application/json',
      ...(session === null ? {} : { 'Mcp-Session-Id': session }),
    });
    response.end(await answer.text());
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

/** The service's name for the tool that a request calls. */
function nameOf(body: string, names: Readonly<Record<string, Called>>): string | undefined {
  const message = (body === '' ? {} : JSON.parse(body)) as { method?: string; params?: { name?: string } };
  return message.method === 'tools/call' ? names[message.params?.name ?? '']?.name : undefined;
}

function renamed(body: string, names: Readonly<Record<string, Called>>): string {
  const message = JSON.parse(body) as { method?: string; params?: { name?: string } };
  const called = message.method === 'tools/call' ? names[message.params?.name ?? ''] : undefined;
  if (called === undefined) return body;
  return JSON.stringify({ ...message, params: { ...message.params, name: called.name, arguments: called.input } });
}
