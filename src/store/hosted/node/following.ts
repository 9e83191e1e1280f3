import type { Clock, Timer } from '../../../base/clock.ts';
import { ChangedLogs, type ChangedLogsDeps } from './changed-logs.ts';
import { ColdProject } from './cold-project.ts';
import type { HostedFeeds } from './hosted-feeds.ts';
import type { NodeProject, NodeProjects } from './node-projects.ts';

export interface FollowingDeps extends ChangedLogsDeps {
  readonly clock: Clock;
  readonly projects: NodeProjects;
  /** Applies the entries of others to the service's records and to these projects. */
  readonly run: (projects: Iterable<NodeProject>) => Promise<void>;
  /** Resolves when every listed project is followed. */
  readonly whenLoaded: () => Promise<void>;
  /** Resolves when the service's records, and these projects, continue their logs. */
  readonly whenServed: (some: readonly NodeProject[]) => Promise<void>;
  /** Throws if the node cannot go on. */
  readonly requireWhole: () => void;
  readonly feeds: Pick<HostedFeeds, 'hasFollowers'> | undefined;
  /** Called at each turn, whether the log answers or not. */
  readonly onTurn: (turn: number) => void;
}

/** Followers of events on this node get those of other nodes within this time: a turn. */
const followMs = 250;
/** After so many turns, projects that are not in memory are followed, unless a caller follows their events: at once for all. */
const coldTurns = 8;
/** After so many turns, the heads of so many projects are asked for. */
const checkTurns = 4;
const checkedTogether = 50;

/** Brings the projects and the service's records up to what all nodes have appended: for calls, and from time to time. */
export class Following {
  readonly #deps: FollowingDeps;
  readonly #changed: ChangedLogs;
  #timer: Timer | undefined;
  #checking: Iterator<NodeProject, undefined>;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: FollowingDeps) {
    this.#deps = deps;
    this.#changed = new ChangedLogs(deps);
    this.#checking = deps.projects.values();
  }

  /** A log is being loaded: its entries up to now at least are in it once it is loaded. */
  begun(log: string): void {
    this.#changed.begun(log);
  }

  /** A log is followed from now on, or another replica of it. */
  loaded(log: string): void {
    this.#changed.loaded(log);
  }

  /** Catches up with the service's own log; from now on it is known which logs are appended to. */
  async open(): Promise<void> {
    await this.#changed.ask();
    await this.with([]);
  }

  begin(turn = 0): void {
    const { clock, onTurn } = this.#deps;
    this.#timer = clock
      .after(followMs, () => {
        onTurn(turn);
        const checked = turn % checkTurns === 0 ? this.#nextChecked() : [];
        const next = (): void => (this.#isClosed ? undefined : this.begin(turn + 1));
        // While the log does not answer, calls say so.
        const isInTurn = (log: string): boolean => turn % coldTurns === 0 || this.#isClose(log);
        this.#turn = this.#withFound(isInTurn)
          .then(() => (checked.length > 0 ? this.with(checked) : undefined))
          .then(next, next);
      })
      .unref();
  }

  /** Some projects in turn, whose heads are asked for: rows of the log may have been replaced by hand. */
  #nextChecked(): readonly NodeProject[] {
    const some: NodeProject[] = [];
    while (some.length < checkedTogether) {
      const { value, done } = this.#checking.next();
      if (done === true) {
        this.#checking = this.#deps.projects.values();
        break;
      }
      some.push(value);
    }
    return some;
  }

  /** Resolves when all projects have at least the entries acknowledged before the call. Costs what others have appended. */
  withAll(): Promise<void> {
    return this.#withFound(() => true);
  }

  /** What happens in a log is to be known soon: the service's, or that of a project that is used or followed here. */
  #isClose(log: string): boolean {
    const { projects, feeds } = this.#deps;
    return !(projects.get(log) instanceof ColdProject) || feeds?.hasFollowers(log) === true;
  }

  /** `isInTurn`: the log of this name is caught up with. The others that were found are left to a later time. */
  async #withFound(isInTurn: (log: string) => boolean): Promise<void> {
    const { projects, run, requireWhole } = this.#deps;
    requireWhole();
    await this.#changed.ask();
    for (let last = 0; ;) {
      const found = this.#changed.foundAfter(last).filter(({ log }) => isInTurn(log));
      if (found.length > 0) {
        await run(found.flatMap(({ log }) => projects.get(log) ?? []));
        this.#changed.done(found);
      }
      await this.#whenWhole();
      if (found.length === 0) return;
      last = found.reduce((most, { number }) => Math.max(most, number), last);
    }
  }

  /** The same for the service's log and these projects alone. */
  async with(some: readonly NodeProject[]): Promise<void> {
    const { run, whenServed, requireWhole } = this.#deps;
    requireWhole();
    await run(some);
    requireWhole();
    await whenServed(some);
    requireWhole();
  }

  async #whenWhole(): Promise<void> {
    const { whenLoaded, requireWhole } = this.#deps;
    requireWhole();
    await whenLoaded();
    requireWhole();
  }

  /** Resolves when the turn in progress ends. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    return this.#turn;
  }
}
