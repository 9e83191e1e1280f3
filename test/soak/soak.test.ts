import { expect } from 'chai';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { pause } from './callers.ts';
import { expectFlat } from './flat.ts';
import type { Figures } from './flat.ts';
import { Latencies } from './measures.ts';
import type { Measure } from './measures.ts';
import { soak } from './soak.ts';
import { yardstick } from './yardstick.ts';

describe('A service with callers, external edits and git', () => {
  const scratch = scratchDirectory();

  it('keeps everything acknowledged and has no problems, also after a restart [A.soak.well]', async function () {
    this.timeout(300_000);
    const callsMin = 40;
    const figures = await soak(Random.announced('soak'), scratch.path, async ({ latencies, gate }) => {
      while (latencies.count < callsMin && !gate.ended) await pause(20);
    });
    expect(figures.calls).to.be.at.least(callsMin);
    expect(Math.min(figures.changes, figures.gitCommands)).to.be.above(0);
  });

  it('counts as flat if the last third equals the first, and not if it grew [A.soak.flat]', async () => {
    const usual: Measure = { heapMiB: 45, rssMiB: 180, descriptors: 80 };
    const bounds = [0, 1, 2, 3] as const;
    const grown = (last: Partial<Measure>, changes: number): Figures => {
      const end = { ...usual, ...last };
      return { bounds, thirds: [[usual, usual, usual], [usual], [end, usual, end]], changes: [0, changes] };
    };
    const latencies = new Latencies();
    await latencies.time('one', () => Promise.resolve());
    expect(() => expectFlat(grown({}, 0), latencies)).not.to.throw();
    expect(() => expectFlat(grown({ heapMiB: 60 }, 40_000), latencies), 'history').not.to.throw();
    expect(() => expectFlat(grown({ heapMiB: 60 }, 1000), latencies)).to.throw('heap');
    expect(() => expectFlat(grown({ rssMiB: 300 }, 1000), latencies)).to.throw('resident memory');
    expect(() => expectFlat(grown({ descriptors: 200 }, 1000), latencies)).to.throw('file descriptors');
  });

  it('counts as slower if the medians are [A.soak.flat]', () => {
    const one: Measure = { heapMiB: 45, rssMiB: 180, descriptors: 80 };
    const figures = (): Figures => ({ bounds: [0, 10, 20, 30], thirds: [[one], [one], [one]], changes: [0, 0] });
    const took = (last: number): Latencies => {
      const latencies = new Latencies();
      for (let i = 0; i < 40; i++) {
        latencies.keep({ at: 5, what: 'list', ms: 4 });
        latencies.keep({ at: 25, what: 'list', ms: last });
      }
      return latencies;
    };
    expect(() => expectFlat(figures(), took(9))).not.to.throw();
    expect(() => expectFlat(figures(), took(40))).to.throw('median of list');
    const onSlowMachine = took(40);
    for (let i = 0; i < 40; i++) {
      onSlowMachine.keep({ at: 5, what: yardstick, ms: 1 });
      onSlowMachine.keep({ at: 25, what: yardstick, ms: 8 });
    }
    expect(() => expectFlat(figures(), onSlowMachine)).not.to.throw();
  });
});
