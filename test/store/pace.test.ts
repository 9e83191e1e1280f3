import { expect } from 'chai';
import { Pace } from '../../src/store/files/checkpoint/pace.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('Syncs of written files', () => {
  let clock: ManualClock;
  let journal: { bytes: number; position: number };
  let isWriting: boolean;
  let pace: Pace;
  /** Whether more files are synced within this time, while this many entries a second are appended. */
  const goesOn = async (withinMs: number, entriesPerSecond = 0): Promise<boolean> => {
    const state = { isDone: false };
    void pace.giveWay().then(() => (state.isDone = true));
    for (let left = withinMs; left > 0 && !state.isDone; left -= 10) {
      await clock.pass(10);
      journal.position += entriesPerSecond / 100;
    }
    return state.isDone;
  };
  /** The same while files are synced for a second before. */
  const goesOnAfter = async (entriesPerSecond: number): Promise<boolean> => {
    await clock.pass(1000);
    journal.position += entriesPerSecond;
    return goesOn(1000, entriesPerSecond);
  };
  beforeEach(() => {
    clock = new ManualClock();
    journal = { bytes: 0, position: 7 };
    isWriting = false;
    pace = new Pace({ clock, journal, isWriting: () => isWriting });
    pace.beginSync();
  });

  it('give way to a burst of commits until it ends, and not to single ones [A.write.checkpoint]', async () => {
    expect(await goesOnAfter(50)).to.equal(true);
    expect(await goesOnAfter(5000)).to.equal(false);
    expect(await goesOn(100)).to.equal(true);
  });

  it('give way to writes of files [A.write.checkpoint]', async () => {
    isWriting = true;
    expect(await goesOn(2000)).to.equal(false);
    isWriting = false;
    expect(await goesOn(100)).to.equal(true);
  });

  it('go on after half a minute, under a large journal, and for a caller who waits [A.write.bounded]', async () => {
    isWriting = true;
    expect(await goesOn(29_000)).to.equal(false);
    expect(await goesOn(2000)).to.equal(true);
    pace.beginSync();
    expect(await goesOn(2000)).to.equal(false);
    journal.bytes = 2 ** 29;
    expect(await goesOn(100)).to.equal(true);
    journal.bytes = 0;
    expect(await goesOn(2000)).to.equal(false);
    pace.hurrySync();
    expect(await goesOn(10)).to.equal(true);
    pace.endSync();
    pace.beginSync();
    expect(await goesOn(100)).to.equal(false);
    pace.endSync();
    // The caller comes before the sync that it waits for.
    pace.hurrySync();
    pace.beginSync();
    expect(await goesOn(10)).to.equal(true);
    pace.endSync();
    pace.close();
    pace.beginSync();
    expect(await goesOn(10)).to.equal(true);
  });
});
