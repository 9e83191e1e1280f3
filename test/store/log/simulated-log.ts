import type { AnswerStore } from '../../../src/store/hosted/storage/answer-store.ts';
import type { RevisionStore } from '../../../src/store/hosted/storage/revision-store.ts';
import type { Changes, EntryName, SharedLog } from '../../../src/store/hosted/storage/shared-log.ts';
import type { TextStore } from '../../../src/store/hosted/storage/text-store.ts';
import type { Append, Appended, CaughtUp, Entry, Head } from '../../../src/store/record/log.ts';
import type { Revision } from '../../../src/store/record/record.ts';

/**
 * Where the connection of a node is cut during its next append, seen from the commit. `late`: the append is executed after
 * the node knows that the connection is lost.
 */
export type Cut = 'before' | 'during' | 'after' | 'late';

/** An entry as a server has it: its body is text. */
interface StoredEntry extends Omit<Entry, 'body'> {
  readonly body: string;
  /** The number of the transaction that has appended it. It ends once it is replicated. */
  readonly xact: number;
  isReplicated: boolean;
}

/** A mark of a reader: it has seen what ended before `next`, except what was open. */
interface Seen {
  readonly epoch: number;
  readonly next: number;
  readonly open: readonly number[];
}

interface StoredLog {
  /** The sequence of the first entry that is kept. */
  first: number;
  entries: StoredEntry[];
}

interface Backup {
  readonly logs: Map<string, StoredLog>;
  /** The answers by their ids. */
  readonly answers: Map<string, StoredAnswer>;
  /** The revisions of entries, as JSON, by project and id. */
  readonly revisions: Map<string, { readonly project: string; readonly seq: number; readonly body: string }>;
}

/** An answer with the place of its entry. */
interface StoredAnswer {
  readonly project: string;
  readonly seq: number;
  readonly kept: string;
  readonly expiresAt: number;
}

/** Appends that are decided together, and the caller who waits. */
interface Call {
  readonly appends: readonly Append[];
  readonly resolve: (outcome: Appended) => void;
}

const answerMs = 24 * 3_600_000;
/** The largest answers, in entries and in revisions. */
const caughtUpMax = 1000;
const revisionsMax = 3;
const textsMax = 16;
const conflict: Appended = { is: 'conflict' };

class ConnectionLost extends Error {}

/**
 * The storage of a log that several nodes share, simulated: a primary server with a synchronous standby. A commit is
 * visible on the primary before it is replicated, and acknowledged afterwards. A fail-over loses unreplicated commits.
 */
export class SimulatedLogServer {
  #logs: Backup['logs'] = new Map();
  #answers: Backup['answers'] = new Map();
  #revisions: Backup['revisions'] = new Map();
  readonly blobs = new Set<string>();
  /** Counts fail-overs. */
  epoch = 0;
  /** The number of the next transaction. */
  #nextXact = 1;
  isFull = false;

  hasAnswer(id: string): boolean {
    return this.#answers.has(id);
  }

  /** The answer to a call, whether it is replicated or not. */
  answerOf(id: string, now: number): string | undefined {
    const answer = this.#answers.get(id);
    return answer === undefined || answer.expiresAt <= now ? undefined : answer.kept;
  }

  /** Removes the answers that have expired. Returns their number. */
  sweepAnswers(now: number): number {
    const expired = [...this.#answers].filter(([, { expiresAt }]) => expiresAt <= now);
    for (const [id] of expired) this.#answers.delete(id);
    return expired.length;
  }

  /** Few fit into an answer. */
  readonly revisions: RevisionStore = {
    get: async (project, ids) => {
      await nextTurn();
      return ids.slice(0, revisionsMax).map((id) => {
        const found = this.#revisions.get(`${project} ${id}`);
        return found && (JSON.parse(found.body) as Revision);
      });
    },
  };

  /** The texts of entries by their hashes; texts of lost entries stay, as others may have them, too. */
  readonly #texts = new Map<string, string>();

  readonly texts: TextStore = {
    get: async (sha256s) => {
      await nextTurn();
      return sha256s.slice(0, textsMax).map((sha256) => this.#texts.get(sha256));
    },
  };

  /** The hashes of the stored texts. */
  get textHashes(): readonly string[] {
    return [...this.#texts.keys()];
  }

  loseText(sha256: string): void {
    this.#texts.delete(sha256);
  }

  /** The ids of the stored revisions of a project, in the order in which they were stored. */
  revisionIds(project: string): readonly string[] {
    const start = `${project} `;
    return [...this.#revisions.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
  }

  loseRevision(project: string, id: string): void {
    this.#revisions.delete(`${project} ${id}`);
  }

  /** Appends all of them, or nothing. They are visible, and not replicated yet. */
  commit(appends: readonly Append[], now: number): Appended {
    if (this.isFull)
      return { is: 'refused', why: new Error('could not extend file: No space left'), isUndecided: false };
    if (!appends.every(({ project, after }) => this.#isHead(project, after))) return conflict;
    const answers = appends
      .flatMap(({ beside }) => beside?.answers ?? [])
      .filter(({ id }) => this.answerOf(id, now) !== undefined);
    if (answers.length > 0) return { is: 'repeat', answers: answers.map(({ id }) => id) };
    const blobs = appends.flatMap(({ beside }) => beside?.blobs ?? []).filter((hash) => !this.blobs.has(hash));
    if (blobs.length > 0) return { is: 'missing', blobs };
    const xact = this.#nextXact++;
    for (const { project, after, id, body, beside } of appends) {
      const seq = after.seq + 1;
      const text = JSON.stringify(body);
      this.#log(project).entries.push({ project, seq, id, prevId: after.id, body: text, xact, isReplicated: false });
      for (const { id: of, kept } of beside?.answers ?? [])
        this.#answers.set(of, { project, seq, kept, expiresAt: now + answerMs });
      for (const { sha256, text } of beside?.texts ?? []) this.#texts.set(sha256, text);
      for (const revision of beside?.revisions ?? []) {
        const key = `${project} ${revision.id}`;
        if (!this.#revisions.has(key)) this.#revisions.set(key, { project, seq, body: JSON.stringify(revision) });
      }
    }
    const [{ after, id }] = appends as [Append];
    return { is: 'ok', head: { seq: after.seq + 1, id } };
  }

  /** Everything that is visible is on the standby, too. */
  replicate(): void {
    for (const { entries } of this.#logs.values()) for (const entry of entries) entry.isReplicated = true;
  }

  /** The primary is lost; the standby takes its place. */
  failOver(): void {
    this.epoch++;
    for (const log of this.#logs.values()) log.entries = log.entries.filter(({ isReplicated }) => isReplicated);
    // The data of a lost entry is lost with it; the data of a trimmed entry stays.
    for (const beside of [this.#answers, this.#revisions])
      for (const [id, { project, seq }] of beside)
        if (seq >= this.firstOf(project) && this.at(project, seq) === undefined) beside.delete(id);
  }

  /** The id of the entry at a sequence, or undefined. */
  at(project: string, seq: number): string | undefined {
    return this.#logs.get(project)?.entries.find((entry) => entry.seq === seq)?.id;
  }

  /** The entries after the known heads on both servers: entries that only the primary has may still be lost. */
  since(known: ReadonlyMap<string, Head>): Omit<CaughtUp, 'now'> {
    const found = { entries: [] as Entry[], more: [] as string[], trimmed: [] as string[], forked: [] as string[] };
    for (const [project, from] of known) {
      const { first, entries: all } = this.#log(project);
      const entries = all.filter(({ isReplicated }) => isReplicated);
      const head = headOf(entries);
      if (from.seq === head.seq && from.id === head.id) continue;
      const later = entries.filter(({ seq }) => seq > from.seq);
      const before = from.seq === 0 ? null : (this.at(project, from.seq) ?? later[0]?.prevId);
      if (from.seq >= head.seq || (from.seq + 1 >= first && before !== from.id)) found.forked.push(project);
      else if (from.seq + 1 < first) found.trimmed.push(project);
      else {
        const some = later.slice(0, caughtUpMax);
        for (const { seq, id, prevId, body } of some)
          found.entries.push({ project, seq, id, prevId, body: JSON.parse(body) });
        if (later.length > some.length) found.more.push(project);
      }
    }
    return found;
  }

  /** The entries on both servers that were not there at the mark. */
  changes(mark: string | undefined): Pick<Changes, 'entries' | 'mark'> {
    const before = mark === undefined ? undefined : (JSON.parse(mark) as Seen);
    const entries: EntryName[] = [];
    const open: number[] = [];
    for (const log of this.#logs.values())
      for (const { project, seq, id, xact, isReplicated } of log.entries)
        if (!isReplicated) open.push(xact);
        else if (before !== undefined && (xact >= before.next || before.open.includes(xact)))
          entries.push({ project, seq, id });
    const seen: Seen = { epoch: this.epoch, next: this.#nextXact, open };
    return { entries: before?.epoch === this.epoch ? entries : undefined, mark: JSON.stringify(seen) };
  }

  /** Removes all entries but the last of each log. */
  trim(): void {
    for (const log of this.#logs.values()) {
      log.entries = log.entries.slice(-1);
      log.first = log.entries[0]?.seq ?? log.first;
    }
  }

  /** Removes the entries of a log below a sequence. Returns their number. */
  trimBelow(project: string, below: number): number {
    const log = this.#log(project);
    const before = log.entries.length;
    log.entries = log.entries.filter(({ seq }) => seq >= below);
    log.first = log.entries[0]?.seq ?? log.first;
    return before - log.entries.length;
  }

  /** The sequence of the first entry that is kept. */
  firstOf(project: string): number {
    return this.#log(project).first;
  }

  /** A copy of everything, as a backup has it. */
  copy(): Backup {
    const logs = new Map(
      Array.from(this.#logs, ([name, { first, entries }]) => [name, { first, entries: [...entries] }]),
    );
    return { logs, answers: new Map(this.#answers), revisions: new Map(this.#revisions) };
  }

  restore({ logs, answers, revisions }: Backup): void {
    this.epoch++;
    this.#logs = logs;
    this.#answers = answers;
    this.#revisions = revisions;
  }

  #log(project: string): StoredLog {
    let log = this.#logs.get(project);
    if (log === undefined) this.#logs.set(project, (log = { first: 1, entries: [] }));
    return log;
  }

  #isHead(project: string, { seq, id }: Head): boolean {
    const head = headOf(this.#logs.get(project)?.entries ?? []);
    return head.seq === seq && head.id === id;
  }
}

/** An outcome of an append that was sent before: that may be executed late, when there is space again. */
function undecided(outcome: Appended): Appended {
  return outcome.is === 'refused' ? { ...outcome, isUndecided: true } : outcome;
}

function headOf(entries: readonly StoredEntry[]): Head {
  const last = entries.at(-1);
  return last === undefined ? { seq: 0, id: null } : { seq: last.seq, id: last.id };
}

export interface SimulatedLogOptions {
  /** How long a message takes. Default: a turn of the event loop. */
  readonly travel?: () => Promise<void>;
  /** The server's clock. */
  readonly now?: () => number;
  /** The condition that appends wait for before they are committed. Default: nothing. */
  readonly commits?: () => Promise<void> | undefined;
}

/** A turn of the event loop. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * The log of one node over such a server. Each message takes as long as `travel`. Calls that wait are sent together, in
 * their order. A lost connection is resolvedby the entry at its place, once a later commit was replicated.
 */
export class SimulatedLog implements SharedLog {
  readonly traits = { shared: true, durability: 'replicated', entryBytesMax: Infinity } as const;
  readonly answers: AnswerStore = {
    find: (id) => this.#answerOf(id),
    sweep: () => Promise.resolve(this.#server.sweepAnswers(this.#now())),
  };
  readonly revisions: RevisionStore;
  readonly texts: TextStore;
  readonly #server: SimulatedLogServer;
  readonly #travel: () => Promise<void>;
  readonly #now: () => number;
  readonly #commits: () => Promise<void> | undefined;
  #waiting: Call[] = [];
  #running: Promise<void> | undefined;
  /** Appends that are executed, or replicated, late. */
  #late: Promise<unknown> = Promise.resolve();
  #cut: Cut | undefined;
  #pause: PromiseWithResolvers<void> | undefined;
  #isClosed = false;
  /** The end of a killed node: resolves when it is closed, too. */
  #end: PromiseWithResolvers<void> | undefined;

  constructor(
    server: SimulatedLogServer,
    { travel = nextTurn, now = () => Date.now(), commits = () => undefined }: SimulatedLogOptions = {},
  ) {
    this.#server = server;
    this.revisions = server.revisions;
    this.texts = server.texts;
    this.#travel = travel;
    this.#now = now;
    this.#commits = commits;
  }

  /** The connection is cut during the next append. */
  cut(when: Cut): void {
    this.#cut = when;
  }

  pause(): void {
    this.#pause ??= Promise.withResolvers();
  }

  resume(): void {
    this.#pause?.resolve();
    this.#pause = undefined;
  }

  /**
   * The node ends: its sent calls are decided, without an answer, and nothing more is sent. Resolves when all of it is
   * decided. Calls that wait are refused once the log is closed.
   */
  async kill(): Promise<void> {
    this.#end ??= Promise.withResolvers();
    for (const { resolve } of this.#waiting.splice(0)) this.#answer(resolve, conflict);
    this.resume();
    await this.#running;
    // Its last append may have been one of those.
    await this.#late;
  }

  append(append: Append): Promise<Appended> {
    return this.appendTogether([append]);
  }

  appendTogether(appends: readonly Append[]): Promise<Appended> {
    if (this.#isClosed)
      return Promise.resolve({ is: 'refused', why: new Error('The log is closed.'), isUndecided: false });
    const { promise, resolve } = Promise.withResolvers<Appended>();
    if (this.#end === undefined) {
      this.#waiting.push({ appends, resolve });
      this.#running ??= this.#run();
    } else this.#answer(resolve, conflict);
    return promise;
  }

  catchUp(known: ReadonlyMap<string, Head>): Promise<CaughtUp> {
    return this.#answered(() => this.#server.since(known));
  }

  changes(mark: string | undefined): Promise<Changes> {
    return this.#answered(() => this.#server.changes(mark));
  }

  async #answered<T extends object>(ask: () => T): Promise<T & { readonly now: number }> {
    await this.#message();
    const found = ask();
    const now = this.#now();
    await this.#message();
    await this.#requireAlive();
    return { ...found, now };
  }

  /** A visible answer may still be lost: it counts once a later commit is replicated. */
  async #answerOf(id: string): Promise<string | undefined> {
    for (;;) {
      await this.#message();
      const { epoch } = this.#server;
      const found = this.#server.answerOf(id, this.#now());
      await this.#message();
      await this.#requireAlive();
      if (found === undefined) return undefined;
      if (this.#server.epoch !== epoch) continue;
      this.#server.replicate();
      return found;
    }
  }

  /** A killed node gets no answer. */
  async #requireAlive(): Promise<void> {
    if (this.#end === undefined) return;
    await this.#end.promise;
    throw new Error('The node was killed.');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end?.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    await nextTurn();
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.splice(0);
      try {
        await this.#send(calls);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        for (const call of calls) this.#answer(call.resolve, await this.#resolved(call));
      }
    }
    this.#running = undefined;
  }

  async #send(calls: readonly Call[]): Promise<void> {
    const cut = this.#cut;
    this.#cut = undefined;
    await this.#message();
    if (cut === 'before') throw new ConnectionLost();
    await this.#commits();
    const { epoch } = this.#server;
    if (cut === 'late') {
      this.#late = Promise.all([this.#late, this.#sendLate(calls, epoch)]);
      throw new ConnectionLost();
    }
    const outcomes = calls.map(({ appends }) => this.#server.commit(appends, this.#now()));
    if (cut === 'during') {
      this.#late = Promise.all([this.#late, this.#replicateLate(epoch)]);
      throw new ConnectionLost();
    }
    await this.#message();
    if (this.#server.epoch !== epoch) throw new ConnectionLost();
    this.#server.replicate();
    if (cut === 'after') throw new ConnectionLost();
    await this.#message();
    for (const [at, { resolve }] of calls.entries()) this.#answer(resolve, outcomes[at]!);
  }

  /** Executes appends of a connection that is lost, unless its server is lost, too. */
  async #sendLate(calls: readonly Call[], epoch: number): Promise<void> {
    await this.#travel();
    if (this.#server.epoch !== epoch) return;
    for (const { appends } of calls) this.#server.commit(appends, this.#now());
    await this.#replicateLate(epoch);
  }

  /** The standby has a commit a little later, whether its caller is there or not, unless the primary is lost. */
  async #replicateLate(epoch: number): Promise<void> {
    await this.#travel();
    if (this.#server.epoch === epoch) this.#server.replicate();
  }

  /** A killed node gets no answer. */
  #answer(resolve: Call['resolve'], outcome: Appended): void {
    if (this.#end === undefined) return resolve(outcome);
    const died: Appended = { is: 'refused', why: new Error('The node was killed.'), isUndecided: true };
    void this.#end.promise.then(() => resolve(died));
  }

  /** The outcome of a call whose answer was lost. */
  async #resolved(call: Call): Promise<Appended> {
    const [{ project, after, id }] = call.appends as [Append];
    for (;;) {
      await this.#message();
      if (this.#end !== undefined) return conflict;
      const { epoch } = this.#server;
      await this.#commits();
      const found = this.#server.at(project, after.seq + 1);
      if (found !== undefined && found !== id) return conflict;
      const sent =
        found === undefined
          ? undecided(this.#server.commit(call.appends, this.#now()))
          : { is: 'ok' as const, head: { seq: after.seq + 1, id } };
      // A visible entry may still be lost: it is won once a later commit is replicated.
      await this.#message();
      if (this.#server.epoch !== epoch) continue;
      this.#server.replicate();
      return sent;
    }
  }

  async #message(): Promise<void> {
    await this.#travel();
    while (this.#pause !== undefined) await this.#pause.promise;
  }
}
