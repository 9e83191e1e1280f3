import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { eventTypes } from '../../src/domain/feed/event-types.ts';
import { headersOfRequest, metaNames } from '../../src/mcp/envelope.ts';
import type { ServiceAddress } from '../../src/client/connection.ts';
import { Line, Place } from '../support/bridge-line.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { envelope, modernRequest } from '../support/modern-client.ts';
import { TestService } from '../support/service.ts';
import { messagesOf } from '../support/stream-messages.ts';

// Tests look into messages of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Received = any;

describe('The extension for events [D2.events]', () => {
  let service: TestService;
  let project_id: string;

  before(async () => {
    service = await TestService.start();
    project_id = await service.project();
  });

  after(() => service.stop());

  const post = async (method: string, params = {}): Promise<Response> => {
    const request = modernRequest('e', method, params);
    return rawMcp(service.url, request, headersOfRequest(request));
  };
  const ask = async (method: string, params = {}): Promise<Received> => (await post(method, params)).json();
  const poll = async (name: string, more = {}): Promise<Received> => {
    const { result, error } = await ask('events/poll', { name, arguments: { project_id }, ...more });
    expect(error).to.equal(undefined);
    return result;
  };
  const task = async (label = 'Dig'): Promise<string> =>
    (await service.rest.post(`/projects/${project_id}/tasks`, { label })).body.id;
  const done = (id: string): Promise<unknown> => service.rest.patch(`/tasks/${id}`, { status: 'done' });

  it('is declared, and lists every type with its schemas and ways of delivery', async () => {
    const { capabilities } = (await ask('server/discover')).result;
    expect(capabilities.extensions['io.modelcontextprotocol/events']).to.deep.equal({});
    const { result } = await ask('events/list');
    expect(result.resultType).to.equal('complete');
    const names = result.events.map(({ name }: { name: string }) => name);
    expect(names).to.deep.equal(eventTypes.map(({ name }) => name));
    expect(names).to.include.members(['task.done', 'comment.created', 'edge.deleted']);
    for (const { delivery, inputSchema } of result.events) {
      expect(delivery).to.deep.equal(['push', 'poll']);
      expect(inputSchema.type).to.equal('object');
    }
  });

  it('names the type of every event that a project has', async () => {
    const [one, other] = [await task(), await task()];
    const edge = { from_type: 'task', from_id: one, to_type: 'task', to_id: other };
    await service.rest.post(`/projects/${project_id}/edges`, edge);
    await service.rest.post(`/tasks/${one}/comments`, { body: 'x' });
    await done(one);
    const { body } = await service.rest.get(`/projects/${project_id}/events?limit=1000`);
    const types = new Set(body.events.map(({ type }: { type: string }) => type));
    expect([...types]).to.include('task.unblocked');
    expect(eventTypes.map(({ name }) => name)).to.include.members([...types]);
  });

  it('is polled with a cursor, and the payloads are as declared', async () => {
    const begin = await poll('task.done', { cursor: null });
    expect(begin).to.deep.include({ events: [], truncated: false, hasMore: false, resultType: 'complete' });
    const [one, other] = [await task('One'), await task('Other')];
    for (const id of [one, other]) await done(id);
    const first = await poll('task.done', { cursor: begin.cursor, maxEvents: 1 });
    expect(first.hasMore).to.equal(true);
    const second = await poll('task.done', { cursor: first.cursor });
    const events = [...first.events, ...second.events];
    expect(events.map(({ data }) => data.resource.label)).to.deep.equal(['One', 'Other']);
    const [type] = (await ask('events/list')).result.events.filter(({ name }: Received) => name === 'task.done');
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(type.payloadSchema);
    for (const { eventId, name, timestamp, data, ...more } of events) {
      expect(validate(data), JSON.stringify(validate.errors)).to.equal(true);
      expect([name, more, new Date(timestamp).toISOString()]).to.deep.equal(['task.done', {}, timestamp]);
      expect(eventId).to.be.a('string');
    }
    expect(new Set(events.map(({ eventId }) => eventId)).size).to.equal(2);
    const ofOne = { arguments: { project_id, resource: other }, cursor: begin.cursor };
    expect((await poll('task.done', ofOne)).events).to.have.length(1);
    expect((await poll('task.created', { cursor: second.cursor })).events).to.deep.equal([]);
    expect(second.cursor).to.equal((await poll('task.done')).cursor);
  });

  it('waits for an event if a poll says how long', async () => {
    const { cursor } = await poll('task.done');
    const id = await task();
    const waiting = poll('task.done', { cursor, timeoutMs: 30_000 });
    await done(id);
    expect((await waiting).events).to.have.length(1);
    const none = await poll('goal.blocked', { cursor, timeoutMs: 1 });
    expect(none.events).to.deep.equal([]);
  });

  it('says that events were skipped: before an unknown cursor, and those that are too old', async () => {
    const { cursor } = await poll('task.created');
    await task();
    const foreign = await poll('task.created', { cursor: 'zzz-zz' });
    expect([foreign.truncated, foreign.events]).to.deep.equal([true, []]);
    await task('After');
    expect((await poll('task.created', { cursor: foreign.cursor })).events).to.have.length(1);
    const old = await poll('task.created', { cursor, maxAgeMs: 0 });
    expect(old.truncated).to.equal(true);
    expect((await poll('task.created', { cursor, maxAgeMs: 3_600_000 })).truncated).to.equal(false);
  });

  it('rejects invalid input, with the codes of the extension', async () => {
    const refusals: readonly (readonly [string, object, number])[] = [
      ['events/poll', {}, -32602],
      ['events/poll', { name: 'mail.received' }, -32023],
      ['events/poll', { name: 'task.done', arguments: [] }, -32602],
      ['events/poll', { name: 'task.done', arguments: { other: 'x' } }, -32602],
      ['events/poll', { name: 'task.done', arguments: { project_id: 5 } }, -32602],
      ['events/poll', { name: 'task.done', arguments: { project_id: 'prj_none' } }, -32023],
      ['events/poll', { name: 'task.done' }, -32602],
      ['events/poll', { name: 'task.done', arguments: { project_id }, maxEvents: 0 }, -32602],
      ['events/poll', { name: 'task.done', arguments: { project_id }, maxAgeMs: 'x' }, -32602],
      ['events/poll', { name: 'task.done', arguments: { project_id }, cursor: 'not a cursor' }, -32602],
      ['events/stream', { name: 'mail.received' }, -32023],
      ['events/stream', { name: 'task.done', arguments: { project_id: 'prj_none' } }, -32023],
      ['events/subscribe', { name: 'mail.received' }, -32023],
      ['events/subscribe', { name: 'task.done', delivery: { mode: 'webhook' } }, -32026],
    ];
    for (const [method, params, code] of refusals) {
      const { error } = await ask(method, params);
      expect(error.code, `${method} ${JSON.stringify(params)}: ${error.message}`).to.equal(code);
      expect(error.data).to.include.keys('error', 'message');
    }
    const params = { name: 'task.done', arguments: { project_id } };
    const inSession = await rawMcp(service.url, { jsonrpc: '2.0', id: 1, method: 'events/poll', params });
    expect(((await inSession.json()) as Received).error.code, 'only revisions without sessions have it').to.equal(
      -32601,
    );
  });

  it('streams events from the present on or after a cursor, until the service ends', async () => {
    const params = { name: 'task.done', arguments: { project_id } };
    const live = messagesOf(await post('events/stream', params));
    const { value: active } = await live.next();
    const _meta = { [metaNames.subscription]: 'e' };
    expect(active).to.deep.equal({
      ...{ jsonrpc: '2.0', method: 'notifications/events/active' },
      params: { cursor: active.params.cursor, truncated: false, _meta },
    });
    await done(await task('Streamed'));
    const { value: event } = await live.next();
    expect([event.method, event.params.name, event.params.data.resource.label, event.params._meta]).to.deep.equal([
      ...['notifications/events/event', 'task.done', 'Streamed'],
      _meta,
    ]);
    const replayed = messagesOf(await post('events/stream', { ...params, cursor: active.params.cursor }));
    expect((await replayed.next()).value.params.cursor).to.equal(active.params.cursor);
    expect((await replayed.next()).value.params).to.deep.equal(event.params);
    const late = messagesOf(await post('events/stream', { ...params, cursor: 'zzz-zz' }));
    expect((await late.next()).value.params.truncated).to.equal(true);
    await service.restart();
    for (const stream of [live, replayed, late]) {
      const { value: end } = await stream.next();
      expect(end).to.deep.include({ id: 'e' });
      expect(end.result).to.deep.include({ resultType: 'complete' });
      expect((await stream.next()).done).to.equal(true);
    }
  });

  it('ends a stream whose project is deleted, and says so', async () => {
    const project = await service.project();
    const stream = messagesOf(await post('events/stream', { name: 'task.done', arguments: { project_id: project } }));
    await stream.next();
    await service.rest.delete(`/projects/${project}`);
    const { value: terminated } = await stream.next();
    expect([terminated.method, terminated.params.error.code]).to.deep.equal([
      'notifications/events/terminated',
      -32023,
    ]);
    expect((await stream.next()).value.result.resultType).to.equal('complete');
  });

  it('is served by planner mcp, whose streams continue at the next service', async () => {
    class Here extends Place {
      override locate(): Promise<ServiceAddress> {
        return Promise.resolve({ url: service.url });
      }
    }
    const line = new Line('', () => new Here({ url: '' }));
    try {
      const params = { name: 'task.created', arguments: { project_id }, _meta: envelope() };
      expect((await line.ask(1, 'events/list', { _meta: envelope() })).result.events).to.have.length.above(20);
      line.send({ jsonrpc: '2.0', id: 's', method: 'events/stream', params });
      await line.next(({ method }) => method === 'notifications/events/active');
      await task('Piped');
      const event = await line.next(({ method }) => method === 'notifications/events/event');
      expect(event.params.data.resource.label).to.equal('Piped');
      await service.restart({}, () => undefined);
      await task('After the restart');
      const isNext = ({ params: { data } = {} }: Received): boolean => data?.resource.label === 'After the restart';
      expect((await line.next(isNext)).params._meta).to.deep.equal({ [metaNames.subscription]: 's' });
      const methods = line.received.map(({ method }) => method).filter((method) => method?.endsWith('/active'));
      expect(methods, 'confirmed once').to.have.length(1);
    } finally {
      await line.end();
    }
  });
});
