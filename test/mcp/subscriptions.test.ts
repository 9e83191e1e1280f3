import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { rawMcp } from '../support/mcp-client.ts';
import type { McpClient, McpClientOptions } from '../support/mcp-client.ts';
import { TestService } from '../support/service.ts';
import { Updates } from '../support/updates.ts';
import type { StoredRecord } from '../../src/store/index.ts';

interface SubscriptionRecord extends StoredRecord {
  readonly session: string;
  readonly uri: string;
}

describe('Subscriptions of sessions to resources', () => {
  let service: TestService;
  let project_id: string;

  before(async () => {
    service = await TestService.start();
    project_id = await service.project();
  });

  after(() => service.stop());

  async function connect(options?: McpClientOptions): Promise<{ client: McpClient; updates: Updates }> {
    const updates = new Updates();
    const client = await service.mcp(options);
    client.sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updates.add(params.uri));
    return { client, updates };
  }

  const task = async (label = 'Dig', more = {}): Promise<string> =>
    (await service.rest.post(`/projects/${project_id}/tasks`, { label, ...more })).body.id;
  const rename = (id: string, label: string): Promise<unknown> => service.rest.patch(`/tasks/${id}`, { label });
  const uriOf = (id: string): string => `planner://${project_id}/task/${id}`;

  it('report each change by anybody, until they end [D2.subscribe]', async () => {
    const { client, updates } = await connect();
    expect(client.sdk.getServerCapabilities()?.resources).to.deep.equal({ subscribe: true });
    const [one, other] = [await task(), await task('Sow')];
    await client.sdk.subscribeResource({ uri: uriOf(one) });
    await rename(other, 'Sow beans');
    await rename(one, 'Dig deep');
    await updates.of(uriOf(one));
    const writer = await service.mcp();
    await writer.get('update_task', { task_id: one, status: 'done' });
    await updates.of(uriOf(one));
    await client.sdk.subscribeResource({ uri: uriOf(other) });
    await client.sdk.unsubscribeResource({ uri: uriOf(one) });
    await rename(one, 'Dig');
    await rename(other, 'Sow');
    await updates.of(uriOf(other));
    expect(updates.uris).to.deep.equal([]);
    await service.rest.delete(`/tasks/${other}`);
    await updates.of(uriOf(other));
  });

  it('are of records by their names, and of views of a project [D2.subscribe]', async () => {
    const { client, updates } = await connect();
    const { body: goal } = await service.rest.post(`/projects/${project_id}/goals`, {
      name: 'Garden',
      objective: 'Green.',
    });
    const uris = [`planner://${project_id}/goal/Garden`, `planner://${project_id}/next`];
    for (const uri of uris) await client.sdk.subscribeResource({ uri });
    const first = await task('Dig', { goal_id: goal.id });
    for (const uri of uris) await updates.of(uri);
    await service.rest.patch(`/tasks/${first}`, { status: 'done' });
    for (const uri of uris) await updates.of(uri);
    const second = await task('Elsewhere');
    await updates.of(uris[1]!);
    await service.rest.post(`/projects/${project_id}/notes`, { title: 'N', body: 'n' });
    await client.sdk.subscribeResource({ uri: `planner://${project_id}/overview` });
    await service.rest.post(`/projects/${project_id}/notes`, { title: 'M', body: 'm' });
    await updates.of(`planner://${project_id}/overview`);
    expect(updates.uris, 'neither the goal nor the next task').to.deep.equal([]);
    const edge = { from_type: 'task', from_id: first, to_type: 'task', to_id: second };
    await client.sdk.subscribeResource({ uri: uriOf(second) });
    await service.rest.post(`/projects/${project_id}/edges`, edge);
    await updates.of(uriOf(second));
  });

  it('continue after a restart of the service, and miss nothing in between [D2.subscribe]', async () => {
    const { client, updates } = await connect();
    const [one, other] = [await task(), await task('Sow')];
    for (const id of [one, other]) await client.sdk.subscribeResource({ uri: uriOf(id) });
    await rename(one, 'Dig deep');
    await updates.of(uriOf(one));
    const session = client.session!;
    await service.restart();
    await rename(other, 'Sow beans');
    const again = await connect({ session });
    // A client that takes up a session does not open its stream on its own.
    await again.client.transport.resumeStream('');
    await again.updates.of(uriOf(other));
    await rename(one, 'Dig');
    await again.updates.of(uriOf(one));
  });

  it('are rejected for what cannot be read, for too many, and without a session [D2.subscribe]', async () => {
    const { client } = await connect();
    const refusal = (uri: string): Promise<string> =>
      client.sdk.subscribeResource({ uri }).then(
        () => 'subscribed',
        (error: unknown) => (error as Error).message,
      );
    expect(await refusal(uriOf('tsk_none'))).to.include('tsk_none');
    expect(await refusal('planner://prj_none/next')).to.include('prj_none');
    expect(await refusal('https://example.org/')).to.include('no resource');
    const ids = await Promise.all(Array.from({ length: limits.watchedResourcesMax }, () => task()));
    for (const id of ids) await client.sdk.subscribeResource({ uri: uriOf(id) });
    const id = await task();
    expect(await refusal(uriOf(id))).to.include('100');
    await client.sdk.unsubscribeResource({ uri: uriOf(ids[7]!) });
    await client.sdk.unsubscribeResource({ uri: 'planner://never/subscribed' });
    expect(await refusal(uriOf(id))).to.equal('subscribed');
    const outside = await rawMcp(service.url, {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/subscribe',
      params: { uri: uriOf(id) },
    });
    expect(await outside.json()).to.have.nested.property('error.data.field', 'Mcp-Session-Id');
  });

  it('have one name for each record, whichever part of it or spelling is named [A.hostile.watched-names]', async () => {
    const { client, updates } = await connect();
    const { body: goal } = await service.rest.post(`/projects/${project_id}/goals`, {
      name: 'One',
      objective: 'Once.',
    });
    const names = [`goal/${goal.id}`, 'goal/One', 'goal/%4fne', 'goal/One?from=7'].map(
      (name) => `planner://${project_id}/${name}`,
    );
    for (const uri of names) await client.sdk.subscribeResource({ uri });
    await service.rest.patch(`/goals/${goal.id}`, { objective: 'Once more.' });
    await updates.of(`planner://${project_id}/goal/One`);
    const stored = await service.store.readService((view) =>
      [...view.list<SubscriptionRecord>('subscriptions')].filter(({ session }) => session === client.session),
    );
    expect(stored.map(({ uri }) => uri)).to.deep.equal([`planner://${project_id}/goal/One`]);
    expect(updates.uris).to.deep.equal([]);
    await client.sdk.unsubscribeResource({ uri: names[0]! });
    const id = await task();
    await client.sdk.subscribeResource({ uri: uriOf(id) });
    await service.rest.patch(`/goals/${goal.id}`, { objective: 'Never.' });
    await rename(id, 'Dig deep');
    await updates.of(uriOf(id));
    expect(updates.uris).to.deep.equal([]);
  });

  it('count towards the allowance of an agent, as its sessions do [A.hostile.watched-charged]', async () => {
    const limited = await HostedService.start({ agentBytesPerDay: 1000 });
    try {
      const project = await limited.project();
      const headers = bearer((await limited.key('agent', { project_id: project })).secret);
      const begin = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
      const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: begin };
      const sessions: Response[] = [];
      while (sessions.at(-1)?.status !== 429) sessions.push(await rawMcp(limited.url, message, headers));
      expect(sessions.length).to.be.within(3, 6);
      const session = { ...headers, 'Mcp-Session-Id': sessions[0]!.headers.get('mcp-session-id')! };
      const params = { uri: `planner://${project}/overview` };
      const subscribe = async (): Promise<unknown> =>
        (await rawMcp(limited.url, { ...message, method: 'resources/subscribe', params }, session)).json();
      expect(await subscribe()).to.have.nested.property('error.data.error', 'rate_limited');
    } finally {
      await limited.stop();
    }
  });

  it('end with the session, and the last stream of a session is the one that has them [D2.subscribe]', async () => {
    const { client } = await connect();
    const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': client.session! };
    const open = (): Promise<Response> => fetch(`${service.url}/mcp`, { headers });
    const first = await open();
    expect(first.headers.get('content-type')).to.include('text/event-stream');
    const second = await open();
    expect(await first.text()).to.include('retry: ');
    const id = await task();
    await client.sdk.subscribeResource({ uri: uriOf(id) });
    await rename(id, 'Dig deep');
    const reader = second.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('notifications/resources/updated')) text += (await reader.read()).value;
    expect(text).to.match(/\nid: \S+\ndata: \{.*"uri":"planner:/);
    await fetch(`${service.url}/mcp`, { method: 'DELETE', headers });
    while (!(await reader.read()).done);
    expect((await open()).status).to.equal(404);
  });

  it('are of the project of a key only [D2.subscribe]', async () => {
    const hosted = await HostedService.start();
    try {
      const [own, others] = [await hosted.project(), await hosted.project()];
      const key = await hosted.key('agent', { project_id: own });
      const begin = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
      const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: begin };
      const session = (await rawMcp(hosted.url, message, bearer(key.secret))).headers.get('mcp-session-id')!;
      const headers = { ...bearer(key.secret), 'Mcp-Session-Id': session };
      const subscribe = async (project: string): Promise<unknown> => {
        const params = { uri: `planner://${project}/overview` };
        return (await rawMcp(hosted.url, { ...message, method: 'resources/subscribe', params }, headers)).json();
      };
      expect(await subscribe(own)).to.have.deep.property('result', {});
      expect(await subscribe(others)).to.have.nested.property('error.data.error', 'not_found');
      const streamed = { Accept: 'text/event-stream', ...headers };
      const another = { ...streamed, ...bearer(HostedService.admin) };
      expect((await fetch(`${hosted.url}/mcp`, { headers: another })).status).to.equal(404);
      expect((await fetch(`${hosted.url}/mcp`, { headers: streamed })).status).to.equal(200);
    } finally {
      await hosted.stop();
    }
  });
});
