/**
 * Yardstick of tool calls without a session: a tool that returns its arguments, behind the second SDK's server and its own handler of
 * web-standard requests. `node echo-modern-mcp.ts <port> [file]`: with a file, each call is appended to it and durable before it is answered.
 */
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const jsonSchemaValidator = new AjvJsonSchemaValidator();
const tools = [{ name: 'echo', description: 'Answers its arguments.', inputSchema: { type: 'object' as const } }];

const [, , port, path] = process.argv;
const file = path === undefined ? undefined : await open(path, 'a');

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} }, jsonSchemaValidator });
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const value = params.arguments ?? {};
    await file?.appendFile(`${JSON.stringify(params)}\n`);
    await file?.datasync();
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
  });
  return server;
});

createServer((request, response) => {
  void (async () => {
    const parsedBody = request.method === 'POST' ? await json(request) : undefined;
    const headers = new Headers(request.headers as Record<string, string>);
    const asked = new Request(`http://127.0.0.1${request.url}`, { method: request.method!, headers });
    const answer = await handler.fetch(asked, { parsedBody });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  })();
}).listen(Number(port), '127.0.0.1');
