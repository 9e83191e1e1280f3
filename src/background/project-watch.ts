import { isoTime } from '../base/clock.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { identityOf, noteDeletion, noteProject, undeleted, undeletedProjects } from '../domain/feed/known-projects.ts';
import type { KnownProject, ProjectIdentity } from '../domain/feed/known-projects.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import type { ServiceTx, Store } from '../store/index.ts';
import { NotedProjects } from './noted-projects.ts';

export interface ProjectWatchOptions {
  readonly store: Pick<
    Store<PlannerCollections>,
    'directoryOf' | 'isGone' | 'onProjects' | 'onServiceNames' | 'peek' | 'projects' | 'readService' | 'updateService'
  >;
  readonly clock: Clock;
  readonly log: (entry: { readonly level: 'error'; readonly message: string }) => void;
}

/**
 * A project that is away is looked for again after this time, and then ever more rarely: it may have been moved only for a
 * moment, and one that git removes may be back when git has ended.
 */
const awayMs = 500;
const awayMsMax = 60_000;

/**
 * Notes which projects are served, and projects that disappeared from the disk, which is an event for followers of all
 * projects. Each change is noted once, also if it happened while no service ran.
 */
export class ProjectWatch {
  readonly #options: ProjectWatchOptions;
  readonly #noted: NotedProjects;
  /** The projects that are known, or about to be. */
  readonly #known = new Set<string>();
  /** The projects that were not served at the last look. */
  readonly #away = new Set<string>();
  readonly #unsubscribe: (() => void)[] = [];
  #timer: Timer | undefined;
  #nextMs = awayMs;

  constructor(options: ProjectWatchOptions) {
    this.#options = options;
    this.#noted = new NotedProjects({ clock: options.clock, look: (projects) => this.#look(projects) });
  }

  async start(): Promise<void> {
    const { store } = this.#options;
    this.#unsubscribe.push(
      store.onProjects((project) => this.#onProject(project)),
      // A directory that is not served is a problem: it may have been removed.
      store.onServiceNames((names) => {
        if (names.has('problems') && this.#away.size > 0) this.#noted.note(...this.#away);
      }),
    );
    const known = await store.readService((records) => undeletedProjects(records).map(({ id }) => id));
    for (const id of known) if (store.directoryOf(id) === undefined) this.#away.add(id);
    for (const id of [...known, ...store.projects()]) this.#known.add(id);
    await this.#noted.lookAt([...this.#known]);
  }

  async close(): Promise<void> {
    for (const end of this.#unsubscribe) end();
    this.#timer?.cancel();
    await this.#noted.close();
  }

  /** A new project is noted immediately: a cursor may name it from now on. */
  #onProject(project: string): void {
    if (this.#known.has(project)) return this.#noted.note(project);
    this.#known.add(project);
    void this.#noted.lookAt([project]);
  }

  async #look(projects: readonly string[]): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      const gone = await this.#goneOf(projects);
      const served = projects.flatMap((project) => this.#identity(project) ?? []);
      const at = isoTime(clock.now());
      await store.updateService({ author: 'system', source: 'system' }, (tx) => note(tx, served, gone, at));
      for (const { id } of [...served, ...gone]) this.#away.delete(id);
      for (const { id } of gone) this.#known.delete(id);
    } catch (error) {
      // A root that cannot be written, or read: the next start notes the rest.
      log({ level: 'error', message: `Projects: ${(error as Error).message}` });
    }
    this.#lookAgain();
  }

  /** The projects that are gone, and were away at the last look already. The others are looked at again. */
  async #goneOf(projects: readonly string[]): Promise<readonly KnownProject[]> {
    const { store } = this.#options;
    const missing = projects.filter((project) => store.directoryOf(project) === undefined);
    const known = await store.readService((records) => missing.flatMap((project) => undeleted(records, project) ?? []));
    const away = known.filter(({ id }) => this.#away.has(id));
    for (const { id } of known) this.#away.add(id);
    return away.filter(({ id, directory }) => store.isGone(id, directory));
  }

  /** Undefined if the project is not served, or is being changed: then it is noted again. */
  #identity(project: string): ProjectIdentity | undefined {
    const { store } = this.#options;
    const directory = store.directoryOf(project);
    return directory === undefined ? undefined : store.peek(project, (view) => identityOf(view, directory));
  }

  #lookAgain(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#away.size === 0) this.#nextMs = awayMs;
    if (this.#away.size === 0 || this.#noted.isClosed) return;
    this.#timer = this.#options.clock.after(this.#nextMs, () => this.#noted.note(...this.#away)).unref();
    this.#nextMs = Math.min(2 * this.#nextMs, awayMsMax);
  }
}

function note(tx: ServiceTx, served: readonly ProjectIdentity[], gone: readonly KnownProject[], at: string): void {
  for (const identity of served) noteProject(tx, identity, at);
  for (const { id, code, name, directory } of gone) {
    const isLeft = undeleted(tx, id) !== undefined;
    if (isLeft) noteDeletion(tx, { id, code, name, directory }, { at, author: 'file', source: 'disk' });
  }
}
