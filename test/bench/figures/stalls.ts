import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerProcess } from '../../support/server-process.ts';
import { startService } from '../service.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { countFiles, projectDirectory, until } from '../files.ts';
import type { Sample } from '../health-probe.ts';
import { healthDuring, healthOf } from '../health.ts';
import { HttpClient } from '../http-client.ts';
import { attain, measured, median } from '../measure.ts';
import { seed } from '../plans.ts';
import { atRest, residentBytes, watchMemory } from '../process-usage.ts';
import { workersAtWork } from './stalls-mix.ts';

const p999MsMax = 60;
const maxMsMax = 150;
const checkedOutFiles = 5000;
const mixedTasks = 7700;
const growth = 'growth over 20 minutes';
const growthMs = 20 * 60_000;

/** One kind of work that a service does alone, while its health is requested. */
interface Work {
  readonly name: string;
  /** Default: three times. Once if it cannot be repeated. */
  readonly times?: number;
  /** Done before the first time, without health requests. */
  readonly prepare?: (site: Site) => Promise<unknown>;
  readonly run: (site: Site, time: number) => Promise<unknown>;
}

/** A service with one project, and a client of it. */
interface Site {
  readonly service: ServerProcess;
  readonly root: string;
  readonly client: HttpClient;
  readonly projectId: string;
  readonly taskIds: readonly string[];
}

/** The latency of the health check under a load, and during expensive operations. */
export const stalls: Figure = {
  name: 'stalls',
  title: 'GET /health beside other work',
  measure: async (bench) => {
    const rows: Row[] = [];
    const wants = (name: string): boolean => bench.match === undefined || name.includes(bench.match);
    if (wants('mix')) rows.push(...(await measureMix(bench)));
    if (wants(growth) && !bench.quick) rows.push(await measureGrowth(bench));
    for (const tasks of bench.quick ? [500] : [10_000, 50_000]) {
      const chosen = works.filter(({ name }) => wants(titleOf(name, tasks)));
      if (chosen.length > 0) rows.push(...(await measureAlone(bench, tasks, chosen)));
    }
    return rows;
  },
};

function titleOf(name: string, tasks: number): string {
  return `${name}, ${tasks} tasks`;
}

async function measureMix(bench: Bench): Promise<Row[]> {
  const service = await startService(bench.scratch('mix'));
  try {
    const tasks = bench.quick ? 200 : mixedTasks;
    const samples = await healthDuring(service, () => workersAtWork(service, tasks));
    return rowsOf(`mix: 8 workers over REST and MCP, growing to ${tasks} tasks`, samples, await loopDelay(service));
  } finally {
    await service.stop();
  }
}

/** The mix over a working session, during which the service must not grow beyond its plan. */
async function measureGrowth(bench: Bench): Promise<Row> {
  const service = await startService(bench.scratch('growth'));
  try {
    const memory = watchMemory(service.pid, 1000);
    await workersAtWork(service, mixedTasks, growthMs);
    const { now } = residentBytes(service.pid);
    const also = { peak_mb: Math.round(memory.stop() / 1e6) };
    return attain(measured(`${growth}: resident at its end`, 'MB', [now / 1e6]), { atMost: 400 }, undefined, also);
  } finally {
    await service.stop();
  }
}

async function measureAlone(bench: Bench, tasks: number, chosen: readonly Work[]): Promise<Row[]> {
  const root = bench.scratch(`alone-${tasks}`);
  const service = await startService(root);
  const client = new HttpClient(service.url);
  try {
    const { projectId, taskIds } = await seed(service, 'Garden', { tasks, documents: bench.quick ? 50 : 2000 });
    const site: Site = { service, root, client, projectId, taskIds };
    const rows: Row[] = [];
    for (const { name, times = bench.quick ? 1 : 3, prepare, run } of chosen) {
      await prepare?.(site);
      await atRest(service.pid);
      const samples: Sample[] = [];
      const lasted: number[] = [];
      await loopDelay(service);
      for (let time = 0; time < times; time++) {
        const round = await healthDuring(service, async () => {
          const began = performance.now();
          await run(site, time);
          lasted.push(performance.now() - began);
        });
        samples.push(...round);
        await atRest(service.pid);
      }
      const also = { work_ms: Math.round(median(lasted)), ...(await loopDelay(service)) };
      rows.push(...rowsOf(titleOf(name, tasks), samples, also));
      bench.say(`${titleOf(name, tasks)}: max ${Math.round(healthOf(samples).maxMs)} ms`);
    }
    return rows;
  } finally {
    client.close();
    await service.stop();
  }
}

function rowsOf(name: string, samples: readonly Sample[], more: Row['also']): Row[] {
  const { p999Ms, maxMs, processorMaxMs, ownMaxMs } = healthOf(samples);
  const own = { max_without_queueing_ms: Math.round(ownMaxMs), longest_on_processor_ms: Math.round(processorMaxMs) };
  const also = { ...own, answers: samples.length, ...more };
  return [
    attain(measured(`${name}: p99.9`, 'ms', [p999Ms]), { atMost: p999MsMax }),
    attain(measured(`${name}: max`, 'ms', [maxMs]), { atMost: maxMsMax }, undefined, also),
  ];
}

/** The longest event loop delay since the last scrape, from the service's metrics; undefined if they lack it. */
async function loopDelay({ url }: ServerProcess): Promise<{ readonly loop_delay_max_ms?: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
  return seconds === undefined ? {} : { loop_delay_max_ms: Math.round(Number(seconds) * 1000) };
}

const get =
  (path: (site: Site) => string): Work['run'] =>
  async (site) => {
    const { status } = await site.client.get(path(site));
    if (status !== 200) throw new Error(`${path(site)} answered ${status}.`);
  };

const below =
  (path: string): Work['run'] =>
  (site, time) =>
    get(({ projectId }) => `/projects/${projectId}${path}`)(site, time);

const works: readonly Work[] = [
  { name: 'first search', times: 1, run: get(() => '/search?q=winter') },
  { name: 'search', run: get(() => '/search?q=prepair%20the%20bed%20for%20winter') },
  { name: 'search in bodies', run: get(() => '/search?q=frost%20heather&bodies=true') },
  { name: 'list of all tasks', run: below('/tasks') },
  { name: 'list of the tasks of a status', run: below('/tasks?status=todo') },
  { name: 'eight lists of all tasks at once', run: atOnce(8, below('/tasks')) },
  { name: 'documents with bodies', run: below('/documents?verbose=true') },
  { name: 'edges', run: below('/edges') },
  { name: 'canvas', run: below('/canvas') },
  { name: 'task graph', run: below('/task-graph') },
  { name: 'next task', run: below('/next-task') },
  { name: 'revisions', run: below('/revisions') },
  { name: 'CSV export', run: below('/export?format=csv') },
  { name: 'JSON Canvas export', run: below('/export?format=json-canvas') },
  { name: 'JSON export', run: below('/export') },
  { name: 'doctor', run: get(() => '/doctor') },
  { name: 'canvas of 5,000 nodes put', run: putCanvas },
  { name: 'import', prepare: exportOnce, run: importAgain },
  { name: 'checkout of 5,000 changed files', run: checkOut },
];

function atOnce(count: number, run: Work['run']): Work['run'] {
  return async (site, time) => {
    const clients = Array.from({ length: count }, () => new HttpClient(site.service.url));
    await Promise.all(clients.map((client) => run({ ...site, client }, time)));
    for (const client of clients) client.close();
  };
}

async function putCanvas({ client, projectId, taskIds }: Site, time: number): Promise<void> {
  const nodes = taskIds
    .slice(0, 5000)
    .map((id, at) => ({ id, x: (at % 100) * 200 + time, y: Math.floor(at / 100) * 80 }));
  await client.json('PUT', `/projects/${projectId}/canvas`, { nodes });
}

const exported = new WeakMap<ServerProcess, Buffer>();

async function exportOnce({ service, client, projectId }: Site): Promise<void> {
  exported.set(service, (await client.get(`/projects/${projectId}/export`)).body);
}

/** The project's own export as a new project. */
async function importAgain({ service, client }: Site): Promise<void> {
  const document = exported.get(service)!;
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(document)]), 'garden.planner.json');
  const answer = await fetch(`${service.url}/api/v1/projects/import`, { method: 'POST', body: form });
  const { id } = (await answer.json()) as { id?: string };
  if (answer.status !== 201) throw new Error(`The import answered ${answer.status}.`);
  await client.call('DELETE', `/projects/${id}`);
}

/** Task files as a checkout of another branch leaves them: new files in place of the old ones, until REST returns the last. */
async function checkOut({ root, client, taskIds }: Site, time: number): Promise<void> {
  const directory = join(projectDirectory(root), 'tasks');
  await until(() => countFiles(directory) >= taskIds.length, 'the files of all tasks');
  const chosen = new Set(taskIds.slice(0, checkedOutFiles));
  const label = `As of branch ${time}`;
  for (const name of readdirSync(directory)) {
    if (!chosen.has(/tsk_\w+/.exec(name)?.[0] ?? '')) continue;
    const path = join(directory, name);
    writeFileSync(`${path}~`, readFileSync(path, 'utf8').replace(/^label: .*$/m, `label: ${label}`));
    renameSync(`${path}~`, path);
  }
  for (const id of [taskIds[0]!, taskIds[Math.min(checkedOutFiles, taskIds.length) - 1]!]) {
    await until(
      async () => (await client.json<{ label: string }>('GET', `/tasks/${id}`)).label === label,
      `${id} to be seen`,
      100,
    );
  }
}
