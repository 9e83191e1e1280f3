/** Yardstick of tool calls: a tool that returns its arguments, behind the SDK's server and its own HTTP transport. `node echo-mcp.ts <port>` */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import express from 'express';
import { readJson } from '../../../src/http/read-json.ts';

const jsonSchemaValidator = new AjvJsonSchemaValidator();
const tools = [{ name: 'echo', description: 'Answers its arguments.', inputSchema: { type: 'object' as const } }];

const app = express();
app.post('/mcp/', async (request, response) => {
  const body = await readJson(request);
  const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} }, jsonSchemaValidator });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const value = params.arguments ?? {};
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
  });
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await server.connect(transport);
  try {
    await transport.handleRequest(request, response, body);
  } finally {
    await server.close();
  }
});
app.all('/mcp/', (_request, response) => void response.status(405).set('Allow', 'POST').end());
app.listen(Number(process.argv[2]), '127.0.0.1');
