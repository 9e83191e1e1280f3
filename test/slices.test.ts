import { expect } from 'chai';
import { systemClock } from '../src/base/clock.ts';
import { limits } from '../src/base/limits.ts';
import { atOnce, inSlices, onSlowSlice, piecesOf, slice } from '../src/base/slices.ts';
import type { SlowSlice } from '../src/base/slices.ts';

/** Blocks the event loop. */
function hold(ms: number): void {
  const began = systemClock.monotonic();
  while (systemClock.monotonic() - began < ms);
}

/** Counts turns of the event loop until it is stopped, and calls `onTurn` in each. */
function countTurns(onTurn: () => void = () => undefined): { readonly stop: () => number } {
  let turns = 0;
  let stopped = false;
  const turn = (): void => {
    if (stopped) return;
    turns++;
    onTurn();
    setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: () => {
      stopped = true;
      return turns;
    },
  };
}

const stepMs = 2;

function* steps(count: number, onStep: () => void = () => undefined): Generator<undefined, number> {
  for (let step = 0; step < count; step++) {
    hold(stepMs);
    onStep();
    yield;
  }
  return count;
}

describe('Work in slices', () => {
  it('yields to the event loop when the budget of a turn is used up [A.loop.slices]', async () => {
    const turns = countTurns();
    expect(await inSlices('counting', steps(60))).to.equal(60);
    // 120 ms of work, 10 ms per turn.
    expect(turns.stop()).to.be.at.least(8);
  });

  it('shares the budget of a turn with all other sliced work [A.loop.slices, A.hostile.starts]', async () => {
    const inEachTurn: number[] = [];
    let done = 0;
    const turns = countTurns(() => {
      inEachTurn.push(done);
      done = 0;
    });
    await Promise.all(
      Array.from({ length: 64 }, () =>
        inSlices(
          'counting',
          steps(4, () => void done++),
        ),
      ),
    );
    turns.stop();
    // Parts of two budgets may fall between two samples. Without a shared budget it would be 64.
    expect(Math.max(...inEachTurn)).to.be.at.most(Math.ceil(limits.turnBudgetMs / stepMs) * 4);
  });

  it('is scheduled fairly: nothing gets a second slice before all other work had one [A.loop.slices]', async () => {
    const done = [0, 0, 0];
    const work = (name: number): Promise<number> =>
      inSlices(
        'counting',
        steps(40, () => void done[name]!++),
      );
    const [, ...others] = [work(0), work(1), work(2)];
    await others[0];
    // Without turns, the second would start only after the first has ended, and the third after the second.
    expect(done[2]).to.be.at.least(12);
    await Promise.all(others);
  });

  it('returns the same value in slices and in one step [A.loop.slices]', async () => {
    const texts = Array.from({ length: 5000 }, (_, i) => `text number ${i}, `);
    const pieces: string[] = [];
    for await (const piece of piecesOf('writing', texts[Symbol.iterator]())) pieces.push(piece);
    expect(pieces.join('')).to.equal(texts.join(''));
    expect(pieces.length).to.be.within(2, 100);
    expect(atOnce(steps(3))).to.equal(3);
  });

  it('returns one piece for a short text, however many turns it takes [A.loop.streamed]', async () => {
    const texts = function* (): Generator<string> {
      for (let i = 0; i < 30; i++) {
        hold(stepMs);
        yield `text number ${i}, `;
      }
    };
    const turns = countTurns();
    const pieces: string[] = [];
    for await (const piece of piecesOf('writing', texts())) pieces.push(piece);
    expect(turns.stop()).to.be.at.least(3);
    expect(pieces).to.deep.equal([[...texts()].join('')]);
  });

  it('throws the error of the work [A.loop.slices]', async () => {
    const failing = (function* (): Generator<undefined, void> {
      yield;
      throw new Error('broken');
    })();
    expect(await inSlices('failing', failing).catch((error: unknown) => (error as Error).message)).to.equal('broken');
  });

  it('reports slices that block the event loop too long, with operation and project [A.loop.slow]', () => {
    const slow: SlowSlice[] = [];
    const forget = onSlowSlice((one) => slow.push(one));
    try {
      expect(slice('quick', () => 1)).to.equal(1);
      slice('long', () => hold(limits.slowSliceMs + 10), 'prj_1');
      expect(() =>
        slice('failing', () => {
          hold(limits.slowSliceMs + 10);
          throw new Error('broken');
        }),
      ).to.throw('broken');
    } finally {
      forget();
    }
    slice('after', () => hold(limits.slowSliceMs + 10));
    expect(
      slow.filter(({ operation }) => operation !== 'quick').map(({ operation, project }) => [operation, project]),
    ).to.deep.equal([
      ['long', 'prj_1'],
      ['failing', undefined],
    ]);
    for (const { ms } of slow) expect(ms).to.be.at.least(limits.slowSliceMs);
  });
});
