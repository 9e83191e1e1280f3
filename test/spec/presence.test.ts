import { expect } from 'chai';
import type { Presence, PresenceChange } from '../../src/schema/types.ts';
import { EventStream } from '../support/event-stream.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import type { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

const shown = (present: readonly Presence[]): unknown[] =>
  present.map(({ session, author, resource, editing }) => [session, author, resource.type, resource.id, editing]);

/** The sessions that a stream says are present. */
class Seen {
  readonly #sessions = new Map<string, Presence>();

  apply({ whole, present, gone }: PresenceChange): void {
    if (whole) this.#sessions.clear();
    for (const one of present) this.#sessions.set(one.session, one);
    for (const session of gone) this.#sessions.delete(session);
  }

  /** Applies the messages of a stream until the sessions are these. */
  async until(stream: EventStream, sessions: readonly string[]): Promise<void> {
    const wanted = JSON.stringify([...sessions].sort());
    while (JSON.stringify([...this.#sessions.keys()].sort()) !== wanted) this.apply(await stream.presence());
  }
}

describe('Presence', () => {
  const streams: EventStream[] = [];
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });

  async function follow(url: string, path: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const stream = await EventStream.open(url, path, headers);
    streams.push(stream);
    return stream;
  }

  describe('on loopback', () => {
    let service: TestService;
    let project: string;
    let task: string;
    beforeEach(async () => {
      service = await TestService.start();
      project = await service.project();
      task = (await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;
    });
    afterEach(() => service.stop());

    const put = (session: string, body: object): ReturnType<RestClient['put']> =>
      service.rest.put(`/projects/${project}/presence/${session}`, body);

    it('is sent on the streams of a project and of all, without a cursor [A.feed.presence]', async () => {
      const own = await follow(service.url, `/projects/${project}/events?presence=one`);
      const all = await follow(service.url, '/feed?presence=two');
      expect(await own.presence()).to.deep.equal({ whole: true, present: [], gone: [] });
      expect((await all.presence()).whole).to.equal(true);
      const { status, body } = await put('one', { record_id: task, editing: true });
      expect(status).to.equal(200);
      expect(shown(body.present as Presence[])).to.deep.equal([['one', 'human:Ada', 'task', task, true]]);
      for (const stream of [own, all]) {
        const change = await stream.presence();
        expect([change.whole, shown(change.present), change.gone]).to.deep.equal([
          false,
          [['one', 'human:Ada', 'task', task, true]],
          [],
        ]);
      }
      expect((await service.rest.get(`/projects/${project}/presence`)).body).to.deep.equal(body);
      await service.rest.post(`/projects/${project}/tasks`, { label: 'after' });
      expect((await own.take(1))[0]!.resource.label, 'events still come').to.equal('after');
    });

    it('moves with the session, and ends with it [A.feed.presence]', async () => {
      const stream = await follow(service.url, `/projects/${project}/events?presence=one`);
      await put('one', { record_id: task });
      const seen = new Seen();
      await seen.until(stream, ['one']);
      await put('one', { record_id: project, editing: true });
      expect(shown((await stream.presence()).present)).to.deep.equal([['one', 'human:Ada', 'project', project, true]]);
      const other = await service.project('Other');
      await service.rest.put(`/projects/${other}/presence/one`, { record_id: other });
      await seen.until(stream, []);
      await put('two', { record_id: task });
      await seen.until(stream, ['two']);
      expect((await put('two', { record_id: null })).body).to.deep.equal({ present: [] });
      await seen.until(stream, []);
    });

    it('ends when the stream of the session was closed [A.feed.presence]', async () => {
      const stream = await follow(service.url, `/projects/${project}/events?presence=one`);
      const leaving = await follow(service.url, `/projects/${project}/events?presence=two`);
      await put('two', { record_id: task });
      const seen = new Seen();
      await seen.until(stream, ['two']);
      leaving.close();
      await seen.until(stream, []);
    });

    it('is rejected for records that the project has not, and for calls that are no stream [A.feed.presence]', async () => {
      const unknown = await put('one', { record_id: 'tsk_none' });
      expect([unknown.status, unknown.body.error]).to.deep.equal([404, 'not_found']);
      const polled = await service.rest.get(`/projects/${project}/events?presence=one`);
      expect([polled.status, polled.body.field]).to.deep.equal([400, 'presence']);
      expect((await put('a%20b', { record_id: task })).status).to.equal(400);
      expect((await service.rest.get('/projects/prj_none/presence')).status).to.equal(404);
    });

    it('adds nothing to the feed and to the files [A.feed.presence]', async () => {
      const { body } = await service.rest.get(`/projects/${project}/events?since=now`);
      await put('one', { record_id: task });
      await put('one', { record_id: null });
      const later = await service.rest.get(`/projects/${project}/events?since=${body.cursor}`);
      expect(later.body).to.deep.equal({ events: [], cursor: body.cursor, more: false });
    });
  });

  it('shows a key its project alone, and guests nothing [A.feed.presence, A.feed.access]', async () => {
    const hosted = await HostedService.start();
    try {
      const project = await hosted.project();
      const other = await hosted.project('Other');
      const { body: key } = await hosted.owner.post('/keys', { kind: 'agent', name: 'ant', project_id: project });
      const ant = bearer(key.secret as string);
      const stream = await follow(hosted.url, '/feed?presence=one', ant);
      await hosted.owner.put(`/projects/${other}/presence/elsewhere`, { record_id: other });
      await hosted.owner.put(`/projects/${project}/presence/here`, { record_id: project });
      const seen = new Seen();
      await seen.until(stream, ['here']);
      const call = async (path: string, headers: Record<string, string>): Promise<number> => {
        const init = { method: 'PUT', headers: { ...headers, 'Content-Type': 'application/json' } };
        const url = `${hosted.url}/api/v1/projects/${path}`;
        return (await fetch(url, { ...init, body: JSON.stringify({ record_id: project }) })).status;
      };
      expect(await call(`${project}/presence/here`, ant), 'the session of another credential').to.equal(409);
      expect(await call(`${other}/presence/ants`, ant)).to.equal(404);
      expect(await call(`${project}/presence/guest`, {})).to.equal(401);
      expect(await call(`${project}/presence/ants`, ant)).to.equal(200);
      await seen.until(stream, ['ants', 'here']);
    } finally {
      await hosted.stop();
    }
  });
});
