import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { TestService } from '../support/service.ts';

describe("the SDK's own client", () => {
  let service: TestService;
  /** The sessions that requests named, one a request. */
  let named: (string | null)[];

  before(async () => {
    service = await TestService.start();
  });

  after(() => service.stop());

  beforeEach(() => {
    named = [];
  });

  async function connect(withSession: boolean): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
    const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp/`), {
      fetch: (url, init) => {
        const headers = new Headers(init?.headers);
        if (!withSession) headers.delete('mcp-session-id');
        named.push(headers.get('mcp-session-id'));
        return fetch(url, { ...init, headers });
      },
    });
    const client = new Client({ name: 'sdk', version: '1.0.0' });
    await client.connect(transport);
    return { client, transport };
  }

  async function work(client: Client): Promise<void> {
    await client.ping();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.include.members(['create_project', 'create_task', 'get_task']);
    const answer = async (name: string, input: object): Promise<{ [name: string]: { id: string } }> =>
      (await client.callTool({ name, arguments: { ...input } })).structuredContent as never;
    const { project } = await answer('create_project', { name: 'By the SDK' });
    const { goal } = await answer('create_goal', { project_id: project!.id, name: 'G', objective: 'Done.' });
    const { task } = await answer('create_task', { project_id: project!.id, goal_id: goal!.id, label: 'First' });
    const { next } = (await answer('get_next_task', { project_id: project!.id, goal_id: goal!.id })) as never as {
      next: { next_task: { id: string } };
    };
    expect(next.next_task.id).to.equal(task!.id);
    const refused = await client.callTool({ name: 'get_task', arguments: { task_id: 'tsk_none' } });
    expect(refused.isError).to.equal(true);
    await client.callTool({ name: 'drop_everything' }).then(
      () => expect.fail('There is no such tool.'),
      (error: unknown) => expect((error as Error).message).to.include('drop_everything'),
    );
  }

  it('works in a session, and ends it [A.sdk-client]', async () => {
    const { client, transport } = await connect(true);
    await work(client);
    const session = transport.sessionId!;
    expect(new Set(named)).to.deep.equal(new Set([null, session]));
    await transport.terminateSession();
    await client.close();
    const after = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Mcp-Session-Id': session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    expect(after.status).to.equal(404);
  });

  it('works without a session [A.sdk-client]', async () => {
    const { client } = await connect(false);
    await work(client);
    expect(new Set(named)).to.deep.equal(new Set([null]));
    await client.close();
  });
});
