import { expect } from 'chai';
import type { HostedNode } from '../../src/main/hosted-service.ts';
import { headersOfRequest } from '../../src/mcp/envelope.ts';
import { Endings } from '../../src/operations/access/endings.ts';
import type { Change } from '../../src/store/index.ts';
import { SimulatedLogServer } from '../store/log/simulated-log.ts';
import { bearer } from '../support/hosted-service.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { modernRequest } from '../support/modern-client.ts';
import { RestClient } from '../support/rest-client.ts';
import { startSimulatedNode } from '../sync/simulated-node.ts';

describe('A credential that is revoked [A.revoked-streams]', () => {
  let nodes: HostedNode[] = [];

  before(async () => {
    const server = new SimulatedLogServer();
    nodes = [await startSimulatedNode(server), await startSimulatedNode(server)];
  });
  after(() => Promise.all(nodes.map((node) => node.close())));

  /** Everything that a response had until it ended. */
  const textOf = async (response: Response): Promise<string> => {
    expect(response.status).to.equal(200);
    return response.text();
  };

  for (const [at, where] of ['at the node', 'at another node'].entries())
    it(`ends its open streams ${where}, before any later event`, async () => {
      const owner = new RestClient(nodes[0]!.url);
      const project_id = (await owner.post('/projects', { name: 'Garden' })).body.id as string;
      const { body: key } = await owner.post('/keys', { kind: 'agent', name: 'ant', project_id });
      const headers = bearer(key.secret as string);
      const { url } = nodes[at]!;
      const events = `${url}/api/v1/projects/${project_id}/events`;
      const overview = `planner://${project_id}/overview`;
      const modern = (method: string, params: object): Promise<Response> => {
        const request = modernRequest(1, method, params as Record<string, unknown>);
        return rawMcp(url, request, { ...headers, ...headersOfRequest(request) });
      };
      const initialize = {
        ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
      };
      const session = {
        ...headers,
        'Mcp-Session-Id': (await rawMcp(url, initialize, headers)).headers.get('mcp-session-id')!,
      };
      const subscribe = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: overview } };
      await (await rawMcp(url, subscribe, session)).text();
      const open = [
        await fetch(events, { headers: { ...headers, Accept: 'text/event-stream' } }),
        await fetch(`${url}/mcp`, { headers: { ...session, Accept: 'text/event-stream' } }),
        await modern('subscriptions/listen', { notifications: { resourceSubscriptions: [overview] } }),
        await modern('events/stream', { name: 'task.created', arguments: { project_id } }),
      ].map(textOf);
      const poll = new RestClient(url, headers).get(`/projects/${project_id}/events?since=now&wait=30`);
      expect((await owner.delete(`/keys/${key.id}`)).status).to.equal(204);
      await owner.post(`/projects/${project_id}/tasks`, { label: 'After the revocation' });
      for (const text of await Promise.all(open)) expect(text).not.to.match(/After the revocation|resources.updated/);
      expect((await poll).body).to.include({ error: 'unauthorized' });
    });

  it('is known by its own record, also to calls that were authenticated before', () => {
    const listeners: ((change: Change) => void)[] = [];
    const endings = new Endings({ onServiceChange: (_, listener) => (listeners.push(listener), () => undefined) });
    const record = { id: 'one', created_at: '', updated_at: '' };
    const [one, other] = [endings.of('one'), endings.of('other')];
    expect(listeners).to.have.length(2);
    for (const listener of listeners)
      listener({ collection: 'keys', id: 'two', from: undefined, to: { ...record, id: 'two' } });
    listeners[0]!({ collection: 'keys', id: 'one', from: record, to: undefined });
    expect([one.aborted, endings.of('one').aborted, other.aborted]).to.deep.equal([true, true, false]);
    expect(one.reason).to.have.property('code', 'unauthorized');
    // The revocation was taken back.
    listeners[0]!({ collection: 'keys', id: 'one', from: undefined, to: record });
    expect(endings.of('one').aborted).to.equal(false);
    endings.close();
    expect([other.aborted, endings.of('third').aborted]).to.deep.equal([true, true]);
  });
});
