import { setTimeout as delay } from 'node:timers/promises';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { Random } from '../support/random.ts';
import { type ServerProcess, startNode } from '../support/server-process.ts';
import { HttpClient } from './http-client.ts';
import { median, percentile, timed } from './measure.ts';
import { textOf } from './plans.ts';
import { residentBytes } from './process-usage.ts';

/**
 * The memory of a node with 512 MB of heap whose projects do not fit into it, while calls come for all of them, and how long
 * a call for a project takes that is not in memory. Run it with `node test/bench/many-projects.ts [projects] [tasks]
 * [minutes]`. To be reached: flat memory, and 200 ms for 99 of 100 calls.
 */
const [projects = 1000, tasks = 1000, minutes = 5] = process.argv.slice(2).map(Number);
const heapMegabytes = 512;
const callers = 4;
const random = new Random(1);
const descriptionBytes = 300;

interface Planted {
  readonly project: string;
  readonly tasks: readonly string[];
}

async function plant(client: HttpClient, at: number): Promise<Planted> {
  const rows = Array.from({ length: tasks }, (_, row) => ({
    ...{ id: `t-${row}`, label: `Task ${row}`, description: textOf(descriptionBytes, row) },
  }));
  const name = `Garden ${at}`;
  const made = await client.call('POST', '/projects/import', {
    body: { format: 'planner-export-v1', project: { name }, tasks: rows },
  });
  if (made.status !== 201) throw new Error(`The import was answered ${made.status}: ${made.body.toString()}`);
  const { id } = JSON.parse(made.body.toString()) as { readonly id: string };
  const { body } = await client.get(`/projects/${id}/tasks?limit=50`);
  const list = JSON.parse(body.toString()) as { readonly tasks: readonly { readonly id: string }[] };
  return { project: id, tasks: list.tasks.map((one) => one.id) };
}

async function loaded(
  url: string,
): Promise<{ readonly projects: number; readonly megabytes: number; readonly loads: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string): number => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? NaN);
  return {
    projects: value('planner_replicas'),
    megabytes: value('planner_replica_bytes') / 2 ** 20,
    loads: value('planner_cold_load_seconds_count'),
  };
}

async function run(node: ServerProcess): Promise<void> {
  const clients = Array.from({ length: callers }, () => new HttpClient(node.url));
  const [first] = clients as [HttpClient];
  const megabytes = (): number => Math.round(residentBytes(node.pid).now / 2 ** 20);
  console.log(`without projects: ${megabytes()} MB`);
  const planted: Planted[] = [];
  let next = 0;
  await Promise.all(
    clients.slice(0, 2).map(async (client) => {
      while (next < projects) planted.push(await plant(client, next++));
    }),
  );
  console.log(`${projects} projects with ${tasks} tasks each, made by it: ${megabytes()} MB`);
  const sampled: number[] = [];
  const times: number[] = [];
  const until = performance.now() + minutes * 60_000;
  const sample = async (): Promise<void> => {
    while (performance.now() < until) {
      sampled.push(megabytes());
      await delay(1000);
    }
  };
  const call = async (client: HttpClient): Promise<void> => {
    while (performance.now() < until) {
      const one = random.pick(planted);
      const id = random.pick(one.tasks);
      times.push(await timed(() => client.get(`/tasks/${id}`)));
    }
  };
  await Promise.all([sample(), ...clients.map(call)]);
  const third = Math.floor(sampled.length / 3);
  const of = (part: number): number => median(sampled.slice(part * third, (part + 1) * third));
  console.log(`calls for all of them, ${minutes} min, ${callers} callers: ${times.length} calls`);
  console.log(`  memory, median of each third: ${of(0)}, ${of(1)}, ${of(2)} MB; at most ${Math.max(...sampled)} MB`);
  console.log(`  time of a call: median ${median(times).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`);
  const alone: number[] = [];
  for (let at = 0; at < 300; at++) {
    const id = random.pick(random.pick(planted).tasks);
    alone.push(await timed(() => first.get(`/tasks/${id}`)));
  }
  console.log(`  of one caller: median ${median(alone).toFixed(1)} ms, p99 ${percentile(alone, 0.99).toFixed(1)} ms`);
  console.log('  in memory at the end:', await loaded(node.url));
  for (const client of clients) client.close();
}

const cluster = await PostgresCluster.startPair();
const url = `postgres://postgres@${cluster.ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
const node = await startNode({ url, schema: 'many' }, { flags: [`--max-old-space-size=${heapMegabytes}`] });
try {
  await run(node);
} finally {
  await node.stop();
  await cluster.remove();
}
