import { Needed } from '../../record/look-ups.ts';
import { NeededInMemory } from './cold-view.ts';
import { unlessGone } from '../../transactions/gone-error.ts';
import type { HostedProject } from './hosted-project.ts';

/** Projects that stay in memory until a call has ended, which uses several. */
export class Holds {
  readonly #using: (id: string, use: (project: HostedProject) => Promise<void>) => Promise<void>;
  readonly #released = Promise.withResolvers<void>();

  constructor(residents: { using<T>(id: string, use: (project: HostedProject) => Promise<T>): Promise<T> }) {
    this.#using = (id, use) => residents.using(id, use);
  }

  /** Resolves when the project is in memory. Rejects with `GoneError` if it does not exist. */
  hold(id: string): Promise<void> {
    const { promise: held, resolve, reject } = Promise.withResolvers<void>();
    const use = (): Promise<void> => {
      resolve();
      return this.#released.promise;
    };
    this.#using(id, use).catch(reject);
    return held;
  }

  /** Runs a rule that is run again once the needed data is in memory. */
  holding<T>(rule: () => T): T {
    try {
      return rule();
    } catch (error) {
      if (!(error instanceof NeededInMemory)) throw error;
      const { project } = error;
      throw new Needed(project, async () => {
        await this.hold(project).catch(unlessGone);
        return [];
      });
    }
  }

  release(): void {
    this.#released.resolve();
  }
}
