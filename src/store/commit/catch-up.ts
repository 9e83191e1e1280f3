import { isTurnSpent, nextTurn } from '../../base/slices.ts';
import type { Entry, Log } from '../record/log.ts';
import type { EntryBody } from '../record/entry.ts';
import type { LogTail } from '../replica/log-tail.ts';
import { applyToService, ForkError, type Replica } from '../replica/replica.ts';
import type { ServiceRecords } from '../replica/service-records.ts';
import type { DurabilityTracker } from './durability-tracker.ts';
import type { Exclusive } from './exclusive.ts';

/** A project whose log is followed. */
export interface Followed {
  readonly replica: Pick<Replica, 'project' | 'tail' | 'apply'>;
  /** Held while entries are applied. */
  readonly exclusive: Exclusive;
}

export interface CatchUpDeps<P extends Followed> {
  readonly log: Log<EntryBody>;
  readonly durability: DurabilityTracker;
  readonly service: ServiceRecords;
  readonly serviceTail: LogTail;
  readonly commit: () => { continueAfter(at: string): void };
  /**
   * Returns the object that is followed for a project by now: the project may have been loaded into memory, or dropped
   * from it.
   */
  readonly present?: (project: P) => P;
  /** Called after an entry of a project was applied: adds its revisions, and removes the project if it is dropped. */
  readonly onApplied: (project: P, entry: Entry<EntryBody>) => void;
  /** Called after an entry of the service's log was applied. */
  readonly onServiceApplied?: (entry: Entry<EntryBody>) => void;
  /** A project, or the service's records, has to be loaded again. */
  readonly onLost: (project: P | undefined, why: Lost) => void;
}

/** Why a replica cannot be continued: it misses entries that its log does not keep any more, or has others than its log. */
export type Lost = 'trimmed' | 'forked';

/** Applies what other nodes append to the logs of the service and of projects. */
export class CatchUp<P extends Followed> {
  readonly #deps: CatchUpDeps<P>;

  constructor(deps: CatchUpDeps<P>) {
    this.#deps = deps;
  }

  /**
   * Applies the entries of others to projects and to the service's records, at least all that were acknowledged before the
   * call. Changes of a project wait while entries are applied to it.
   */
  async run(projects: Iterable<P>): Promise<void> {
    const { log, serviceTail, onLost } = this.#deps;
    let left = new Map(Array.from(projects, (project) => [project.replica.project, project]));
    for (let isServiceLeft = true; ;) {
      // Reads the tails of the objects that are followed by now: the tail of a replaced project object does not move
      // any more.
      const known = new Map(Array.from(left, ([name, given]) => [name, this.#present(given).replica.tail.confirmed]));
      if (isServiceLeft) known.set(serviceTail.project, serviceTail.confirmed);
      const { entries, more, trimmed, forked } = await log.catchUp(known);
      const unfinished = new Set(more);
      // The found entries come first: they may say that a project is deleted whose log is gone.
      if (entries.length > 0) await this.#applyAll(left, entries);
      for (const name of [...trimmed, ...forked]) {
        const given = left.get(name);
        if (given === undefined && name !== serviceTail.project) continue;
        const project = given && this.#present(given);
        // The answer is out of date if the project was loaded again in between.
        const isCurrent = (project?.replica.tail ?? serviceTail).confirmed === known.get(name);
        if (isCurrent) onLost(project, trimmed.includes(name) ? 'trimmed' : 'forked');
        else unfinished.add(name);
      }
      if (unfinished.size === 0) return;
      left = new Map([...left].filter(([name]) => unfinished.has(name)));
      isServiceLeft = unfinished.has(serviceTail.project);
    }
  }

  async #applyAll(projects: ReadonlyMap<string, P>, entries: readonly Entry<EntryBody>[]): Promise<void> {
    const { serviceTail, service, onServiceApplied, onApplied } = this.#deps;
    const byProject = Map.groupBy(entries, ({ project }) => project);
    await this.#continued(undefined, () =>
      this.#apply(serviceTail, byProject.get(serviceTail.project), (entry) => {
        applyToService(serviceTail, entry, service);
        onServiceApplied?.(entry);
      }),
    );
    for (const [name, given] of projects) {
      const found = byProject.get(name);
      if (found === undefined) continue;
      for (let isApplied = false; !isApplied;) {
        const project = this.#present(given);
        if (found.every((entry) => project.replica.tail.has(entry))) break;
        await this.#continued(project, () =>
          project.exclusive.run(async () => {
            isApplied = this.#present(given) === project;
            if (!isApplied) return;
            await this.#apply(project.replica.tail, found, (entry) => {
              project.replica.apply(entry, service);
              onApplied(project, entry);
            });
          }),
        );
      }
    }
  }

  #present(project: P): P {
    return this.#deps.present?.(project) ?? project;
  }

  async #continued(project: P | undefined, apply: () => Promise<void>): Promise<void> {
    try {
      await apply();
    } catch (error) {
      if (!(error instanceof ForkError)) throw error;
      this.#deps.onLost(project, 'forked');
    }
  }

  async #apply(
    tail: LogTail,
    entries: readonly Entry<EntryBody>[] = [],
    apply: (entry: Entry<EntryBody>) => void,
  ): Promise<void> {
    if (entries.every((entry) => tail.has(entry))) return;
    // Own appends after the entries of others conflict, and are taken back.
    while (tail.isSpeculative) await this.#deps.durability.whenDecided(tail.project);
    for (const entry of entries) {
      if (entry.seq === tail.confirmed.seq && entry.id !== tail.confirmed.id)
        throw new ForkError(entry, `the replica has ${tail.confirmed.id} there`);
      if (entry.seq <= tail.confirmed.seq) continue;
      this.#deps.commit().continueAfter(entry.body.at);
      apply(entry);
      // The project is held during the turns, but changes of the service's records are not.
      if (tail !== this.#deps.serviceTail && isTurnSpent()) await nextTurn();
    }
  }
}
