import { startService } from '../service.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { alternate, attain, measured, timed } from '../measure.ts';
import { seed } from '../plans.ts';
import { atRest, watchMemory } from '../process-usage.ts';

/** Export of a whole project and import into a service. */
export const exchange: Figure = {
  name: 'exchange',
  title: 'Export and import of 10,000 tasks and 2,000 documents of 8 KB',
  measure: async (bench) => {
    const service = await startService(bench.scratch('exchange'));
    try {
      return await measure(bench, service);
    } finally {
      await service.stop();
    }
  },
};

async function measure(bench: Bench, service: ServerProcess): Promise<Row[]> {
  const size = bench.quick ? { tasks: 500, documents: 50 } : { tasks: 10_000, documents: 2000 };
  const { projectId } = await seed(service, 'Garden', size);
  const client = new HttpClient(service.url);
  const exported = async (): Promise<Buffer> => {
    const { status, body } = await client.get(`/projects/${projectId}/export`);
    if (status !== 200) throw new Error(`The export answered ${status}.`);
    return body;
  };
  const document = await exported();
  const memory = watchMemory(service.pid);
  const { out, back } = await alternate(bench.quick ? 1 : 3, {
    out: () => timed(exported),
    back: async () => {
      const ms = await timed(() => imported(service.url, document));
      // The next round starts when everything is written to its file.
      await atRest(service.pid);
      return ms;
    },
  });
  const also = { export_mb: Math.round(document.length / 1e6), peak_mb: Math.round(memory.stop() / 1e6) };
  client.close();
  return [
    attain(measured('export', 'ms', out), { atMost: 5000 }, undefined, also),
    attain(measured('import, a file over multipart', 'ms', back), { atMost: 5000 }),
  ];
}

async function imported(url: string, document: Buffer): Promise<void> {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(document)]), 'garden.planner.json');
  const answer = await fetch(`${url}/api/v1/projects/import`, { method: 'POST', body: form });
  if (answer.status !== 201) throw new Error(`The import answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}
