import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { Event } from '../../src/schema/types.ts';
import { EventStream } from '../support/event-stream.ts';
import { git, initRepository } from '../support/git.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

const short = ({ type, resource }: Event): string => `${type} ${resource.label}`;

describe('The deletion of a project in the events of all projects', () => {
  let service: TestService;
  let kept: string;
  let project: string;
  const streams: EventStream[] = [];
  beforeEach(async () => {
    service = await TestService.start();
    kept = await service.project('Kept');
    project = await service.project('Garden');
    await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
    await service.store.flush();
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close();
    await service.stop();
  });

  const directory = (): string => join(service.root, 'projects', service.store.directoryOf(project)!);
  const aside = (): string => join(service.directory, 'aside');

  async function present(): Promise<string> {
    return (await service.rest.get('/feed?since=now')).body.cursor as string;
  }

  async function since(cursor: string, query = ''): Promise<{ events: Event[]; cursor: string }> {
    const { status, body } = await service.rest.get(`/feed?since=${cursor}${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return { events: body.events as Event[], cursor: body.cursor as string };
  }

  async function follow(path: string): Promise<EventStream> {
    const stream = await EventStream.open(service.url, path);
    streams.push(stream);
    return stream;
  }

  /** Moves the directory of the project away, and waits until it is not served. */
  async function takeAway(): Promise<void> {
    renameSync(directory(), aside());
    while (service.store.directoryOf(project) !== undefined) await service.store.rescan();
  }

  /** Removes the directory of a project, and waits until that is said. */
  async function deleteByHand(id: string): Promise<void> {
    await service.store.flush();
    const cursor = await present();
    rmSync(join(service.root, 'projects', service.store.directoryOf(id)!), { recursive: true });
    await service.store.rescan();
    await deletion(cursor);
  }

  /** Waits for the event of the deletion after a cursor. */
  async function deletion(cursor: string): Promise<Event> {
    const [event] = await (await follow(`/feed?types=project.deleted&since=${cursor}`)).take(1);
    return event!;
  }

  /** Expects that the deletion is not said again after a cursor. */
  async function expectSaidBefore(cursor: string): Promise<void> {
    const { events, cursor: next } = await since(cursor, '&types=project');
    expect([events, next.includes(codeOf(project))]).to.deep.equal([[], false]);
  }

  const codeOf = (id: string): string => id.slice('prj_'.length, 'prj_'.length + 6);

  it('is one event with the caller as its author, to everyone who waits for it [A.feed.deleted, A.feed.wait, A.feed.stream]', async () => {
    const cursor = await present();
    const stream = await follow(`/feed?since=${cursor}`);
    const waiting = service.rest.get(`/feed?since=${cursor}&wait=30`);
    expect((await service.rest.delete(`/projects/${project}`)).status).to.equal(204);
    const { events, cursor: next } = (await waiting).body as unknown as { events: Event[]; cursor: string };
    const [event] = events;
    expect(events).to.have.length(1);
    expect(event).to.include({ type: 'project.deleted', author: 'human:Ada', source: 'rest', project_id: project });
    expect(event!.resource).to.deep.equal({ type: 'project', id: project, label: 'Garden' });
    expect(event!.changes).to.deep.equal([]);
    expect(await stream.take(1)).to.deep.equal(events);
    expect([event!.cursor, next]).to.deep.equal([next, await present()]);
    expect(next).not.to.include(codeOf(project));
    for (const restart of [() => undefined, () => service.store.abandon()]) {
      restart();
      await service.restart();
      expect((await since(cursor, '&types=project')).events).to.deep.equal(events);
      await expectSaidBefore(next);
    }
  });

  it('is in the order of time with deletions of other projects, in pages and with filters [A.feed.deleted, A.feed.filter]', async () => {
    const cursor = await present();
    await service.rest.post(`/projects/${kept}/tasks`, { label: 'Before' });
    await service.rest.delete(`/projects/${project}`);
    await service.rest.post(`/projects/${kept}/tasks`, { label: 'After' });
    const all = (await since(cursor)).events;
    expect(all.map(short)).to.deep.equal(['task.created Before', 'project.deleted Garden', 'task.created After']);
    for (const [index, event] of all.entries()) {
      expect((await since(event.cursor)).events).to.deep.equal(all.slice(index + 1));
      const before = index === 0 ? cursor : all[index - 1]!.cursor;
      expect((await since(before, '&limit=1')).events).to.deep.equal([event]);
    }
    const tasks = await since(cursor, '&types=task');
    expect(tasks.events.map(short)).to.deep.equal(['task.created Before', 'task.created After']);
    await expectSaidBefore(tasks.cursor);
  });

  it('is in this order also while the clock does not advance, after the time of former changes [A.feed.deleted]', async () => {
    const fixed = Date.now() - 2_000;
    await service.restart({ clock: { ...systemClock, now: () => fixed } });
    const cursor = await present();
    await service.rest.post(`/projects/${kept}/tasks`, { label: 'Before' });
    await service.rest.delete(`/projects/${project}`);
    await service.rest.post(`/projects/${kept}/tasks`, { label: 'After' });
    const { events } = await since(cursor);
    expect(events.map(short)).to.deep.equal(['task.created Before', 'project.deleted Garden', 'task.created After']);
  });

  it('changes the entity tag of the events after a cursor [A.feed.deleted]', async () => {
    const cursor = await present();
    const path = `/feed?since=${cursor}`;
    const { headers } = await service.rest.get(path);
    const known = { 'If-None-Match': headers.get('etag')! };
    expect((await service.rest.get(path, known)).status).to.equal(304);
    await takeAway();
    const away = await service.rest.get(path);
    expect(away.body.events as Event[]).to.deep.equal([]);
    await deletion(cursor);
    const answer = await service.rest.get(path, { 'If-None-Match': away.headers.get('etag')! });
    expect(answer.status).to.equal(200);
  });

  it('is one event if the directory is removed, with the disk as its source [A.feed.deleted, A.feed.external]', async () => {
    const cursor = await present();
    const stream = await follow(`/feed?types=project&since=${cursor}`);
    rmSync(directory(), { recursive: true });
    await service.store.rescan();
    const [event] = await stream.take(1);
    expect(event).to.include({ type: 'project.deleted', author: 'file', source: 'disk', project_id: project });
    expect(event!.resource.label).to.equal('Garden');
    for (const abandon of [false, true]) {
      const deletions = (await since(cursor, '&types=project')).events;
      expect(deletions).to.deep.equal([event]);
      await expectSaidBefore(event!.cursor);
      if (abandon) service.store.abandon();
      await service.restart();
    }
  });

  it('is found at the start if no service ran, and names the project as it was called last [A.feed.deleted, A.feed.durable]', async () => {
    await service.rest.patch(`/projects/${project}`, { name: 'Orchard' });
    await service.store.flush();
    const cursor = await present();
    const where = directory();
    await service.restart();
    await service.restart({}, () => rmSync(where, { recursive: true }));
    const event = await deletion(cursor);
    expect([short(event), event.source]).to.deep.equal(['project.deleted Orchard', 'disk']);
    service.store.abandon();
    await service.restart();
    expect((await since(cursor, '&types=project')).events).to.deep.equal([event]);
    await expectSaidBefore(event.cursor);
  });

  it('is not said of a project that is only not served, whose place stays in the cursor [A.feed.deleted]', async () => {
    // Without an index cache, the changes of the other project are not known either.
    const cursor = (await present()).split('.').find((part) => part.startsWith(codeOf(project)))!;
    const file = join(directory(), 'project.json');
    const good = readFileSync(file, 'utf8');
    await service.restart({}, () => {
      for (const name of ['index-cache', 'last-good'])
        rmSync(join(service.root, 'local', name), { recursive: true, force: true });
      writeFileSync(file, '<<<<<<< HEAD\n');
    });
    expect(service.store.unserved()).to.have.length(1);
    // The watch has looked at both.
    await deleteByHand(await service.project('Other'));
    const { events, cursor: next } = await since(cursor, '&types=project.deleted');
    expect([events, next.includes(cursor)]).to.deep.equal([[], true]);
    writeFileSync(file, good);
    await service.store.rescan();
    expect(service.store.unserved()).to.deep.equal([]);
    expect((await service.rest.get(`/feed?since=${next}`)).body).to.include({ error: 'cursor_expired' });
  });

  it('is followed by the further events of the project if it comes back, and said again if it goes [A.feed.deleted]', async () => {
    const where = directory();
    for (const label of ['One', 'Two']) {
      const cursor = await present();
      await takeAway();
      const event = await deletion(cursor);
      expect(short(event)).to.equal('project.deleted Garden');
      renameSync(aside(), where);
      await service.store.rescan();
      await service.rest.post(`/projects/${project}/tasks`, { label });
      const { events, cursor: next } = await since(event.cursor, '&types=task,project');
      expect(events.map(short)).to.deep.equal([`task.created ${label}`]);
      expect(next).to.include(codeOf(project));
      // Changes during its absence are unknown: followers without the event read the lists again.
      expect((await service.rest.get(`/feed?since=${cursor}`)).body).to.include({ error: 'cursor_expired' });
      await service.store.flush();
    }
  });

  it('is said of a project that git removes, and taken back by git [A.feed.deleted, A.feed.external]', async () => {
    await service.restart({}, () => initRepository(service.directory));
    const where = directory();
    const commit = (...of: readonly string[]): void => {
      git(service.directory, 'add', ...of);
      git(service.directory, 'commit', '-q', '-m', 'state');
    };
    commit('-A');
    git(service.directory, 'branch', 'both');
    git(service.directory, 'rm', '-r', '-q', '--cached', where);
    git(service.directory, 'commit', '-q', '-m', 'without');
    git(service.directory, 'checkout', '-q', '-f', 'both');
    await service.store.rescan();
    const cursor = await present();
    git(service.directory, 'checkout', '-q', 'main');
    expect(existsSync(join(where, 'project.json'))).to.equal(false);
    await service.store.rescan();
    const event = await deletion(cursor);
    expect(event).to.include({ type: 'project.deleted', source: 'disk', project_id: project });
    git(service.directory, 'checkout', '-q', 'both');
    await service.store.rescan();
    await service.rest.post(`/projects/${project}/tasks`, { label: 'Again' });
    expect((await since(event.cursor, '&types=task,project')).events.map(short)).to.deep.equal(['task.created Again']);
  });

  it('waits for the end of a git operation that may bring the project back [A.feed.deleted]', async () => {
    await service.restart({}, () => initRepository(service.directory));
    const cursor = await present();
    const sign = join(service.directory, '.git/BISECT_LOG');
    writeFileSync(sign, '');
    await takeAway();
    expect(service.store.isGone(project, 'anywhere')).to.equal(false);
    expect((await since(cursor, '&types=project.deleted')).events).to.deep.equal([]);
    rmSync(sign);
    expect(short(await deletion(cursor))).to.equal('project.deleted Garden');
  });

  it('is not said to a key for one project, whatever cursor it sends [A.feed.access]', async () => {
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', name: 'ant', project_id: kept });
    const headers = { Authorization: `Bearer ${key.secret}` };
    const agent = new RestClient(service.url, headers);
    const cursor = await present();
    const place = cursor.split('.').find((part) => part.startsWith(codeOf(kept)))!;
    const gone = cursor.split('.').find((part) => part.startsWith(codeOf(project)))!;
    const forged = [cursor, `${place}.${gone}`, `${place}.zzzzzz:0-0`, gone, 'zzzzzz:0-0'];
    const ask = (): Promise<unknown[]> =>
      Promise.all(forged.map(async (one) => (await agent.get(`/feed?types=project.deleted&since=${one}`)).body));
    const before = await ask();
    const streams = await Promise.all(
      forged.map((one) => EventStream.open(service.url, `/feed?since=${one}&types=project.deleted,task`, headers)),
    );
    await service.rest.delete(`/projects/${project}`);
    expect(await ask()).to.deep.equal(before);
    expect(JSON.stringify(before)).not.to.include(codeOf(project)).and.not.include('project.deleted');
    await service.rest.post(`/projects/${kept}/tasks`, { label: 'Here' });
    for (const stream of streams) {
      expect((await stream.take(1)).map(short)).to.deep.equal(['task.created Here']);
      stream.close();
    }
  });

  it('is unknown after its time: a cursor that names a project without a trace is expired [A.feed.deleted, A.feed.expired]', async () => {
    const cursor = `${await present()}.zzzzzz:0-0`;
    const { status, body } = await service.rest.get(`/feed?since=${cursor}`);
    expect([status, body.error, body.cursor]).to.deep.equal([410, 'cursor_expired', await present()]);
  });

  it('is shared by followers who begin at different places [A.feed.deleted, A.feed.stream]', async () => {
    const cursor = await present();
    await takeAway();
    const [named, unnamed] = [await follow(`/feed?since=${cursor}`), await follow('/feed')];
    expect((await named.take(1)).map(short)).to.deep.equal(['project.deleted Garden']);
    await service.rest.post(`/projects/${kept}/tasks`, { label: 'Both' });
    expect((await named.take(1)).map(short)).to.deep.equal(['task.created Both']);
    expect((await unnamed.take(1)).map(short)).to.deep.equal(['task.created Both']);
    expect(readdirSync(aside())).to.include('project.json');
  });
});
