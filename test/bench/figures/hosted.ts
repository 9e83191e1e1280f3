import { join } from 'node:path';
import { PostgresCluster } from '../../support/postgres-cluster.ts';
import { processSeconds } from '../../support/process-seconds.ts';
import { type ServerProcess, startNode } from '../../support/server-process.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { load } from '../load.ts';
import { createIn, type NodeOptions, oneCaller, planted, rested, type StartNode, task } from '../hosted-load.ts';
import { alternate, attain, compare, measured, median, percentile } from '../measure.ts';
import { processorMs } from '../process-usage.ts';
import { startService } from '../service.ts';
import { ofManyProjects } from './hosted-scale.ts';
import { ofAppends, ofColdLoads, ofDistance, ofUploads } from './hosted-database.ts';
import { ofHomes } from './hosted-homes.ts';

const callerCalls = 300;
/** This group is measured only if it is named: copying its rows takes minutes. */
const rarely = '100000 projects';

/** The results of one round of a service. */
interface Round {
  readonly creates: number;
  readonly createP99Ms: number;
  /** Processor time of the service for one create. */
  readonly createCpuUs: number;
  readonly reads: number;
  readonly readCpuUs: number;
  /** The usage of the database, primary and standby; 0 without one. */
  readonly createDatabaseUs: number;
  readonly readDatabaseUs: number;
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
    const stopAll = async (): Promise<void> => void (await Promise.all(running.splice(0).map((one) => one.stop())));
    let started = 0;
    const own = `postgres://postgres@${cluster.ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;
    const node = async (schema: string, { url = own, reads }: NodeOptions = {}): Promise<ServerProcess> => {
      const log = join(bench.scratch('nodes'), `${started++}.log`);
      const one = await startNode({ url, schema, ...(reads === undefined ? {} : { reads }) }, { log });
      running.push(one);
      return one;
    };
    try {
      const groups: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
        'one node': async () => {
          const files = await startService(bench.scratch('files'));
          running.push(files);
          return ofOne(bench, cluster, { files, node });
        },
        distance: () => ofDistance(bench, cluster, node),
        appends: () => ofAppends(bench, own),
        'several nodes': () => ofSeveral(bench, node),
        'homes of 32 projects': () => ofHomes(bench, node, 32),
        'homes of 1000 projects': () => ofHomes(bench, node, 1000),
        uploads: () => ofUploads(bench, node),
        start: () => ofStart(bench, cluster, node),
        'cold loads': () => ofColdLoads(bench, own),
        'many projects': () => ofManyProjects(bench, cluster, node, [100, 1_000, 10_000]),
        [rarely]: () => ofManyProjects(bench, cluster, node, [100, 100_000]),
      };
      const rows: Row[] = [];
      for (const [name, measure] of Object.entries(groups)) {
        if (bench.match === undefined ? name === rarely : !name.includes(bench.match)) continue;
        rows.push(...(await measure()));
        // Services that a group leaves running take time from the next group: a service over files still writes
        // acknowledged changes.
        await stopAll();
      }
      return rows;
    } finally {
      await stopAll();
      await cluster.remove();
    }
  },
};

async function ofOne(
  bench: Bench,
  cluster: PostgresCluster,
  { files, node }: { readonly files: ServerProcess; readonly node: StartNode },
): Promise<Row[]> {
  const [primary, barrier] = [await node('one'), await node('barrier', { reads: 'barrier' })];
  const all = [files, primary, barrier];
  return rowsOf(
    await alternate(bench.quick ? 1 : 5, {
      files: () => rested(all, () => roundOf(bench, files)),
      node: () => rested(all, () => roundOf(bench, primary, cluster)),
      barrier: () => rested(all, () => roundOf(bench, barrier)),
    }),
  );
}

/** Reads come first: the files of creates are written for longer than their load takes. */
async function roundOf(bench: Bench, service: ServerProcess, database?: PostgresCluster): Promise<Round> {
  const seconds = bench.quick ? 1 : 5;
  const { projectId, taskIds } = await planted(service, 'Garden', 500);
  const creates = [createIn(projectId)];
  const reads = taskIds.map((id) => ({ path: `/api/v1/tasks/${id}` }));
  await load(service.url, [...creates, ...reads], { seconds: seconds / 4 });
  const read = await rested([service], () => costOf([service, database], () => load(service.url, reads, { seconds })));
  const made = await costOf([service, database], () => load(service.url, creates, { seconds }));
  const client = new HttpClient(service.url);
  const calls = bench.quick ? callerCalls / 10 : callerCalls;
  const oneCreateMs = await rested([service], () =>
    oneCaller(calls, () => client.json('POST', `/projects/${projectId}/tasks`, task)),
  );
  const oneReadMs = await oneCaller(calls, () => client.json('GET', `/tasks/${taskIds[0]!}`));
  client.close();
  return {
    ...{ creates: made.perSecond, createP99Ms: made.p99Ms, createCpuUs: made.cpuUs },
    ...{ reads: read.perSecond, readCpuUs: read.cpuUs, oneCreateMs, oneReadMs },
    ...{ createDatabaseUs: made.databaseUs, readDatabaseUs: read.databaseUs },
  };
}

/** Processor time of a service and of its database for each answer. */
interface Cost {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  readonly databaseUs: number;
}

async function costOf(
  [{ pid }, database]: readonly [ServerProcess, PostgresCluster | undefined],
  run: () => ReturnType<typeof load>,
): Promise<Cost> {
  // Its connections are there for longer than a load takes.
  const others = database?.processIds ?? [];
  const used = (): number => others.reduce((sum, one) => sum + processorMs(one), 0);
  const [before, usedBefore] = [processSeconds(pid).own, used()];
  const { perSecond, p99Ms, answered } = await run();
  const [cpuSeconds, databaseMs] = [processSeconds(pid).own - before, used() - usedBefore];
  return { perSecond, p99Ms, cpuUs: (cpuSeconds * 1e6) / answered, databaseUs: (databaseMs * 1000) / answered };
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
    attain(figure('processor time of the database with its standby for a create', 'µs', node, 'createDatabaseUs'), {
      atMost: 80,
    }),
    attain(figure('processor time of the database with its standby for a GET', 'µs', node, 'readDatabaseUs'), {
      atMost: 15,
    }),
  ];
}

/** Three nodes on one project, on many, and what one reads while another writes. */
async function ofSeveral(bench: Bench, node: StartNode): Promise<Row[]> {
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
  const results = await alternate(bench.quick ? 1 : 5, {
    alone: () => rested(nodes, () => load(nodes[0]!.url, [createIn(shared)], { seconds })),
    same: () => rested(nodes, () => together(() => [shared])),
    any: () => rested(nodes, () => together(() => projects)),
    affine: () => rested(nodes, () => together((at) => projects.filter((_, index) => index % nodes.length === at))),
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

/** How long a node with tasks takes to start, beside an empty one. */
async function ofStart(bench: Bench, cluster: PostgresCluster, node: StartNode): Promise<Row[]> {
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
