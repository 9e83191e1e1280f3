import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresCluster } from '../../support/postgres-cluster.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { copyOf, copyProjects, plantTemplate, summarised, type Template } from '../copied-projects.ts';
import type { Bench, Row } from '../figure.ts';
import { type StartNode, task } from '../hosted-load.ts';
import { HttpClient } from '../http-client.ts';
import { attain, compare, measured, percentile, timed } from '../measure.ts';
import { processorMs, residentBytes } from '../process-usage.ts';

const calls = 40;
const searching = 'a search over all projects';
const idleSeconds = 5;
/** A node that begins has more to do than what is measured. */
const settleMs = 3_000;

/** What is done at each stage, by name: a call, which is another one for each number. */
type Calls = Readonly<Record<string, (client: HttpClient, nth: number) => Promise<unknown>>>;

interface Stage {
  readonly projects: number;
  readonly startMs: readonly number[];
  readonly megabytes: number;
  readonly idlePercent: number;
  readonly calls: Readonly<Record<string, readonly number[]>>;
}

/**
 * What a call costs on a node beside so many projects of 20 tasks on one database. `stages`: how many there are in turn; the first
 * is the yardstick of the others.
 */
export async function ofManyProjects(
  bench: Bench,
  cluster: PostgresCluster,
  node: StartNode,
  stages: readonly number[],
): Promise<Row[]> {
  const schema = `scale_${stages.at(-1)}`;
  const first = await node(schema);
  const template = await plantTemplate(first);
  await summarised(cluster.primary, schema, template);
  await first.stop();
  const found: Stage[] = [];
  let copied = 1;
  for (const projects of bench.quick ? stages.slice(0, 2) : stages) {
    await copyProjects(cluster.primary, schema, template, { from: copied, to: projects - 1 });
    copied = projects;
    // The first start after copying makes the snapshot of the service's log that the others load.
    await (await rested(await node(schema))).stop();
    found.push(await stageOf(node, schema, { template, projects, rounds: bench.quick ? 1 : 3 }));
  }
  return rowsOf(found);
}

async function rested(node: ServerProcess): Promise<ServerProcess> {
  await delay(settleMs);
  return node;
}

async function stageOf(
  node: StartNode,
  schema: string,
  { template, projects, rounds }: { readonly template: Template; readonly projects: number; readonly rounds: number },
): Promise<Stage> {
  const startMs: number[] = [];
  let running: ServerProcess | undefined;
  for (let round = 0; round < rounds; round++) {
    await running?.stop();
    startMs.push(await timed(async () => void (running = await node(schema))));
  }
  const { pid, url } = await rested(running!);
  const megabytes = residentBytes(pid).now / 2 ** 20;
  const before = processorMs(pid);
  await delay(idleSeconds * 1000);
  const idlePercent = (processorMs(pid) - before) / (idleSeconds * 10);
  const client = new HttpClient(url);
  const times: Record<string, number[]> = {};
  for (const [name, call] of Object.entries(callsOf(template, projects))) {
    times[name] = [];
    await call(client, 0);
    for (let nth = 0; nth < calls; nth++) times[name].push(await timed(() => call(client, nth)));
  }
  client.close();
  await running!.stop();
  return { projects, startMs, megabytes, idlePercent, calls: times };
}

function callsOf(template: Template, projects: number): Calls {
  /** A project that was not asked for before, and one that was. The template does not grow: it is copied again. */
  const distant = (nth: number): string => copyOf(template, 2 + ((nth * 7) % Math.min(projects - 2, 90)));
  const near = copyOf(template, 1);
  return {
    'GET /ready': (client) => expected(client, '/ready', 200),
    'create a task': (client) => client.json('POST', `/projects/${near}/tasks`, task),
    'read a project': (client) => expected(client, `/projects/${near}`, 200),
    'read a project that may not be in memory': (client, nth) => expected(client, `/projects/${distant(nth)}`, 200),
    'an id that nothing has': (client, nth) => expected(client, `/tasks/tsk_nothing${nth}`, 404),
    'a page of projects': (client) => expected(client, '/projects?limit=100', 200),
    [searching]: (client, nth) => expected(client, `/search?q=${queryOf(nth, projects)}`, 200),
    'the end of the feed of all projects': (client) => expected(client, '/feed?since=now', 200),
  };
}

/**
 * Queries as people type them: words that every project has, the beginnings of words, a word that one project has, typos, and
 * words without a hit.
 */
function queryOf(nth: number, projects: number): string {
  const one = `z${String(1 + ((nth * 7) % (projects - 1))).padStart(5, '0')}`;
  const some = ['bed 7', 'meas', `bed ${one}`, one, 'mesaure the bed', 'bde 3', 'zebra', one.slice(0, 5)];
  return encodeURIComponent(some[nth % some.length]!);
}

async function expected(client: HttpClient, path: string, status: number): Promise<void> {
  const answer = await client.get(path);
  if (answer.status !== status) throw new Error(`${path} was answered ${answer.status}: ${answer.body.toString()}`);
}

function rowsOf([few, ...more]: readonly Stage[]): Row[] {
  return more.flatMap((many) => {
    const beside = (name: string, stage: Stage): string => `${name}, ${stage.projects} projects`;
    const ratio = (name: string, unit: string, of: (stage: Stage) => readonly number[]): Row =>
      compare(measured(beside(name, many), unit, of(many)), measured(beside(name, few!), unit, of(few!)), {
        atMost: 1.2,
      });
    return [
      ratio('start until it listens', 'ms', ({ startMs }) => startMs),
      ...Object.keys(many.calls).map((name) => ratio(name, 'ms', ({ calls: times }) => times[name]!)),
      attain(
        measured(beside(`${searching}, p95 of ${calls}`, many), 'ms', [percentile(many.calls[searching]!, 0.95)]),
        { atMost: 200 },
      ),
      attain(measured(beside('processor of a node without calls', many), '%', [many.idlePercent]), { atMost: 2 }),
      attain(measured(beside('memory of a node that was not called', many), 'MB', [many.megabytes]), {
        atMost: 1.2 * few!.megabytes,
      }),
    ];
  });
}
