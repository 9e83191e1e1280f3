import { expect } from 'chai';
import type { ServiceAddress } from '../../src/client/connection.ts';
import { metaNames } from '../../src/mcp/envelope.ts';
import { Line, Place } from '../support/bridge-line.ts';
import { FakeMcp, sendEvents } from '../support/fake-mcp.ts';
import { envelope } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

describe('planner mcp for a client that subscribes [D11.mcp-subscribe]', () => {
  let service: TestService;
  let project_id: string;
  let line: Line;

  /** The service, wherever it is after a restart. */
  class Here extends Place {
    override locate(): Promise<ServiceAddress> {
      return Promise.resolve({ url: service.url });
    }
  }

  beforeEach(async () => {
    service = await TestService.start();
    project_id = await service.project();
    line = new Line('', () => new Here({ url: '' }));
  });

  afterEach(async () => {
    await line.end();
    await service.stop();
  });

  const task = async (): Promise<string> =>
    (await service.rest.post(`/projects/${project_id}/tasks`, { label: 'Dig' })).body.id;
  const uriOf = (id: string): string => `planner://${project_id}/task/${id}`;
  const rename = (id: string, label: string): Promise<unknown> => service.rest.patch(`/tasks/${id}`, { label });

  /** Waits for an update of the resource, and forgets the messages received so far. */
  async function updated(uri: string): Promise<{ params: Record<string, unknown> }> {
    const found: { params: Record<string, unknown> } = await line.next(
      ({ method, params }) => method === 'notifications/resources/updated' && params.uri === uri,
    );
    line.received.splice(0, line.received.indexOf(found) + 1);
    return found;
  }

  rarely(
    'forwards the changes that a session subscribed to, across a restart, and of a session that replaces it',
    async () => {
      await line.initialize();
      const [one, other] = [await task(), await task()];
      for (const id of [one, other])
        expect((await line.ask(id, 'resources/subscribe', { uri: uriOf(id) })).result).to.deep.equal({});
      await rename(one, 'Dig deep');
      await updated(uriOf(one));
      await service.restart({}, () => undefined);
      await rename(other, 'Sow');
      await updated(uriOf(other));
      const [session] = await service.store.readService((view) => [...view.list('sessions')]);
      await fetch(`${service.url}/mcp`, { method: 'DELETE', headers: { 'Mcp-Session-Id': session!.id } });
      await updated(uriOf(one));
      await line.ask('u', 'resources/unsubscribe', { uri: uriOf(one) });
      await rename(one, 'Dig');
      await rename(other, 'Sow beans');
      await updated(uriOf(other));
      expect(line.received.filter(({ params }) => params?.uri === uriOf(one))).to.deep.equal([]);
    },
  );

  it('opens no stream for a client that does not subscribe, and ends with one that does', async () => {
    await line.initialize();
    await line.ask(1, 'tools/list');
    await line.ask(2, 'resources/subscribe', { uri: `planner://${project_id}/next` });
    await line.ask(3, 'resources/unsubscribe', { uri: `planner://${project_id}/next` });
    await line.ask(4, 'resources/subscribe', { uri: `planner://${project_id}/next` });
    await task();
    await updated(`planner://${project_id}/next`);
    // `afterEach` waits for the end of the bridge.
  });

  it('forwards the messages for a client without a session, and restarts of the service are not its end', async () => {
    const id = await task();
    const notifications = { resourceSubscriptions: [uriOf(id)] };
    const listen = { ...{ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen' } };
    line.send({ ...listen, params: { notifications, _meta: envelope() } });
    const isConfirmation = ({ method }: { method?: string }): boolean =>
      method === 'notifications/subscriptions/acknowledged';
    const { params } = await line.next(isConfirmation);
    expect(params).to.deep.equal({ notifications, _meta: { [metaNames.subscription]: 'l' } });
    await rename(id, 'Dig deep');
    await updated(uriOf(id));
    await service.restart();
    // Changes without a running service are unknown, so they are reported.
    expect((await updated(uriOf(id))).params._meta).to.deep.equal({ [metaNames.subscription]: 'l' });
    await rename(id, 'Dig');
    await updated(uriOf(id));
    expect(line.received.filter(isConfirmation)).to.deep.equal([]);
    line.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'l' } });
    await line.ask('t', 'tools/list', { _meta: envelope() });
    expect(line.received.some(({ id: of }) => of === 'l')).to.equal(false);
  });

  it('forwards the question of a call, and cancels it if a retry of the call asks again', async () => {
    let tries = 0;
    const fake = await FakeMcp.start(({ id }, response) => {
      const question = { jsonrpc: '2.0', id: `q${++tries}`, method: 'elicitation/create', params: { message: '?' } };
      const events = [question, ...(tries === 1 ? [] : [{ jsonrpc: '2.0', id, result: { done: true } }])];
      return sendEvents(response, events);
    });
    const asked = new Line(fake.url);
    try {
      await asked.initialize();
      expect((await asked.ask(1, 'tools/call', { name: 'update_task' })).result).to.deep.equal({ done: true });
      expect(asked.received.slice(1, -1).map(({ id, params }) => id ?? params.requestId)).to.deep.equal([
        'q1',
        'q1',
        'q2',
      ]);
      asked.send({ jsonrpc: '2.0', id: 'q2', result: { action: 'accept' } });
      await asked.ask(2, 'tools/list');
      const answers = fake.received.filter(({ method }) => method === undefined);
      expect(answers).to.have.length(1);
      expect(answers[0]).to.deep.include({ id: 'q2', result: { action: 'accept' } });
      expect(answers[0]!.headers).to.have.property('mcp-session-id');
    } finally {
      await asked.end();
      await fake.stop();
    }
  });
});
