import { check, checking } from './files/upkeep/check.ts';
import { Engine } from './files/engine.ts';
import { allIdle } from './commit/exclusive.ts';
import { repair } from './files/upkeep/repair.ts';
import { currentFormat } from './files/disk/format.ts';
import type { Ports } from './files/projects/ports.ts';
import type { StoreOptions } from './files/project/options.ts';
import { FileStoreEngine } from './files/file-store-engine.ts';
import { freeCode } from './record/project-name.ts';
import type { Collections } from './record/record.ts';
import { checkRootFiles } from './files/root/root-check.ts';
import type { StoreStatus } from './record/status.ts';
import type { Problem } from './record/read-transaction.ts';
import { upgradesDone } from './files/root/upgrades-done.ts';
import { Store } from './transactions/store.ts';

/**
 * The document database over the files of one root, with the commands of its operator. A change is written to its files a moment
 * after it is durable in the journal. External edits become transactions of their own.
 */
export class FileStore<C extends Collections = Collections> extends Store<C> {
  readonly #engine: Engine;

  private constructor(engine: Engine) {
    super(new FileStoreEngine(engine));
    this.#engine = engine;
  }

  /**
   * Locks the root, reads its files, replays the journal, and starts the watcher. Throws `conflict` if another service
   * holds the root.
   */
  static async open<C extends Collections>(options: StoreOptions, ports?: Ports): Promise<FileStore<C>> {
    return new FileStore<C>(await Engine.open(options, ports));
  }

  /** Resolves when every acknowledged change that can be written is in its file. */
  async flush(): Promise<void> {
    await this.#engine.flush();
  }

  /** Resolves when the watcher is ready and external edits are noticed. */
  watching(): Promise<void> {
    return this.#engine.watching();
  }

  /** Rescans every file, regardless of events. */
  async rescan(): Promise<void> {
    await this.#engine.rescan();
  }

  /**
   * Releases the root immediately without writing anything: the next opening recovers pending changes from the journal.
   */
  abandon(): void {
    this.#engine.abandon();
  }

  /** Publishes the service's address to processes that find the root locked. */
  setAddress(url: string): void {
    this.#engine.lock.setAddress(url);
  }

  /** Compares index, files and journal and returns each inconsistency as a problem, or an empty list. */
  check(): readonly Problem[] {
    return check(this.#engine);
  }

  /** Checks without the problems that reads have, too, in steps between which the service continues. */
  checking(): Iterator<unknown, readonly Problem[]> {
    return checking(this.#engine);
  }

  /**
   * Checks the root's own files: settings, git's attributes and ignore files, the token. `isKey` says whether a key has a
   * secret. Empty if all is well.
   */
  checkRoot(isKey?: (secret: string) => boolean): readonly Problem[] {
    const { options, layout, projects, unserved } = this.#engine;
    const format = currentFormat(options.migrations);
    const found = checkRootFiles(options.disk, layout, new Set(projects.keys()), format, unserved.names, isKey);
    return found.filter(({ harmless }) => harmless !== true).map(({ problem }) => problem);
  }

  /**
   * Repairs everything that can be repaired without losing data, then rescans every file. Returns one sentence for each
   * repair. Throws `conflict` while a git operation is in progress.
   */
  async repair(): Promise<readonly string[]> {
    await this.flush();
    await allIdle(() => this.#engine.projects.values().map(({ exclusive }) => exclusive));
    const done = repair(this.#engine, () => freeCode((code) => this.#engine.codeIsTaken(code)));
    await this.rescan();
    await this.flush();
    return done;
  }

  /** The upgrades from older formats whose backup still exists, one sentence each. */
  upgrades(): readonly string[] {
    return upgradesDone(this.#engine.options.disk, this.#engine.layout);
  }

  status(): StoreStatus {
    return this.#engine.status();
  }
}
