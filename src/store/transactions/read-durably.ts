import { type Fetched, type LookUps, Needed, untilFetched } from '../record/look-ups.ts';
import type { ProjectReadTransaction } from '../replica/transaction.ts';
import type { EngineProject, StoreEngine } from './store-engine.ts';

/**
 * Reads, and resolves once everything that was read is durable; reads again after a rollback, and after a look-up. An
 * error is thrown only after the state that it depends on is durable.
 */
export async function readDurably<P extends EngineProject, T>(
  engine: Pick<StoreEngine<P>, 'durability' | 'lookUps' | 'viewOf' | 'whenSettled'>,
  project: P,
  read: (view: ProjectReadTransaction) => T,
): Promise<T> {
  for (let fetched: Fetched | undefined; ;) {
    const settled = engine.whenSettled(project);
    if (settled !== undefined) {
      await settled;
      continue;
    }
    let result: T | undefined;
    let failure: unknown;
    let failed = false;
    try {
      result = engine.lookUps.within(fetched, () => read(engine.viewOf(project)));
    } catch (error) {
      if (error instanceof Needed) {
        fetched = await error.fetch(fetched);
        continue;
      }
      [failed, failure] = [true, error];
    }
    const durable = engine.durability.whenDurable(project.id);
    // The state that was read has been rolled back: read again.
    if (durable !== undefined && !(await durable)) continue;
    if (failed) throw failure as Error;
    return result as T;
  }
}

/**
 * Reads all projects: `whenIdle` resolves when no change is in progress, `whenDurable` to whether all that was read
 * became durable.
 */
export function readAllDurably<T>(
  {
    lookUps,
    whenIdle,
    whenDurable,
  }: {
    readonly lookUps: LookUps;
    readonly whenIdle: () => Promise<unknown>;
    readonly whenDurable: () => Promise<boolean>;
  },
  read: () => T,
): Promise<T> {
  return untilFetched(async (fetched) => {
    for (;;) {
      await whenIdle();
      const result = lookUps.within(fetched, read);
      if (await whenDurable()) return result;
    }
  });
}
