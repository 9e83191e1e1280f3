import { NotInMemory, type Steps } from '../../base/slices.ts';

/** The values that a call has fetched by look-ups, by key. */
export class Fetched extends Map<string, unknown> {
  /** How often the call was run again. */
  rounds = 0;
}

/**
 * Thrown by a rule that looks up data that is not in memory: a large text, the bytes of a file, a revision. The store
 * fetches it and runs the rule again, with the fetched data.
 */
export class Needed extends NotInMemory {
  readonly #load: () => Promise<Iterable<readonly [key: string, value: unknown]>>;
  readonly #within: Within;

  constructor(
    what: string,
    load: () => Promise<Iterable<readonly [key: string, value: unknown]>>,
    within: Within = (_, run) => run(),
  ) {
    super(`${what} is not in memory: the rule has to be run again once it is fetched.`);
    this.#load = load;
    this.#within = within;
  }

  /** Adds the needed values to the values that the call has fetched before. */
  async fetch(into: Fetched = new Fetched()): Promise<Fetched> {
    for (const [key, value] of await this.#load()) into.set(key, value);
    into.rounds++;
    return into;
  }

  override arrival(): Promise<unknown> {
    return this.fetch();
  }

  /** Runs with the needed values, once they are fetched. */
  again<T>(run: () => T): Promise<T> {
    const first = this.fetch();
    return untilFetched(async (fetched) => {
      const known = await first;
      for (const [key, value] of fetched ?? []) known.set(key, value);
      return this.#within(known, run);
    });
  }
}

/** Runs with the fetched values. */
type Within = <T>(fetched: Fetched, run: () => T) => T;

/**
 * Runs outside of a rule a function that may look something up: resolves to its value if something has to be fetched
 * first.
 */
export function whenFetched<T>(run: () => T): T | Promise<T> {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Needed)) throw error;
    return error.again(run);
  }
}

/** Runs an attempt until it needs nothing that is not in memory. */
export async function untilFetched<T>(attempt: (fetched: Fetched | undefined) => T | Promise<T>): Promise<T> {
  for (let fetched: Fetched | undefined; ;) {
    try {
      return await attempt(fetched);
    } catch (error) {
      if (!(error instanceof Needed)) throw error;
      fetched = await error.fetch(fetched);
    }
  }
}

/** Running a rule costs more than reading its look-ups from the disk: further look-ups block. */
const roundsMax = 2;
const nothing = new Fetched();

/** How a value is looked up that is not in memory. */
export interface LookUp<T> {
  /** Reads it while everything else waits. Absent if it is not on this machine. */
  readonly now?: () => T;
  /** The values by key, without missing ones. `rounds`: how often the rule was run again before. */
  readonly later: (rounds: number) => Promise<Iterable<readonly [key: string, value: T]>>;
}

/**
 * Look-ups of values that are not in memory. Within a rule that can be run again they throw `Needed`, so that the disk
 * does not block other calls; elsewhere they block.
 */
export class LookUps {
  /** The fetched values of the rule that is running. */
  #fetched: Fetched | undefined;

  /** Runs a rule that is run again if it throws `Needed`. */
  within<T>(fetched: Fetched | undefined, rule: () => T): T {
    const former = this.#fetched;
    this.#fetched = fetched ?? nothing;
    try {
      return rule();
    } finally {
      this.#fetched = former;
    }
  }

  /** Runs a rule that runs in slices. */
  *withinSteps<T>(fetched: Fetched | undefined, rule: Steps<T>): Steps<T> {
    try {
      for (;;) {
        const step = this.within(fetched, () => rule.next());
        if (step.done === true) return step.value;
        yield;
      }
    } finally {
      rule.return(undefined as T);
    }
  }

  get<T>(key: string, { now, later }: LookUp<T>): T {
    const fetched = this.#fetched;
    if (fetched?.has(key) === true) return fetched.get(key) as T;
    if (now !== undefined && (fetched === undefined || fetched.rounds >= roundsMax)) return now();
    const rounds = fetched?.rounds ?? 0;
    throw new Needed(
      key,
      () => later(rounds),
      (known, run) => this.within(known, run),
    );
  }
}
