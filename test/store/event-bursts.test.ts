import { expect } from 'chai';
import { EventBursts } from '../../src/store/files/edits/event-bursts.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';

describe('Bursts of watch events', () => {
  /** The kernel's queue has room for 100 events. */
  const disk = { ...nodeDisk, readRange: (): Buffer => Buffer.from('100\n') };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('are reported if they may have overflowed the queue, also twice within one long turn [A.hands.overflow]', async () => {
    let reports = 0;
    const bursts = new EventBursts(disk, () => reports++);
    const count = (events: number): void => {
      for (let i = 0; i < events; i++) bursts.count();
    };
    count(70);
    await turn();
    count(70);
    expect(reports, 'in two turns').to.equal(0);
    await turn();
    count(100);
    expect(reports, 'a full queue').to.equal(1);
    // The rescan after a later report finds dropped changes.
    count(100);
    expect(reports, 'another one in the same turn').to.equal(2);
  });
});
