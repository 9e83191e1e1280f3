import { collections } from '../../../src/domain/records/collections.ts';
import { serviceCollections } from '../../../src/operations/service-collections.ts';
import type { Ground } from '../../concurrency/client.ts';
import { check, type Operation } from '../../concurrency/linearizability.ts';
import { explain, planModel, type PlanOperation, type TaskState } from '../../concurrency/task-model.ts';
import { Random } from '../../support/random.ts';
import { EventLoop } from '../event-loop.ts';
import type { Outcome } from '../simulation.ts';
import { inlineCompression } from './inline-compression.ts';
import { createOnce, NodeClient } from './node-client.ts';
import { nodeEvents } from './node-events.ts';
import type { NodeSchedule, NodeStep } from './node-schedule.ts';
import { NodeWorld } from './node-world.ts';
import type { SimulatedNode } from './simulated-node.ts';

const clients = 6;
/** All calls are answered within this time once nothing disturbs the nodes any more. */
const restMsMax = 120_000;

/** Runs a schedule from an empty database to its end, and judges it. The same schedule runs the same way. */
export function simulateNodes({ seed, steps }: NodeSchedule): Promise<Outcome> {
  return new NodeSimulation(seed).run(steps);
}

class NodeSimulation {
  readonly #world: NodeWorld;
  readonly #loop: EventLoop;
  readonly #clients: readonly NodeClient[];
  readonly #recorded: Operation<PlanOperation>[] = [];
  readonly #initial = new Map<string, TaskState>();
  /** The ids of the records that callers with keys made, by label; undefined until it is acknowledged. */
  readonly #made = new Map<string, string | undefined>();
  #ground: Ground = { project: '', tasks: [] };
  #other = '';
  /** Calls and events that have not ended. */
  #open = 0;

  constructor(seed: number) {
    this.#world = new NodeWorld(new Random(seed ^ 0x5eed));
    this.#loop = new EventLoop(this.#world.time, new Random(seed ^ 0x1d5));
    this.#clients = Array.from({ length: clients }, (_, at) => new NodeClient(at, this.#world, this.#recorded));
  }

  async run(steps: readonly NodeStep[]): Promise<Outcome> {
    const world = this.#world;
    let begun = 0;
    this.#loop.begin();
    inlineCompression.begin();
    try {
      await this.#until(this.#plant());
      for (const step of steps) {
        if (world.failures.length > 0) break;
        begun++;
        await this.#pass(step.afterMs);
        this.#begin(step);
      }
      if (world.failures.length === 0) await this.#judge();
    } finally {
      for (const node of [...world.nodes]) world.kill(node);
      await this.#pass(10_000);
      inlineCompression.end();
      this.#loop.end();
    }
    const { failures, lines } = world;
    return { failures, lines, operations: this.#recorded.length + this.#made.size, steps: begun };
  }

  async #plant(): Promise<void> {
    const world = this.#world;
    for (let node = world.random.integer(2, 4); node > 0; node--) await world.add();
    const [first] = world.serving as [SimulatedNode];
    const project = async (name: string): Promise<string> =>
      ((await first.call('create_project', { name }))!.value as { project: { id: string } }).project.id;
    this.#ground = { project: await project('Watched'), tasks: [] };
    this.#other = await project('Counted');
    for (let left = world.random.integer(1, 6); left > 0; left--) {
      const label = `task-${left}`;
      const id = await createOnce(world, world.random, this.#ground.project, label);
      this.#initial.set(id, { label, status: 'todo', assignee: null });
    }
    this.#ground = { ...this.#ground, tasks: [...this.#initial.keys()] };
  }

  #begin({ event, seed, index }: NodeStep): void {
    const world = this.#world;
    const random = new Random(seed);
    if (event === 'call a node') this.#track(random.pick(this.#clients).call(random, this.#ground));
    else if (event === 'create with a key') this.#track(this.#create(random, `made-${index}`));
    else this.#track(nodeEvents[event](world, random));
  }

  async #create(random: Random, label: string): Promise<void> {
    this.#made.set(label, undefined);
    this.#made.set(label, await createOnce(this.#world, random, this.#other, label));
    this.#world.say(`${label} is acknowledged`);
  }

  #track(work: Promise<void>): void {
    this.#open++;
    work.then(
      () => this.#open--,
      (error: unknown) => this.#world.fail(`an error: ${(error as Error).stack}`),
    );
  }

  /** Nothing happens any more: all calls are answered, and everything fits together. */
  async #judge(): Promise<void> {
    const world = this.#world;
    world.say('quiet');
    const began = world.time.monotonic();
    if (world.nodes.length === 0) this.#track(world.add());
    while (this.#open > 0 && world.failures.length === 0 && world.time.monotonic() - began < restMsMax)
      await this.#pass(50);
    if (this.#open > 0) world.fail(`${this.#open} calls or events have not ended after ${restMsMax} ms`);
    // One that loads everything now.
    await this.#until(world.add());
    if (world.failures.length > 0) return;
    const verdict = check(planModel(this.#initial), this.#recorded);
    if (!verdict.linearizable) world.fail(`not linearizable: ${explain(verdict)}`);
    await this.#until(this.#compare());
  }

  async #compare(): Promise<void> {
    const world = this.#world;
    const states = await Promise.all(world.serving.map((node) => stateOf(node)));
    const [first] = states;
    const other = states.findIndex((state) => state !== first);
    if (other > 0)
      world.fail(
        `the nodes differ:\n${world.serving[0]!.name}: ${first}\n${world.serving[other]!.name}: ${states[other]}`,
      );
    for (const { name, store } of world.serving)
      if (!store!.status().writable) world.fail(`${name} serves nothing any more`);
    const { store } = world.serving[0]!;
    const found = await store!.read(this.#other, (view) =>
      Array.from(view.list('task'), ({ id, label }) => `${label} ${id}`).sort(),
    );
    const expected = Array.from(this.#made, ([label, id]) => `${label} ${id}`).sort();
    if (found.join() !== expected.join()) world.fail(`made once: ${expected.join()}, found ${found.join()}`);
  }

  /** Time passes: everything that is due happens. */
  async #pass(ms: number): Promise<void> {
    const { time } = this.#world;
    const until = time.monotonic() + ms;
    do {
      await this.#loop.drain();
      if (this.#loop.error !== undefined) {
        const { stack, message } = this.#loop.error as Error;
        this.#world.fail(`an error that nothing handles: ${stack ?? message}`);
        this.#loop.error = undefined;
      }
    } while (time.turn(until, (turn) => this.#loop.run(turn)));
    time.pass(until - time.monotonic());
  }

  async #until(work: Promise<void>): Promise<void> {
    const state = { isOver: false };
    void work
      .catch((error: unknown) => this.#world.fail(`an error: ${(error as Error).stack}`))
      .finally(() => (state.isOver = true));
    for (let i = 0; i < 5000 && !state.isOver; i++) await this.#pass(20);
    if (!state.isOver) this.#world.fail('it has not come to an end');
  }
}

/** Everything that a node has, with its versions, as JSON. */
async function stateOf({ store }: SimulatedNode): Promise<string> {
  const projects: string[] = [];
  for (const id of store!.projects())
    projects.push(
      await store!.read(id, (view) =>
        JSON.stringify({
          id,
          records: collections.map(({ name }) => [view.version(name as 'task'), [...view.list(name as 'task')]]),
          history: [view.historyVersion, [...view.history({})]],
        }),
      ),
    );
  const service = await store!.readService((view) =>
    serviceCollections.map(({ name }) => [name, [...view.list(name)].sort((a, b) => (a.id < b.id ? -1 : 1))]),
  );
  return JSON.stringify({ projects, service });
}
