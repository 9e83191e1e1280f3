import { basename, join } from 'node:path';
import { hostname } from 'node:os';
import pLimit from 'p-limit';
import { delay, isoTime, systemClock } from '../../base/clock.ts';
import { readPlainEnvironment, readProgramEnvironment } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import { randomName } from '../../base/ids.ts';
import type { Comment, Goal, Proof, Run, VerificationSurface } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import type { NewKey } from '../call/key.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { surfaceOf } from '../records/show-goal.ts';
import { taskOf } from '../records/show-task.ts';
import type { ShownTask } from '../records/show-task.ts';
import { proofOf } from '../verify/gate.ts';
import { commitNamed, uncommittedIn } from '../verify/repository.ts';
import type { Repository } from '../verify/repository.ts';
import { runCommand } from '../verify/run-command.ts';
import type { CommandRun } from '../verify/run-command.ts';
import { putLog } from '../verify/submit.ts';
import { requireTrusted } from '../verify/trusted-commands.ts';
import type { AgentCommand, AgentListener, AgentSession, TurnEnd, Usage } from './agents/agent.ts';
import { startAgent } from './agents/start-agent.ts';
import { againPrompt, firstPrompt } from './prompt.ts';
import { SlotNotes } from './slot-notes.ts';
import type { SlotNote } from './slot-notes.ts';
import { branchOf, commitAll, commitsOf, diffStat, fastForward, makeWorktree, removeWorktree } from './worktree.ts';
import type { NotMerged, TaskWorktree } from './worktree.ts';

/** The surroundings of all tasks of a runner. */
export interface Workshop {
  readonly deps: ProgramDeps;
  readonly target: CliTarget;
  /** The address of the service that serves the plan. */
  readonly url: string;
  readonly place: string;
  readonly setup: string | undefined;
  readonly repository: Repository;
  readonly cache: string;
  readonly agent: AgentCommand;
  readonly isTrusted: boolean;
  /** Attempts per task while its gate is red; undefined: those of its goal's iteration policy. */
  readonly tries: number | undefined;
  readonly gateMinutesMax: number;
  readonly askMinutesMax: number;
  /** For all attempts at a task together, with the waiting for answers. */
  readonly taskMinutesMax: number;
  /** Aborted when the runner is asked to stop. */
  readonly signal: AbortSignal;
}

/** The end of the work on a task. */
export interface Outcome {
  readonly task_id: string;
  readonly label: string;
  readonly result: 'taken' | 'done' | 'review' | 'returned' | 'stopped';
  readonly branch: string;
  readonly commits: readonly string[];
  readonly says: string;
}

const leaseSeconds = 600;
const renewMs = 180_000;
const pollMs = 1_000;

/** The command that decides whether a task is done: its own, else the gate of its goal. */
export function gateOf({ gate }: ShownTask, goal: Goal): string | undefined {
  const surface = surfaceOf(goal);
  return gate ?? (surface?.kind === 'gate_command' ? surface.command : undefined);
}

const triesDefault = 2;
export const triesMax = 10;

/** The attempts of a runner by a goal's iteration policy, as `retry 3`. */
function triesOf({ iteration_policy: policy }: Goal): number {
  const [, number] = /^\s*retry\s+(\d{1,4})\s*$/i.exec(policy ?? '') ?? [];
  return number === undefined ? triesDefault : Math.min(Math.max(Number(number), 1), triesMax);
}

/** Throws unless the user allowed the commands that the work on a task runs. */
export async function requireAllowed(
  { deps, place, setup, isTrusted }: Workshop,
  project: string,
  gate: string | undefined,
): Promise<void> {
  if (setup !== undefined)
    await requireTrusted(deps, { place, project, role: 'set-up command', command: setup }, isTrusted);
  if (gate !== undefined) await requireTrusted(deps, { place, project, role: 'gate', command: gate }, isTrusted);
}

/** The work on one task, from its claim to its end. */
export class Work {
  readonly #shop: Workshop;
  readonly #task: ShownTask;
  readonly #goal: Goal;
  readonly #agentRef: string;
  readonly #notes: SlotNotes;
  #run: Run | undefined;
  #usage: Usage = {};
  readonly #late = new AbortController();

  constructor(shop: Workshop, task: ShownTask, goal: Goal) {
    this.#shop = shop;
    this.#task = task;
    this.#goal = goal;
    // Two runners of one machine are two agents: a claim is repeated by its agent only.
    this.#agentRef = `runner:${hostname()}/${randomName()}`;
    this.#notes = new SlotNotes(shop.deps.disk, shop.cache);
  }

  async begin(): Promise<Outcome> {
    const { target, deps, repository, cache } = this.#shop;
    const { id: task_id, label } = this.#task;
    const branch = branchOf(this.#task);
    const lease = { task_id, agent_ref: this.#agentRef, lease_seconds: leaseSeconds };
    const { claimed } = await target.planner.call('claim_task', lease);
    if (claimed !== true) return this.#outcome('taken', branch, [], 'another agent has it');
    const renewal = systemClock.every(
      renewMs,
      () => void target.planner.call('claim_task', lease).catch(() => undefined),
    );
    try {
      const started = { project_id: this.#task.project_id, label, agent_ref: this.#agentRef, task_id, branch };
      this.#run = (await target.planner.call('start_agent_run', started))['run'] as Run;
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
      const outcome = await this.#return(branch, [], `The runner failed: ${why}`).catch(() => undefined);
      // Another task may go better; a command that is not allowed, or a defect, ends the runner.
      if (outcome === undefined || !(thrown instanceof PlannerError) || thrown.code === 'forbidden') throw thrown;
      return outcome;
    } finally {
      renewal.cancel();
    }
  }

  #note(worktree: TaskWorktree): SlotNote {
    const { id: task_id, project_id } = this.#task;
    const { top } = this.#shop.repository;
    return {
      ...worktree,
      top,
      project_id,
      task_id,
      run_id: this.#run!.id,
      agent_ref: this.#agentRef,
    };
  }

  async #inWorktree(worktree: TaskWorktree): Promise<Outcome> {
    const { setup, repository, signal } = this.#shop;
    const directory = join(worktree.directory, repository.place);
    if (setup !== undefined) {
      const ran = await this.#command(setup, directory);
      if (ran.exitCode !== 0)
        return this.#return(worktree.branch, [], `The set-up command ended with exit code ${ran.exitCode}.`);
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
      await this.#report(worktree, head, commits);
      await this.#sayOutside(outside);
      if (end.kind !== 'done') return this.#return(worktree.branch, commits, this.#failureText(end));
      if (commits.length === 0) return this.#return(worktree.branch, commits, 'The agent changed nothing.');
      const { task, gate } = await this.#presentGate();
      if (task.status !== 'in_progress' || task.assignee !== this.#agentRef)
        return this.#left(worktree.branch, commits, 'a person or another agent took the task meanwhile');
      if (gate === undefined) return this.#settle(worktree, task, commits, undefined);
      red = await this.#command(gate, join(worktree.directory, this.#shop.repository.place));
      if (red.exitCode === 0) return this.#settle(worktree, task, commits, { gate, run: red, head });
      await this.#say(`The gate is red, exit code ${red.exitCode}: attempt ${attempt} of ${tries}.`);
      if (attempt < tries) prompt = againPrompt(gate, red.exitCode, red.output.text);
      else return this.#return(worktree.branch, commits, redText(gate, red, tries));
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

  async #settle(
    worktree: TaskWorktree,
    task: ShownTask,
    commits: readonly string[],
    green: { readonly gate: string; readonly run: CommandRun; readonly head: string } | undefined,
  ): Promise<Outcome> {
    const { target, repository } = this.#shop;
    const proof = green === undefined ? undefined : await this.#proof(task, green);
    const isAuto = task.lane === 'auto';
    const mayMerge = isAuto && green !== undefined;
    const refusal = mayMerge ? await merging(() => fastForward(repository.top, green.head)) : undefined;
    const isMerged = mayMerge && refusal === undefined;
    const verified = isMerged
      ? { verified_at: isoTime(systemClock.now()), verified_ref: `gate green at ${green.head.slice(0, 10)}` }
      : {};
    // A person looks at a branch that was not merged, whatever the lane.
    const lane = isAuto && !isMerged ? { lane: 'approve' } : {};
    const commit_refs = [...new Set([...task.commit_refs, ...commits])].slice(-50);
    await target.planner.call('update_task', {
      ...{ task_id: task.id, status: 'done', commit_refs, ...verified, ...lane },
      ...(proof === undefined ? {} : { proof }),
    });
    const says = isMerged
      ? 'green and merged'
      : `${green === undefined ? 'no gate' : 'green'}: on ${worktree.branch}, for review${refusal === undefined ? '' : `, since ${refusals[refusal]}`}`;
    await this.#end('completed', `${says[0]!.toUpperCase()}${says.slice(1)}.`);
    return this.#outcome(isMerged ? 'done' : 'review', worktree.branch, commits, says);
  }

  async #proof(
    task: ShownTask,
    { gate, run, head }: { readonly gate: string; readonly run: CommandRun; readonly head: string },
  ): Promise<Proof> {
    const { target, repository, setup } = this.#shop;
    const commit = await commitNamed(repository, head);
    const made = proofOf(run, { ...commit, dirty: false, ran_by: this.#agentRef, setup });
    const surface: VerificationSurface = { kind: 'gate_command', command: gate };
    const subject = { project_id: task.project_id, title: task.label, proof: task.proof ?? undefined, surface };
    return { ...made, log_artifact_id: await putLog(target, subject, made, run) };
  }

  async #stopped(worktree: TaskWorktree): Promise<Outcome> {
    const head = await commitAll(worktree, `${this.#task.label}\n\nWork until the runner was stopped.`);
    const outcome = await this.#return(worktree.branch, await commitsOf(worktree, head), undefined);
    return { ...outcome, result: 'stopped', says: 'stopped; what was done is on its branch' };
  }

  /** Gives the task back, with the reason as a comment; its branch stays. */
  async #return(branch: string, commits: readonly string[], why: string | undefined): Promise<Outcome> {
    const { planner } = this.#shop.target;
    const { id: task_id } = this.#task;
    const kept = commits.length === 0 ? '' : `\n\nIts commits are on the branch ${branch}.`;
    const { project_id } = this.#task;
    const body = `${why}${kept}`;
    if (why !== undefined)
      await planner.call('add_comment', { project_id, target_type: 'task', target_id: task_id, body });
    await planner.call('update_task', { task_id, status: 'todo', assignee: null });
    await this.#end('failed', why?.split('\n', 1)[0] ?? 'The runner was stopped.');
    return this.#outcome('returned', branch, commits, why?.split('\n', 1)[0] ?? 'stopped');
  }

  /** Ends the run, and changes nothing of a task that is not the runner's any more. */
  async #left(branch: string, commits: readonly string[], why: string): Promise<Outcome> {
    await this.#end('failed', `${why[0]!.toUpperCase()}${why.slice(1)}.`);
    return this.#outcome('taken', branch, commits, why);
  }

  async #end(status: 'completed' | 'failed', message: string): Promise<void> {
    if (this.#run === undefined) return;
    const run_id = this.#run.id;
    this.#run = undefined;
    const { planner } = this.#shop.target;
    await planner.call('record_agent_progress', { run_id, message });
    await planner.call('complete_agent_run', { run_id, status });
  }

  async #report(worktree: TaskWorktree, head: string, commits: readonly string[]): Promise<void> {
    const { planner } = this.#shop.target;
    const diff_stat = await diffStat(worktree, head);
    await planner.call('update_agent_run', { run_id: this.#run!.id, commits, diff_stat, ...this.#usage });
  }

  /** Files of the person's own working tree that changed meanwhile: the agent may have left its worktree. */
  async #sayOutside(before: readonly string[]): Promise<void> {
    const known = new Set(before);
    const now = (await uncommittedIn(this.#shop.repository)).filter((path) => !known.has(path));
    if (now.length > 0)
      await this.#say(`Outside of the worktree, these files changed meanwhile: ${now.slice(0, 10).join(', ')}.`);
  }

  async #say(message: string): Promise<void> {
    this.#shop.deps.notice(`${this.#task.label}: ${message}`);
    if (this.#run === undefined) return;
    const line = /[?؟？]\s*$/.test(message) ? `${message} …` : message;
    const input = { run_id: this.#run.id, message: line, agent_ref: this.#agentRef };
    // A run may be full, or closed by a person: the work goes on.
    await this.#shop.target.planner.call('record_agent_progress', input).catch((thrown: unknown) => {
      if (!(thrown instanceof PlannerError)) throw thrown;
    });
  }

  #listener(): AgentListener {
    return {
      progress: (line) => void this.#say(line).catch(() => undefined),
      usage: (usage) => void (this.#usage = { ...this.#usage, ...usage }),
      ask: (question, choices) => this.#ask(question, choices),
    };
  }

  /** Asks a person, on the page, at the command line or over REST, and waits for the answer. */
  async #ask(question: string, choices: readonly string[]): Promise<string | undefined> {
    const { deps, target, askMinutesMax, signal } = this.#shop;
    const run_id = this.#run!.id;
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

  #outcome(result: Outcome['result'], branch: string, commits: readonly string[], says: string): Outcome {
    return { task_id: this.#task.id, label: this.#task.label, result, branch, commits, says };
  }
}

/** One branch at a time is merged: each is compared with the base that the one before it left. */
const merging = pLimit(1);

const refusals: Readonly<Record<NonNullable<NotMerged>, string>> = {
  moved: 'its base has moved on',
  changed: 'files that are not committed are in the way',
  filtered: 'a filter of git would have to run',
  detached: 'no branch is checked out',
};

const outputCharactersMax = 4_000;

function redText(gate: string, { exitCode, output }: CommandRun, tries: number): string {
  const tail = output.text.trimEnd().slice(-outputCharactersMax).replaceAll('```', "'''");
  return `The gate stayed red after ${tries} ${tries === 1 ? 'attempt' : 'attempts'}: ${gate} ended with exit code ${exitCode}.\n\n\`\`\`text\n${tail}\n\`\`\``;
}

/** Gives back the tasks of runners that died: their work is committed to their branches. Returns a line for each. */
export async function recoverSlots({ deps, target, repository, cache }: Workshop): Promise<readonly string[]> {
  const notes = new SlotNotes(deps.disk, cache);
  const lines: string[] = [];
  for (const note of notes.takeOver(repository.top)) {
    const { task_id, run_id, agent_ref, directory } = note;
    if (deps.disk.stat(directory) !== undefined) {
      await commitAll(note, 'Work of a runner that ended.');
      await removeWorktree(deps.disk, repository.top, note);
    }
    const quietly = (thrown: unknown): void => {
      if (!(thrown instanceof PlannerError)) throw thrown;
    };
    const task = await taskOf(target, task_id).catch(() => undefined);
    if (task?.status === 'in_progress' && task.assignee === agent_ref)
      await target.planner.call('update_task', { task_id, status: 'todo', assignee: null });
    await target.planner.call('complete_agent_run', { run_id, status: 'failed' }).catch(quietly);
    notes.remove(note);
    lines.push(`${task?.label ?? basename(directory)}: its runner had ended; its work is on ${note.branch}.`);
  }
  return lines;
}
