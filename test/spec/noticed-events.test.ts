import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import type { Event } from '../../src/schema/types.ts';
import { eventsSince } from '../support/feed.ts';
import { EventStream } from '../support/event-stream.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { TestService } from '../support/service.ts';

const short = ({ type, resource, reason }: Event): string =>
  [type, resource.label, ...(reason === undefined ? [] : [`(${reason})`])].join(' ');
const markers = '<<<<<<< HEAD\nlabel: Ours\n=======\nlabel: Theirs\n>>>>>>> branch';

describe('Events that the service notices', () => {
  let service: TestService;
  let project: string;
  let aheadMs: number;
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const streams: EventStream[] = [];
  beforeEach(async () => {
    aheadMs = 0;
    service = await TestService.start({ clock });
    project = await service.project();
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close();
    await service.stop();
  });

  async function present(): Promise<string> {
    return (await service.rest.get(`/projects/${project}/events?since=now`)).body.cursor as string;
  }

  async function since(cursor: string, types: string): Promise<readonly Event[]> {
    return (await eventsSince(service.rest, project, cursor, `types=${types}`)).events;
  }

  /** The events after a cursor, once there are so many. */
  async function arrived(cursor: string, types: string, count: number): Promise<readonly Event[]> {
    const stream = await EventStream.open(service.url, `/projects/${project}/events?types=${types}&since=${cursor}`);
    streams.push(stream);
    return stream.take(count);
  }

  describe('about leases', () => {
    const types = 'task.claimed,task.released,task.done';
    let task: string;
    beforeEach(async () => {
      task = (await service.rest.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;
    });

    const claim = async (agent: string, seconds: number): Promise<void> => {
      const input = { agent_ref: agent, lease_seconds: seconds };
      const { status, body } = await service.rest.post(`/tasks/${task}/claim`, input);
      expect([status, body.claimed]).to.deep.equal([200, true]);
    };
    const later = (ms: number): Promise<void> => service.restart({}, () => (aheadMs += ms));

    it('say that one expired, once, while the task keeps its state [A.feed.leases]', async () => {
      const cursor = await present();
      await claim('ant', 1);
      const events = await arrived(cursor, types, 2);
      expect(events.map(short)).to.deep.equal(['task.claimed Dig', 'task.released Dig (lease_expired)']);
      expect(events[1]).to.include({ author: 'system', source: 'system' });
      expect((await service.rest.get(`/tasks/${task}`)).body).to.include({ status: 'in_progress', assignee: 'ant' });
      await service.restart();
      expect(await since(cursor, types)).to.deep.equal(events);
    });

    it('say so if the service was down at that moment, and not of leases that were renewed or ended [A.feed.leases]', async () => {
      const cursor = await present();
      await claim('ant', 60);
      await later(30_000);
      await claim('ant', 60);
      await later(40_000);
      expect((await since(cursor, types)).map(short)).to.deep.equal(['task.claimed Dig']);
      await later(40_000);
      const all = ['task.claimed Dig', 'task.released Dig (lease_expired)'];
      expect((await arrived(cursor, types, 2)).map(short)).to.deep.equal(all);
      await later(3_600_000);
      expect((await since(cursor, types)).map(short)).to.deep.equal(all);
      await service.rest.patch(`/tasks/${task}`, { status: 'done' });
      expect((await since(cursor, types)).map(short)).to.deep.equal([...all, 'task.done Dig']);
    });

    it('say of a later claim that the task is claimed, and not again that it was released [A.feed.leases]', async () => {
      const before = await present();
      await claim('ant', 60);
      await later(61_000);
      // The release is journaled shortly after the opening: the events of the second claim begin after it.
      await arrived(before, types, 2);
      const cursor = await present();
      await service.store.rescan();
      await claim('bee', 60);
      await later(61_000);
      expect((await arrived(cursor, types, 2)).map(short)).to.deep.equal([
        'task.claimed Dig',
        'task.released Dig (lease_expired)',
      ]);
      await claim('bee', 60);
      expect((await since(cursor, types)).map(short).slice(2), 'by the same agent').to.deep.equal(['task.claimed Dig']);
      await claim('bee', 60);
      expect(await since(cursor, types)).to.have.length(3);
    });

    it('give the reason of every release [A.feed.leases]', async () => {
      const cursor = await present();
      await claim('ant', 600);
      await service.rest.patch(`/tasks/${task}`, { assignee: 'bee' });
      await service.rest.patch(`/tasks/${task}`, { status: 'todo' });
      expect((await since(cursor, 'task.released')).map(short)).to.deep.equal([
        'task.released Dig (reassigned)',
        'task.released Dig (status_changed)',
      ]);
    });
  });

  describe('about problems', () => {
    let files: PlanFiles;
    let path: string;
    let good: string;
    let task: string;
    beforeEach(async () => {
      files = await PlanFiles.of(service);
      task = (await service.rest.post(`/projects/${project}/tasks`, { label: 'Ours' })).body.id as string;
      path = await files.pathOf(task);
      good = files.read(path);
    });

    const wrong = (): void => files.write(path, good.replace('label: Ours', markers));

    it('report found and cleared problems, with the file and the reason [A.feed.problems]', async () => {
      const cursor = await present();
      wrong();
      await service.store.rescan();
      const [found] = await arrived(cursor, 'problem', 1);
      expect(found).to.include({ type: 'problem.found', author: 'system' });
      const shown = files.shown(path);
      expect(found!.resource).to.include({ type: 'problem', label: shown });
      expect(found!.changes).to.deep.include.members([
        { field: 'path', to: shown },
        { field: 'kind', to: 'unreadable' },
        { field: 'record_id', to: task },
      ]);
      files.write(path, good);
      await service.store.rescan();
      const [cleared] = await arrived(found!.cursor, 'problem', 1);
      expect(cleared!.type).to.equal('problem.cleared');
      expect(cleared!.resource).to.deep.equal(found!.resource);
      expect(cleared!.changes).to.deep.include({ field: 'kind', from: 'unreadable' });
    });

    it('say so of problems that came and went while no service ran, and nothing twice [A.feed.problems]', async () => {
      const cursor = await present();
      await service.restart({}, wrong);
      const [found] = await arrived(cursor, 'problem', 1);
      expect(found!.type).to.equal('problem.found');
      await service.restart();
      // The watch looks at every project at its start, before anything that is found later.
      await service.restart({}, () => files.write(path, good));
      const events = await arrived(cursor, 'problem', 2);
      expect(events.map(({ type }) => type)).to.deep.equal(['problem.found', 'problem.cleared']);
      await service.restart({}, wrong);
      const again = await arrived(cursor, 'problem', 3);
      expect(again.map(({ type }) => type)).to.deep.equal(['problem.found', 'problem.cleared', 'problem.found']);
    });

    it('say so of a second file with the id, after the process was lost [A.feed.problems]', async () => {
      const cursor = await present();
      const copy = path.replace('.md', '.copy.md');
      files.write(copy, good);
      await service.store.rescan();
      const [found] = await arrived(cursor, 'problem', 1);
      expect(found!.changes).to.deep.include({ field: 'kind', to: 'duplicate_id' });
      service.store.abandon();
      await service.restart();
      files.remove(copy);
      await service.store.rescan();
      const events = await arrived(cursor, 'problem', 2);
      expect(events[0]).to.deep.equal(found);
      expect(events[1]!.type).to.equal('problem.cleared');
    });
  });
});
