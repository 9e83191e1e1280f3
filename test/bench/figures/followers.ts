import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../../support/server-process.ts';
import { startService } from '../service.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { HttpClient } from '../http-client.ts';
import { alternate, attain, compare, measured, median, percentile } from '../measure.ts';
import { atRest, mainThreadMs, residentBytes } from '../process-usage.ts';
import type { FollowersOrder, FollowersReport } from '../sse-followers.ts';

const program = fileURLToPath(new URL('../sse-followers.ts', import.meta.url));
const writers = 64;
/** One credential follows at most 256 times. */
const keys = 8;
const sampled = 8;
/** Shorter than the interval of keep-alives, so that it contains no keep-alive. */
const idleMs = 12_000;
const minuteMs = 60_000;
/** The interval in which the yardstick sends. */
const bareMs = 20;

interface Plan {
  readonly service: ServerProcess;
  readonly project: string;
  readonly secrets: readonly string[];
}

interface Round {
  readonly createsPerSecond: number;
  /** The time of the service's main thread for each create. */
  readonly mainMsPerCreate: number;
  readonly eventsPerSecond: number;
  /** Sent to each follower. */
  readonly bytesPerCreate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Server-Sent Events beside writers, and the cost of an idle follower. */
export const followers: Figure = {
  name: 'followers',
  title: 'Followers of events over Server-Sent Events while 64 writers create tasks',
  measure: async (bench) => {
    const service = await startService(bench.scratch('followers'));
    try {
      const plan = await prepare(service);
      const seconds = bench.quick ? 1 : 5;
      const kilobytes = await memoryOf(plan, bench.quick ? 200 : 1000);
      const with_ = (count: number) => () => round(plan, count, seconds);
      const results = await alternate(bench.quick ? 1 : 3, {
        none: with_(0),
        one: with_(1),
        hundred: with_(100),
        thousand: with_(bench.quick ? 200 : 1000),
      });
      return [
        ...rowsOf('1 follower', results.one, results.none),
        ...rowsOf('100 followers', results.hundred, results.none, { p99Ms: 50, creates: 0.9 }),
        await addedRow('100 followers', 100, results.hundred, results.none, seconds),
        ...rowsOf('1,000 followers', results.thousand, results.none),
        attain(measured('memory of a follower', 'kB', [kilobytes]), { atMost: 30 }),
        ...(await idleRows(bench)),
      ];
    } finally {
      await service.stop();
    }
  },
};

async function prepare(service: ServerProcess): Promise<Plan> {
  const client = new HttpClient(service.url);
  const { id: project } = await client.json<{ id: string }>('POST', '/projects', { name: 'Garden' });
  const secrets: string[] = [];
  for (let key = 0; key < keys; key++) {
    const input = { kind: 'agent', name: `follower-${key}`, project_id: project };
    secrets.push((await client.json<{ secret: string }>('POST', '/keys', input)).secret);
  }
  client.close();
  return { service, project, secrets };
}

async function round(plan: Plan, count: number, seconds: number): Promise<Round> {
  const { service } = plan;
  const child = count === 0 ? undefined : await openFollowers(plan, count);
  await atRest(service.pid);
  const mainBefore = mainThreadMs(service.pid);
  const written = await write(plan, seconds);
  const mainMs = mainThreadMs(service.pid) - mainBefore;
  await atRest(service.pid);
  const report = child === undefined ? { delivered: 0, bytes: 0, arrivals: [] } : await reportOf(child);
  child?.kill();
  const waits = report.arrivals.flatMap(([id, at]) => {
    const acknowledged = written.get(id);
    return acknowledged === undefined ? [] : [at - acknowledged];
  });
  const expected = written.size * Math.min(count, sampled);
  if (waits.length !== expected)
    throw new Error(`Of ${expected} events, ${waits.length} arrived at the followers that read them.`);
  return {
    createsPerSecond: written.size / seconds,
    mainMsPerCreate: mainMs / written.size,
    eventsPerSecond: report.delivered / seconds,
    bytesPerCreate: report.bytes / written.size / Math.max(1, count),
    p50Ms: percentile(waits, 0.5),
    p99Ms: percentile(waits, 0.99),
  };
}

/**
 * The resident memory that each of so many more followers adds to a service that has as many, in kilobytes: the first
 * ones have grown the young generation, which has a bound.
 */
async function memoryOf(plan: Plan, count: number): Promise<number> {
  const { pid } = plan.service;
  const first = await openFollowers(plan, count);
  await atRest(pid);
  const before = residentBytes(pid).now;
  const more = await openFollowers(plan, count);
  await atRest(pid);
  const after = residentBytes(pid).now;
  for (const one of [first, more]) one.kill();
  return (after - before) / 1000 / count;
}

/**
 * The time that followers add to a create, compared with sending the same bytes at the same rate to as many sockets,
 * with nothing else to do.
 */
async function addedRow(
  what: string,
  count: number,
  rounds: readonly Round[],
  none: readonly Round[],
  seconds: number,
): Promise<Row> {
  const without = median(none.map(({ mainMsPerCreate }) => mainMsPerCreate));
  const bytes = median(rounds.map(({ bytesPerCreate }) => bytesPerCreate));
  const perSecond = median(rounds.map(({ createsPerSecond }) => createsPerSecond));
  const bare: number[] = [];
  for (const _ of rounds) bare.push(await sendBare(count, bytes, perSecond, seconds));
  return compare(
    measured(
      `${what}: main thread that they add to a create`,
      'ms',
      rounds.map(({ mainMsPerCreate }) => mainMsPerCreate - without),
    ),
    measured(`the same bytes to bare sockets, each ${bareMs} ms`, 'ms', bare),
  );
}

/** Sends the events of so many creates a second to sockets; returns the milliseconds of this thread for each create. */
async function sendBare(
  count: number,
  bytesPerCreate: number,
  createsPerSecond: number,
  seconds: number,
): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begin\n\n');
    sockets.push(response.socket!);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = await follow({
    port: (server.address() as AddressInfo).port,
    path: '/',
    secrets: ['none'],
    count,
    sampled: 0,
  });
  const text = Buffer.alloc(Math.round((bytesPerCreate * createsPerSecond * bareMs) / 1000), 'x');
  const chunk = Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), text, Buffer.from('\r\n')]);
  const began = performance.now();
  const before = mainThreadMs(process.pid);
  const rounds = Math.round((seconds * 1000) / bareMs);
  for (let round = 1; round <= rounds; round++) {
    for (const socket of sockets) socket.write(chunk);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, began + round * bareMs - performance.now())));
  }
  const spent = mainThreadMs(process.pid) - before;
  child.kill();
  server.close();
  server.closeAllConnections();
  return spent / ((createsPerSecond * bareMs * rounds) / 1000);
}

function openFollowers({ service, project, secrets }: Plan, count: number): Promise<ChildProcess> {
  const path = `/api/v1/projects/${project}/events?types=task.created`;
  return follow({ port: Number(new URL(service.url).port), path, secrets, count, sampled });
}

async function follow(order: FollowersOrder): Promise<ChildProcess> {
  const child = fork(program, [JSON.stringify(order)], { execArgv: [] });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('The followers ended.'))),
  ]);
  return child;
}

async function reportOf(child: ChildProcess): Promise<FollowersReport> {
  child.send('report');
  const [report] = (await once(child, 'message')) as [FollowersReport];
  return report;
}

/** When each created task was acknowledged, by the machine's monotonic clock. */
async function write({ service, project }: Plan, seconds: number): Promise<ReadonlyMap<string, number>> {
  const acknowledged = new Map<string, number>();
  const until = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const client = new HttpClient(service.url);
      for (let made = 0; performance.now() < until; made++) {
        const label = `Prepare bed ${made} of field ${writer}`;
        const { body } = await client.call('POST', `/projects/${project}/tasks`, { body: { label } });
        const at = Number(process.hrtime.bigint()) / 1e6;
        acknowledged.set((JSON.parse(body.toString()) as { id: string }).id, at);
      }
      client.close();
    }),
  );
  return acknowledged;
}

/**
 * The cost of a follower in an idle minute, and with keep-alives. Measured at a separate service: one that has just
 * written a hundred thousand tasks is still busy with their files, and compares them with the index once a minute.
 */
async function idleRows(bench: Bench): Promise<Row[]> {
  const service = await startService(bench.scratch('idle-followers'));
  try {
    return await idleRowsOf(bench, await prepare(service));
  } finally {
    await service.stop();
  }
}

async function idleRowsOf(bench: Bench, plan: Plan): Promise<Row[]> {
  const { pid } = plan.service;
  const during = async (ms: number): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const before = mainThreadMs(pid);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return ((mainThreadMs(pid) - before) * minuteMs) / ms;
  };
  const ms = bench.quick ? 2000 : idleMs;
  const count = 100;
  const results = await alternate(bench.quick ? 1 : 3, {
    without: async () => {
      await atRest(pid);
      return during(ms);
    },
    idle: async () => {
      const child = await openFollowers(plan, count);
      const spent = await during(ms);
      child.kill();
      return spent;
    },
    keptAlive: async () => {
      const child = await openFollowers(plan, count);
      const spent = await during(bench.quick ? ms : 2 * idleMs + 6000);
      child.kill();
      return spent;
    },
  });
  const each = (spent: readonly number[]): number[] =>
    spent.map((one) => Math.max(0, one - median(results.without)) / count);
  return [
    attain(measured('an idle follower, of the main thread in a minute', 'ms', each(results.idle)), { atMost: 0.1 }),
    { product: measured('the same with its keep-alives', 'ms', each(results.keptAlive)) },
  ];
}

function rowsOf(
  what: string,
  rounds: readonly Round[],
  none: readonly Round[],
  targets: { readonly p99Ms?: number; readonly creates?: number } = {},
): Row[] {
  const of = (key: keyof Round, from: readonly Round[]): number[] => from.map((one) => one[key]);
  const p99 = measured(`${what}: from acknowledgement to arrival, p99`, 'ms', of('p99Ms', rounds));
  const also = {
    p50_ms: Number(median(of('p50Ms', rounds)).toPrecision(3)),
    events_per_second: Math.round(median(of('eventsPerSecond', rounds))),
  };
  return [
    targets.p99Ms === undefined ? { product: p99, also } : attain(p99, { atMost: targets.p99Ms }, undefined, also),
    compare(
      measured(`${what}: creates`, '/s', of('createsPerSecond', rounds)),
      measured('without followers', '/s', of('createsPerSecond', none)),
      targets.creates === undefined ? undefined : { atLeast: targets.creates },
    ),
    compare(
      measured(`${what}: main thread for each create`, 'ms', of('mainMsPerCreate', rounds)),
      measured('without followers', 'ms', of('mainMsPerCreate', none)),
    ),
  ];
}
