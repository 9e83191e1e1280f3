import { conflict, notFound } from '../errors.ts';
import { idPrefixes, newProjectCode, randomName } from '../ids.ts';
import type { Commit } from './files/commit.ts';
import { check, checking } from './files/opening/check.ts';
import { Engine } from './files/engine.ts';
import { allComplete } from './files/project/exclusive.ts';
import { slugOf } from './record/file-name.ts';
import { mend } from './files/opening/repair.ts';
import { currentFormat } from './files/disk/format.ts';
import type { StoreOptions } from './files/project/options.ts';
import type { Project } from './files/project/project.ts';
import type { Collections } from './record/record.ts';
import { checkRootFiles } from './files/opening/root-check.ts';
import type { ChangeMeta, StoreStatus } from './record/status.ts';
import type { Steps } from '../slices.ts';
import { serviceTransaction, typedTx, typedView } from './index/transaction.ts';
import type { Pieces } from './files/checkpoint/staging.ts';
import { unwritableId } from './record/unreadable.ts';
import { upgradesDone } from './files/opening/upgrades-done.ts';
import type { Problem, RecordProblem, ServiceTx, ServiceView, StagedBytes, Tx, View } from './record/view.ts';

/**
 * The document database over one root. Reads are served from memory; a change runs in one transaction, is durable in the journal before
 * it is acknowledged, and reaches its files a moment later. Edits found on disk are transactions of their own.
 */
export class Store<C extends Collections = Collections> {
  readonly #engine: Engine;
  readonly #commit: Commit;

  private constructor(engine: Engine) {
    this.#engine = engine;
    this.#commit = engine.commit;
  }

  /** Takes the root's lock, reads its files, brings them up to the journal, and begins to listen. Throws `conflict` when another service holds the root. */
  static async open<C extends Collections>(options: StoreOptions): Promise<Store<C>> {
    return new Store<C>(await Engine.open(options));
  }

  /** Ids of all projects by created_at, then id. */
  projects(): readonly string[] {
    return this.#engine.ordered().map(({ id }) => id);
  }

  /** Ids of the projects that hold a record, an edge or a revision with this id. Not all of it need be durable: answers rest on `seek`. */
  locate(id: string): readonly string[] {
    return this.#engine.locate(id);
  }

  /** Finds out by `locate` what a call means. What `fn` throws, because an id is in no project say, is thrown once that is durable. */
  async seek<T>(fn: (locate: (id: string) => readonly string[]) => T): Promise<T> {
    for (;;) {
      try {
        return fn((id) => this.#engine.locate(id));
      } catch (error) {
        if (!(await this.#complete()) && (await this.#engine.committer.allDurable())) throw error;
      }
    }
  }

  /** Reads one project. Resolves once everything that could be seen is durable. Throws `not_found` for an unknown project. */
  async view<T>(project: string, fn: (view: View<C>) => T): Promise<T> {
    return this.#durably(project, () => fn(typedView<C>(this.#engine.viewOf(this.#need(project)))));
  }

  /** Reads all projects at one moment. */
  async viewAll<T>(fn: (views: readonly View<C>[]) => T): Promise<T> {
    for (;;) {
      await this.#complete();
      const result = fn(this.#engine.ordered().map((project) => typedView<C>(this.#engine.viewOf(project))));
      if (await this.#engine.committer.allDurable()) return result;
    }
  }

  /**
   * Runs a transaction. Resolves once it is durable; a throw takes everything back. Run a second time where it was refused for a file that
   * turns out to be sound now.
   */
  async update<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T): Promise<T> {
    const found = this.#engine.projects.get(project) ?? (await this.#sought(project));
    return this.#attempted(found, async () => {
      while (found.exclusive.held !== undefined) await found.exclusive.held;
      this.#requireServed(found);
      return this.#commit.run(found, meta, (tx) => fn(typedTx<C>(tx)));
    });
  }

  /**
   * The same for a rule that takes long: it runs in slices between other requests. Reads and other changes of this project wait until it
   * is complete.
   */
  async updateSliced<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>): Promise<T> {
    const found = this.#engine.projects.get(project) ?? (await this.#sought(project));
    return this.#attempted(found, () =>
      this.#commit.runSliced(found, meta, (tx) => {
        this.#requireServed(found);
        return fn(typedTx<C>(tx));
      }),
    );
  }

  /** Makes a project in a transaction of its own: `fn` puts the project's record under `tx.project`. */
  async createProject<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T): Promise<T> {
    return this.#commit.create(this.#newProject(name), meta, (tx) => fn(typedTx<C>(tx)));
  }

  /** The same for a rule that takes long: it runs in slices between other requests. Nobody sees the project before it is complete. */
  async createProjectSliced<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>): Promise<T> {
    return this.#commit.createSliced(this.#newProject(name), meta, (tx) => fn(typedTx<C>(tx)));
  }

  /** Deletes a project; its directory goes to `local/trash`. `beside` changes the service's own records in the same journal entry. */
  async deleteProject(project: string, meta: ChangeMeta, beside?: (tx: ServiceTx) => void): Promise<void> {
    const found = this.#engine.projects.get(project) ?? (await this.#sought(project));
    while (found.exclusive.held !== undefined) await found.exclusive.held;
    this.#requireServed(found);
    this.#engine.committer.refuseWhenFailed();
    const transaction = serviceTransaction(this.#engine.service);
    beside?.(transaction.tx);
    await this.#commit.drop(found, meta, transaction);
  }

  async viewService<T>(fn: (view: ServiceView) => T): Promise<T> {
    for (;;) {
      const result = fn(this.#engine.service);
      const durable = this.#engine.committer.serviceDurable();
      if (durable === undefined || (await durable)) return result;
    }
  }

  async updateService<T>(meta: ChangeMeta, fn: (tx: ServiceTx) => T): Promise<T> {
    const transaction = serviceTransaction(this.#engine.service);
    return this.#commit.service(meta, transaction, fn);
  }

  /**
   * Takes bytes in, piece by piece as they come: durable when it resolves. A record that a transaction puts within an hour may name them;
   * what no record names then is swept. What `pieces` throws is thrown on and leaves nothing behind.
   */
  async stage(pieces: Pieces): Promise<StagedBytes> {
    this.#engine.committer.refuseWhenFailed();
    const staged = await this.#engine.staging.put(pieces);
    this.#engine.recordFiles.arrived(this.#engine.projects.values());
    return staged;
  }

  /** Resolves when every acknowledged change that can be written is in its file. */
  async flush(): Promise<void> {
    await this.#engine.flush();
  }

  /** Resolves once edits on disk are heard of. */
  watching(): Promise<void> {
    return this.#engine.watching;
  }

  /** Looks at every file now, whatever events said. */
  async rescan(): Promise<void> {
    await this.#engine.rescan();
  }

  /** Writes everything, empties the journal, keeps the index cache and lets go of the root. */
  async close(): Promise<void> {
    await this.#engine.close();
  }

  /** Lets go of the root at once without writing anything: what is pending is recovered from the journal at the next opening. */
  abandon(): void {
    this.#engine.abandon();
  }

  /** A random name of this opening, by which it is told from every other process. */
  get instance(): string {
    return this.#engine.lock.holder.instance ?? '';
  }

  /** Where the service listens: told to whoever finds the root held. */
  setAddress(url: string): void {
    this.#engine.lock.setAddress(url);
  }

  /** Compares index, files and journal; what does not agree is a problem. Empty is well. */
  check(): readonly Problem[] {
    return check(this.#engine);
  }

  /** The same in steps, between which the service goes on. */
  checking(): Iterator<unknown, readonly Problem[]> {
    return checking(this.#engine);
  }

  /** Looks at the root's own files: settings, what git is told, who may read the token. Empty is well. */
  checkRoot(): readonly Problem[] {
    const { options, layout, projects } = this.#engine;
    const found = checkRootFiles(options.disk, layout, new Set(projects.keys()), currentFormat(options.migrations));
    return found.filter(({ harmless }) => harmless !== true).map(({ problem }) => problem);
  }

  /**
   * Mends what can be mended without losing anything, and looks at every file again. Answers one sentence for each thing that was done.
   * Throws `conflict` while git is at work.
   */
  async mend(): Promise<readonly string[]> {
    await this.flush();
    await this.#complete();
    const done = mend(this.#engine, () => this.#freeCode());
    await this.rescan();
    await this.flush();
    return done;
  }

  /** Says where the records lie that problems are about. */
  located(project: string, problems: Iterable<RecordProblem>): readonly Problem[] {
    return this.#need(project).located(problems);
  }

  /** What was done to the files when they came from an older format: one sentence for each backup that is still there. */
  upgrades(): readonly string[] {
    return upgradesDone(this.#engine.options.disk, this.#engine.layout);
  }

  status(): StoreStatus {
    return this.#engine.status();
  }

  async #durably<T>(project: string, read: () => T): Promise<T> {
    for (;;) {
      const held = this.#engine.projects.get(project)?.exclusive.held;
      if (held !== undefined) {
        await held;
        continue;
      }
      let result: T | undefined;
      let failure: unknown;
      let failed = false;
      try {
        result = read();
      } catch (error) {
        [failed, failure] = [true, error];
      }
      const durable = this.#engine.committer.durable(project);
      // What was taken back was never there: look again.
      if (durable !== undefined && !(await durable)) continue;
      if (failed) throw failure as Error;
      return result as T;
    }
  }

  /** Runs a change a second time where it was refused for a file that turns out to be sound now. */
  async #attempted<T>(project: Project, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const id = unwritableId(error);
      if (id === undefined || !(await this.#engine.isMended(project, id))) throw error;
      return run();
    }
  }

  /** Resolves when no project is in the middle of a change. Answers whether it had to wait. */
  #complete(): Promise<boolean> {
    return allComplete(() => this.#engine.projects.values());
  }

  #newProject(name: string): Project {
    const code = this.#freeCode();
    const id = `${idPrefixes.project}_${code}${randomName()}${randomName().slice(0, 2)}`;
    return this.#engine.make(id, `${slugOf(name) || 'project'}-${code}`);
  }

  /** A project may be deleted while a change of it waits for its turn. */
  #requireServed(project: Project): void {
    if (this.#engine.projects.get(project.id) !== project) throw notFound('project', project.id);
  }

  /** A project that is not there may be one whose deletion is under way. */
  #sought(id: string): Promise<Project> {
    return this.seek(() => this.#need(id));
  }

  #need(id: string): Project {
    const project = this.#engine.projects.get(id);
    if (project === undefined) throw notFound('project', id);
    return project;
  }

  #freeCode(): string {
    for (let tries = 0; tries < 100; tries++) {
      const code = newProjectCode();
      if (!this.#engine.codeIsTaken(code)) return code;
    }
    throw conflict('No free project code was found in 100 tries.');
  }
}
