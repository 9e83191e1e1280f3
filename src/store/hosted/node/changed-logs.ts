import type { LogTail } from '../../replica/log-tail.ts';
import type { EntryName, SharedLog } from '../storage/shared-log.ts';

export interface ChangedLogsDeps {
  readonly log: Pick<SharedLog, 'changes'>;
  /** The end of a log as this node knows it; undefined if it does not follow the log. */
  readonly tailOf: (log: string) => Pick<LogTail, 'confirmed' | 'isSpeculative'> | undefined;
  /** The names of all logs that this node follows. */
  readonly followed: () => Iterable<string>;
}

/** A log that may have further entries. */
export interface FoundLog {
  readonly log: string;
  /** Counts up with each time that a log is found. */
  readonly number: number;
  /** False while an append of this node is in progress: its entry may be in the log and then be taken back here. */
  readonly isDecided: boolean;
}

/**
 * The logs that may have entries that this node lacks: one question finds them, whatever the number of logs. They stay
 * here until they were caught up with, so that a failure in between loses none.
 */
export class ChangedLogs {
  readonly #deps: ChangedLogsDeps;
  readonly #found = new Map<string, number>();
  #count = 0;
  #answers = 0;
  /** How many answers there were when a log was begun to be loaded. */
  readonly #begun = new Map<string, number>();
  #mark: string | undefined;
  #asking: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(deps: ChangedLogsDeps) {
    this.#deps = deps;
  }

  /** Resolves when every log is found that has a new entry acknowledged before the call. Callers that wait share a question. */
  ask(): Promise<void> {
    this.#next ??= this.#asking
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return (this.#asking = this.#ask());
      });
    return this.#next;
  }

  /** A log is being loaded: its entries are asked for later than this. */
  begun(log: string): void {
    this.#begun.set(log, this.#answers);
  }

  /** A log is followed from now on, or another replica of it: what was found in between did not concern it. */
  loaded(log: string): void {
    if (this.#begun.get(log) !== this.#answers) this.#check(log);
    this.#begun.delete(log);
  }

  #check(log: string): void {
    this.#found.set(log, ++this.#count);
  }

  /** The logs that were found after the one with this number, and not caught up with since. */
  foundAfter(last: number): readonly FoundLog[] {
    const found: FoundLog[] = [];
    for (const [log, number] of this.#found)
      if (number > last) found.push({ log, number, isDecided: this.#deps.tailOf(log)?.isSpeculative !== true });
    return found;
  }

  /** Entries of these logs were asked for after they were found: unless a log was found again, it has no others. */
  done(found: readonly FoundLog[]): void {
    for (const { log, number, isDecided } of found)
      if (isDecided && this.#found.get(log) === number) this.#found.delete(log);
  }

  async #ask(): Promise<void> {
    const { log, followed } = this.#deps;
    const { entries, mark } = await log.changes(this.#mark);
    this.#mark = mark;
    this.#answers++;
    if (entries === undefined) for (const name of followed()) this.#check(name);
    else for (const entry of lastEntries(entries)) if (this.#isNew(entry)) this.#check(entry.project);
  }

  /** An entry before the last one counts as new: a log may have been begun again. */
  #isNew({ project, seq, id }: EntryName): boolean {
    const tail = this.#deps.tailOf(project);
    return tail !== undefined && !(tail.confirmed.seq === seq && tail.confirmed.id === id);
  }
}

/** The last one of each log. */
function lastEntries(entries: readonly EntryName[]): Iterable<EntryName> {
  const last = new Map<string, EntryName>();
  for (const entry of entries) if (!((last.get(entry.project)?.seq ?? 0) > entry.seq)) last.set(entry.project, entry);
  return last.values();
}
