import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { pause } from './callers.ts';
import { expectFlat, summary } from './flat.ts';
import type { Figures } from './flat.ts';
import { measure } from './measures.ts';
import type { Measure } from './measures.ts';
import { soak } from './soak.ts';
import type { Watch } from './soak.ts';

const minutes = Number(process.env['PLANNER_SOAK_MINUTES'] ?? 30);
/** Measurements in each third, while no requests are made. */
const measuresAThird = 4;
const warmUpMs = Math.min(2, minutes / 6) * 60_000;

describe(`A service under mixed load for ${minutes} minutes`, () => {
  const scratch = scratchDirectory();

  it('keeps its memory, its open files and its speed, loses nothing and has no problems [A.soak.flat, A.soak.well]', async () => {
    const random = Random.announced('soak');
    let watched: Figures | undefined;
    const watch: Watch = async (stage, service) => {
      watched = await measures(stage, service);
      expectFlat(watched, stage.latencies);
    };
    const { calls, changes, edits, gitCommands } = await soak(random, scratch.path, watch);
    const count = (figure: number): string => figure.toLocaleString('en-US');
    const load = `${count(calls)} calls, ${count(changes)} changes acknowledged and there`;
    reached('soak', `${minutes} minutes, ${load}, ${count(edits)} edits by hand, ${count(gitCommands)} git commands`);
    reached('soak, first and last third', summary(watched!));
  });
});

/** Measures the service at even distances, each time with all work held up, and says a line a minute. */
async function measures(...[stage, { pid, inspector }]: Parameters<Watch>): Promise<Figures> {
  const { gate, ledger, latencies } = stage;
  const began = performance.now();
  const wait = async (until: number): Promise<void> => {
    while (performance.now() < until) await pause(Math.min(until - performance.now() + 1, 1000));
  };
  const say = (what: string, { rssMiB, heapMiB, descriptors }: Measure): void => {
    const at = `${((performance.now() - began) / 60_000).toFixed(1)} min, ${what}`;
    const held = `${rssMiB.toFixed(0)} MiB resident, ${heapMiB.toFixed(1)} MiB heap, ${descriptors} descriptors`;
    console.log(`      ${at}: ${held}, ${latencies.count} calls, ${ledger.acknowledged} changes`);
  };
  const settled = async (): Promise<Measure> => {
    await gate.close();
    const one = await measure(stage.url, pid, inspector);
    gate.open();
    return one;
  };
  const length = (minutes * 60_000 - warmUpMs) / 3;
  const start = began + warmUpMs;
  await wait(start);
  say('warm', await settled());
  const thirds: Measure[][] = [[], [], []];
  const changes: number[][] = [[], [], []];
  let reportedAt = performance.now();
  for (const [third, taken] of thirds.entries()) {
    for (let i = 1; i <= measuresAThird; i++) {
      await wait(start + third * length + (i * length) / measuresAThird);
      taken.push(await settled());
      changes[third]!.push(ledger.acknowledged);
      if (performance.now() - reportedAt < 50_000 && i < measuresAThird) continue;
      say(`third ${third + 1}`, taken.at(-1)!);
      reportedAt = performance.now();
    }
  }
  const middle = Math.floor(measuresAThird / 2);
  return {
    bounds: [start, start + length, start + 2 * length, start + 3 * length],
    thirds,
    changes: [changes[0]![middle]!, changes[2]![middle]!],
  };
}
