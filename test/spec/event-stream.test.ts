import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { keepAliveMs } from '../../src/http/event-stream.ts';
import type { Event } from '../../src/schema/types.ts';
import { limits } from '../../src/base/limits.ts';
import { EventStream } from '../support/event-stream.ts';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

const labels = (events: readonly Event[]): (string | null)[] => events.map(({ resource }) => resource.label);

describe('The stream of events', () => {
  let service: TestService;
  let project: string;
  const streams: EventStream[] = [];
  beforeEach(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close();
    await service.stop();
  });

  async function follow(
    path = `/projects/${project}/events`,
    headers: Record<string, string> = {},
  ): Promise<EventStream> {
    const stream = await EventStream.open(service.url, path, headers);
    streams.push(stream);
    return stream;
  }

  const make = (label: string): Promise<unknown> => service.rest.post(`/projects/${project}/tasks`, { label });

  it('sends changes from the present on, and continues after Last-Event-ID [A.feed.stream]', async () => {
    await make('before');
    const stream = await follow(`/projects/${project}/events?types=task`);
    expect(stream.headers['content-type']).to.equal('text/event-stream; charset=utf-8');
    expect(stream.headers['x-accel-buffering']).to.equal('no');
    expect(stream.headers['cache-control']).to.include('no-cache');
    for (const label of ['one', 'two', 'three']) await make(label);
    const seen = await stream.take(3);
    expect(labels(seen)).to.deep.equal(['one', 'two', 'three']);
    stream.close();
    await make('four');
    const again = await follow(`/projects/${project}/events?types=task`, { 'Last-Event-ID': seen[1]!.cursor });
    expect(labels(await again.take(2))).to.deep.equal(['three', 'four']);
    const all = await follow('/feed', { 'Last-Event-ID': 'none' });
    expect(labels(await all.take(3))).to.include('before');
  });

  it('sends events of a later project on the stream over all projects [A.feed.all, A.feed.stream]', async () => {
    const stream = await follow('/feed?types=project');
    await service.project('Later');
    expect(labels(await stream.take(1))).to.deep.equal(['Later']);
  });

  it('is chosen by Accept, which every answer of a feed varies by [A.feed.stream]', async () => {
    const ask = async (path: string, headers: Record<string, string>): Promise<(string | null)[]> => {
      const response = await fetch(`${service.url}/api/v1${path}`, { headers });
      await response.body?.cancel();
      return [String(response.status), response.headers.get('vary'), response.headers.get('content-type')];
    };
    const [json, streamed] = ['application/json; charset=utf-8', 'text/event-stream; charset=utf-8'];
    for (const path of ['/feed', `/projects/${project}/events`]) {
      for (const [accept, type] of [
        ['*/*', json],
        ['application/json, text/event-stream;q=0.5', json],
        ['text/event-stream;q=0', json],
        ['application/json;q=0.5, text/event-stream', streamed],
        ['Text/Event-Stream', streamed],
      ] as const)
        expect(await ask(path, { Accept: accept }), `${path} ${accept}`).to.deep.equal(['200', 'Accept', type]);
      const expired = await ask(`${path}?since=zz-9`, { Accept: 'text/event-stream' });
      expect(expired).to.deep.equal(['410', 'Accept', json]);
      const refused = await ask(path, { Accept: 'text/event-stream', Authorization: 'Bearer pln_agent_nothing' });
      expect(refused).to.deep.equal(['401', 'Accept', json]);
      const { headers } = await service.rest.get(path);
      expect(await ask(path, { 'If-None-Match': headers.get('etag')! })).to.deep.equal(['304', 'Accept', null]);
    }
  });

  it('keeps the connection alive in each interval, also right after an event [A.feed.stream]', async () => {
    const due: (() => void)[] = [];
    const timer = { cancel: () => undefined, unref: () => timer };
    const every: typeof systemClock.every = (ms, run) =>
      ms === keepAliveMs ? (due.push(run), timer) : systemClock.every(ms, run);
    await service.restart({ clock: { ...systemClock, every } });
    const stream = await follow();
    await make('one');
    await stream.take(1);
    for (let intervals = 0; intervals < 2; intervals++) {
      for (const run of due) run();
      await stream.keepAlive();
    }
  });

  it('answers an expired cursor before the stream begins [A.feed.expired]', async () => {
    const response = await fetch(`${service.url}/api/v1/projects/${project}/events?since=zz-9`, {
      headers: { Accept: 'text/event-stream' },
    });
    expect(response.status).to.equal(410);
    expect(((await response.json()) as { error: string }).error).to.equal('cursor_expired');
  });

  it('ends with the service, and so do calls that wait [A.feed.followers]', async () => {
    const stream = await follow();
    const waiting = service.rest.get(`/projects/${project}/events?since=now&wait=30`);
    // The server has the second request once it has answered one that was sent after it on a connection of its own.
    await service.rest.get('/health');
    await service.restart();
    expect((await waiting).body.events).to.deep.equal([]);
    await stream.ended;
  });

  rarely('limits what one caller follows, and frees it when the client is gone [A.feed.followers]', async () => {
    const open: EventStream[] = [];
    for (let count = 0; count < limits.followersPerCallerMax; count++) open.push(await follow());
    const refused = await service.rest.get(`/projects/${project}/events`, { Accept: 'text/event-stream' });
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '10']);
    // Reading without waiting is not limited.
    expect((await service.rest.get(`/projects/${project}/events`)).status).to.equal(200);
    open[0]!.close();
    for (;;) {
      const response = await fetch(`${service.url}/api/v1/projects/${project}/events`, {
        headers: { Accept: 'text/event-stream' },
      });
      await response.body?.cancel();
      if (response.status === 200) break;
    }
  });

  rarely(
    'waits for a client that reads slowly, without holding up others [A.feed.followers, A.feed.stream]',
    async () => {
      const path = '/feed?types=task';
      const [slow, quick] = [await follow(path), await follow(path)];
      slow.pause();
      // Together more than sockets buffer.
      const [count, imports] = [1000, 4];
      for (let part = 0; part < imports; part++) {
        const tasks = Array.from({ length: count }, (_, n) => ({
          id: `t${part}-${n}`,
          label: `${part} ${n} ${'x'.repeat(480)}`,
        }));
        const { status, body } = await service.rest.post('/projects/import', {
          format: 'planner-export-v1',
          project: { name: `Part ${part}` },
          tasks,
        });
        expect(status, JSON.stringify(body)).to.equal(201);
      }
      await make('last');
      const seen = [...(await quick.take(count * imports))];
      while (seen.at(-1)?.resource.label !== 'last') seen.push(...(await quick.take(1)));
      expect(seen.length).to.be.above(count * imports);
      slow.resume();
      expect(await slow.take(seen.length)).to.deep.equal(seen);
      await make('after');
      expect(labels(await slow.take(1))).to.deep.equal(['after']);
    },
  );

  it('sends a key events of its project alone [A.feed.access]', async () => {
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', name: 'ant', project_id: project });
    const authorization = { Authorization: `Bearer ${key.secret}` };
    const stream = await follow('/feed?types=task', authorization);
    const other = await service.project('Other');
    await service.rest.post(`/projects/${other}/tasks`, { label: 'there' });
    await make('here');
    expect(labels(await stream.take(1))).to.deep.equal(['here']);
  });

  it('sends people changes of the service, if they ask for it [A.feed.service]', async () => {
    const path = `/projects/${project}/events?service=true`;
    const [asked, plain] = [await EventStream.open(service.url, path), await follow()];
    streams.push(asked);
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', name: 'ant', project_id: project });
    await asked.service('keys');
    await service.rest.post(`/projects/${project}/webhooks`, { url: 'https://hooks.example.org/', types: ['goal'] });
    await asked.service('webhooks');
    const other = await service.project('Other');
    await asked.service('projects');
    await service.rest.delete(`/projects/${other}`);
    await asked.service('projects');
    const { body: task } = await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
    await service.rest.post(`/tasks/${task.id}/claim`, { agent_ref: 'ant', lease_seconds: 60 });
    await asked.service('leases');
    expect(labels(await asked.take(2))).to.deep.equal(['Dig', 'Dig']);
    await plain.take(2);
    expect(plain.otherService).to.deep.equal([]);
    const refused = await service.rest.get(path, {
      Accept: 'text/event-stream',
      Authorization: `Bearer ${key.secret}`,
    });
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'forbidden']);
    const { body } = await service.rest.get(path);
    expect([body.error, body.field]).to.deep.equal(['invalid_argument', 'service']);
  });

  it('begins at a cursor that its response names [A.feed.lists, A.feed.stream]', async () => {
    await make('before');
    const { headers, body } = await service.rest.get(`/projects/${project}`);
    expect(body.id).to.equal(project);
    expect((await follow()).headers['x-planner-cursor']).to.equal(headers.get('x-planner-cursor'));
  });
});
