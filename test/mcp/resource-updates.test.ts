import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { ResourceUpdates } from '../../src/mcp/resource-updates.ts';
import type { FollowProject, Places } from '../../src/mcp/resource-updates.ts';
import type { WatchedResource } from '../../src/mcp/watched-resource.ts';
import type { Event, EventListAnswer } from '../../src/schema/types.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('Notifications of watched resources [A.hostile.watched-together]', () => {
  let clock: ManualClock;
  let queued: EventListAnswer[];
  let wake: () => void;
  let cursor: number;
  let reads: number;
  const places: Places = new Map();

  beforeEach(() => {
    clock = new ManualClock();
    [queued, cursor, reads] = [[], 0, 0];
    places.clear();
  });

  /** Answers with the changes since the last read. */
  const follow: FollowProject = async function* (_project, _since, signal) {
    for (; !signal.aborted; reads++) {
      const events = queued.splice(0).flatMap((one) => one.events);
      yield { events, cursor: String(cursor), more: false };
      if (queued.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const change = (id: string): void => {
    queued.push({ events: [{ resource: { id } } as Event], cursor: String(++cursor), more: false });
    wake();
  };
  const resource = (id: string): WatchedResource => ({
    ...{ key: id, uri: `planner://p/task/${id}`, project: 'p' },
    isChangedBy: ({ resource: of }) => of.id === id,
  });

  async function watching(onUpdated: (uris: readonly string[]) => Promise<void>): Promise<ResourceUpdates> {
    const onFailed = (thrown: unknown): never => expect.fail(String(thrown));
    const updates = new ResourceUpdates({ follow, clock, places, onUpdated, onFailed });
    await updates.watch(['a', 'b', 'c'].map(resource));
    return updates;
  }

  it('are sent immediately, and then together, each resource once', async () => {
    const sent: (readonly string[])[] = [];
    const updates = await watching(async (uris) => void sent.push(uris));
    change('a');
    await clock.pass(1);
    expect(sent).to.deep.equal([['planner://p/task/a']]);
    for (let at = 0; at < 100; at++) change(at % 2 === 0 ? 'a' : 'b');
    await clock.pass(limits.resourceUpdatesMs / 2);
    expect(sent).to.have.length(1);
    await clock.pass(limits.resourceUpdatesMs);
    expect(sent.slice(1)).to.deep.equal([['planner://p/task/a', 'planner://p/task/b']]);
    expect(places.get('p')).to.equal('101');
    updates.end();
    wake();
    await clock.pass(limits.resourceUpdatesMs);
  });

  it('wait for a client that reads slowly, without a longer queue', async () => {
    const sent: (readonly string[])[] = [];
    let read = (): void => undefined;
    const updates = await watching((uris) => {
      sent.push(uris);
      return new Promise((resolve) => (read = resolve));
    });
    change('a');
    await clock.pass(1);
    const before = reads;
    for (let at = 0; at < 1000; at++) change('abc'[at % 3]!);
    await clock.pass(10 * limits.resourceUpdatesMs);
    expect([sent.length, reads]).to.deep.equal([1, before]);
    read();
    await clock.pass(limits.resourceUpdatesMs + 5);
    expect(sent[1]).to.have.length(3);
    read();
    updates.end();
    wake();
    await clock.pass(limits.resourceUpdatesMs);
  });
});
