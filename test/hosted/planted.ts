import { fork } from 'node:child_process';
import { once } from 'node:events';
import { planted } from '../simulation/planted.ts';
import { withPlantedSource } from '../support/planted-source.ts';
import type { HistoryOutcome } from './history.ts';
import type { Judged } from './history-process.ts';
import type { plantedFaults } from './planted-faults.ts';

type Fault = (typeof plantedFaults)[number];

/**
 * Plants a fault in the sources of a process, not in the working tree, and has it judge a history for each seed. A
 * history ends when it has `operations`, and is judged then. `judge`: the process.
 */
export function judgePlanted(
  fault: Fault,
  seeds: readonly number[],
  history: Omit<Judged, 'seed'>,
  judge = new URL('history-process.ts', import.meta.url),
): Promise<readonly HistoryOutcome[]> {
  const text = planted({ ...fault, without: [] });
  return withPlantedSource({ file: fault.file, text }, async (options) => {
    const child = fork(judge, { ...options, serialization: 'advanced' });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The process that judges has ended with ${String(code)}.`);
    });
    ended.catch(() => undefined);
    const found: HistoryOutcome[] = [];
    try {
      for (const seed of seeds) {
        child.send({ seed, ...history } satisfies Judged);
        const answered = once(child, 'message').then(([outcome]) => outcome as HistoryOutcome);
        found.push(await Promise.race([answered, ended]));
      }
    } finally {
      child.kill();
    }
    return found;
  });
}
