import { type Fetched, type LookUps, Needed, untilFetched } from '../record/look-ups.ts';

/** The conditions that a read of one project waits for. */
export interface ReadGround {
  readonly lookUps: LookUps;
  /** The change in progress, or undefined. */
  readonly held: () => Promise<void> | undefined;
  /** Resolves to whether the present state becomes durable; undefined if it is. */
  readonly whenDurable: () => Promise<boolean> | undefined;
}

/**
 * Reads, and resolves once everything that was read is durable; reads again after a rollback, and after a look-up. An
 * error is thrown only after the state that it depends on is durable.
 */
export async function readDurably<T>({ lookUps, held, whenDurable }: ReadGround, read: () => T): Promise<T> {
  for (let fetched: Fetched | undefined; ;) {
    const change = held();
    if (change !== undefined) {
      await change;
      continue;
    }
    let result: T | undefined;
    let failure: unknown;
    let failed = false;
    try {
      result = lookUps.within(fetched, read);
    } catch (error) {
      if (error instanceof Needed) {
        fetched = await error.fetch(fetched);
        continue;
      }
      [failed, failure] = [true, error];
    }
    const durable = whenDurable();
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
