import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerProcess } from '../../support/server-process.ts';
import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { countFiles, fileOf, projectDirectory, until } from '../files.ts';
import { HttpClient } from '../http-client.ts';
import { attain, measured, percentile } from '../measure.ts';
import { seed } from '../plans.ts';

/** An external edit, half of them in place and half by rename as editors do, until REST returns it. */
export const diskEdits: Figure = {
  name: 'disk-edits',
  title: 'Edit on disk → visible over REST',
  measure: async (bench) => {
    const edits = bench.quick ? 10 : 200;
    const root = bench.scratch('disk-edits');
    const service = await startService(root);
    try {
      const { taskIds } = await seed(service, 'Garden', { tasks: 1000 });
      const tasks = join(projectDirectory(root), 'tasks');
      await until(() => countFiles(tasks) >= taskIds.length, 'the files of all tasks');
      const times: number[] = [];
      for (let i = 0; i < edits; i++) {
        times.push(await edit(service, fileOf(tasks, taskIds[i]!), taskIds[i]!, `By hand ${i}`, i % 2 === 0));
        // Edits of a person do not come in one burst: each is reported separately.
        await new Promise((resolve) => setTimeout(resolve, 20 + (i % 7) * 10));
      }
      return [
        attain(measured(`p99 of ${edits} edits`, 'ms', [percentile(times, 0.99)]), { atMost: 250 }, undefined, {
          p50_ms: Math.round(percentile(times, 0.5)),
          max_ms: Math.round(Math.max(...times)),
        }),
      ];
    } finally {
      await service.stop();
    }
  },
};

/** Polls without a pause, so that the time is the service's and not the polling interval. */
async function edit(
  service: ServerProcess,
  path: string,
  id: string,
  label: string,
  inPlace: boolean,
): Promise<number> {
  const client = new HttpClient(service.url);
  const first = await client.get(`/tasks/${id}`);
  const text = readFileSync(path, 'utf8').replace(/^label: .*$/m, `label: ${label}`);
  const began = performance.now();
  if (inPlace) writeFileSync(path, text);
  else {
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  }
  await until(
    async () => {
      const { status, body } = await client.get(`/tasks/${id}`, { 'if-none-match': first.headers.etag! });
      return status === 200 && (JSON.parse(body.toString()) as { label: string }).label === label;
    },
    `${path} to be seen`,
    0,
    10_000,
  );
  const ms = performance.now() - began;
  client.close();
  return ms;
}
