import { isoTime } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { noteEnd, suspendedWork, workId } from '../domain/feed/fatal-work.ts';
import type { Worker } from '../domain/feed/fatal-work.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import { PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { runAsWork } from '../platform/current-work.ts';
import type { ProjectWork } from '../platform/current-work.ts';
import type { Store } from '../store/index.ts';
import { version } from '../base/version.ts';

export interface SupervisorOptions {
  readonly store: Pick<Store<PlannerCollections>, 'readService' | 'updateService'>;
  readonly clock: Clock;
  readonly log: (entry: {
    readonly level: 'warn' | 'error';
    readonly message: string;
    readonly project: string;
  }) => void;
}

/**
 * Runs the work of a service for one project without a call. Work that ends the process, by an exception that nothing
 * catches, is begun again at the next start; the second time it is suspended, so that one project does not end the
 * service again and again.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #suspended: ReadonlySet<string> = new Set();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Reads which work is suspendedbefore work is begun, since another process may have ended in between. */
  async load(): Promise<void> {
    this.#suspended = new Set(await this.#options.store.readService(suspendedWork));
  }

  isSuspended(work: ProjectWork): boolean {
    return this.#suspended.has(workId(work));
  }

  /**
   * Does work for a project, unless it is suspended: then another version of Planner does it. Never rejects: errors are
   * logged, except for an absent project. Resolves to whether it was done, or is suspended.
   */
  async run(worker: Worker, project: string, run: () => Promise<unknown>): Promise<boolean> {
    const work: ProjectWork = { worker, project, of: version };
    if (this.isSuspended(work)) return true;
    try {
      await runAsWork(work, run);
      return true;
    } catch (error) {
      // A project that was removed, or a root that cannot be written.
      if (!(error instanceof PlannerError && error.code === 'not_found'))
        this.#options.log({
          level: 'error',
          project,
          message: `Background work (${worker}): ${(error as Error).message}`,
        });
      return false;
    }
  }

  /** Notes that work ended the process. Never rejects. */
  async noteEnd(work: ProjectWork): Promise<void> {
    const { store, clock, log } = this.#options;
    const { project, worker } = work;
    try {
      const meta = { author: 'system', source: 'system' } as const;
      const { ends } = await store.updateService(meta, (tx) => noteEnd(tx, work, isoTime(clock.now())));
      const next = ends < limits.workEndsMax ? 'It is tried once more' : 'It is suspended';
      log({ level: 'warn', project, message: `Background work (${worker}) ended the service. ${next}.` });
    } catch (error) {
      log({
        level: 'error',
        project,
        message: `The end by background work was not noted: ${(error as Error).message}`,
      });
    }
  }
}
