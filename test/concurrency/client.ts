import { McpClient } from '../support/mcp-client.ts';
import type { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { NothingChanged, OutcomeUnknown } from './recorder.ts';
import type { Recorder } from './recorder.ts';
import type { PlanOperation, TaskState } from './task-model.ts';

const statuses = ['todo', 'in_progress', 'done', 'backlog', 'todo', 'todo'];
const agents = ['ann', 'ben', 'cat'];
const hourMs = 3_600_000;

/** The plan that all clients share. */
export interface Ground {
  readonly project: string;
  readonly tasks: readonly string[];
}

/** One of the nodes of a service. */
export interface CalledNode {
  /** No other node has it, not even one that takes its place. */
  readonly url: string;
}

/** A task with its entity tag. */
interface Tagged {
  readonly tag: string;
  readonly state: TaskState;
}

interface Ask {
  readonly call: () => Promise<PlanOperation>;
  readonly unanswered?: PlanOperation;
}

// Answers are looked into as they come.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** A client that claims, changes and reads tasks at random over one of the two transports, and records everything. */
export class PlanClient {
  readonly #number: number;
  readonly #transport: 'REST' | 'MCP';
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #readsOnly: boolean;
  #ground!: Ground;
  #rest!: RestClient;
  #mcp: McpClient | undefined;
  #made = 0;
  /** The last responses with tagsfor If-Match, If-None-Match and since. */
  #seen = new Map<string, Tagged>();
  #list: { readonly tag: string; readonly shown: Map<string, TaskState> } | undefined;

  constructor(
    number: number,
    random: Random,
    recorder: Recorder,
    kind: { transport: 'REST' | 'MCP'; readsOnly: boolean },
  ) {
    this.#number = number;
    this.#random = random;
    this.#recorder = recorder;
    this.#transport = kind.transport;
    this.#readsOnly = kind.readsOnly;
  }

  /** Works until the service no longer answers, or until `count` calls were answered. */
  async run(url: string, ground: Ground, count = Infinity): Promise<void> {
    this.#ground = ground;
    this.#rest = new RestClient(url);
    // Tags survive a restart if nothing changed: they are kept, as a client would.
    try {
      if (this.#transport === 'MCP') this.#mcp = await this.#connect(url, undefined);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
    for (let done = 0; done < count; done++) {
      const { call, unanswered } = this.#ask();
      if (!(await this.#recorder.record(this.#number, call, unanswered))) break;
    }
    await this.#mcp?.close();
  }

  /**
   * Works at several nodes of one service until `isOver`, each call at a random serving node. It takes its tags and its
   * session along.
   */
  async roam(nodes: () => readonly CalledNode[], ground: Ground, isOver: () => boolean): Promise<void> {
    this.#ground = ground;
    const sessions = new Map<string, McpClient>();
    let session: string | undefined;
    while (!isOver()) {
      const { url } = this.#random.pick(nodes());
      const { call, unanswered } = this.#ask();
      const there = async (): Promise<PlanOperation> => {
        this.#rest = new RestClient(url);
        if (this.#transport === 'REST') return call();
        this.#mcp = sessions.get(url) ?? (await this.#connect(url, session));
        sessions.set(url, this.#mcp);
        session ??= this.#mcp.session;
        return call();
      };
      await this.#recorder.record(this.#number, there, unanswered, url);
    }
    await Promise.all([...sessions.values()].map((client) => client.close()));
  }

  #connect(url: string, session: string | undefined): Promise<McpClient> {
    return McpClient.connect(url, { name: `client ${this.#number}`, ...(session === undefined ? {} : { session }) });
  }

  #ask(): Ask {
    const kind = this.#random.next();
    if (this.#readsOnly || kind < 0.45) return { call: () => this.#read(this.#random.next()) };
    const task = this.#random.pick(this.#ground.tasks);
    if (kind < 0.7) return this.#claim(task, this.#random.pick(agents));
    return this.#update(task);
  }

  #read(kind: number): Promise<PlanOperation> {
    const task = this.#random.pick(this.#ground.tasks);
    if (this.#transport === 'MCP') {
      if (kind < 0.4) return this.#getByTool(task);
      return kind < 0.7 ? this.#listByTool() : this.#nextByTool();
    }
    if (kind < 0.4) return this.#get(task);
    if (kind < 0.55) return this.#listAll();
    if (kind < 0.75) return this.#listSince();
    return kind < 0.95 ? this.#next() : this.#export();
  }

  async #get(task: string): Promise<PlanOperation> {
    const seen = this.#seen.get(task);
    const headers: Record<string, string> =
      seen !== undefined && this.#random.chance(0.5) ? { 'If-None-Match': seen.tag } : {};
    const answer = await this.#rest.get(`/tasks/${task}`, headers);
    if (answer.status === 304 && seen !== undefined) return { kind: 'read', task, shown: seen.state };
    expectStatus(answer, 200);
    const shown = stateOf(answer.body);
    this.#seen.set(task, { tag: answer.headers.get('etag')!, state: shown });
    return { kind: 'read', task, shown };
  }

  async #listAll(): Promise<PlanOperation> {
    const known = this.#list;
    const headers: Record<string, string> =
      known !== undefined && this.#random.chance(0.5) ? { 'If-None-Match': known.tag } : {};
    const answer = await this.#rest.get(`/projects/${this.#ground.project}/tasks`, headers);
    if (answer.status === 304 && known !== undefined) return { kind: 'list', how: 'not modified', shown: known.shown };
    expectStatus(answer, 200);
    const shown = statesOf(answer.body.tasks);
    this.#list = { tag: answer.headers.get('etag')!, shown };
    return { kind: 'list', how: 'list', shown };
  }

  async #listSince(): Promise<PlanOperation> {
    const known = this.#list;
    if (known === undefined) return this.#listAll();
    const since = encodeURIComponent(known.tag);
    const answer = await this.#rest.get(`/projects/${this.#ground.project}/tasks?since=${since}`);
    expectStatus(answer, 200);
    const whole = answer.body.removed === undefined;
    const shown = new Map([...(whole ? [] : known.shown), ...statesOf(answer.body.tasks)]);
    this.#list = { tag: answer.headers.get('etag')!, shown };
    return { kind: 'list', how: whole ? 'since, in full' : 'since', shown };
  }

  async #next(): Promise<PlanOperation> {
    const answer = await this.#rest.get(`/projects/${this.#ground.project}/next-task`);
    expectStatus(answer, 200);
    return { kind: 'next', task: idOf(answer.body.next_task) };
  }

  async #export(): Promise<PlanOperation> {
    const answer = await this.#rest.get(`/projects/${this.#ground.project}/export`);
    expectStatus(answer, 200);
    return { kind: 'list', how: 'export', shown: statesOf(answer.body.tasks) };
  }

  async #getByTool(task: string): Promise<PlanOperation> {
    return { kind: 'read', task, shown: stateOf((await this.#tool('get_task', { task_id: task })).task) };
  }

  async #listByTool(): Promise<PlanOperation> {
    const { tasks } = await this.#tool('list_tasks', { project_id: this.#ground.project, verbose: true });
    return { kind: 'list', how: 'list_tasks', shown: statesOf(tasks) };
  }

  async #nextByTool(): Promise<PlanOperation> {
    const { next } = await this.#tool('get_next_task', { project_id: this.#ground.project });
    return { kind: 'next', task: idOf(next.next_task) };
  }

  #claim(task: string, agent: string): Ask {
    const hours = this.#random.chance(0.5) ? this.#random.integer(1, 700) : undefined;
    const lease = hours === undefined ? {} : { lease_seconds: hours * 3600 };
    const claimed = { kind: 'claim', task, agent, ...(hours === undefined ? {} : { hours }) } as const;
    const unanswered: PlanOperation = { ...claimed, answer: 'unknown' };
    const call = async (): Promise<PlanOperation> => {
      const answer =
        this.#transport === 'MCP'
          ? await this.#tool('claim_task', { task_id: task, agent_ref: agent, ...lease })
          : expectStatus(await this.#rest.post(`/tasks/${task}/claim`, { agent_ref: agent, ...lease }), 200, 409);
      return { ...claimed, answer: { claimed: answer.claimed, assignee: answer.assignee } };
    };
    return { call, unanswered };
  }

  /** Every change uses a new label: no state occurs twice. */
  #update(task: string): Ask {
    const fields = {
      label: `${this.#number}-${this.#made++}`,
      ...(this.#random.chance(0.7) ? { status: this.#random.pick(statuses) } : {}),
      ...(this.#random.chance(0.4) ? { assignee: this.#random.chance(0.5) ? this.#random.pick(agents) : null } : {}),
    };
    const seen = this.#transport === 'REST' && this.#random.chance(0.6) ? this.#seen.get(task) : undefined;
    const change = {
      kind: 'update',
      task,
      fields,
      ...(seen === undefined ? {} : { expected: ownOf(seen.state) }),
    } as const;
    const call = async (): Promise<PlanOperation> => {
      if (this.#transport === 'MCP') {
        const { task: shown } = await this.#tool('update_task', { task_id: task, ...fields });
        return { ...change, answer: stateOf(shown) };
      }
      const answer = await this.#rest.patch(
        `/tasks/${task}`,
        fields,
        seen === undefined ? {} : { 'If-Match': seen.tag },
      );
      const body = expectStatus(answer, 200, 412);
      if (answer.status === 412) return { ...change, answer: 'mismatch' };
      this.#seen.set(task, { tag: answer.headers.get('etag')!, state: stateOf(body) });
      return { ...change, answer: stateOf(body) };
    };
    return { call, unanswered: { ...change, answer: 'unknown' } };
  }

  async #tool(name: string, input: Record<string, unknown>): Promise<Body> {
    const { isError, value } = await this.#mcp!.call(name, input);
    if (value?.outcome === 'unknown') throw new OutcomeUnknown();
    if (isError && value?.error === 'unavailable') throw new NothingChanged(value.message as string);
    if (isError) throw new Error(`${name} answered ${JSON.stringify(value)}`);
    return value;
  }
}

function expectStatus(answer: RestResponse, ...statuses: readonly number[]): Body {
  if (answer.body?.outcome === 'unknown') throw new OutcomeUnknown();
  if (answer.status === 503) throw new NothingChanged(answer.body?.message as string);
  if (statuses.includes(answer.status)) return answer.body;
  throw new Error(`The service answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

function stateOf({ label, status, assignee, lease_expires_at: expiry }: Body): TaskState {
  const lease = expiry === null ? null : Math.round((Date.parse(expiry as string) - Date.now()) / hourMs);
  return { label, status, assignee: assignee ?? null, ...(expiry === undefined ? {} : { lease }) };
}

/** The part that If-Match compares: not the lease. */
function ownOf({ label, status, assignee }: TaskState): TaskState {
  return { label, status, assignee };
}

function statesOf(tasks: readonly Body[]): Map<string, TaskState> {
  return new Map(tasks.map((task) => [task.id as string, stateOf(task)]));
}

function idOf(task: Body): string | null {
  return task?.id ?? null;
}
