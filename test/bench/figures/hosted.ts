import { join } from 'node:path';
import { PostgresCluster } from '../../support/postgres-cluster.ts';
import { type ServerProcess, startNode } from '../../support/server-process.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { load } from '../load.ts';
import { alternate, attain, compare, measured, median, percentile, timed } from '../measure.ts';
import { textOf } from '../plans.ts';
import { processorMs } from '../process-usage.ts';
import { startService } from '../service.ts';

const task = { label: 'Measure the bed', status: 'todo', description: 'Note what it needs before the frost comes.' };
const callerCalls = 300;

/** What one round of a service has shown. */
interface Round {
  readonly creates: number;
  readonly createP99Ms: number;
  /** Processor time of the service for one create. */
  readonly createCpuUs: number;
  readonly reads: number;
  readonly readCpuUs: number;
  /** Medians of one caller who waits for each answer. */
  readonly oneCreateMs: number;
  readonly oneReadMs: number;
}

/** Nodes over PostgreSQL with a synchronous standby on the same machine, beside the service over files. */
export const hosted: Figure = {
  name: 'hosted',
  title: 'Nodes over PostgreSQL with a synchronous standby, 64 connections, beside the service over files',
  measure: async (bench) => {
    const cluster = await PostgresCluster.startPair();
    const running: ServerProcess[] = [];
    const node = async (schema: string, reads?: string): Promise<ServerProcess> => {
      const url = `postgres://postgres@${cluster.ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
      const log = join(bench.scratch('nodes'), `${running.length}.log`);
      const started = await startNode({ url, schema, ...(reads === undefined ? {} : { reads }) }, { log });
      running.push(started);
      return started;
    };
    try {
      const rounds = bench.quick ? 1 : 5;
      const contestants = {
        files: await startService(bench.scratch('files')),
        node: await node('one'),
        barrier: await node('barrier', 'barrier'),
      };
      running.push(contestants.files);
      const results = await alternate(rounds, {
        files: () => roundOf(bench, contestants.files),
        node: () => roundOf(bench, contestants.node),
        barrier: () => roundOf(bench, contestants.barrier),
      });
      const several = await ofSeveral(bench, node, rounds);
      return [...rowsOf(results), ...several, ...(await ofLoading(bench, cluster, node))];
    } finally {
      await Promise.all(running.map((one) => one.stop()));
      await cluster.remove();
    }
  },
};

async function roundOf(bench: Bench, service: ServerProcess): Promise<Round> {
  const seconds = bench.quick ? 1 : 5;
  const { projectId, taskIds } = await planted(service, 'Garden', 500);
  const creates = [createIn(projectId)];
  const reads = taskIds.map((id) => ({ path: `/api/v1/tasks/${id}` }));
  await load(service.url, creates, { seconds: seconds / 4 });
  const made = await costOf(service, () => load(service.url, creates, { seconds }));
  const read = await costOf(service, () => load(service.url, reads, { seconds }));
  const client = new HttpClient(service.url);
  const calls = bench.quick ? callerCalls / 10 : callerCalls;
  const one = async (call: () => Promise<unknown>): Promise<number> => {
    const times: number[] = [];
    for (let at = 0; at < calls; at++) times.push(await timed(call));
    return median(times);
  };
  const oneCreateMs = await one(() => client.call('POST', `/projects/${projectId}/tasks`, { body: task }));
  const oneReadMs = await one(() => client.get(`/tasks/${taskIds[0]!}`));
  client.close();
  return {
    ...{ creates: made.perSecond, createP99Ms: made.p99Ms, createCpuUs: made.cpuUs },
    ...{ reads: read.perSecond, readCpuUs: read.cpuUs, oneCreateMs, oneReadMs },
  };
}

/** A new project with tasks. A node asks its log all the time, so there is no rest to wait for. */
async function planted(
  service: ServerProcess,
  name: string,
  count: number,
): Promise<{ readonly projectId: string; readonly taskIds: readonly string[] }> {
  const client = new HttpClient(service.url);
  const taskIds = Array.from({ length: count }, (_, at) => `${name.toLowerCase().replaceAll(' ', '-')}-${at}`);
  const tasks = taskIds.map((id, at) => ({ id, label: `Task ${at}`, description: textOf(400, at) }));
  const made = await client.call('POST', '/projects/import', {
    body: { format: 'planner-export-v1', project: { name }, tasks },
  });
  if (made.status !== 201)
    throw new Error(`The import of ${name} was answered ${made.status}: ${made.body.toString()}`);
  const { id } = JSON.parse(made.body.toString()) as { readonly id: string };
  const { body } = await client.get(`/projects/${id}/tasks?limit=${Math.min(count, 500)}`);
  client.close();
  const list = JSON.parse(body.toString()) as { readonly tasks: readonly { readonly id: string }[] };
  return { projectId: id, taskIds: list.tasks.map((one) => one.id) };
}

function createIn(projectId: string): { path: string; method: 'POST'; headers: Record<string, string>; body: string } {
  const headers = { 'content-type': 'application/json' };
  return { path: `/api/v1/projects/${projectId}/tasks`, method: 'POST', headers, body: JSON.stringify(task) };
}

async function costOf(
  { pid }: ServerProcess,
  run: () => ReturnType<typeof load>,
): Promise<{ readonly perSecond: number; readonly p99Ms: number; readonly cpuUs: number }> {
  const before = processorMs(pid);
  const { perSecond, p99Ms, answered } = await run();
  return { perSecond, p99Ms, cpuUs: ((processorMs(pid) - before) * 1000) / answered };
}

type Results = Readonly<Record<'files' | 'node' | 'barrier', readonly Round[]>>;

function rowsOf({ files, node, barrier }: Results): Row[] {
  const of = (rounds: readonly Round[], member: keyof Round): number[] => rounds.map((round) => round[member]);
  const figure = (what: string, unit: string, rounds: readonly Round[], member: keyof Round): Row['product'] =>
    measured(what, unit, of(rounds, member));
  return [
    compare(
      figure('durable creates, one node', '/s', node, 'creates'),
      figure('creates over files', '/s', files, 'creates'),
      { atLeast: 0.6 },
      { p99_ms: median(of(node, 'createP99Ms')) },
    ),
    compare(
      figure('one task by its id, one node', '/s', node, 'reads'),
      figure('the same over files', '/s', files, 'reads'),
      { atLeast: 0.8 },
    ),
    compare(
      figure('the same with PLANNER_READS=barrier', '/s', barrier, 'reads'),
      figure('one task by its id, one node', '/s', node, 'reads'),
      { atLeast: 0.3 },
    ),
    attain(
      figure('one caller: create', 'ms', node, 'oneCreateMs'),
      { atMost: 3 },
      figure('over files', 'ms', files, 'oneCreateMs'),
    ),
    attain(
      measured(
        'one caller: GET, above that over files',
        'ms',
        node.map(({ oneReadMs }, round) => oneReadMs - files[round]!.oneReadMs),
      ),
      { atMost: 0.6 },
    ),
    attain(
      figure('processor time of the node for a create', 'µs', node, 'createCpuUs'),
      { atMost: 180 },
      figure('over files', 'µs', files, 'createCpuUs'),
    ),
    attain(
      figure('processor time of the node for a GET', 'µs', node, 'readCpuUs'),
      { atMost: 60 },
      figure('over files', 'µs', files, 'readCpuUs'),
    ),
  ];
}

type StartNode = (schema: string, reads?: string) => Promise<ServerProcess>;

/** Three nodes on one project, on many, and what one reads while another writes. */
async function ofSeveral(bench: Bench, node: StartNode, rounds: number): Promise<Row[]> {
  const nodes = [await node('three'), await node('three'), await node('three')];
  const seconds = bench.quick ? 1 : 5;
  const projects: string[] = [];
  for (let at = 0; at < 30; at++) projects.push((await planted(nodes[0]!, `Garden ${at}`, 10)).projectId);
  const [shared] = projects as [string];
  const together = async (of: (node: number) => readonly string[]): Promise<{ perSecond: number; p99Ms: number }> => {
    const loads = await Promise.all(
      nodes.map(({ url }, at) => load(url, of(at).map(createIn), { seconds, connections: 21 })),
    );
    return {
      perSecond: loads.reduce((sum, { perSecond }) => sum + perSecond, 0),
      p99Ms: Math.max(...loads.map(({ p99Ms }) => p99Ms)),
    };
  };
  const results = await alternate(rounds, {
    alone: () => load(nodes[0]!.url, [createIn(shared)], { seconds }),
    same: () => together(() => [shared]),
    any: () => together(() => projects),
    affine: () => together((at) => projects.filter((_, index) => index % nodes.length === at)),
  });
  const rate = (what: string, loads: readonly { readonly perSecond: number }[]): Row['product'] =>
    measured(
      what,
      '/s',
      loads.map(({ perSecond }) => perSecond),
    );
  const across = await readsElsewhere(bench, nodes, shared);
  return [
    compare(
      rate('creates by 3 nodes in one project', results.same),
      rate('by one of them', results.alone),
      { atLeast: 0.3 },
      { p99_ms: median(results.same.map(({ p99Ms }) => p99Ms)) },
    ),
    compare(
      rate('creates by 3 nodes in 30 projects, each in all', results.any),
      rate('each project at one node', results.affine),
      { atLeast: 0.8 },
    ),
    attain(measured('GET at one node while another one writes, p99', 'ms', [across]), { atMost: 15 }),
  ];
}

async function readsElsewhere(
  bench: Bench,
  [writer, reader]: readonly ServerProcess[],
  project: string,
): Promise<number> {
  const [writing, reading] = [new HttpClient(writer!.url), new HttpClient(reader!.url)];
  const times: number[] = [];
  for (let at = 0; at < (bench.quick ? 20 : 500); at++) {
    const made = await writing.call('POST', `/projects/${project}/tasks`, { body: task });
    const { id } = JSON.parse(made.body.toString()) as { id: string };
    const write = writing.call('PATCH', `/tasks/${id}`, { body: { status: 'done' } });
    const answer = await reading.get(`/tasks/${id}`);
    if (answer.status !== 200) throw new Error(`A task that was created was answered ${answer.status}.`);
    times.push(answer.ms);
    await write;
  }
  writing.close();
  reading.close();
  return percentile(times, 0.99);
}

/** How long a node takes to load a project that it has never seen. */
async function ofLoading(bench: Bench, cluster: PostgresCluster, node: StartNode): Promise<Row[]> {
  const first = await node('large');
  const tasks = bench.quick ? 500 : 10_000;
  const { projectId } = await planted(first, 'Large', 1);
  await load(first.url, [createIn(projectId)], { seconds: bench.quick ? 1 : 3 });
  await planted(first, 'Many', tasks);
  const [row] = await cluster.primary.query('SELECT count(*)::int AS entries FROM large.log');
  const { entries } = row as { readonly entries: number };
  const began = performance.now();
  const second = await node('large');
  const startMs = performance.now() - began;
  const empty = performance.now();
  await node('empty');
  const emptyMs = performance.now() - empty;
  await second.stop();
  return [
    attain(
      measured(`start of a node with ${tasks} tasks and ${entries} entries, above that of an empty one`, 'ms', [
        startMs - emptyMs,
      ]),
      { atMost: 1000 },
    ),
  ];
}
