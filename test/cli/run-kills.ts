import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { delay, systemClock } from '../../src/base/clock.ts';
import type { Run } from '../../src/schema/types.ts';
import { Command } from '../support/command.ts';
import type { Finished } from '../support/command.ts';
import { git, initRepository } from '../support/git.ts';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell } from './planner.ts';

// Tests read results of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

/** What is killed. */
const victims = ['runner', 'agent', 'service'] as const;
type Victim = (typeof victims)[number];

/** After which step, and how long after it at most, in milliseconds. */
const moments = [
  ...[{ after: 'start', ms: 1_500 } as const, { after: 'note', ms: 150 } as const],
  ...[{ after: 'agent begins', ms: 60 } as const, { after: 'agent wrote', ms: 60 } as const],
  ...[{ after: 'gate begins', ms: 60 } as const, { after: 'gate ends', ms: 250 } as const],
  // Of the merge of an approved branch.
  ...[{ after: 'merge begins', ms: 60 } as const, { after: 'merge ends', ms: 250 } as const],
] as const;
type Moment = (typeof moments)[number];

/** Rounds after which everything is worked to its end, and compared. */
const roundsBetweenChecks = 10;

/** An agent that notes its steps and what it has written; it commits a part of it. */
const agentScript = (log: string): string => `
n=$(sed -n 's/^# Task \\([0-9]*\\)$/\\1/p' | head -n 1)
name="work-$n-$$"
echo "agent begins $$" >> ${log}
echo one > "$name-a"; echo "written $name-a" >> ${log}
echo "agent wrote $$" >> ${log}
case $n in *[02468]) git add --all; git commit --quiet --message "Work on $n";; esac
echo two > "$name-b"; echo "written $name-b" >> ${log}
echo yes > "done-$n"
echo "agent ends $$" >> ${log}
`;

/** Kills the runner, its agents and the service at random steps, and works everything to its end in between. */
export function describeKills(rounds: number): void {
  describe('planner run that is killed', function () {
    this.timeout(0);
    const scratch = scratchDirectory();

    it(`loses no work and repeats nothing when it, its agent or the service is killed at any step, ${rounds} times [A.run.death]`, async () => {
      const killing = await Killing.start(scratch.path, Random.announced('kills'));
      try {
        for (let round = 1; round <= rounds; round++) {
          await killing.round(round);
          if (round % roundsBetweenChecks === 0 || round === rounds) await killing.check();
        }
        console.log(`      ${killing.summary()}`);
      } finally {
        await killing.end();
      }
    });
  });
}

class Killing {
  readonly #shell: Shell;
  readonly #random: Random;
  readonly #log: string;
  readonly #isAlive: (pid: number) => boolean;
  readonly #project: string;
  readonly #goal: string;
  readonly #tasks: { readonly id: string; readonly number: number }[] = [];
  readonly #counts = new Map<string, number>();
  #late = 0;
  #url: string | undefined;

  private constructor(shell: Shell, random: Random, scratch: string, ids: { project: string; goal: string }) {
    this.#shell = shell;
    this.#random = random;
    this.#log = join(scratch, 'log');
    this.#isAlive = (pid) => livesIn(scratch, pid);
    this.#project = ids.project;
    this.#goal = ids.goal;
  }

  static async start(scratch: string, random: Random): Promise<Killing> {
    const shell = new Shell(scratch);
    initRepository(shell.directory);
    git(shell.directory, 'config', 'user.name', 'Ada');
    git(shell.directory, 'config', 'user.email', 'ada@example.org');
    await shell.ok(['init']);
    const project = (await shell.json(['call', 'create_project', JSON.stringify({ name: 'Shop' })])).project
      .id as string;
    const goal = (await shell.json(['goal', 'add', 'Payments'])).goal.id as string;
    // The goal stays open.
    await shell.ok(['task', 'add', 'Last', '--goal', goal, '--lane', 'full']);
    writeFileSync(join(shell.directory, '.git/info/exclude'), '.planner\n');
    writeFileSync(join(shell.directory, 'begun'), '');
    git(shell.directory, 'add', '--all');
    git(shell.directory, 'commit', '--quiet', '--message', 'Begin');
    writeFileSync(join(scratch, 'agent.sh'), agentScript(join(scratch, 'log')));
    writeFileSync(join(scratch, 'log'), '');
    const place = join(shell.home, '.config/planner');
    mkdirSync(place, { recursive: true });
    const scripted = { command: '/bin/sh', args: [join(scratch, 'agent.sh')], protocol: 'stdin', env: {} };
    writeFileSync(join(place, 'agents.json'), JSON.stringify({ scripted }));
    return new Killing(shell, random, scratch, { project, goal });
  }

  /** One more task, and a runner of which something is killed. */
  async round(number: number): Promise<void> {
    const victim = this.#random.pick(victims);
    const approves = this.#random.chance(0.5) && (await this.#approve());
    const moment = this.#random.pick(moments.filter(({ after }) => approves || !after.startsWith('merge')));
    const wait = this.#random.integer(0, moment.ms);
    await this.#add(number);
    const begun = this.#steps().length;
    const runner = this.#run();
    let hasEnded = false;
    const finished = runner.finished.finally(() => (hasEnded = true));
    while (!hasEnded && !this.#isReached(moment, begun)) await delay(systemClock, 2);
    await delay(systemClock, wait);
    const isLate = hasEnded || !(await this.#kill(victim, runner));
    if (isLate) this.#late++;
    else
      this.#counts.set(
        `${victim} after ${moment.after}`,
        1 + (this.#counts.get(`${victim} after ${moment.after}`) ?? 0),
      );
    const ended = await finished;
    if (victim !== 'runner') expect(ended.code, `${victim} after ${moment.after}: ${ended.errors}`).to.be.oneOf([0, 1]);
  }

  async #add(number: number): Promise<void> {
    // The gate on the result of a merge runs in a worktree of its own.
    const gate = `case $PWD in */verify/*) at=merge;; *) at=gate;; esac; echo "$at begins" >> ${this.#log}; test -f done-${number}; code=$?; echo "$at ends" >> ${this.#log}; exit $code`;
    const lane = this.#random.pick(['auto', 'approve']);
    const words = ['task', 'add', `Task ${number}`, '--goal', this.#goal, '--gate', gate, '--lane', lane];
    this.#tasks.push({ id: (await this.#shell.json(words)).task.id as string, number });
  }

  /** Approves what waits for a review. Returns whether there is something to merge. */
  async #approve(): Promise<boolean> {
    let approved = 0;
    for (const { id } of this.#tasks) {
      // The service may be dead: a command finds the plan in either case.
      const { status, branch, verified_at } = (
        await this.#shell.json(['call', 'get_task', JSON.stringify({ task_id: id })])
      ).task;
      if (status !== 'done' || branch === null || verified_at !== null) continue;
      await this.#shell.ok(['approve', id]);
      approved++;
    }
    return approved > 0;
  }

  #run(): Command {
    return new Command(['run', '--agent', 'scripted', '--trust', '--tries', '1'], this.#shell.options());
  }

  #steps(): readonly string[] {
    return readFileSync(this.#log, 'utf8').split('\n').slice(0, -1);
  }

  #isReached({ after }: Moment, begun: number): boolean {
    if (after === 'start') return true;
    if (after === 'note') return this.#notes().length > 0;
    return this.#steps()
      .slice(begun)
      .some((line) => line.startsWith(after));
  }

  #notes(): readonly string[] {
    const place = join(this.#shell.home, '.cache/planner/slots');
    return existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.json')) : [];
  }

  #agents(): readonly number[] {
    return this.#steps()
      .flatMap((line) => /^agent begins (\d+)$/.exec(line)?.[1] ?? [])
      .map(Number);
  }

  /** Returns whether there was something to kill. */
  async #kill(victim: Victim, runner: Command): Promise<boolean> {
    if (victim === 'runner') {
      await runner.kill();
      return true;
    }
    const pid = victim === 'agent' ? this.#agents().findLast(this.#isAlive) : this.#servicePid();
    if (pid === undefined || !this.#isAlive(pid)) return false;
    process.kill(pid, 'SIGKILL');
    return true;
  }

  #servicePid(): number | undefined {
    if (!existsSync(this.#serverFile)) return undefined;
    return (JSON.parse(readFileSync(this.#serverFile, 'utf8')) as { readonly pid: number }).pid;
  }

  /** Works everything to its end, and compares it with what the agents have written. */
  async check(): Promise<void> {
    const here = (...args: readonly string[]): string => git(this.#shell.directory, ...args).trim();
    let last: Finished | undefined;
    // A task that came back is tried once by each run.
    for (let tries = 0; tries < 3 && last?.code !== 0; tries++) last = await this.#run().finished;
    expect(last, last!.errors).to.include({ code: 0 });
    expect(this.#agents().filter(this.#isAlive), 'agents').to.deep.equal([]);
    // The address that agents have stays.
    const { url } = JSON.parse(readFileSync(this.#serverFile, 'utf8')) as { readonly url: string };
    expect((this.#url ??= url), 'the address of the service').to.equal(url);
    expect(
      here('status', '--porcelain', '--untracked-files=no').split('\n'),
      'the working tree is that of its commit',
    ).to.deep.equal(['']);
    const { keys } = await this.#read('/keys');
    expect(keys, 'keys').to.deep.equal([]);
    expect(this.#notes(), 'notes').to.deep.equal([]);
    expect(here('worktree', 'list').split('\n'), 'worktrees').to.have.length(1);
    expect(here('fsck', '--full', '--strict', '--no-dangling')).to.equal('');
    const { artifacts } = await this.#read(`/projects/${this.#project}/artifacts?limit=1000`);
    const { runs } = (await this.#read(`/projects/${this.#project}/agent-runs?limit=1000`)) as { runs: readonly Run[] };
    for (const { id, number } of this.#tasks.splice(0)) {
      const task = await this.#read(`/tasks/${id}`);
      const at = `task ${number}`;
      expect(task.status, at).to.equal('done');
      expect(
        artifacts.filter(({ title }: Any) => title === `Gate of Task ${number} (${id.slice(-4)})`),
        at,
      ).to.have.length(1);
      const own = runs.filter(({ task_id }) => task_id === id);
      expect(
        own.filter(({ status }) => status === 'running'),
        at,
      ).to.deep.equal([]);
      expect(
        own.filter(({ status }) => status === 'completed'),
        at,
      ).to.have.length(1);
      const { comments } = await this.#read(`/tasks/${id}/comments`);
      const bodies = comments.map(({ body }: Any) => body as string);
      expect(new Set(bodies).size, `${at}: ${bodies.join('\n')}`).to.equal(bodies.length);
      const branch = own.find(({ status }) => status === 'completed')!.branch!;
      const tip = here('branch', '--list', branch) === '' ? 'HEAD' : branch;
      const files = new Set(here('ls-tree', '-r', '--name-only', tip).split('\n'));
      const written = this.#steps().flatMap((line) => /^written (work-(\d+)-.*)$/.exec(line)?.slice(1, 3) ?? []);
      for (let n = 0; n < written.length; n += 2)
        if (written[n + 1] === String(number)) expect([...files], at).to.include(written[n]);
    }
  }

  async #read(path: string): Promise<Any> {
    const { url } = JSON.parse(readFileSync(this.#serverFile, 'utf8')) as { readonly url: string };
    return (await fetch(`${url}/api/v1${path}`)).json();
  }

  get #serverFile(): string {
    return join(this.#shell.directory, '.planner/local/server.json');
  }

  summary(): string {
    const counts = [...this.#counts]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([what, count]) => `${what} ${count}`);
    return `killed: ${counts.join(', ')}; too late: ${this.#late}; agents: ${this.#agents().length}`;
  }

  async end(): Promise<void> {
    await this.#shell.run(['stop']);
  }
}

/** Returns whether a process lives whose words name a directory: a program elsewhere may have its id by now. */
function livesIn(directory: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory);
  } catch {
    return false;
  }
}
