import { expect } from 'chai';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shell } from '../cli/planner.ts';
import { BridgeProcess } from '../support/bridge.ts';
import { git, initRepository } from '../support/git.ts';
import type { Random } from '../support/random.ts';

export interface StormSize {
  readonly worktrees: number;
  readonly tasks: number;
  /** How many agents are killed while they hold a task, and how many lose their worktree. */
  readonly kills: number;
  readonly removals: number;
}

/** A time during which an agent certainly held a task, in milliseconds. */
interface Hold {
  readonly agent: string;
  readonly task: string;
  readonly from: number;
  to: number;
}

const leaseSeconds = 5;
const pauseMs = 100;

/**
 * One agent in each of several worktrees takes tasks until each is done in one of them, while some agents are killed
 * and some lose their worktree. With separate plans, a task that is done in one worktree is still open in the others.
 * No task may be held by two agents at the same time.
 */
export class WorktreeStorm {
  readonly #shell: Shell;
  readonly #scratch: string;
  readonly #random: Random;
  readonly #mode: 'shared' | 'own';
  readonly #size: StormSize;
  readonly #holds: Hold[] = [];
  readonly #done = new Set<string>();
  #tasks: readonly string[] = [];
  #kills: number;
  #removals: number;
  #made = 0;
  #opening: Promise<unknown> = Promise.resolve();

  constructor(scratch: string, random: Random, mode: 'shared' | 'own', size: StormSize) {
    this.#shell = new Shell(scratch);
    this.#scratch = scratch;
    this.#random = random;
    this.#mode = mode;
    this.#size = size;
    this.#kills = size.kills;
    this.#removals = size.removals;
  }

  /** Resolves with the number of times that a task was taken. */
  async run(): Promise<number> {
    await this.#plan();
    await Promise.all(Array.from({ length: this.#size.worktrees }, () => this.#agent()));
    expect([...this.#done].sort()).to.deep.equal([...this.#tasks].sort());
    expect([this.#kills, this.#removals], 'kills and removals left').to.deep.equal([0, 0]);
    expect(this.#heldTwice()).to.deep.equal([]);
    return this.#holds.length;
  }

  async #plan(): Promise<void> {
    const { directory } = this.#shell;
    initRepository(directory);
    await this.#shell.ok(['init']);
    const tasks = Array.from({ length: this.#size.tasks }, (_, i) => ({ key: String(i), label: `Task ${i}` }));
    const plan = join(this.#scratch, 'plan.json');
    writeFileSync(plan, JSON.stringify({ name: 'Storm', tasks }));
    const { scaffold } = await this.#shell.json(['call', 'scaffold_project_from_plan', `@${plan}`]);
    this.#tasks = Object.values(scaffold.key_to_id);
    const config = join(directory, '.planner/config.json');
    const settings = { ...JSON.parse(readFileSync(config, 'utf8')), worktrees: this.#mode };
    writeFileSync(config, JSON.stringify({ ...settings, project_id: scaffold.project.id }));
    await this.#shell.ok(['flush']);
    git(directory, 'add', '.planner');
    git(directory, 'commit', '--quiet', '--message', 'plan');
    mkdirSync(join(this.#scratch, 'trees'));
  }

  #worktree(): string {
    const directory = join(this.#scratch, 'trees', String(++this.#made));
    git(this.#shell.directory, 'worktree', 'add', '--quiet', directory);
    return directory;
  }

  /** One after the other: eight programs that start together on a busy machine exceed the timeouts of a client. */
  #open(cwd: string): Promise<BridgeProcess> {
    const open = (): Promise<BridgeProcess> =>
      BridgeProcess.open({ cwd, environment: this.#shell.options().environment! });
    const opened = this.#opening.then(() => settled(open));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  /** Works until there is nothing left to do. */
  async #agent(): Promise<void> {
    let directory = this.#worktree();
    let name = `agent-${this.#made}`;
    let bridge = await this.#open(directory);
    while (this.#done.size < this.#tasks.length) {
      const hold = await this.#take(bridge, name);
      if (hold === undefined) {
        await pause(pauseMs);
        continue;
      }
      const accident = this.#accident();
      if (accident !== undefined) {
        bridge.kill();
        await bridge.close().catch(() => undefined);
      }
      if (accident === 'removed') {
        git(this.#shell.directory, 'worktree', 'remove', '--force', '--force', directory);
        directory = this.#worktree();
        name = `agent-${this.#made}`;
      }
      if (accident !== undefined) bridge = await this.#open(directory);
      // The lease of an agent that was killed expires, unless it goes on with its task.
      if (accident === 'removed' || (accident === 'killed' && this.#random.chance(0.5))) continue;
      await pause(this.#random.integer(0, 20));
      if (accident === undefined || (await this.#takeAgain(bridge, hold))) await this.#finish(bridge, hold);
    }
    await bridge.close();
  }

  async #take(bridge: BridgeProcess, agent: string): Promise<Hold | undefined> {
    const open = this.#tasks.filter((task) => !this.#done.has(task));
    // The next one, or any: claims of tasks that another agent holds are refused.
    if (open.length > 0 && this.#random.chance(0.5)) return this.#claim(bridge, agent, this.#random.pick(open));
    const { next } = await settled(() => bridge.get('get_next_task'));
    const task: string | undefined = next.next_task?.id;
    return task === undefined ? undefined : this.#claim(bridge, agent, task);
  }

  async #claim(bridge: BridgeProcess, agent: string, id: string): Promise<Hold | undefined> {
    const input = { task_id: id, agent_ref: agent, lease_seconds: leaseSeconds };
    const { claimed, task } = await settled(() => bridge.get('claim_task', input));
    if (claimed !== true) return undefined;
    const hold = { agent, task: id, from: Date.now(), to: Date.parse(task.lease_expires_at) };
    this.#holds.push(hold);
    return hold;
  }

  async #takeAgain(bridge: BridgeProcess, { agent, task }: Hold): Promise<boolean> {
    return (await this.#claim(bridge, agent, task)) !== undefined;
  }

  async #finish(bridge: BridgeProcess, { agent, task }: Hold): Promise<void> {
    const now = Date.now();
    // From here on it may be given to others.
    for (const hold of this.#holds) if (hold.agent === agent && hold.task === task) hold.to = Math.min(hold.to, now);
    await settled(() => bridge.get('update_task', { task_id: task, status: 'done', agent_ref: agent }));
    this.#done.add(task);
  }

  /** At regular intervals in the first half of the work, so that some is left for the others. */
  #accident(): 'killed' | 'removed' | undefined {
    const { tasks, kills, removals } = this.#size;
    const left = this.#kills + this.#removals;
    if (left === 0 || this.#holds.length % Math.max(2, Math.floor(tasks / 2 / (kills + removals))) > 0)
      return undefined;
    if (this.#random.integer(1, left) <= this.#kills) {
      this.#kills--;
      return 'killed';
    }
    this.#removals--;
    return 'removed';
  }

  /** Pairs of agents that held one task at the same time. */
  #heldTwice(): readonly string[] {
    return this.#tasks.flatMap((task) => {
      const holds = this.#holds.filter((hold) => hold.task === task && hold.to > hold.from);
      return holds.flatMap((one, i) =>
        holds
          .slice(i + 1)
          .filter((other) => other.agent !== one.agent && one.from < other.to && other.from < one.to)
          .map((other) => `${task}: ${one.agent} ${one.from}-${one.to}, ${other.agent} ${other.from}-${other.to}`),
      );
    });
  }
}

const triesMax = 200;

/** Retries a call while the service of a killed agent is replaced. */
async function settled<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (tries === triesMax) throw error;
      await pause(pauseMs);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
