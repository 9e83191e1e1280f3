import { expect } from 'chai';
import { isUnavailable } from '../concurrency/recorder.ts';
import { Balancers } from '../support/balancers.ts';
import { McpClient } from '../support/mcp-client.ts';
import { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { type Cluster, type ClusterNode, soon } from './nodes.ts';

export interface LedgerOptions {
  readonly random: Random;
  readonly cluster: Cluster;
  /** The number of records that each caller makes, and the number of callers. */
  readonly made: number;
  readonly callers?: number;
  /** How often a node is killed, and another takes its place. */
  readonly kills: number;
  readonly calmMsMax?: number;
}

export interface LedgerFigures {
  readonly projects: number;
  readonly tasks: number;
  /** Calls that were sent again, or to two nodes at the same time. */
  readonly repeated: number;
}

/** A record that a caller has an answer for, by its id. */
interface Made {
  readonly kind: 'project' | 'task';
  readonly name: string;
  readonly id: string;
  /** The project was deleted by a call with a key of its own. */
  isDeleted: boolean;
}

/**
 * Lets callers make projects and tasks with idempotency keys. They send a call again, at any node or at homes that
 * balancers disagree about, and over either transport, until it is answered, and some calls twice for no reason. Then everything exists that was made, once.
 */
export async function expectExactlyOnce(options: LedgerOptions): Promise<LedgerFigures> {
  const { random, cluster, made: each, callers = 5, kills, calmMsMax = 30 } = options;
  const project = (await new RestClient(cluster.nodes[0]!.url).post('/projects', { name: 'Shared' })).body.id as string;
  const balancers = new Balancers<ClusterNode>(({ url }) => url);
  const all = Array.from(
    { length: callers },
    (_, number) =>
      new KeyedCaller({ number, random: new Random(random.integer(0, 2 ** 31)), cluster, balancers, project }),
  );
  let working = all.length;
  const isOver = (): boolean => working === 0;
  const weather = async (): Promise<void> => {
    for (let killed = 0; !isOver();) {
      await soon(random.integer(1, calmMsMax));
      if (random.chance(0.2)) balancers.change(random, cluster.nodes);
      const done = all.reduce((sum, { made }) => sum + made.length, 0);
      if (killed < kills && done > ((killed + 1) * callers * each) / (kills + 1)) {
        killed++;
        await cluster.replace();
      } else await cluster.disturb();
    }
  };
  await Promise.all([weather(), ...all.map((caller) => caller.make(each).finally(() => working--))]);
  const made = all.flatMap((caller) => caller.made);
  for (const { url } of cluster.nodes) await expectThere(url, project, made, random.seed);
  return {
    projects: made.filter(({ kind }) => kind === 'project').length,
    tasks: made.filter(({ kind }) => kind === 'task').length,
    repeated: all.reduce((sum, { repeated }) => sum + repeated, 0),
  };
}

async function expectThere(url: string, project: string, made: readonly Made[], seed: number): Promise<void> {
  const rest = new RestClient(url);
  const { projects } = (await rest.get('/projects')).body as { projects: { id: string; name: string }[] };
  const { tasks } = (await rest.get(`/projects/${project}/tasks`)).body as { tasks: { id: string; label: string }[] };
  const lines = (of: readonly { readonly id: string; readonly name: string }[]): string[] =>
    of.map(({ id, name }) => `${name}: ${id}`).sort();
  const madeOf = (kind: Made['kind']): string[] => lines(made.filter((one) => one.kind === kind && !one.isDeleted));
  expect(lines(projects.filter(({ name }) => ofCallers.test(name))), `seed ${seed}: projects`).to.deep.equal(
    madeOf('project'),
  );
  expect(lines(tasks.map(({ id, label }) => ({ id, name: label }))), `seed ${seed}: tasks`).to.deep.equal(
    madeOf('task'),
  );
}

/** The labels of callers: their number, and the number of their former records. */
const ofCallers = /^\d+-\d+$/;

interface KeyedCallerOptions {
  readonly number: number;
  readonly random: Random;
  readonly cluster: Cluster;
  readonly balancers: Balancers<ClusterNode>;
  readonly project: string;
}

/** Sends a call until it is answered. */
class KeyedCaller {
  readonly made: Made[] = [];
  repeated = 0;
  readonly #number: number;
  readonly #random: Random;
  readonly #cluster: Cluster;
  readonly #balancers: Balancers<ClusterNode>;
  readonly #project: string;
  readonly #sessions = new Map<string, McpClient>();
  #keys = 0;

  constructor({ number, random, cluster, balancers, project }: KeyedCallerOptions) {
    this.#number = number;
    this.#random = random;
    this.#cluster = cluster;
    this.#balancers = balancers;
    this.#project = project;
  }

  async make(count: number): Promise<void> {
    while (this.made.length < count) {
      const name = `${this.#number}-${this.made.length}`;
      const kind = this.#random.chance(0.4) ? 'project' : 'task';
      const one: Made = { kind, name, id: await this.#make(kind, name), isDeleted: false };
      this.made.push(one);
      if (kind === 'project' && this.#random.chance(0.3)) await this.#delete(one);
    }
    await Promise.all([...this.#sessions.values()].map((client) => client.close()));
  }

  async #make(kind: Made['kind'], name: string): Promise<string> {
    const key = this.#key();
    return this.#repeatedly((url) => {
      const isProject = kind === 'project';
      if (this.#random.chance(0.3))
        return isProject
          ? this.#tool(url, 'create_project', { name }, key)
          : this.#tool(url, 'create_task', { project_id: this.#project, label: name }, key);
      return isProject
        ? this.#rest(url, 'POST', '/projects', { name }, key)
        : this.#rest(url, 'POST', `/projects/${this.#project}/tasks`, { label: name }, key);
    });
  }

  async #delete(one: Made): Promise<void> {
    const key = this.#key();
    await this.#repeatedly((url) => this.#rest(url, 'DELETE', `/projects/${one.id}`, undefined, key));
    one.isDeleted = true;
  }

  /** The answer, which is the same each time. */
  async #repeatedly(send: (url: string) => Promise<string | undefined>): Promise<string> {
    const answers = new Set<string>();
    for (let wanted = this.#random.integer(1, 5) === 1 ? 2 : 1; wanted > 0; this.repeated++) {
      const nodes = Array.from({ length: this.#random.chance(0.2) ? 2 : 1 }, () =>
        this.#balancers.pick(this.#random, this.#project, this.#cluster.nodes),
      );
      this.repeated += nodes.length - 1;
      for (const answer of await Promise.all(nodes.map(({ url }) => send(url)))) {
        if (answer === undefined) continue;
        wanted--;
        answers.add(answer);
      }
    }
    this.repeated--;
    expect([...answers], 'the same answer').to.have.length(1);
    return [...answers][0]!;
  }

  #key(): string {
    return `key-${this.#number}-${this.#keys++}`;
  }

  /** The id of the made record; undefined without an answer. */
  async #rest(url: string, method: string, path: string, body: unknown, key: string): Promise<string | undefined> {
    const answer = await unlessGone(new RestClient(url).send(method, path, body, { 'Idempotency-Key': key }));
    if (answer === undefined || answer.status === 503) return undefined;
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return (answer.body?.id as string | undefined) ?? 'none';
  }

  async #tool(url: string, name: string, input: Record<string, unknown>, key: string): Promise<string | undefined> {
    const client = this.#sessions.get(url) ?? (await unlessGone(McpClient.connect(url)));
    if (client === undefined) return undefined;
    this.#sessions.set(url, client);
    const answer = await unlessGone(client.call(name, input, key));
    if (answer === undefined || (answer.isError && answer.value.error === 'unavailable')) return undefined;
    if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.value)}`);
    return (answer.value.task ?? answer.value.project).id as string;
  }
}

/** Undefined without an answer, or if the service could not carry out the call. */
async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TypeError || isUnavailable(error)) return undefined;
    throw error;
  }
}
