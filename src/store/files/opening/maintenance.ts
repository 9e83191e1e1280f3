import { isoTime } from '../../../clock.ts';
import { PlannerError } from '../../../errors.ts';
import type { StoreParts } from './store-deps.ts';
import { serviceProject } from '../journal/durability-tracker.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { LockHolder } from './lock-holder.ts';
import { makeRoot, privateDirectoryMode } from '../disk/root-files.ts';
import type { Entry } from '../journal/journal.ts';
import { giveBackMemory } from '../../../platform/collect-garbage.ts';
import type { Project } from '../project/project.ts';
import type { ServiceSnapshot } from './service-snapshot.ts';

/** An idle store empties its journal after this time. */
const idleMs = 3000;
/**
 * A busy store lets the journal grow to this many segments before it syncs the files: an fsync takes the disk from the commits. While
 * changes are still on their way to their files it may be more: of a file synced now others wait for the disk that have none yet.
 */
const segmentsKept = 8;
const segmentsKeptBehind = 32;
/**
 * A busy store is made safe and its index cache written this often too: an opening after a kill replays what was journaled since, and
 * reads the files that changed since.
 */
const safeMs = 30_000;
/** A store at rest is made safe sooner. */
const safeAtRestMs = 5000;
/** Writing the cache takes at most one part in so many of the time, however many records there are. */
const cacheRestFactor = 50;
/** Deleted projects lie in the trash for this long. */
const trashDays = 30;
const sweepMs = 60_000;
/** How often it is seen whether the root's lock is still there: sooner than another program, begun after it went, could take it. */
const lockMs = 100;
/** How often a process that loses the root tries to write what it acknowledged. */
const lastAttempts = 5;
/** Opening a root of more files than this leaves enough behind to be worth collecting, this long afterwards. */
const largeFiles = 20_000;
const giveBackMs = 4000;

/** What keeps the journal small: once everything before a position is safely in files, its segments go. */
export class Maintenance {
  readonly #engine: StoreParts;
  readonly #snapshot: ServiceSnapshot;
  #timer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #lockTimer: NodeJS.Timeout | undefined;
  #giveBackTimer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #lastPosition = -1;
  /** When the store was made safe last, by the monotonic clock, and the journal's position then. */
  #safeSince: number;
  #safePosition = -1;
  /** How long it stays at least until the next time. */
  #safeRestMs = 0;

  constructor(engine: StoreParts, snapshot: ServiceSnapshot) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#safeSince = engine.options.clock.monotonic();
  }

  start(): void {
    this.#timer = setInterval(() => this.#beat(), idleMs / 3).unref();
    this.#sweepTimer = setInterval(() => this.#sweep(), sweepMs).unref();
    this.#lockTimer = setInterval(() => this.#keepLock(), lockMs).unref();
    let files = 0;
    for (const project of this.#engine.projects.values()) files += project.files.size;
    if (files > largeFiles) this.#giveBackTimer = setTimeout(giveBackMemory, giveBackMs).unref();
    this.#emptyTrash();
    this.#engine.texts.sweep(this.#engine.projects.values());
    this.#engine.recordFiles.sweep(this.#engine.projects.values());
  }

  /** Writes everything and empties the journal. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearInterval(this.#sweepTimer);
    clearInterval(this.#lockTimer);
    clearTimeout(this.#giveBackTimer);
    await this.#running;
    if (this.#engine.committer.failed) return;
    await this.flush();
    await this.#retire();
  }

  abandon(): void {
    clearInterval(this.#timer);
    clearInterval(this.#sweepTimer);
    clearInterval(this.#lockTimer);
    clearTimeout(this.#giveBackTimer);
  }

  /** Resolves when nothing is pending that can be written. Waits while git is at work. */
  async flush(): Promise<void> {
    const { checkpointer, committer } = this.#engine;
    await committer.allDurable();
    while (!committer.failed && checkpointer.busy) {
      await checkpointer.run();
      if (checkpointer.failure !== undefined) {
        throw new PlannerError(
          'unavailable',
          `The files cannot be written at present (${checkpointer.failure.message}); the changes are safe in the journal.`,
        );
      }
      if (checkpointer.busy) await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** A deleted project's directory goes to the trash, once git rests. */
  async dropped(project: Project): Promise<void> {
    const { checkpointer, layout, options } = this.#engine;
    await checkpointer.run();
    checkpointer.forget(`${layout.projects}/${project.directory}`);
    try {
      if (options.disk.stat(`${layout.projects}/${project.directory}`) !== undefined)
        this.#engine.trash(project.directory);
    } catch (error) {
      // The deletion is durable; without its entry the directory would be a project again.
      checkpointer.keepJournal(`${project.directory} could not be moved to the trash: ${(error as Error).message}`);
      options.log(`The directory of a deleted project is moved at the next start: ${(error as Error).message}`);
    }
  }

  #beat(): void {
    try {
      void this.#tick();
    } catch (error) {
      this.#engine.options.log(`The journal was not looked after: ${(error as Error).message}`);
    }
  }

  #tick(): Promise<void> {
    const taken = this.#engine.lock.takenBy();
    if (taken !== undefined) return this.#lose(takenBy(taken));
    if (!this.#keepLock()) return this.#running ?? Promise.resolve();
    const { journal, checkpointer, options } = this.#engine;
    const idle = journal.position === this.#lastPosition;
    this.#lastPosition = journal.position;
    const kept = checkpointer.busy ? segmentsKeptBehind : segmentsKept;
    const full =
      journal.bytes > kept * options.segmentBytes && this.#oldestNeeded() > (journal.segments()[0]?.last ?? 0);
    // An empty journal is one segment with nothing but its header.
    const rests = idle && !checkpointer.busy;
    const due = full || (rests && journal.segments().some(({ first, last }) => last >= first));
    if (this.#isCacheDue(rests)) this.#running ??= this.#makeSafe().finally(() => (this.#running = undefined));
    else if (due) this.#running ??= this.#retire().finally(() => (this.#running = undefined));
    return this.#running ?? Promise.resolve();
  }

  /** False where `local/` is gone: it is made anew. */
  #keepLock(): boolean {
    try {
      if (this.#engine.lock.intact()) return true;
    } catch {
      // A disk that does not answer says nothing about the lock.
      return true;
    }
    this.#running ??= this.#renewLocal().finally(() => (this.#running = undefined));
    return false;
  }

  /**
   * Another process has the root: no change is taken any more. What was acknowledged and is not in its file yet is written there, where
   * the other one finds it like every edit; the journal is that one's now. Reading goes on.
   */
  async #lose(reason: string): Promise<void> {
    const { committer, checkpointer, journal, options, problems } = this.#engine;
    this.abandon();
    const remedy = 'End this service, or restart it when the other one has ended.';
    committer.refuse(new PlannerError('unavailable', `${reason} No change is taken here any more. ${remedy}`));
    problems.set('$lock', { path: '.planner/local/lock.json', kind: 'root_lost', reason, remedy });
    options.log(`${reason} No change is taken here any more.`);
    await committer.allDurable();
    // What was being written when `local/` went was parked: its temporary file went too.
    for (let left = lastAttempts; left > 0; left--) {
      while (checkpointer.busy && checkpointer.failure === undefined) {
        await checkpointer.run();
        await new Promise((resolve) => setTimeout(resolve, lockMs));
      }
      if (!checkpointer.unpark()) break;
    }
    checkpointer.abandon();
    journal.giveUp(new Error(reason));
  }

  #isCacheDue(rests: boolean): boolean {
    const { journal, options } = this.#engine;
    const agoMs = options.clock.monotonic() - this.#safeSince;
    return (
      journal.position !== this.#safePosition && agoMs >= Math.max(rests ? safeAtRestMs : safeMs, this.#safeRestMs)
    );
  }

  async #makeSafe(): Promise<void> {
    const { journal, options } = this.#engine;
    const { position } = journal;
    await this.#retire();
    const began = options.clock.monotonic();
    await this.#engine.keepCache();
    this.#safeSince = options.clock.monotonic();
    this.#safeRestMs = cacheRestFactor * (this.#safeSince - began);
    this.#safePosition = position;
  }

  async #retire(): Promise<void> {
    const { journal, checkpointer, committer, recordFiles } = this.#engine;
    try {
      await journal.rotate();
      await this.#carryParked();
      const before = this.#oldestNeeded();
      if (this.#snapshot.stale && !(await this.#snapshot.write(() => committer.allDurable()))) return;
      const placed = recordFiles.unsynced();
      if (!(await checkpointer.sync())) return;
      recordFiles.synced(placed);
      journal.retire(before);
    } catch (error) {
      // The journal keeps what could not be made safe; the next tick tries again.
      this.#engine.options.log(`The journal could not be shortened: ${(error as Error).message}`);
    }
  }

  /** Somebody removed `local/` (`git clean -fdx`, `git stash --all`): it is made anew, and everything pending is written. */
  async #renewLocal(): Promise<void> {
    const { options, layout, lock, committer, checkpointer, journal, staging } = this.#engine;
    try {
      lock.renew();
    } catch (error) {
      // Another process was faster: the root is its own.
      if (error instanceof PlannerError) return this.#lose(error.message);
      return options.log(`The root could not be locked anew: ${(error as Error).message}`);
    }
    try {
      options.signLocal();
      makeRoot(options.disk, layout, { signLocal: options.signLocal });
      staging.renew();
      options.disk.makeDirectory(layout.journal, privateDirectoryMode);
      options.log(
        'local/ was removed under the running service; it was made anew and everything pending is being written.',
      );
      checkpointer.unpark();
      await checkpointer.run();
      // The present segment is a file without a name: an entry behind it lets the journal go on in a new one.
      await committer.submit(
        serviceProject,
        'renewed',
        null,
        { at: isoTime(options.clock.now()), author: 'system', source: 'system', changes: [], revisions: [] },
        () => undefined,
      );
      await journal.rotate();
      this.#snapshot.invalidate();
      await this.#retire();
    } catch (error) {
      options.log(`local/ could not be made anew: ${(error as Error).message}`);
    }
  }

  #oldestNeeded(): number {
    let oldest = this.#engine.journal.position + 1;
    for (const project of this.#engine.projects.values()) oldest = Math.min(oldest, project.oldestNeeded);
    return oldest;
  }

  /** Changes whose file cannot be written are copied to the newest segment, so that they hold no other back. */
  async #carryParked(): Promise<void> {
    const { journal } = this.#engine;
    const current = journal.segments().at(-1)?.first ?? 0;
    for (const project of this.#engine.projects.values()) {
      const stuck = [...project.pending].filter(
        ([id, pending]) =>
          pending.position < current && (pending.parked !== undefined || project.problemOf(id) !== undefined),
      );
      if (stuck.length === 0) continue;
      const ids = new Set(stuck.map(([id]) => id));
      const position = journal.position + 1;
      const carried = journal.read(project.id, 0, (entry) => withChangesOf(entry as Entry<EntryBody>, ids));
      const results = await Promise.all(carried.map((entry) => journal.carry(entry)));
      if (results.every((result) => result === 'ok'))
        for (const [, pending] of stuck) pending.position = Math.max(pending.position, position);
    }
  }

  #sweep(): void {
    this.#engine.service.sweep(isoTime(this.#engine.options.clock.now()));
    try {
      this.#engine.recordFiles.sweep(this.#engine.projects.values());
    } catch (error) {
      this.#engine.options.log(`Bytes that nobody needs could not be removed: ${(error as Error).message}`);
    }
  }

  #emptyTrash(): void {
    const { layout, options } = this.#engine;
    const oldest = isoTime(options.clock.now() - trashDays * 86_400_000).replace(/[:.]/g, '-');
    for (const { name } of options.disk.list(layout.trash))
      if (name < oldest) options.disk.removeTree(`${layout.trash}/${name}`);
  }
}

function takenBy({ host, pid, address }: LockHolder): string {
  const where = address === null ? '' : `, ${address}`;
  return `Another Planner service, process ${pid} on ${host}${where}, has taken over this root.`;
}

/** The part of an entry that is about these records: what else it says is in the files already and must not be said again. */
function withChangesOf(entry: Entry<EntryBody>, ids: ReadonlySet<string>): Entry<EntryBody> | undefined {
  const changes = entry.body.changes.filter(({ id }) => ids.has(id));
  const { service: _, ...body } = entry.body;
  return changes.length === 0 ? undefined : { ...entry, body: { ...body, changes, revisions: [] } };
}
