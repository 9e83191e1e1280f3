import { PlannerError } from '../../../src/base/errors.ts';
import type { Outcome } from '../../../src/operations/pipeline/dispatch.ts';
import type { Ground } from '../../concurrency/client.ts';
import type { Operation } from '../../concurrency/linearizability.ts';
import type { PlanOperation, TaskState } from '../../concurrency/task-model.ts';
import type { Random } from '../../support/random.ts';
import type { NodeWorld } from './node-world.ts';
import type { SimulatedNode } from './simulated-node.ts';

const statuses = ['todo', 'in_progress', 'done', 'backlog', 'todo', 'todo'];
const agents = ['ann', 'ben', 'cat'];
const hourMs = 3_600_000;

type Input = Readonly<Record<string, unknown>>;
// Answers are looked into as they come.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** The record of a call. */
interface Ask {
  readonly name: string;
  readonly input: Input;
  /** A task that is read by a read of all projects instead. */
  readonly amongAll?: string;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly understood: (outcome: Outcome, now: number) => PlanOperation;
  /** The change that was refused by its precondition. */
  readonly mismatch?: PlanOperation;
  /** Without an answer, this may have happened. */
  readonly unanswered?: PlanOperation;
}

/** A client that has one call in progress, each at another node or at a home of its project, and takes its tags along. */
export class NodeClient {
  readonly #number: number;
  readonly #world: NodeWorld;
  readonly #recorded: Operation<PlanOperation>[];
  readonly #seen = new Map<string, { readonly tag: string; readonly state: TaskState }>();
  #list: { readonly tag: string; readonly shown: ReadonlyMap<string, TaskState> } | undefined;
  #made = 0;
  isCalling = false;

  constructor(number: number, world: NodeWorld, recorded: Operation<PlanOperation>[]) {
    this.#number = number;
    this.#world = world;
    this.#recorded = recorded;
  }

  async call(random: Random, ground: Ground): Promise<void> {
    const node = this.#world.nodeFor(ground.project, random);
    if (node === undefined || this.isCalling) return;
    this.isCalling = true;
    await this.#record(node, this.#ask(random, ground));
    this.isCalling = false;
  }

  async #record(node: SimulatedNode, ask: Ask): Promise<void> {
    const world = this.#world;
    const client = this.#number;
    const invoked = world.time.monotonic();
    const done = (what: PlanOperation, completed = world.time.monotonic()): void => {
      this.#recorded.push({ client, invoked, completed, what });
      world.say(
        `client ${client} at ${node.name}: ${JSON.stringify(what, (_, value: unknown) => (value instanceof Map ? [...value] : value))}`,
      );
    };
    try {
      const { name, input, amongAll, ifMatch, ifNoneMatch } = ask;
      const called = (): Promise<Outcome | undefined> => node.call(name, input, { ifMatch, ifNoneMatch });
      const outcome = await (amongAll === undefined ? called() : node.readAmongAll(amongAll));
      if (outcome !== undefined) done(ask.understood(outcome, world.time.now()));
      else if (ask.unanswered !== undefined) done(ask.unanswered);
    } catch (error) {
      if (!(error instanceof PlannerError)) return world.fail(`${ask.name} fails: ${(error as Error).stack}`);
      const isUnknown = error.toJSON()['outcome'] === 'unknown';
      if (error.code === 'precondition_failed' && ask.mismatch !== undefined) done(ask.mismatch);
      else if (error.code !== 'unavailable') world.fail(`${ask.name} is refused: ${error.message}`);
      // A sent call may be executed late.
      else if (isUnknown && ask.unanswered !== undefined) done(ask.unanswered, Infinity);
      else world.say(`client ${client} at ${node.name}: ${ask.name} is not available: ${error.message}`);
    }
  }

  #ask(random: Random, ground: Ground): Ask {
    const task = random.pick(ground.tasks);
    const kind = random.next();
    if (kind < 0.1) return this.#readAmongAll(task);
    if (kind < 0.25) return this.#get(random, task);
    if (kind < 0.45) return this.#listAll(random, ground);
    if (kind < 0.55)
      return {
        ...{ name: 'get_next_task', input: { project_id: ground.project } },
        understood: ({ value }) => ({ kind: 'next', task: (value as Body).next.next_task?.id ?? null }),
      };
    return kind < 0.75 ? this.#claim(random, task) : this.#update(random, task);
  }

  #get(random: Random, task: string): Ask {
    const seen = random.chance(0.5) ? this.#seen.get(task) : undefined;
    return {
      ...{ name: 'get_task', input: { task_id: task } },
      ...(seen && { ifNoneMatch: seen.tag }),
      understood: (outcome, now) => {
        if (outcome.notModified) return { kind: 'read', task, shown: seen!.state };
        const state = stateOf((outcome.value as Body).task, now);
        this.#seen.set(task, { tag: outcome.etag!, state });
        return { kind: 'read', task, shown: state };
      },
    };
  }

  #readAmongAll(task: string): Ask {
    return {
      ...{ name: 'get_task', input: {}, amongAll: task },
      understood: ({ value }, now) => ({ kind: 'read', task, shown: stateOf((value as Body).task, now) }),
    };
  }

  #listAll(random: Random, { project }: Ground): Ask {
    const known = random.chance(0.7) ? this.#list : undefined;
    const isSince = random.chance(0.6);
    return {
      ...{ name: 'list_tasks', input: { project_id: project, ...(known && isSince && { since: known.tag }) } },
      ...(known && !isSince && { ifNoneMatch: known.tag }),
      understood: ({ value, etag, notModified }, now) => {
        if (notModified) return { kind: 'list', how: 'not modified', shown: known!.shown };
        const { tasks, removed } = value as Body;
        const isWhole = removed === undefined;
        const found = Array.from(tasks as Iterable<Body>, (task) => [task.id as string, stateOf(task, now)] as const);
        const shown = new Map([...(isWhole ? [] : known!.shown), ...found]);
        this.#list = { tag: etag!, shown };
        return { kind: 'list', how: isWhole ? 'list' : 'since', shown };
      },
    };
  }

  #claim(random: Random, task: string): Ask {
    const hours = random.chance(0.5) ? random.integer(1, 700) : undefined;
    const agent = random.pick(agents);
    const claimed = { kind: 'claim', task, agent, ...(hours !== undefined && { hours }) } as const;
    return {
      name: 'claim_task',
      input: { task_id: task, agent_ref: agent, ...(hours !== undefined && { lease_seconds: hours * 3600 }) },
      understood: ({ value }) => {
        const { claimed: isClaimed, assignee } = value as Body;
        return { ...claimed, answer: { claimed: isClaimed, assignee } };
      },
      unanswered: { ...claimed, answer: 'unknown' },
    };
  }

  /** Every change uses a new label: no state occurs twice. */
  #update(random: Random, task: string): Ask {
    const fields = {
      label: `${this.#number}-${this.#made++}`,
      ...(random.chance(0.7) && { status: random.pick(statuses) }),
      ...(random.chance(0.4) && { assignee: random.chance(0.5) ? random.pick(agents) : null }),
    };
    const seen = random.chance(0.5) ? this.#seen.get(task) : undefined;
    const change = { kind: 'update', task, fields, ...(seen && { expected: ownOf(seen.state) }) } as const;
    return {
      ...{ name: 'update_task', input: { task_id: task, ...fields } },
      ...(seen && { ifMatch: seen.tag }),
      understood: ({ value, etag }, now) => {
        const answer = stateOf((value as Body).task, now);
        this.#seen.set(task, { tag: etag!, state: answer });
        return { ...change, answer };
      },
      mismatch: { ...change, answer: 'mismatch' },
      unanswered: { ...change, answer: 'unknown' },
    };
  }
}

/** A caller that sends a call with a key again, as the balancers say, until it is answered. Resolves to the made task's id. */
export async function createOnce(world: NodeWorld, random: Random, project: string, label: string): Promise<string> {
  for (;;) {
    const node = world.nodeFor(project, random);
    try {
      const outcome = await node?.call('create_task', { project_id: project, label }, { idempotencyKey: label });
      if (outcome !== undefined) return (outcome.value as Body).task.id as string;
    } catch (error) {
      if (!(error instanceof PlannerError && error.code === 'unavailable')) throw error;
    }
    await world.wait(random.integer(1, 50));
  }
}

function stateOf({ label, status, assignee, lease_expires_at: expiry }: Body, now: number): TaskState {
  const lease = expiry === null ? null : Math.round((Date.parse(expiry as string) - now) / hourMs);
  return { label, status, assignee: assignee ?? null, ...(expiry !== undefined && { lease }) };
}

/** The part that If-Match compares: not the lease. */
function ownOf({ label, status, assignee }: TaskState): TaskState {
  return { label, status, assignee };
}
