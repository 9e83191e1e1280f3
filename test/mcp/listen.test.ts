import { expect } from 'chai';
import { headersOfRequest, metaNames } from '../../src/mcp/envelope.ts';
import { limits } from '../../src/base/limits.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { ModernClient, modernRequest } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';
import { Updates } from '../support/updates.ts';

describe('subscriptions/listen', () => {
  let service: TestService;
  let project_id: string;
  let clients: ModernClient[] = [];

  before(async () => {
    service = await TestService.start();
    project_id = await service.project();
  });

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  });

  after(() => service.stop());

  async function connect(): Promise<{ client: ModernClient; updates: Updates }> {
    const updates = new Updates();
    const client = await ModernClient.connect(service.url);
    clients.push(client);
    client.sdk.setNotificationHandler('notifications/resources/updated', ({ params }) => updates.add(params.uri));
    return { client, updates };
  }

  const task = async (): Promise<string> =>
    (await service.rest.post(`/projects/${project_id}/tasks`, { label: 'Dig' })).body.id;
  const uriOf = (id: string): string => `planner://${project_id}/task/${id}`;
  const rename = (id: string, label: string): Promise<unknown> => service.rest.patch(`/tasks/${id}`, { label });

  async function refusal(notifications: unknown): Promise<{ message: string }> {
    const request = modernRequest('l', 'subscriptions/listen', { notifications });
    const response = await rawMcp(service.url, request, headersOfRequest(request));
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([
      200,
      'application/json; charset=utf-8',
    ]);
    return ((await response.json()) as { error: { message: string } }).error;
  }

  it('confirms the resources that exist, and reports their changes until the client ends it [D2.listen]', async () => {
    const { client, updates } = await connect();
    const [one, other] = [await task(), await task()];
    const uris = [uriOf(one), `planner://${project_id}/next`];
    const subscription = await client.sdk.listen({
      ...{ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
      resourceSubscriptions: [...uris, uriOf('tsk_none'), 'https://example.org/', uris[0]!],
    });
    expect(subscription.honoredFilter).to.deep.equal({ resourceSubscriptions: uris });
    await rename(other, 'Sow');
    await updates.of(uris[1]!);
    expect(updates.uris).to.deep.equal([]);
    await rename(one, 'Dig deep');
    for (const uri of uris) await updates.of(uri);
    await subscription.close();
    const again = await client.sdk.listen({ resourceSubscriptions: [uriOf(other)] });
    await rename(one, 'Dig');
    await rename(other, 'Sow beans');
    await updates.of(uriOf(other));
    expect(updates.uris).to.deep.equal([]);
    await again.close();
  });

  it('completes immediately if there is nothing to report, and when the service ends [D2.listen]', async () => {
    const { client } = await connect();
    const nothing = await client.sdk.listen({ toolsListChanged: true });
    expect([nothing.honoredFilter, await nothing.closed]).to.deep.equal([{}, 'graceful']);
    const something = await client.sdk.listen({ resourceSubscriptions: [`planner://${project_id}/overview`] });
    await service.restart();
    expect(await something.closed).to.equal('graceful');
  });

  it('rejects a filter of another form, and too many resources [D2.listen]', async () => {
    for (const filter of [
      undefined,
      null,
      5,
      [],
      { resourceSubscriptions: 'planner://' },
      { resourceSubscriptions: [1] },
    ])
      expect(await refusal(filter)).to.deep.include({ code: -32602 });
    const uris = Array.from({ length: limits.watchedResourcesMax + 1 }, (_, at) => uriOf(String(at)));
    expect((await refusal({ resourceSubscriptions: uris })).message).to.include('100');
  });

  it('sends the confirmation first and marks each notification with the id of the request [D2.listen]', async () => {
    const id = await task();
    const request = modernRequest('mine', 'subscriptions/listen', {
      notifications: { resourceSubscriptions: [uriOf(id)] },
    });
    const response = await rawMcp(service.url, request, headersOfRequest(request));
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('acknowledged')) text += (await reader.read()).value;
    await rename(id, 'Dig deep');
    while (!text.includes('resources/updated')) text += (await reader.read()).value;
    await reader.cancel();
    const messages = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as { params: object });
    const _meta = { [metaNames.subscription]: 'mine' };
    expect(messages).to.deep.equal([
      {
        ...{ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' },
        params: { notifications: { resourceSubscriptions: [uriOf(id)] }, _meta },
      },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: uriOf(id), _meta } },
    ]);
  });

  it('reports nothing of a project that the caller may not see [D2.listen]', async () => {
    const hosted = await HostedService.start();
    try {
      const [own, others] = [await hosted.project(), await hosted.project()];
      const { secret } = await hosted.key('agent', { project_id: own });
      const client = await ModernClient.connect(hosted.url, { headers: bearer(secret) });
      clients.push(client);
      const uris = [own, others].map((project) => `planner://${project}/overview`);
      const { honoredFilter } = await client.sdk.listen({ resourceSubscriptions: uris });
      expect(honoredFilter).to.deep.equal({ resourceSubscriptions: [uris[0]] });
    } finally {
      await Promise.all(clients.map((client) => client.close()));
      clients = [];
      await hosted.stop();
    }
  });
});
