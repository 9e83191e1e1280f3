import type { StoreStatus } from '../../src/store/record/status.ts';
import { Random } from '../support/random.ts';
import { client, type ClientAction } from './actors/client.ts';
import { editor } from './actors/editor.ts';
import { Repository } from './actors/git.ts';
import { mover } from './actors/mover.ts';
import { events } from './actors/operator.ts';
import { check, nothing } from './checks.ts';
import { EventLoop } from './event-loop.ts';
import type { Schedule, Step } from './schedule.ts';
import { weatherOf } from './weather.ts';
import { rescanIntervalMs, type SimulationOptions, World } from './world.ts';

export interface Outcome {
  readonly failures: readonly string[];
  /** The events, one line each. */
  readonly lines: readonly string[];
  readonly operations: number;
  /** The number of steps that were begun: all of them unless one failed. */
  readonly steps: number;
}

/** The service comes to rest within this time. */
const restMsMax = 180_000;
/** The time after which changes that events report are served, on a fast machine. */
const noticedMs = 4000;
/** A service that has not looked at a file for this time does not wait to look at one again: the longest wait is for an empty file. */
const idleMs = 2500;

/** Runs a schedule from an empty disk to its end, or to the first failure. The same schedule runs the same way. */
export async function simulate({ seed, steps }: Schedule, options: SimulationOptions = {}): Promise<Outcome> {
  return new Simulation(seed, options).run(steps);
}

class Simulation {
  readonly #world: World;
  readonly #loop: EventLoop;
  readonly #repository: Repository;
  #last = nothing;

  constructor(seed: number, options: SimulationOptions) {
    const random = new Random(seed ^ 0x5eed);
    this.#world = new World(random, weatherOf(random, seed), options);
    this.#loop = new EventLoop(this.#world.machine.time, new Random(seed ^ 0x1d5));
    this.#repository = new Repository(this.#world);
  }

  async run(steps: readonly Step[]): Promise<Outcome> {
    const world = this.#world;
    let begun = 0;
    this.#loop.begin();
    try {
      void world.start();
      await this.#quiet();
      for (const step of steps) {
        if (world.failures.length > 0) break;
        begun++;
        await this.#step(step);
      }
      if (world.failures.length === 0) await this.#quiet();
    } finally {
      world.end();
      await this.#loop.drain();
      this.#loop.end();
    }
    const { failures, lines, operations } = world;
    return { failures, lines, operations, steps: begun };
  }

  async #step(step: Step): Promise<void> {
    const world = this.#world;
    await this.#pass(step.afterMs);
    world.ledger.step = step.index;
    const random = new Random(step.seed);
    // A torn file is not touched before the service has written it again.
    const isTorn = world.ledger.isCut && this.#status()?.pending !== 0;
    if (isTorn && ['editor', 'mover', 'git'].includes(step.actor)) return;
    // They may replace a file by one without a text.
    if (step.actor === 'mover' || step.actor === 'git') world.withText.clear();
    if (step.actor === 'mover' || step.actor === 'editor') world.wasGitAlone = false;
    if (step.actor === 'mover' || step.actor === 'git') world.wereEditorsAlone = false;
    switch (step.actor) {
      case 'client':
        return void client(world, random, step.event as ClientAction);
      case 'editor':
        return world.run(editor(world, random));
      case 'mover':
        return world.run(mover(world, random));
      case 'git':
        return world.run(this.#repository.command(random));
      case 'operator':
        return events[step.event!]!(world, random);
      case 'quiet':
        return this.#quiet();
    }
  }

  /** Time passes: everything that is due happens. */
  async #pass(ms: number): Promise<void> {
    const { machine, random } = this.#world;
    const { time, weather } = machine;
    const until = time.monotonic() + ms;
    do {
      await this.#loop.drain();
      if (this.#loop.error !== undefined) {
        const { stack, message } = this.#loop.error as Error;
        this.#world.fail(`an error that nobody handles: ${stack ?? message}`);
        this.#loop.error = undefined;
      }
      if (random.chance(weather.longTurns)) time.pass(random.integer(5, 30));
    } while (time.turn(until, (turn) => this.#loop.run(turn)));
    time.pass(until - time.monotonic());
  }

  /** All actors pause until the service is at rest; then everything is compared. */
  async #quiet(): Promise<void> {
    const world = this.#world;
    world.say('quiet');
    const began = world.machine.time.monotonic();
    const isOver = (): boolean => world.machine.time.monotonic() - began > restMsMax;
    world.machine.fault = undefined;
    while (!this.#isIdle() && !isOver()) await this.#pass(20);
    const isNoticed = world.process?.wasWatchReliable() === true && !world.machine.hasFailedToRead;
    world.machine.hasFailedToRead = false;
    // Without the event of the new name, a renamed file counts as deleted until a rescan finds it.
    world.wasGitAlone &&= isNoticed;
    await this.#pass(isNoticed ? noticedMs : 2 * rescanIntervalMs + 10_000);
    while (!this.#isAtRest() && !isOver()) await this.#pass(500);
    if (!this.#isIdle()) world.fail(`not idle after ${restMsMax} ms: ${world.programs} programs, ${world.calls} calls`);
    if (world.failures.length > 0) return;
    world.say('check');
    const checked = check(world, this.#last).then(
      (snapshot) => (this.#last = snapshot),
      (error: unknown) => world.fail(`the check fails: ${(error as Error).stack}`),
    );
    await this.#until(checked);
    world.ledger.onQuiet();
    world.rewritten.clear();
    world.resaved.clear();
    world.wasGitAlone = world.wereEditorsAlone = true;
    world.hands.sync();
  }

  /** Lets time pass until a promise is settled. */
  async #until(settled: Promise<unknown>): Promise<void> {
    const state = { isOver: false };
    void settled.finally(() => (state.isOver = true));
    for (let i = 0; i < 1000 && !state.isOver; i++) await this.#pass(5);
  }

  #isIdle(): boolean {
    const { programs, calls } = this.#world;
    const status = this.#status();
    if (status?.writable === false) {
      this.#world.say('the service is read-only: it is restarted');
      this.#world.kill();
    }
    return status?.writable === true && programs === 0 && calls === 0;
  }

  #isAtRest(): boolean {
    const { machine, busyAt } = this.#world;
    return this.#isIdle() && this.#status()?.pending === 0 && machine.time.monotonic() - busyAt > idleMs;
  }

  /** Undefined while the service is down: it may end while it is asked. */
  #status(): StoreStatus | undefined {
    try {
      return this.#world.store?.status();
    } catch {
      return undefined;
    }
  }
}
