import type { Append, Appended, Head } from '../../record/log.ts';

/** An append that waits, or whose statement is under way. */
export interface WaitingAppend extends Append {
  /** The body as JSON in UTF-8; undefined until a large one is encoded, right before it is sent. */
  bytes: Uint8Array | undefined;
  /** The UTF-8 forms of its revisions, in their order. */
  revisionBytes: readonly Uint8Array[];
  /** The UTF-8 forms of the texts stored with it, in their order. */
  textBytes: readonly Uint8Array[];
  /** The words of each of its titles, in their order. */
  titleWords: readonly (readonly string[])[];
}

/** The bytes of an append with the data stored with it; undefined until a large one is encoded. */
export function sizeOf({ bytes, revisionBytes, textBytes }: WaitingAppend): number | undefined {
  return bytes && [...revisionBytes, ...textBytes].reduce((sum, { length }) => sum + length, bytes.length);
}

/** Appends that are decided together, and the caller who waits. */
export interface Call {
  readonly appends: readonly WaitingAppend[];
  readonly resolve: (outcome: Appended) => void;
}

/** The calls that share one statement. */
export interface Batch {
  readonly calls: readonly Call[];
  readonly isLarge: boolean;
}

/** The approximate maximum of one statement. An entry above it has a statement of its own. */
const batchBytesMax = 256 * 1024;
const batchCallsMax = 512;

/**
 * The appends of one node that wait for a statement, in the order of their calls. A project is in one statement at a
 * time: later entries wait for the next statement, so that they are appended in order. So is an answer to repeats.
 */
export class AppendQueue {
  #waiting: Call[] = [];
  /** The projects and answers of the calls under way. */
  readonly #busy = { projects: new Set<string>(), answers: new Set<string>() };
  #isLargeUnderWay = false;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(call: Call): void {
    this.#waiting.push(call);
  }

  /** The calls of the next statement; undefined if no call can be sent now. They are under way until `done`. */
  take(): Batch | undefined {
    const forming = new FormingBatch(this.#busy, this.#isLargeUnderWay);
    const rest = this.#waiting.filter((call) => !forming.takes(call));
    const { calls, isLarge } = forming;
    if (calls.length === 0) return undefined;
    this.#waiting = rest;
    this.#isLargeUnderWay ||= isLarge;
    for (const { project, beside } of calls.flatMap(({ appends }) => appends)) {
      this.#busy.projects.add(project);
      for (const { id } of beside?.answers ?? []) this.#busy.answers.add(id);
    }
    return { calls, isLarge };
  }

  /** `resting`: projects whose further entries wait until they have rested. */
  done({ calls, isLarge }: Batch, resting: ReadonlySet<string> = new Set()): void {
    if (isLarge) this.#isLargeUnderWay = false;
    for (const { project, beside } of calls.flatMap(({ appends }) => appends)) {
      if (!resting.has(project)) this.#busy.projects.delete(project);
      for (const { id } of beside?.answers ?? []) this.#busy.answers.delete(id);
    }
  }

  rested(project: string): void {
    this.#busy.projects.delete(project);
  }

  /** Removes the waiting calls with an append that matches, and returns them. */
  remove(matches: (append: Append) => boolean): readonly Call[] {
    const removed: Call[] = [];
    this.#waiting = this.#waiting.filter((call) => {
      if (!call.appends.some(matches)) return true;
      removed.push(call);
      return false;
    });
    return removed;
  }
}

/** Collects the calls of one statement, which are offered in their order. */
class FormingBatch {
  readonly calls: Call[] = [];
  isLarge = false;
  readonly #blocked: Set<string>;
  readonly #isLargeUnderWay: boolean;
  /** The last entry of each project in the batch: another follows it, or waits for the outcome. */
  readonly #tips = new Map<string, Head>();
  readonly #answers: Set<string>;
  #bytes = 0;
  /** Nothing joins entries that are appended together, or a large one. */
  #isClosed = false;

  constructor(
    busy: { readonly projects: ReadonlySet<string>; readonly answers: ReadonlySet<string> },
    isLargeUnderWay: boolean,
  ) {
    this.#blocked = new Set(busy.projects);
    this.#answers = new Set(busy.answers);
    this.#isLargeUnderWay = isLargeUnderWay;
  }

  takes(call: Call): boolean {
    if (this.#isClosed) return false;
    if (this.#fits(call)) {
      this.#add(call);
      return true;
    }
    // The later calls of its logs wait, too.
    for (const { project } of call.appends) this.#blocked.add(project);
    return false;
  }

  #fits({ appends }: Call): boolean {
    if (appends.some(({ project }) => this.#blocked.has(project))) return false;
    // One of two calls with the same answer waits for the other.
    if (appends.some(({ beside }) => beside?.answers?.some(({ id }) => this.#answers.has(id)))) return false;
    if (isAlone(appends)) return this.calls.length === 0 && !(hasLarge(appends) && this.#isLargeUnderWay);
    const [append] = appends as [WaitingAppend];
    const { project, after } = append;
    const tip = this.#tips.get(project);
    if (tip !== undefined && (tip.seq !== after.seq || tip.id !== after.id)) return false;
    return this.#bytes + sizeOf(append)! <= batchBytesMax || this.calls.length === 0;
  }

  #add(call: Call): void {
    this.calls.push(call);
    if (isAlone(call.appends)) {
      this.isLarge = hasLarge(call.appends);
      this.#isClosed = true;
      return;
    }
    const [append] = call.appends as [WaitingAppend];
    const { project, after, id, beside } = append;
    this.#tips.set(project, { seq: after.seq + 1, id });
    for (const answer of beside?.answers ?? []) this.#answers.add(answer.id);
    this.#bytes += sizeOf(append)!;
    this.#isClosed = this.#bytes >= batchBytesMax || this.calls.length === batchCallsMax;
  }
}

function isAlone(appends: readonly WaitingAppend[]): boolean {
  return appends.length > 1 || hasLarge(appends);
}

function hasLarge(appends: readonly WaitingAppend[]): boolean {
  return appends.some((append) => (sizeOf(append) ?? Infinity) > batchBytesMax);
}
