import { delay, isoTime, type Timer } from '../../../base/clock.ts';
import { conflict, PlannerError } from '../../../base/errors.ts';
import { inSlices } from '../../../base/slices.ts';
import type { GitOperation } from '../checkpoint/git-guard.ts';
import type { StoreDeps } from '../projects/store-deps.ts';
import type { LockHolder } from '../lock/lock-holder.ts';
import { makeRoot, privateDirectoryMode } from '../disk/root-files.ts';
import { JournalTruncation } from './journal-truncation.ts';
import { collectGarbage } from '../../../platform/collect-garbage.ts';
import type { Project } from '../project/project.ts';
import type { ServiceSnapshot } from '../root/service-snapshot.ts';

/** A store is idle if nothing was appended for this time. */
const idleMs = 1000;
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
/** How long files wait for an operation of git that goes on once a person continues it: a merge with conflicts. */
const heldMs = 1000;
/** How often a process that loses the root retries writing acknowledged changes. */
const finalAttempts = 5;
/** After this delay the opening is completed, and the memory that it used is released. */
const afterOpeningMs = 4000;

/** What an open store does at intervals, and at its end: truncates the journal, watches the lock, empties the trash. */
export class Maintenance {
  readonly #engine: StoreDeps;
  readonly #truncation: JournalTruncation;
  #timers: readonly Timer[] = [];
  #running: Promise<void> | undefined;

  constructor(engine: StoreDeps, snapshot: ServiceSnapshot) {
    this.#engine = engine;
    this.#truncation = new JournalTruncation(engine, snapshot);
  }

  start(): void {
    const { clock, writer } = this.#engine.options;
    this.#timers = [
      clock.every(idleMs, () => this.#tick()),
      clock.every(sweepMs, () => this.#sweep()),
      clock.every(lockMs, () => this.#checkLock()),
      clock.after(afterOpeningMs, () => void inSlices('opening', this.#engine.cache.freezeRestored())),
      clock.after(afterOpeningMs, () => this.#begin(() => this.#engine.writeHistoryIndexes())),
      // A store that writes in this thread is a command's, whose process ends soon, or one of many.
      ...(writer === 'inline' ? [] : [clock.after(afterOpeningMs, collectGarbage)]),
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
    checkpointer.closeSyncs();
    await this.#running;
    if (durability.failed) return;
    if ((await this.#writeBack(closingMs)) === 'late')
      options.log('Files were edited or held by git while the service closed; the journal keeps their changes.');
    await this.#truncation.checkpoint();
  }

  abandon(): void {
    for (const timer of this.#timers) timer.cancel();
  }

  /**
   * Resolves when no dirty record that can be written is left. Waits for a command of git; rejects with `conflict` while
   * git waits for a person.
   */
  async flush(): Promise<void> {
    const held = await this.#writeBack();
    if (held !== undefined && held !== 'late')
      throw conflict(
        `Git is in ${held.what} and waits for a person: until that is concluded (planner resolve, git commit) or aborted, no file is written. The changes are safe in the journal.`,
      );
  }

  /**
   * Writes until no dirty record that can be written is left. Resolves with the reason if nothing could be written for
   * this long, or while git waits for a person.
   */
  async #writeBack(giveUpMs = Infinity): Promise<'late' | GitOperation | undefined> {
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
      } else {
        const git = this.#engine.git?.currentOperation();
        const held = git?.running === false ? git : undefined;
        if (options.clock.monotonic() - since >= (held === undefined ? giveUpMs : heldMs)) return held ?? 'late';
      }
      if (checkpointer.busy) await delay(options.clock, 10);
    }
    return undefined;
  }

  /** Moves a deleted project's directory to the trash, after a git operation in progress. */
  async trashProject(project: Project): Promise<void> {
    const { checkpointer, layout, options } = this.#engine;
    await checkpointer.run();
    checkpointer.forgetProject(`${layout.projects}/${project.directory}`);
    options.disk.removeTree(layout.historyIndex(project.code));
    try {
      this.#engine.adoption.moveToTrash(project.directory);
    } catch (error) {
      // The deletion is durable, but without its journal entry the directory would be loaded as a project again.
      checkpointer.keepJournal(`${project.directory} could not be moved to the trash: ${(error as Error).message}`);
      options.log(`The directory of a deleted project will be moved at the next start: ${(error as Error).message}`);
    }
  }

  #tick(): void {
    try {
      const taken = this.#engine.lock.takenBy();
      if (taken !== undefined) return void this.#onRootLost(takenBy(taken));
      const work = this.#checkLock() ? this.#truncation.due() : undefined;
      if (work !== undefined) this.#begin(work);
    } catch (error) {
      this.#engine.options.log(`Journal maintenance failed: ${(error as Error).message}`);
    }
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

  /** `local/` was removed (`git clean -fdx`, `git stash --all`): creates it again and writes all dirty records. */
  async #recreateLocal(): Promise<void> {
    const { options, layout, lock, commit, checkpointer, staging } = this.#engine;
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
      await this.#truncation.restart();
    } catch (error) {
      options.log(`local/ could not be created again: ${(error as Error).message}`);
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
