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
   * Applies the entries of others to a project and to the service's records, at least all that were acknowledged before
   * the call. Changes of the project wait meanwhile.
   */
  async run(project: P | undefined): Promise<void> {
    const { log, serviceTail } = this.#deps;
    const tails = project === undefined ? [serviceTail] : [project.replica.tail, serviceTail];
    for (;;) {
      const { entries, more, trimmed, forked } = await log.catchUp(
        new Map(tails.map(({ project: name, confirmed }) => [name, confirmed])),
      );
      for (const name of [...trimmed, ...forked]) this.#deps.onLost(name === serviceTail.project ? undefined : project);
      if (entries.length > 0) await this.#applyAll(project, entries);
      if (more.length === 0) return;
    }
  }

  async #applyAll(project: P | undefined, entries: readonly Entry<EntryBody>[]): Promise<void> {
    const { serviceTail } = this.#deps;
    const apply = async (tail: LogTail, how: (entry: Entry<EntryBody>) => void): Promise<void> => {
      const ofTail = entries.filter(({ project: name }) => name === tail.project);
      if (ofTail.length === 0) return;
      // Own appends behind the entries of others conflict, and are taken back.
      while (tail.isSpeculative) await this.#deps.durability.whenDecided(tail.project);
      for (const entry of ofTail) {
        if (entry.seq === tail.confirmed.seq && entry.id !== tail.confirmed.id)
          throw new ForkError(entry, `the replica has ${tail.confirmed.id} there`);
        if (entry.seq <= tail.confirmed.seq) continue;
        this.#deps.commit().continueAfter(entry.body.at);
        how(entry);
      }
    };
    await apply(serviceTail, (entry) => applyToService(serviceTail, entry, this.#deps.service));
    if (project === undefined) return;
    await project.exclusive.run(() =>
      apply(project.replica.tail, (entry) => {
        project.replica.apply(entry, this.#deps.service);
        this.#deps.onApplied(project, entry);
      }),
    );
  }
}
