import { join } from 'node:path';
import type { ServerProcess } from '../../support/server-process.ts';
import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { projectDirectory, readAll } from '../files.ts';
import { HttpClient } from '../http-client.ts';
import { compare, measured } from '../measure.ts';
import { seed } from '../plans.ts';
import { residentBytes } from '../process-usage.ts';

/** Resident memory of a service with 100,000 tasks, above one without tasks. */
export const memory: Figure = {
  name: 'memory',
  title: 'Resident memory with 100,000 tasks of 1.2 kB',
  measure: async (bench) => {
    const tasks = bench.quick ? 1000 : 100_000;
    const settleMs = bench.quick ? 500 : 10_000;
    const root = bench.scratch('memory');
    const first = await startService(root);
    const { projectId } = await seed(first, 'Garden', { tasks, descriptionBytes: 1200 });
    const grown = residentBytes(first.pid).now;
    await first.stop();
    const empty = await resident(await startService(bench.scratch('memory-empty')), settleMs);
    const files = readAll(join(projectDirectory(root), 'tasks'));
    const fileBytes = files.reduce((sum, file) => sum + file.length, 0) / files.length;
    const full = await resident(await startService(root), settleMs, `/projects/${projectId}/tasks?limit=100`);
    return [
      compare(
        measured('memory for each task', 'bytes', [(full - empty) / tasks]),
        measured('bytes of its file', 'bytes', [fileBytes]),
        { atMost: 2.5 },
        {
          empty_mb: Math.round(empty / 1e6),
          full_mb: Math.round(full / 1e6),
          while_created_mb: Math.round(grown / 1e6),
        },
      ),
    ];
  },
};

/** The memory of a service after a request, when it is idle. Stops it. */
async function resident(service: ServerProcess, settleMs: number, path = '/projects'): Promise<number> {
  const client = new HttpClient(service.url);
  await client.json('GET', path);
  client.close();
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const { now } = residentBytes(service.pid);
  await service.stop();
  return now;
}
