import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../service.ts';
import { startYardstick } from '../yardstick.ts';
import type { Bench, Figure } from '../figure.ts';
import { firstProject, stopClean } from '../first-project.ts';
import { alternate, attain, measured } from '../measure.ts';
import { seed } from '../plans.ts';

/** From the start of the process until a first project was created, with the files in the system's cache. */
export const coldStart: Figure = {
  name: 'cold-start',
  title: 'Cold start to the first project created',
  measure: async (bench) => {
    const tasks = bench.quick ? 500 : 10_000;
    const documents = bench.quick ? 50 : 1000;
    const large = await writtenRoot(bench, tasks, documents);
    const results = await alternate(bench.quick ? 1 : 5, {
      express: () => firstProject(() => startYardstick('bare')),
      empty: (round) => firstProject(() => startService(bench.scratch(`empty-${round}`))),
      files: () => {
        // Like after a clone: the files exist, the machine-local state does not.
        rmSync(join(large, '.planner', 'local'), { recursive: true, force: true });
        return firstProject(() => startService(large));
      },
      stopped: () => firstProject(() => startService(large)),
    });
    const express = measured('bare Express', 'ms', results.express);
    return [
      attain(measured('empty root', 'ms', results.empty), { atMost: 2000 }, express),
      attain(
        measured(`${tasks} tasks and ${documents} documents of 8 KB, files alone`, 'ms', results.files),
        { atMost: 2000 },
        express,
      ),
      attain(measured('the same after a clean stop', 'ms', results.stopped), { atMost: 2000 }, express),
    ];
  },
};

/** A root whose files the service wrote. */
async function writtenRoot(bench: Bench, tasks: number, documents: number): Promise<string> {
  const root = bench.scratch('large');
  const service = await startService(root);
  await seed(service, 'Garden', { tasks, documents, documentBytes: 8000 });
  await stopClean(service);
  return root;
}
