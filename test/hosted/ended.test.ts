import { expect } from 'chai';
import { ClosedError } from '../../src/store/hosted/postgres/pg-errors.ts';
import { emptyHead } from '../../src/store/record/log.ts';
import { postgresTests } from '../support/postgres.ts';
import { EndingWorld, endInThisProcess } from './ends.ts';

const rounds = 12;

postgresTests('A node that ends', () => {
  let world: EndingWorld;
  before(async () => {
    world = await EndingWorld.start();
  });
  after(() => world.cluster.remove());

  it('leaves no connection to the database, whenever it is asked to while it loads projects ahead [A.nodes.ended]', () =>
    endInThisProcess(world, rounds));

  it('has a storage that opens nothing any more once it is closed, and says so [A.nodes.ended]', async () => {
    const { primary } = world.cluster;
    const storage = await world.storageOf('closed');
    const blocker = await primary.hold(`LOCK TABLE ${world.schema}.revision IN ACCESS EXCLUSIVE MODE`);
    const waiting = Promise.allSettled([1, 2, 3].map(() => storage.revisions.get('p', ['rev_1'])));
    await primary.until(() => Promise.resolve(storage.connections!().waiting === 1));
    await storage.close();
    const asks: readonly (() => Promise<unknown>)[] = [
      () => storage.log.catchUp(new Map([['p', emptyHead]])),
      () => storage.answers.find('call'),
      () => storage.blobs.put([Buffer.from('x')]),
      () => storage.snapshots.heads(['p']),
      () => storage.snapshots.read('p', { seq: 1, id: 'evt_1' })[Symbol.asyncIterator]().next(),
      () => storage.revisions.get('p', ['rev_1']),
      () => storage.texts.get(['0']),
      () => storage.limiters!.sweep(),
      () => storage.deletedLogs!.names(''),
    ];
    const answers = await Promise.allSettled(asks.map((ask) => ask()));
    for (const answer of [...answers, ...(await waiting)])
      expect((answer as PromiseRejectedResult).reason).to.be.instanceOf(ClosedError);
    const appended = await storage.log.append({ project: 'p', after: emptyHead, id: 'evt_1', body: {} });
    expect(appended).to.include({ is: 'refused', isUndecided: false });
    await blocker.release();
    await world.whenDisconnected('closed');
  });
});
