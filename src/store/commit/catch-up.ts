import type { Entry, Log } from '../log.ts';
import type { EntryBody } from '../record/entry.ts';
import type { LogTail } from '../index/log-tail.ts';
import { applyToService, ForkError } from '../index/replica.ts';
import type { ServiceRecords } from '../index/service-records.ts';
import type { Commit, Committed } from './commit.ts';
import type { DurabilityTracker } from './durability-tracker.ts';

export interface CatchUpDeps<P extends Committed> {
  readonly log: Log<EntryBody>;
  readonly durability: DurabilityTracker;
  readonly service: ServiceRecords;
  readonly serviceTail: LogTail;
  readonly commit: () => Pick<Commit<P>, 'continueAfter'>;
  /** Called after an entry of a project was applied: adds its revisions, and removes the project if it is dropped. */
  readonly onApplied: (project: P, entry: Entry<EntryBody>) => void;
  /** Called after an entry of the service's log was applied. */
  readonly onServiceApplied?: (entry: Entry<EntryBody>) => void;
  /** Called with the log's clock, in milliseconds since the epoch, when an answer arrives. */
  readonly onTime?: (now: number) => void;
  /** The project has to be loaded again: its replica forked, or misses entries that the log does not keep any more. */
  readonly onLost: (project: P | undefined) => void;
}

/** Applies what other nodes append to the logs of the service and of projects. */
export class CatchUp<P extends Committed> {
  readonly #deps: CatchUpDeps<P>;

  constructor(deps: CatchUpDeps<P>) {
    this.#deps = deps;
  }

  /**
   * Applies the entries of others to projects and to the service's records, at least all that were acknowledged before the
   * call. Changes of a project wait while entries are applied to it.
   */
  async run(projects: Iterable<P>): Promise<void> {
    const { log, serviceTail, onTime, onLost } = this.#deps;
    let left = new Map(Array.from(projects, (project) => [project.replica.project, project]));
    for (let isServiceLeft = true; ;) {
      const known = new Map(Array.from(left, ([name, { replica }]) => [name, replica.tail.confirmed]));
      if (isServiceLeft) known.set(serviceTail.project, serviceTail.confirmed);
      const { entries, more, trimmed, forked, now } = await log.catchUp(known);
      onTime?.(now);
      for (const name of [...trimmed, ...forked])
        if (name === serviceTail.project || left.has(name)) onLost(left.get(name));
      if (entries.length > 0) await this.#applyAll(left, entries);
      if (more.length === 0) return;
      left = new Map([...left].filter(([name]) => more.includes(name)));
      isServiceLeft = more.includes(serviceTail.project);
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
    for (const [name, project] of projects) {
      const { tail } = project.replica;
      const found = byProject.get(name);
      if (found?.every((entry) => tail.has(entry)) !== false) continue;
      await this.#continued(project, () =>
        project.exclusive.run(() =>
          this.#apply(tail, found, (entry) => {
            project.replica.apply(entry, service);
            onApplied(project, entry);
          }),
        ),
      );
    }
  }

  async #continued(project: P | undefined, apply: () => Promise<void>): Promise<void> {
    try {
      await apply();
    } catch (error) {
      if (!(error instanceof ForkError)) throw error;
      this.#deps.onLost(project);
    }
  }

  async #apply(
    tail: LogTail,
    entries: readonly Entry<EntryBody>[] = [],
    apply: (entry: Entry<EntryBody>) => void,
  ): Promise<void> {
    if (entries.every((entry) => tail.has(entry))) return;
    // Own appends behind the entries of others conflict, and are taken back.
    while (tail.isSpeculative) await this.#deps.durability.whenDecided(tail.project);
    for (const entry of entries) {
      if (entry.seq === tail.confirmed.seq && entry.id !== tail.confirmed.id)
        throw new ForkError(entry, `the replica has ${tail.confirmed.id} there`);
      if (entry.seq <= tail.confirmed.seq) continue;
      this.#deps.commit().continueAfter(entry.body.at);
      apply(entry);
    }
  }
}
