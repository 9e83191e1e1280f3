import { BridgeProcess } from '../../support/bridge.ts';
import { startService } from '../service.ts';
import type { Bench, Figure } from '../figure.ts';
import { attain, measured, timed } from '../measure.ts';
import { seed } from '../plans.ts';

/** Several agents' windows over one root: its holder is killed, and the call of another window starts the next service. */
export const takeOver: Figure = {
  name: 'take-over',
  title: 'Time to take over: planner mcp, kill -9 of the window that holds the root',
  measure: async (bench) => {
    const tasks = bench.quick ? 100 : 10_000;
    const rounds = bench.quick ? 1 : 7;
    const { directory, taskIds } = await writtenRoot(bench, tasks);
    const open = (name: string): Promise<BridgeProcess> => BridgeProcess.open({ cwd: directory, name });
    const results = { waiting: [] as number[], opened: [] as number[], own: [] as number[], reopened: [] as number[] };
    let turn = 0;
    const change = (window: BridgeProcess): Promise<unknown> =>
      window.get('update_task', { task_id: taskIds[turn % taskIds.length]!, label: `Prepare bed ${++turn}` });
    for (let round = 0; round < rounds; round++) {
      bench.say(`round ${round + 1} of ${rounds}`);
      let first = await timedWindow(open, change, results.reopened);
      const next = await open('waiting');
      await change(next);
      // Long enough to load its service in advance, like a window that stays open.
      await new Promise((resolve) => setTimeout(resolve, readyMs));
      results.own.push(await timed(() => change(next)));
      first.kill();
      results.waiting.push(await timed(() => change(next)));
      first = next;
      const young = await open('just opened');
      await change(young);
      first.kill();
      results.opened.push(await timed(() => change(young)));
      await young.close();
    }
    const reopened = measured('a window opened reopened, to its first change', 'ms', results.reopened);
    return [
      attain(
        measured(`from kill -9 until the change of another window is answered, ${tasks} tasks`, 'ms', results.waiting),
        { atMost: 1000 },
        reopened,
        { 'p50 of a change through the holder, ms': measured('', 'ms', results.own).value },
      ),
      attain(
        measured('the same, of a window that was opened a moment ago', 'ms', results.opened),
        { atMost: 2000 },
        reopened,
      ),
    ];
  },
};

const readyMs = 4_000;

async function timedWindow(
  open: (name: string) => Promise<BridgeProcess>,
  change: (window: BridgeProcess) => Promise<unknown>,
  times: number[],
): Promise<BridgeProcess> {
  let window: BridgeProcess | undefined;
  times.push(
    await timed(async () => {
      window = await open('reopened');
      await change(window);
    }),
  );
  return window!;
}

/** A root whose files the service wrote. Resolves with the directory that contains it. */
async function writtenRoot(bench: Bench, tasks: number): Promise<{ directory: string; taskIds: readonly string[] }> {
  const directory = bench.scratch('take-over');
  const service = await startService(directory);
  const { taskIds } = await seed(service, 'Garden', { tasks });
  const code = await service.stop();
  if (code !== 0) throw new Error(`The service ended with ${code}.`);
  return { directory, taskIds };
}
