import { openPgStorage } from '../../../src/store/hosted/postgres/pg-storage.ts';
import { emptyHead, type Head, type Log } from '../../../src/store/record/log.ts';
import type { PostgresCluster } from '../../support/postgres-cluster.ts';
import { coldLoads } from '../cold-loads.ts';
import type { Bench, Row } from '../figure.ts';
import { createIn, oneCaller, planted, rested, type StartNode, task } from '../hosted-load.ts';
import { HttpClient } from '../http-client.ts';
import { load } from '../load.ts';
import { alternate, attain, compare, measured, round } from '../measure.ts';
import { textOf } from '../plans.ts';
import { startService } from '../service.ts';
import { SlowLink } from '../slow-link.ts';
import { Uploads } from '../uploads.ts';

const roundTripMs = 2;
const callerCalls = 300;
const logProjects = 32;
/** How many entries of a project are in progress at a time. */
const chain = 8;
const uploaders = 2;
const uploadBytes = 10_000_000;

/** Creates where the database is 2 ms away. */
export async function ofDistance(bench: Bench, cluster: PostgresCluster, node: StartNode): Promise<Row[]> {
  const link = await SlowLink.open(cluster.primary.port, roundTripMs);
  try {
    const distant = await node('distant', { url: `postgres://postgres@127.0.0.1:${link.port}/postgres` });
    const { projectId } = await planted(distant, 'Garden', 10);
    const client = new HttpClient(distant.url);
    const results = await alternate<'one' | 'many', number>(bench.quick ? 1 : 5, {
      one: () =>
        oneCaller(bench.quick ? callerCalls / 10 : callerCalls, () =>
          client.json('POST', `/projects/${projectId}/tasks`, task),
        ),
      many: async () => (await load(distant.url, [createIn(projectId)], { seconds: bench.quick ? 1 : 5 })).perSecond,
    });
    client.close();
    await distant.stop();
    return [
      attain(measured(`one caller: create, the database ${roundTripMs} ms away`, 'ms', results.one), { atMost: 6 }),
      attain(measured(`64 callers: creates in one project, the database ${roundTripMs} ms away`, '/s', results.many), {
        atLeast: 3000,
      }),
    ];
  } finally {
    await link.close();
  }
}

/** Entries in as many projects as one process can append. */
export async function ofAppends(bench: Bench, url: string): Promise<Row[]> {
  const storage = await openPgStorage({ url, schema: 'appends', durability: 'replicated' });
  try {
    const rates: number[] = [];
    const heads = new Map<string, Head>();
    for (let at = 0; at < (bench.quick ? 1 : 5); at++)
      rates.push(await appendsPerSecond(storage.log, heads, bench.quick ? 500 : 3000));
    return [
      attain(measured(`entries appended in ${logProjects} projects by one process`, '/s', rates), { atLeast: 8000 }),
    ];
  } finally {
    await storage.close();
  }
}

async function appendsPerSecond(log: Log, heads: Map<string, Head>, forMs: number): Promise<number> {
  const body = { text: textOf(400, 1) };
  const began = performance.now();
  let appended = 0;
  const write = async (project: string): Promise<void> => {
    while (performance.now() - began < forMs) {
      const outcomes: ReturnType<Log['append']>[] = [];
      for (let at = 0; at < chain; at++) {
        const after = heads.get(project) ?? emptyHead;
        const id = `${project}-${after.seq + 1}`;
        heads.set(project, { seq: after.seq + 1, id });
        outcomes.push(log.append({ project, after, id, body }));
      }
      for (const { is } of await Promise.all(outcomes)) {
        if (is !== 'ok') throw new Error(`An append was answered ${is}.`);
        appended++;
      }
    }
  };
  await Promise.all(Array.from({ length: logProjects }, (_, at) => write(`project-${at}`)));
  return appended / ((performance.now() - began) / 1000);
}

/** Creates while files are uploaded, beside creates alone; the same over files. */
export async function ofUploads(bench: Bench, node: StartNode): Promise<Row[]> {
  const services = { node: await node('uploads'), files: await startService(bench.scratch('uploads')) };
  const projects = {
    node: (await planted(services.node, 'Garden', 10)).projectId,
    files: (await planted(services.files, 'Garden', 10)).projectId,
  };
  let uploads = 0;
  const alone = async (of: 'node' | 'files'): Promise<number> => {
    const seconds = bench.quick ? 1 : 5;
    return (await load(services[of].url, [createIn(projects[of])], { seconds, connections: 16 })).p99Ms;
  };
  const beside = async (of: 'node' | 'files'): Promise<number> => {
    const url = `${services[of].url}/api/v1/projects/${projects[of]}/files`;
    const uploading = Uploads.begin({ url, uploaders, bytes: uploadBytes });
    const created = await alone(of);
    const count = await uploading.end();
    if (of === 'node') uploads += count;
    return created;
  };
  const all = Object.values(services);
  const results = await alternate(bench.quick ? 1 : 5, {
    alone: () => rested(all, () => alone('node')),
    beside: () => rested(all, () => beside('node')),
    filesAlone: () => rested(all, () => alone('files')),
    filesBeside: () => rested(all, () => beside('files')),
  });
  await Promise.all(all.map((service) => service.stop()));
  const what = `creates beside ${uploaders} uploads of 10 MB, p99`;
  return [
    compare(
      measured(what, 'ms', results.beside),
      measured('creates alone', 'ms', results.alone),
      { atMost: 3 },
      { uploads },
    ),
    compare(
      measured(`over files: ${what}`, 'ms', results.filesBeside),
      measured('creates alone', 'ms', results.filesAlone),
    ),
  ];
}

/** How long a project of 10,000 tasks takes to be in memory. */
export async function ofColdLoads(bench: Bench, url: string): Promise<Row[]> {
  const tasks = bench.quick ? 500 : 10_000;
  const open: Parameters<typeof coldLoads>[0] = async (instead) => ({
    ...(await openPgStorage({ url, schema: 'cold', durability: 'replicated' })),
    ...instead,
  });
  const { snapshot, replay } = await coldLoads(open, tasks, bench.quick ? 1 : 5);
  const rate = (ms: number): number => (2 * tasks) / (ms / 1000);
  return [
    attain(measured(`cold load of ${tasks} tasks from the snapshot`, 'ms', snapshot.times), { atMost: 300 }),
    attain(
      measured(`cold load from all ${2 * tasks} entries: change sets`, '/s', replay.times.map(rate)),
      { atLeast: 30_000 },
      undefined,
      { of_this_thread_alone: round(rate(replay.ownMs)) },
    ),
  ];
}
