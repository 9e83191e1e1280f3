import { join } from 'node:path';
import { hostname } from 'node:os';
import { delay, systemClock } from '../../base/clock.ts';
import { readPlainEnvironment, readProgramEnvironment } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import { randomName } from '../../base/ids.ts';
import type { Comment, Goal, Run } from '../../schema/types.ts';
import type { NewKey } from '../call/key.ts';
import { taskOf } from '../records/show-task.ts';
import type { ShownTask } from '../records/show-task.ts';
import { commitNamed, uncommittedIn } from '../verify/repository.ts';
import { runCommand } from '../verify/run-command.ts';
import type { CommandRun } from '../verify/run-command.ts';
import type { AgentListener, AgentSession, TurnEnd, Usage } from './agents/agent.ts';
import { startAgent } from './agents/start-agent.ts';
import { tailOf } from './merge-notes.ts';
import { againPrompt, firstPrompt } from './prompt.ts';
import { Settling } from './settling.ts';
import { SlotNotes } from './slot-notes.ts';
import type { SlotNote } from './slot-notes.ts';
import { TaskRun } from './task-run.ts';
import { gateOf, requireAllowed } from './workshop.ts';
import type { Outcome, Workshop } from './workshop.ts';
import { branchOf, commitAll, commitsOf, makeWorktree, removeWorktree } from './worktree.ts';
import type { TaskWorktree } from './worktree.ts';

const leaseSeconds = 600;
const renewMs = 180_000;
const pollMs = 1_000;

const triesDefault = 2;
export const triesMax = 10;

/** The attempts of a runner by a goal's iteration policy, as `retry 3`. */
function triesOf({ iteration_policy: policy }: Goal): number {
  const [, number] = /^\s*retry\s+(\d{1,4})\s*$/i.exec(policy ?? '') ?? [];
  return number === undefined ? triesDefault : Math.min(Math.max(Number(number), 1), triesMax);
}

/** The work on one task, from its claim to its end. */
export class Work {
  readonly #shop: Workshop;
  readonly #task: ShownTask;
  readonly #goal: Goal;
  readonly #agentRef: string;
  readonly #notes: SlotNotes;
  readonly #branch: string;
  readonly #settling: Settling;
  #usage: Usage = {};
  readonly #late = new AbortController();

  constructor(shop: Workshop, task: ShownTask, goal: Goal) {
    this.#shop = shop;
    this.#task = task;
    this.#goal = goal;
    // Two runners of one machine are two agents: a claim is repeated by its agent only.
    this.#agentRef = `runner:${hostname()}/${randomName()}`;
    this.#notes = new SlotNotes(shop.deps.disk, shop.cache);
    this.#branch = task.branch ?? branchOf(task);
    this.#settling = new Settling(shop, task, { agent_ref: this.#agentRef, branch: this.#branch });
  }

  async begin(): Promise<Outcome> {
    const { target, deps, repository, cache } = this.#shop;
    const { id: task_id, label } = this.#task;
    const branch = this.#branch;
    const lease = { task_id, agent_ref: this.#agentRef, lease_seconds: leaseSeconds };
    const { claimed } = await target.planner.call('claim_task', lease);
    if (claimed !== true) return this.#settling.outcome('taken', [], 'another agent has it');
    const renewal = systemClock.every(
      renewMs,
      () => void target.planner.call('claim_task', lease).catch(() => undefined),
    );
    try {
      const by = { agent_ref: this.#agentRef, branch };
      this.#settling.run = await TaskRun.start(this.#shop, this.#task, by);
      const base = (await commitNamed(repository, 'HEAD')).commit;
      const worktree = await makeWorktree(deps.disk, cache, { top: repository.top, base, branch });
      const note = this.#note(worktree);
      this.#notes.write(note);
      deps.notice(`${label}: begun on ${branch}`);
      const outcome = await this.#inWorktree(worktree);
      // After a failure the note stays: the next run goes on from it.
      await removeWorktree(deps.disk, repository.top, worktree);
      this.#notes.remove(note);
      return outcome;
    } catch (thrown) {
      // The task is not lost with its runner's failure.
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const outcome = await this.#settling.returned([], `The runner failed: ${why}`).catch(() => undefined);
      // Another task may go better; a command that is not allowed, or a defect, ends the runner.
      if (outcome === undefined || !(thrown instanceof PlannerError) || thrown.code === 'forbidden') throw thrown;
      return outcome;
    } finally {
      renewal.cancel();
    }
  }

  get #run(): TaskRun {
    return this.#settling.run!;
  }

  #note(worktree: TaskWorktree): SlotNote {
    const { id: task_id, project_id } = this.#task;
    const { top } = this.#shop.repository;
    return {
      ...worktree,
      top,
      project_id,
      task_id,
      run_id: this.#run.id,
      agent_ref: this.#agentRef,
    };
  }

  async #inWorktree(worktree: TaskWorktree): Promise<Outcome> {
    const { setup, repository, signal } = this.#shop;
    const directory = join(worktree.directory, repository.place);
    if (setup !== undefined) {
      const ran = await this.#command(setup, directory);
      if (ran.exitCode !== 0)
        return this.#settling.returned([], `The set-up command ended with exit code ${ran.exitCode}.`);
    }
    const outside = await uncommittedIn(repository);
    const timer = systemClock.after(this.#shop.taskMinutesMax * 60_000, () => this.#late.abort());
    const { session, endKey } = await this.#session(directory);
    try {
      return await this.#tries(session, worktree, outside);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      return await this.#stopped(worktree);
    } finally {
      timer.cancel();
      await session.end();
      await endKey();
    }
  }

  /** Starts the agent with a key for this project that ends with it. */
  async #session(directory: string): Promise<{ readonly session: AgentSession; readonly endKey: () => Promise<void> }> {
    const { deps, target, url, agent, signal } = this.#shop;
    const { node, main } = deps.program;
    const asked = { kind: 'agent', project_id: this.#task.project_id, name: this.#agentRef };
    const key = (await target.planner.call('create_key', asked))['key'] as NewKey;
    const access = { PLANNER_URL: url, PLANNER_MCP_TOKEN: key.secret };
    const session = await startAgent({
      ...{ agent, directory, listener: this.#listener() },
      signal: AbortSignal.any([signal, this.#late.signal]),
      environment: { ...readProgramEnvironment(), ...access },
      plan: { command: node, args: [...(main === undefined ? [] : [main]), 'mcp'], env: access },
    });
    const endKey = async (): Promise<void> => void (await target.planner.call('revoke_key', { key_id: key.id }));
    return { session, endKey };
  }

  /** The agent works until the gate is green, or the tries are used up. */
  async #tries(session: AgentSession, worktree: TaskWorktree, outside: readonly string[]): Promise<Outcome> {
    const { signal } = this.#shop;
    const tries = this.#shop.tries ?? triesOf(this.#goal);
    let prompt = firstPrompt(await this.#briefing(worktree));
    let red: CommandRun | undefined;
    for (let attempt = 1; attempt <= tries; attempt++) {
      const end = await session.prompt(prompt);
      if (signal.aborted) return this.#stopped(worktree);
      const head = await commitAll(worktree, `${this.#task.label}\n\nUncommitted work of ${this.#agentRef}.`);
      const commits = await commitsOf(worktree, head);
      await this.#run.report(worktree, head, commits, this.#usage);
      await this.#sayOutside(outside);
      if (end.kind !== 'done') return this.#settling.returned(commits, this.#failureText(end));
      if (commits.length === 0) return this.#settling.returned(commits, 'The agent changed nothing.');
      const { task, gate } = await this.#presentGate();
      if (task.status !== 'in_progress' || task.assignee !== this.#agentRef)
        return this.#settling.left(commits, 'a person or another agent took the task meanwhile');
      if (gate === undefined) return this.#settling.done(task, commits, undefined);
      red = await this.#command(gate, join(worktree.directory, this.#shop.repository.place));
      if (red.exitCode === 0) return this.#settling.done(task, commits, { gate, run: red, commit: head });
      await this.#run.say(`The gate is red, exit code ${red.exitCode}: attempt ${attempt} of ${tries}.`);
      if (attempt < tries) prompt = againPrompt(gate, red.exitCode, red.output.text);
      else return this.#settling.returned(commits, redText(gate, red, tries));
    }
    throw new Error('a runner has at least one try');
  }

  /** The gate as the plan has it now: a command that the agent changed has to be allowed again. */
  async #presentGate(): Promise<{ readonly task: ShownTask; readonly gate: string | undefined }> {
    const { target } = this.#shop;
    const task = await taskOf(target, this.#task.id);
    const { goal } = await target.planner.call('get_goal', { goal_id: task.goal_id, limit: 1 });
    const gate = gateOf(task, goal as Goal);
    await requireAllowed(this.#shop, task.project_id, gate);
    return { task, gate };
  }

  async #stopped(worktree: TaskWorktree): Promise<Outcome> {
    const head = await commitAll(worktree, `${this.#task.label}\n\nWork until the runner was stopped.`);
    return this.#settling.stopped(await commitsOf(worktree, head));
  }

  /** Files of the person's own working tree that changed meanwhile: the agent may have left its worktree. */
  async #sayOutside(before: readonly string[]): Promise<void> {
    const known = new Set(before);
    const now = (await uncommittedIn(this.#shop.repository)).filter((path) => !known.has(path));
    if (now.length > 0)
      await this.#run.say(`Outside of the worktree, these files changed meanwhile: ${now.slice(0, 10).join(', ')}.`);
  }

  #listener(): AgentListener {
    return {
      progress: (line) => void this.#run.say(line).catch(() => undefined),
      usage: (usage) => void (this.#usage = { ...this.#usage, ...usage }),
      ask: (question, choices) => this.#ask(question, choices),
    };
  }

  /** Asks a person, on the page, at the command line or over REST, and waits for the answer. */
  async #ask(question: string, choices: readonly string[]): Promise<string | undefined> {
    const { deps, target, askMinutesMax, signal } = this.#shop;
    const run_id = this.#run.id;
    const awaiting = { question, ...(choices.length === 0 ? {} : { choices }) };
    await target.planner.call('update_agent_run', { run_id, awaiting });
    deps.notice(`${this.#task.label} asks: ${question} (planner answer ${run_id} <text>)`);
    for (let waited = 0; waited < askMinutesMax * 60_000 && !signal.aborted; waited += pollMs) {
      await delay(systemClock, pollMs, signal).catch(() => undefined);
      const run = (await target.planner.call('get_agent_run', { run_id }))['run'] as Run;
      if (run.awaiting === null) return run.events.findLast(({ question: of }) => of === question)?.message;
    }
    await target.planner.call('update_agent_run', { run_id, awaiting: null });
    return undefined;
  }

  #failureText({ kind, detail }: TurnEnd): string {
    if (this.#late.signal.aborted) return `The agent did not end within ${this.#shop.taskMinutesMax} minutes.`;
    return `The agent ${kind === 'failed' ? 'failed' : 'stopped'}: ${detail}`;
  }

  #command(command: string, directory: string): Promise<CommandRun> {
    const { gateMinutesMax: minutesMax, signal, deps } = this.#shop;
    deps.notice(`${this.#task.label}: $ ${command}`);
    return runCommand(command, {
      ...{ directory, environment: readPlainEnvironment([]), minutesMax, signal },
      onLine: () => undefined,
    });
  }

  async #briefing({ branch }: TaskWorktree): Promise<Parameters<typeof firstPrompt>[0]> {
    const { target } = this.#shop;
    const task = await taskOf(target, this.#task.id);
    const { comments } = await target.planner.call('list_task_comments', { task_id: task.id });
    return { task, goal: this.#goal, comments: comments as Comment[], gate: gateOf(task, this.#goal), branch };
  }
}

function redText(gate: string, red: CommandRun, tries: number): string {
  const attempts = `${tries} ${tries === 1 ? 'attempt' : 'attempts'}`;
  return `The gate stayed red after ${attempts}: ${gate} ended with exit code ${red.exitCode}.\n\n${tailOf(red)}`;
}
