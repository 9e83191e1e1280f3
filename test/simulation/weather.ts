import type { IndexBounds } from '../../src/store/files/project/index-files.ts';
import type { Random } from '../support/random.ts';

/** How the machine behaves in one simulation. Shares are from 0 to 1. */
export interface Weather {
  /** The share of the calls of the disk that take milliseconds, and of the calls that take up to a second. */
  readonly slowCalls: number;
  readonly stuckCalls: number;
  /** How long an event is on its way, at most. */
  readonly eventMsMax: number;
  /** The share of events that are lost without a word, that arrive twice, and that arrive after later ones. */
  readonly lostEvents: number;
  readonly repeatedEvents: number;
  readonly reorderedEvents: number;
  /** The share of events that overflow the queue, or end the watch. */
  readonly overflows: number;
  readonly endedWatches: number;
  /** The share of batches that are written job by job, with other turns in between. */
  readonly splitBatches: number;
  /** The share of new files that get the inode number of a removed one. */
  readonly reusedInodes: number;
  /** The share of turns that take as long as a whole turn may. */
  readonly longTurns: number;
  /**
   * With small bounds, the history's index has many files and blocks, as that of a large history. Decoding them takes a
   * fifth of a simulation, so that most have larger ones.
   */
  readonly historyIndex: IndexBounds;
}

/** Fair or foul, in each respect independently. */
export function weatherOf(random: Random, seed: number): Weather {
  const factor = seed % 8 === 7 ? 1 : 10;
  const rarely = (share: number): number => (random.chance(0.3) ? share : 0);
  return {
    slowCalls: random.pick([0, 0.002, 0.02]),
    stuckCalls: rarely(0.0005),
    eventMsMax: random.pick([0.1, 2, 30]),
    lostEvents: rarely(0.05),
    repeatedEvents: rarely(0.1),
    reorderedEvents: rarely(0.2),
    overflows: rarely(0.005),
    endedWatches: rarely(0.002),
    splitBatches: random.pick([0, 0.5, 1]),
    reusedInodes: random.pick([0, 0.5, 1]),
    longTurns: rarely(0.05),
    historyIndex: { rowsMin: 3 * factor, rowsMax: 8 * factor, blockRows: 2 * factor, filesMax: 2 },
  };
}
