import { delay, isoTime, type Timer } from '../../../clock.ts';
import { PlannerError } from '../../../errors.ts';
import { inSlices, type Steps } from '../../../slices.ts';
import type { StoreDeps } from './store-deps.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { LockHolder } from './lock-holder.ts';
import { makeRoot, privateDirectoryMode } from '../disk/root-files.ts';
import type { Entry } from '../journal/journal.ts';
import { collectGarbage } from '../../../platform/collect-garbage.ts';
import type { Project } from '../project/project.ts';
import type { ServiceSnapshot } from './service-snapshot.ts';

/** A store is idle if nothing was appended for this time. */
const idleMs = 1000;
/**
 * A busy store lets the journal grow to this many segments before it syncs the files: an fsync delays the commits.
 * While records are dirty there may be more: syncing one file delays writing the others. With more segments than that,
 * the journal does not wait for the index cache.
 */
const segmentsKept = 8;
const segmentsKeptBusy = 32;
/**
 * A busy store syncs its files, writes its index cache and truncates its journal at this interval: an opening after a
 * kill replays what was journaled since, and reads the files that changed since.
 */
const checkpointIntervalMs = 30_000;
/** The same for an idle store. */
const checkpointIdleMs = 5000;
/**
 * The pause after writing the cache is at least this many times the duration of the write, however many records there
 * are.
 */
const cachePauseFactor = 50;
/** How long deleted projects stay in the trash. */
const trashDays = 30;
const sweepMs = 60_000;
/** How often the root's lock is checked: sooner than another process could take it after it was removed. */
const lockMs = 100;
/**
 * A store that closes leaves to the journal what it could not write for this long: files with external edits, which
 * are reconciled at the next opening, and files that a git operation holds.
 */
const closingMs = 5000;
/** How often a process that loses the root retries writing acknowledged changes. */
const finalAttempts = 5;
/** After this delay the opening is completed, and the memory that it used is released. */
const afterOpeningMs = 4000;

/** The components that maintenance needs. */
export type MaintenanceDeps = Omit<
  StoreDeps,
  | 'collections'
  | 'locations'
  | 'ports'
  | 'reconciler'
  | 'edits'
  | 'loader'
  | 'lastGood'
  | 'git'
  | 'unserved'
  | 'findDirectories'
  | 'status'
>;

/**
 * Keeps the journal small: removes its segments once everything before a position is synced in files. Also watches the
 * lock and empties the trash.
 */
export class Maintenance {
  readonly #engine: MaintenanceDeps;
  readonly #snapshot: ServiceSnapshot;
  readonly #completeOpening: () => Steps<void>;
  /**
   * The index cache has the values of all entries before this position. Without entry and cache, a value that a person
   * overwrites while no service runs would be in no revision.
   */
  #cachedBefore = 0;
  #timers: readonly Timer[] = [];
  #running: Promise<void> | undefined;
  #lastPosition = -1;
  /** When the store was synced last, by the monotonic clock, and the journal's position then. */
  #checkpointedAt: number;
  #checkpointedPosition = -1;
  /** The minimum pause until the next time. */
  #checkpointPauseMs = 0;

  /** `completeOpening`: work that the first requests need not wait for. */
  constructor(engine: MaintenanceDeps, snapshot: ServiceSnapshot, completeOpening: () => Steps<void>) {
    this.#engine = engine;
    this.#completeOpening = completeOpening;
    this.#snapshot = snapshot;
    this.#checkpointedAt = engine.options.clock.monotonic();
  }

  start(): void {
    const { clock } = this.#engine.options;
    this.#timers = [
      clock.every(idleMs, () => this.#onTimer()),
      clock.every(sweepMs, () => this.#sweep()),
      clock.every(lockMs, () => this.#checkLock()),
      clock.after(afterOpeningMs, () => void inSlices('opening', this.#completeOpening())),
      clock.after(afterOpeningMs, collectGarbage),
    ];
    for (const timer of this.#timers) timer.unref();
    this.#emptyTrash();
    this.#engine.largeTexts.sweep(this.#engine.projects.values());
    this.#engine.attachmentFiles.sweep(this.#engine.projects.values());
  }

  /** Writes back what can be written, writes the index cache and truncates the journal, which keeps the rest. */
  async stop(): Promise<void> {
    this.abandon();
    const { checkpointer, durability, options } = this.#engine;
    checkpointer.hurrySync();
    await this.#running;
    if (durability.failed) return;
    if (!(await this.#writeBack(closingMs)))
      options.log('Files were edited or held by git while the service closed; the journal keeps their changes.');
    await this.#checkpoint();
  }

  abandon(): void {
    for (const timer of this.#timers) timer.cancel();
  }

  /** Resolves when no dirty record that can be written is left. Waits for a git operation in progress. */
  async flush(): Promise<void> {
    await this.#writeBack(Infinity);
  }

  /** The same, but resolves with false if nothing could be written for this long. */
  async #writeBack(giveUpMs: number): Promise<boolean> {
    const { checkpointer, durability, options } = this.#engine;
    await durability.whenAllDurable();
    let { written } = checkpointer;
    let since = options.clock.monotonic();
    while (!durability.failed && checkpointer.busy) {
      await checkpointer.run();
      if (checkpointer.failure !== undefined) {
        throw new PlannerError(
          'unavailable',
          `The files cannot be written at present (${checkpointer.failure.message}); the changes are safe in the journal.`,
        );
      }
      if (checkpointer.written !== written) {
        ({ written } = checkpointer);
        since = options.clock.monotonic();
      } else if (options.clock.monotonic() - since >= giveUpMs) return false;
      if (checkpointer.busy) await delay(options.clock, 10);
    }
    return true;
  }

  /** Moves a deleted project's directory to the trash, after a git operation in progress. */
  async trashProject(project: Project): Promise<void> {
    const { checkpointer, layout, options } = this.#engine;
    await checkpointer.run();
    checkpointer.forgetProject(`${layout.projects}/${project.directory}`);
    try {
      if (options.disk.stat(`${layout.projects}/${project.directory}`) !== undefined)
        this.#engine.adoption.moveToTrash(project.directory);
    } catch (error) {
      // The deletion is durable, but without its journal entry the directory would be loaded as a project again.
      checkpointer.keepJournal(`${project.directory} could not be moved to the trash: ${(error as Error).message}`);
      options.log(`The directory of a deleted project will be moved at the next start: ${(error as Error).message}`);
    }
  }

  #onTimer(): void {
    try {
      void this.#tick();
    } catch (error) {
      this.#engine.options.log(`Journal maintenance failed: ${(error as Error).message}`);
    }
  }

  #tick(): Promise<void> {
    const taken = this.#engine.lock.takenBy();
    if (taken !== undefined) return this.#onRootLost(takenBy(taken));
    if (!this.#checkLock()) return this.#running ?? Promise.resolve();
    const { journal, checkpointer, options } = this.#engine;
    const isIdle = journal.position === this.#lastPosition && !checkpointer.busy;
    this.#lastPosition = journal.position;
    const isOver = (segments: number): boolean => journal.bytes > segments * options.segmentBytes;
    const isFull =
      isOver(checkpointer.busy ? segmentsKeptBusy : segmentsKept) &&
      this.#oldestNeeded() > (journal.segments()[0]?.last ?? 0);
    if (this.#isCheckpointDue(isIdle, isFull)) this.#begin(() => this.#checkpoint());
    else if (isFull && isOver(segmentsKeptBusy)) this.#begin(() => this.#truncateJournal(false));
    return this.#running ?? Promise.resolve();
  }

  #begin(work: () => Promise<void>): void {
    this.#running ??= work().finally(() => (this.#running = undefined));
  }

  /** Returns false if `local/` was removed; it is then created again. */
  #checkLock(): boolean {
    try {
      if (this.#engine.lock.intact()) return true;
    } catch {
      // A failing stat does not prove that the lock is lost.
      return true;
    }
    // Without its directory the journal keeps nothing: what runs now ends at once.
    this.#engine.checkpointer.hurrySync();
    this.#begin(() => this.#recreateLocal());
    return false;
  }

  /**
   * Another process owns the root: rejects further changes. Acknowledged changes are still written to their files,
   * where the other process finds them as external edits; the journal belongs to that process. Reads continue.
   */
  async #onRootLost(reason: string): Promise<void> {
    const { durability, checkpointer, journal, options, problems } = this.#engine;
    this.abandon();
    const remedy = 'End this service, or restart it when the other one has ended.';
    durability.rejectWrites(
      new PlannerError('unavailable', `${reason} Changes are rejected here from now on. ${remedy}`),
    );
    problems.set('$lock', { path: '.planner/local/lock.json', kind: 'root_lost', reason, remedy });
    options.log(`${reason} Changes are rejected here from now on.`);
    await durability.whenAllDurable();
    // Changes that were being written when `local/` was removed are parked, since their temporary files were removed
    // too.
    for (let left = finalAttempts; left > 0; left--) {
      while (checkpointer.busy && checkpointer.failure === undefined) {
        await checkpointer.run();
        await delay(options.clock, lockMs);
      }
      if (!checkpointer.unpark()) break;
    }
    checkpointer.abandon();
    journal.abort(new Error(reason));
  }

  #isCheckpointDue(isIdle: boolean, isFull: boolean): boolean {
    const { journal, options } = this.#engine;
    const agoMs = options.clock.monotonic() - this.#checkpointedAt;
    const intervalMs = isFull ? 0 : isIdle ? checkpointIdleMs : checkpointIntervalMs;
    if (agoMs < Math.max(intervalMs, this.#checkpointPauseMs)) return false;
    return journal.position !== this.#checkpointedPosition || this.#oldestNeeded() > this.#cachedBefore;
  }

  async #checkpoint(): Promise<void> {
    const { clock } = this.#engine.options;
    await this.#truncateJournal(true);
    this.#checkpointedAt = clock.monotonic();
  }

  /** Syncs the files, writes the index cache if `withCache`, and removes the segments that are not needed any more. */
  async #truncateJournal(withCache: boolean): Promise<void> {
    const { journal, checkpointer, durability, attachmentFiles } = this.#engine;
    try {
      await journal.rotate();
      await this.#carryParked();
      const { position } = journal;
      const before = this.#oldestNeeded();
      // Only the former cache can give rise to these revisions again.
      const mayCache = withCache && ![...this.#engine.projects.values()].some(({ history }) => history.isBehind);
      if (this.#snapshot.stale && !(await this.#snapshot.write(() => durability.whenAllDurable()))) return;
      const placed = attachmentFiles.unsynced();
      await this.#engine.feeds?.flush();
      if (!(await checkpointer.sync())) return;
      attachmentFiles.markSynced(placed);
      if (mayCache && (await this.#writeIndexCache())) {
        this.#cachedBefore = before;
        this.#checkpointedPosition = position;
      }
      journal.truncateBefore(withCache ? Math.min(before, this.#cachedBefore) : before);
    } catch (error) {
      // The journal keeps what is not synced; the next tick retries.
      this.#engine.options.log(`The journal could not be shortened: ${(error as Error).message}`);
    }
  }

  async #writeIndexCache(): Promise<boolean> {
    const { clock } = this.#engine.options;
    const began = clock.monotonic();
    const isWritten = await this.#engine.writeIndexCache();
    this.#checkpointPauseMs = cachePauseFactor * (clock.monotonic() - began);
    return isWritten;
  }

  /** `local/` was removed (`git clean -fdx`, `git stash --all`): creates it again and writes all dirty records. */
  async #recreateLocal(): Promise<void> {
    const { options, layout, lock, commit, checkpointer, journal, staging } = this.#engine;
    try {
      lock.relock();
    } catch (error) {
      // Another process was faster and owns the root.
      if (error instanceof PlannerError) return this.#onRootLost(error.message);
      return options.log(`The root could not be locked again: ${(error as Error).message}`);
    }
    try {
      options.signLocal();
      makeRoot(options.disk, layout, { signLocal: options.signLocal });
      staging.restore();
      options.disk.makeDirectory(layout.journal, privateDirectoryMode);
      options.log(
        'local/ was removed while the service was running; it was created again, and all pending changes are being written.',
      );
      checkpointer.unpark();
      await checkpointer.run();
      // The current segment is an unlinked file: an entry in it lets the journal rotate to a new segment.
      await commit.appendEmpty({ author: 'system', source: 'system' });
      await journal.rotate();
      this.#snapshot.invalidate();
      this.#engine.feeds?.lose();
      this.#cachedBefore = 0;
      await this.#truncateJournal(true);
    } catch (error) {
      options.log(`local/ could not be created again: ${(error as Error).message}`);
    }
  }

  #oldestNeeded(): number {
    let oldest = this.#engine.journal.position + 1;
    for (const project of this.#engine.projects.values()) oldest = Math.min(oldest, project.oldestNeeded);
    return oldest;
  }

  /**
   * Copies the entries of parked changes to the newest segment, so that they do not prevent the removal of older ones.
   */
  async #carryParked(): Promise<void> {
    const { journal } = this.#engine;
    const current = journal.segments().at(-1)?.first ?? 0;
    for (const project of this.#engine.projects.values()) {
      const stuck = [...project.dirty].filter(
        ([id, life]) => life.kind !== 'writing' && life.position < current && project.problemOf(id) !== undefined,
      );
      if (stuck.length === 0) continue;
      const ids = new Set(stuck.map(([id]) => id));
      const position = journal.position + 1;
      const carried = journal.read(project.id, 0, (entry) => withChangesOf(entry as Entry<EntryBody>, ids));
      const results = await Promise.all(carried.map((entry) => journal.carry(entry)));
      if (results.every(({ is }) => is === 'ok'))
        for (const id of ids) project.dirty.on(id, { kind: 'carried', position });
    }
  }

  #sweep(): void {
    this.#engine.service.sweep(isoTime(this.#engine.options.clock.now()));
    try {
      this.#engine.attachmentFiles.sweep(this.#engine.projects.values());
    } catch (error) {
      this.#engine.options.log(`Unreferenced bytes could not be removed: ${(error as Error).message}`);
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

/**
 * The part of an entry that concerns these records: its other changes are in files already and must not be repeated.
 */
function withChangesOf(entry: Entry<EntryBody>, ids: ReadonlySet<string>): Entry<EntryBody> | undefined {
  const changes = entry.body.changes.filter(({ id }) => ids.has(id));
  const { service: _, ...body } = entry.body;
  return changes.length === 0 ? undefined : { ...entry, body: { ...body, changes, revisions: [] } };
}
