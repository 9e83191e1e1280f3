import { join } from 'node:path';
import { hostname } from 'node:os';
import { delay, systemClock } from '../../base/clock.ts';
import { readPlainEnvironment, readProgramEnvironment } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import { randomName } from '../../base/ids.ts';
import type { Comment, Goal } from '../../schema/types.ts';
import { gateOf, goalOf } from '../records/show-goal.ts';
import { taskOf } from '../records/show-task.ts';
import type { ShownTask } from '../records/show-task.ts';
import { commitNamed, uncommittedIn } from '../verify/repository.ts';
import { runCommand } from '../verify/run-command.ts';
import type { CommandRun } from '../verify/run-command.ts';
import { mergeBaseOf } from '../git/plan-trees.ts';
import type { AgentListener, AgentSession, TurnEnd, Usage } from './agents/agent.ts';
import { startAgent } from './agents/start-agent.ts';
import type { Conflict } from './base-branch.ts';
import { LastingPlanner } from './lasting-planner.ts';
import { redBlocks } from './merge-notes.ts';
import { reasonOf } from './merging.ts';
import type { AtCommits } from './merging.ts';
import { againPrompt, answeredPrompt, conflictPrompt, firstPrompt } from './prompt.ts';
import { Settling } from './settling.ts';
import { endKey, slotKey } from './slot-key.ts';
import { SlotNotes, slotMark } from './slot-notes.ts';
import type { Settles, SlotNote } from './slot-notes.ts';
import { TaskRun } from './task-run.ts';
import { requireAllowed } from './workshop.ts';
import type { Outcome, TaskOfGoal, Workshop } from './workshop.ts';
import { branchOf, commitAll, commitsOf, makeWorktree, planWorktree, removeLocks, removeWorktree } from './worktree.ts';
import type { TaskWorktree } from './worktree.ts';

const leaseSeconds = 600;
const renewMs = 180_000;
const pollMs = 1_000;

const triesDefault = 2;
export const triesMax = 10;

/** Two runners of one machine are two agents: a claim is repeated by its agent only. */
const refOf = (slot: string): string => `runner:${hostname()}/${slot}`;

/** The attempts of a runner by a goal's iteration policy, as `retry 3`. */
function triesOf({ iteration_policy: policy }: Goal): number {
  const [, number] = /^\s*retry\s+(\d{1,4})\s*$/i.exec(policy ?? '') ?? [];
  return number === undefined ? triesDefault : Math.min(Math.max(Number(number), 1), triesMax);
}

/** The work of an agent after one of its turns. */
interface Attempt {
  readonly head: string;
  readonly commits: readonly string[];
  /** The first is 1. */
  readonly attempt: number;
}

/** The work on one task, from its claim to its end. */
export class Work {
  /** With the owner's access. */
  readonly #owner: Workshop;
  /** With the access of the agent: changes of the plan are its own. */
  #shop: Workshop;
  readonly #task: ShownTask;
  readonly #goal: Goal;
  #note: SlotNote;
  readonly #notes: SlotNotes;
  #settling: Settling;
  #access: Readonly<Record<string, string>> = {};
  #usage: Usage = {};
  /** Aborted when the agent has to end before its turn does. */
  readonly #cut = new AbortController();
  #isLate = false;
  #hasFailed = false;
  /** The merge that the agent was asked for. */
  #conflict: (Conflict & AtCommits) | undefined;
  /** A question without an answer in time. */
  #unanswered: string | undefined;

  private constructor(shop: Workshop, { task, goal }: TaskOfGoal, note: SlotNote, notes: SlotNotes) {
    this.#owner = shop;
    this.#shop = shop;
    this.#task = task;
    this.#goal = goal;
    this.#note = note;
    this.#notes = notes;
    this.#settling = new Settling(shop, task, note);
  }

  /** Works on a task that no agent has. */
  static async begin(shop: Workshop, taken: TaskOfGoal): Promise<Outcome> {
    const { deps, repository, cache } = shop;
    const { top } = repository;
    const { id: task_id, project_id } = taken.task;
    const base = (await commitNamed(repository, 'HEAD')).commit;
    const slot = randomName();
    const planned = await planWorktree(cache, { top, base, branch: taken.task.branch ?? branchOf(taken.task) });
    const note = { ...planned, slot, top, project_id, task_id, agent_ref: refOf(slot) };
    const notes = new SlotNotes(deps.disk, cache);
    notes.write(note);
    return new Work(shop, taken, note, notes).#toItsEnd();
  }

  /** Goes on with a task that waited for the answer of a person. This process has taken its note over. */
  static goOn(shop: Workshop, taken: TaskOfGoal, note: SlotNote, notes: SlotNotes): Promise<Outcome> {
    return new Work(shop, taken, note, notes).#toItsEnd();
  }

  async #toItsEnd(): Promise<Outcome> {
    const keyId = await this.#takeKey();
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#claimed();
    } finally {
      await endKey(this.#owner, keyId);
    }
    // After a failure the note stays: the next run goes on from it.
    if (outcome.result === 'parked') this.#notes.release(this.#note);
    else if (!this.#hasFailed) this.#notes.remove(this.#note);
    return outcome;
  }

  async #claimed(): Promise<Outcome> {
    const { deps, repository, cache } = this.#shop;
    const { task_id, agent_ref, branch } = this.#note;
    const lease = { task_id, agent_ref, lease_seconds: leaseSeconds };
    const claim = (): Promise<Readonly<Record<string, unknown>>> => this.#shop.target.planner.call('claim_task', lease);
    if ((await claim())['claimed'] !== true) return this.#settling.outcome('taken', [], 'another agent has it');
    const renewal = systemClock.every(renewMs, () => void claim().catch(() => undefined));
    try {
      await this.#startRun();
      await makeWorktree(deps.disk, { cache, top: repository.top }, this.#note);
      deps.notice(`${this.#task.label}: begun on ${branch}`);
      const outcome = await this.#inWorktree(this.#note);
      if (outcome.result !== 'parked') await removeWorktree(deps.disk, repository.top, this.#note);
      return outcome;
    } catch (thrown) {
      this.#hasFailed = true;
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

  /** Takes a key for this project that ends with the work, and makes it the access of the calls that follow. */
  async #takeKey(): Promise<string> {
    const { target, service } = this.#owner;
    const { id, secret } = await slotKey(this.#owner, this.#note);
    this.#access = { PLANNER_URL: service.present.url, PLANNER_MCP_TOKEN: secret };
    this.#shop = { ...this.#owner, target: { ...target, planner: new LastingPlanner(service, secret) } };
    this.#settling = new Settling(this.#shop, this.#task, this.#note);
    return id;
  }

  async #startRun(): Promise<void> {
    const { agent_ref, branch, run_id } = this.#note;
    const run =
      run_id === undefined
        ? await TaskRun.start(this.#shop, this.#task, { agent_ref, branch })
        : await TaskRun.goOn(this.#shop, this.#task, run_id, agent_ref);
    this.#settling.run = run;
    this.#write({ ...this.#note, run_id: run.id });
  }

  get #marked(): NodeJS.ProcessEnv {
    const { name, value } = slotMark(this.#note);
    return { [name]: value };
  }

  #write(note: SlotNote): void {
    this.#note = note;
    this.#notes.write(note);
  }

  get #run(): TaskRun {
    return this.#settling.run!;
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
    const timer = systemClock.after(this.#shop.taskMinutesMax * 60_000, () => {
      this.#isLate = true;
      this.#cut.abort();
    });
    const session = await this.#session(directory);
    try {
      return await this.#tries(session, worktree, outside);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      return await this.#stopped(session, worktree);
    } finally {
      timer.cancel();
      await session.end();
    }
  }

  #session(directory: string): Promise<AgentSession> {
    const { deps, agent, signal } = this.#shop;
    const { node, main } = deps.program;
    return startAgent({
      ...{ agent, directory, listener: this.#listener(), resumes: this.#note.parked?.session_id },
      signal: AbortSignal.any([signal, this.#cut.signal]),
      environment: { ...readProgramEnvironment(), ...this.#access, ...this.#marked },
      plan: { command: node, args: [...(main === undefined ? [] : [main]), 'mcp'], env: this.#access },
    });
  }

  /** The agent works until the gate is green, or the tries are used up. */
  async #tries(session: AgentSession, begun: TaskWorktree, outside: readonly string[]): Promise<Outcome> {
    const { signal, repository } = this.#shop;
    let worktree = begun;
    let prompt = await this.#firstPrompt(session, worktree);
    for (let attempt = 1; ; attempt++) {
      const end = await session.prompt(prompt);
      if (signal.aborted) return this.#stopped(session, worktree);
      if (end.kind !== 'done') await session.end();
      if (end.kind !== 'done' || this.#shop.agent.protocol === 'stdin') await this.#removeLocks(worktree);
      const head = await commitAll(worktree, `${this.#task.label}\n\nUncommitted work of ${this.#note.agent_ref}.`);
      // The commits that it merged are not its own.
      if (this.#conflict !== undefined)
        worktree = { ...worktree, base: await mergeBaseOf(repository.top, this.#conflict.base.commit, head) };
      const commits = await commitsOf(worktree, head);
      await this.#run.report(worktree, head, commits, this.#usage);
      await this.#sayOutside(outside);
      if (this.#unanswered !== undefined) return this.#park(session, commits, this.#unanswered);
      if (end.kind !== 'done') return this.#settling.returned(commits, this.#failureText(end));
      if (commits.length === 0) return this.#settling.returned(commits, 'The agent changed nothing.');
      const next = await this.#gated(worktree, { head, commits, attempt });
      if (typeof next !== 'string') return next;
      prompt = await this.#further(worktree, next);
    }
  }

  /** Runs the gate on the work of an attempt. Returns the end, or the next request to the agent. */
  async #gated(worktree: TaskWorktree, { head, commits, attempt }: Attempt): Promise<Outcome | string> {
    const { task, gate } = await this.#presentGate();
    if (task.status !== 'in_progress' || task.assignee !== this.#note.agent_ref)
      return this.#settling.left(commits, 'a person or another agent took the task meanwhile');
    if (gate === undefined) return this.#settle(task, { commits });
    const run = await this.#command(gate, join(worktree.directory, this.#shop.repository.place));
    if (run.exitCode === 0) return this.#settle(task, { commits, green: { gate, run, commit: head } });
    const tries = (this.#shop.tries ?? triesOf(this.#goal)) + (this.#conflict === undefined ? 0 : 1);
    await this.#run.say(`The gate is red, exit code ${run.exitCode}: attempt ${attempt} of ${tries}.`);
    if (attempt < tries) return againPrompt(gate, run.exitCode, run.output.text);
    return this.#settling.returned(commits, redText(gate, run, tries));
  }

  /** Settles work that is over. The agent resolves a conflict once, since it knows its work best; then a person does. */
  async #settle(task: ShownTask, settles: Settles): Promise<Outcome | string> {
    this.#write({ ...this.#note, settles });
    const end = await this.#settling.merge(task, settles);
    if (end?.kind !== 'conflict' || this.#conflict !== undefined) return this.#settling.done(task, settles, end);
    this.#conflict = end;
    this.#write({ ...this.#note, settles: undefined });
    await this.#run.say(`The gate is green, but ${reasonOf(end)}: the agent merges it.`);
    return conflictPrompt(end);
  }

  async #firstPrompt(session: AgentSession, worktree: TaskWorktree): Promise<string> {
    const { parked } = this.#note;
    if (parked === undefined) return firstPrompt(await this.#briefing(worktree));
    const { question } = parked;
    const answered = await this.#run.answerTo(question);
    const isResumed = await session.isResumed;
    if (!isResumed) this.#run.countFurther();
    // From now on it is a task at work like others.
    const { parked: _, ...note } = this.#note;
    this.#write(note);
    return answeredPrompt(question, answered?.answer, isResumed ? undefined : await this.#briefing(worktree));
  }

  /** An agent on standard input begins each time without memory of the time before. */
  async #further(worktree: TaskWorktree, request: string): Promise<string> {
    if (this.#shop.agent.protocol !== 'stdin') return request;
    return `${firstPrompt(await this.#briefing(worktree))}\n\nYou have begun: your work is on this branch. ${request}`;
  }

  /** Ends the work for now, and keeps the worktree: a person has to answer first. */
  #park(session: AgentSession, commits: readonly string[], question: string): Promise<Outcome> {
    const { agent_ref: former_ref, slot } = this.#note;
    const agent_ref = refOf(`${slot}-${randomName()}`);
    this.#write({ ...this.#note, agent_ref, parked: { question, former_ref, session_id: session.sessionId } });
    return this.#settling.parked(commits, question, agent_ref);
  }

  /** The gate as the plan has it now: a command that the agent changed has to be allowed again. */
  async #presentGate(): Promise<{ readonly task: ShownTask; readonly gate: string | undefined }> {
    const { target } = this.#shop;
    const task = await taskOf(target, this.#task.id);
    const gate = gateOf(task, await goalOf(target, task.goal_id));
    await requireAllowed(this.#shop, task.project_id, gate);
    return { task, gate };
  }

  /** The agent has ended: it may have been killed, and a program of git with it. */
  #removeLocks(worktree: TaskWorktree): Promise<void> {
    return removeLocks(this.#shop.deps.disk, worktree);
  }

  async #stopped(session: AgentSession, worktree: TaskWorktree): Promise<Outcome> {
    await session.end();
    await this.#removeLocks(worktree);
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
      usage: (usage) => {
        this.#usage = { ...this.#usage, ...usage };
        this.#run.showUsage(this.#usage);
      },
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
    for (let left = askMinutesMax * 60_000; left > 0 && !signal.aborted; left -= pollMs) {
      await delay(systemClock, Math.min(pollMs, left), signal).catch(() => undefined);
      const answered = await this.#run.answerTo(question);
      if (answered !== undefined) return answered.answer;
    }
    if (signal.aborted) return undefined;
    this.#unanswered = question;
    this.#cut.abort();
    return undefined;
  }

  #failureText({ kind, detail }: TurnEnd): string {
    if (this.#isLate) return `The agent did not end within ${this.#shop.taskMinutesMax} minutes.`;
    return `The agent ${kind === 'failed' ? 'failed' : 'stopped'}: ${detail}`;
  }

  #command(command: string, directory: string): Promise<CommandRun> {
    const { gateMinutesMax: minutesMax, signal, deps } = this.#shop;
    return runCommand(command, {
      ...{ directory, environment: { ...readPlainEnvironment([]), ...this.#marked }, minutesMax, signal },
      notice: (line) => deps.notice(`${this.#task.label}: ${line}`),
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

function redText(gate: string, run: CommandRun, tries: number): string {
  const attempts = `${tries} ${tries === 1 ? 'attempt' : 'attempts'}`;
  return [`The gate stayed red after ${attempts}: exit code ${run.exitCode}.`, ...redBlocks({ gate, run })].join(
    '\n\n',
  );
}
