import { expect } from 'chai';
import { PlanClient } from '../concurrency/client.ts';
import type { Ground } from '../concurrency/client.ts';
import { check } from '../concurrency/linearizability.ts';
import { Recorder } from '../concurrency/recorder.ts';
import { explain, planModel } from '../concurrency/task-model.ts';
import type { PlanState, TaskState } from '../concurrency/task-model.ts';
import { Balancers } from '../support/balancers.ts';
import { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { type Cluster, type ClusterNode, soon } from './nodes.ts';

export interface HistoryOptions {
  readonly random: Random;
  readonly cluster: Cluster;
  /** How many calls are recorded, at least. */
  readonly operations: number;
  /** How often a node is killed, and another takes its place. */
  readonly kills: number;
  readonly tasks?: number;
  /** The longest time between two disturbances. */
  readonly calmMsMax?: number;
}

/** The result of a history. */
export interface HistoryFigures {
  readonly operations: number;
  /** Calls that were cut off, which may have happened or not. */
  readonly unknown: number;
  /** Calls that could not be carried out, and changed nothing. */
  readonly refused: number;
}

/** The first answer that does not fit one order of events, or the remains of the test. */
export interface HistoryOutcome extends HistoryFigures {
  readonly failure: string | undefined;
}

/**
 * Lets clients of both transports work on one plan, each call at another node or at the home of the plan, while
 * connections are cut, servers fail over, nodes are killed, and balancers disagree about homes; then all their observations must fit one order of events, and all nodes have the same.
 */
export async function judgeHistory(options: HistoryOptions): Promise<HistoryOutcome> {
  const { random, cluster, operations: wanted, kills, tasks = 4, calmMsMax = 30 } = options;
  const recorder = new Recorder();
  const kinds = [
    ...(['REST', 'MCP', 'REST', 'MCP'] as const).map((transport) => ({ transport, readsOnly: false })),
    ...(['REST', 'MCP'] as const).map((transport) => ({ transport, readsOnly: true })),
  ];
  const clients = kinds.map((kind, i) => new PlanClient(i, new Random(random.integer(0, 2 ** 31)), recorder, kind));
  const { ground, initial } = await plant(cluster, tasks);
  let hasFailed = false;
  const isOver = (): boolean =>
    hasFailed || recorder.operations.length >= wanted || cluster.nodes.some(({ isWhole }) => !isWhole);
  const balancers = new Balancers<ClusterNode>(({ url }) => url);
  const nodes = (): Cluster['nodes'] => [balancers.pick(random, ground.project, cluster.nodes)];
  const weather = async (): Promise<void> => {
    for (let killed = 0; !isOver();) {
      await soon(random.integer(1, calmMsMax));
      if (random.chance(0.2)) balancers.change(random, cluster.nodes);
      if (killed < kills && recorder.operations.length > ((killed + 1) * wanted) / (kills + 1)) {
        killed++;
        recorder.ended(await cluster.replace());
      } else await cluster.disturb();
    }
  };
  const working = [weather(), ...clients.map((client) => client.roam(nodes, ground, isOver))];
  for (const one of working) one.catch(() => (hasFailed = true));
  await Promise.all(working).catch((error: unknown) => {
    throw new Error(`seed ${random.seed}: ${String(error)}\n${cluster.errors.join('\n')}`, { cause: error });
  });
  for (const { url } of cluster.nodes) recorder.ended(url);
  const verdict = check(planModel(initial), recorder.operations);
  const unknown = recorder.operations.filter(({ what }) => 'answer' in what && what.answer === 'unknown').length;
  const failure = verdict.linearizable ? await differenceOf(cluster, ground) : explain(verdict);
  return { operations: recorder.operations.length, unknown, refused: recorder.refused, failure };
}

export async function expectLinearizable(options: HistoryOptions): Promise<HistoryFigures> {
  const { failure, ...figures } = await judgeHistory(options);
  if (failure !== undefined) expect.fail(`seed ${options.random.seed}: ${failure}`);
  return figures;
}

async function plant(cluster: Cluster, count: number): Promise<{ ground: Ground; initial: PlanState }> {
  const rest = new RestClient(cluster.nodes[0]!.url);
  const { id: project } = (await rest.post('/projects', { name: 'Watched' })).body as { id: string };
  const initial = new Map<string, TaskState>();
  for (let i = 0; i < count; i++) {
    const { status, body } = await rest.post(`/projects/${project}/tasks`, { label: `task ${i}` });
    expect(status).to.equal(201);
    initial.set(body.id as string, { label: `task ${i}`, status: 'todo', assignee: null });
  }
  return { ground: { project, tasks: [...initial.keys()] }, initial };
}

/** How the nodes differ once nothing happens any more; undefined if they do not. */
async function differenceOf({ nodes }: Cluster, { project }: Ground): Promise<string | undefined> {
  const states = await Promise.all(
    nodes.map(async ({ url, isWhole }) => {
      const list = await new RestClient(url).get(`/projects/${project}/tasks`);
      return JSON.stringify([isWhole, list.status, list.headers.get('etag'), list.body]);
    }),
  );
  const [first] = states;
  if (first!.startsWith('[true,200,') && states.every((state) => state === first)) return undefined;
  return `The nodes differ, or do not serve:\n${states.join('\n')}`;
}
