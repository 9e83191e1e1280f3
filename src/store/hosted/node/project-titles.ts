import type { Clock, Timer } from '../../../base/clock.ts';
import { inSlices, type Steps } from '../../../base/slices.ts';
import type { Collection } from '../../record/collection.ts';
import type { Change } from '../../record/record.ts';
import type { ChangedTitles, ChooseProjects, StoredTitle, TitleWords } from '../../record/title-search.ts';
import type { TitleStore } from '../storage/title-store.ts';
import type { HostedProject } from './hosted-project.ts';
import type { NodeProjects } from './node-projects.ts';
import type { Residents } from './residents.ts';

export interface ProjectTitlesDeps {
  readonly store: TitleStore;
  readonly words: TitleWords;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly projects: NodeProjects;
  readonly residents: Pick<Residents, 'using'>;
  readonly clock: Clock;
  /** Resolves when every project is known. */
  readonly whenKnown: () => Promise<void>;
  readonly report: (message: string) => void;
}

/** When it is looked for projects whose titles are not all stored: after a start, and from time to time. */
const firstMs = 2_000;
const nextMs = 600_000;
/** The share of one processor that storing them takes at most. */
const share = 1 / 20;

/**
 * The titles of all projects, by which a search over all finds the projects that it has to read. Entries change them; those of
 * projects that were made by an earlier version are stored in the background, and until then such a search is incomplete.
 */
export class ProjectTitles {
  readonly #deps: ProjectTitlesDeps;
  /** The projects whose titles are not all stored; undefined before it was asked. */
  #missing: Promise<Set<string>> | undefined;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  private constructor(deps: ProjectTitlesDeps) {
    this.#deps = deps;
  }

  /** Undefined without a store of titles, or without their words. */
  static over(
    store: TitleStore | undefined,
    { words, ...deps }: Omit<ProjectTitlesDeps, 'store' | 'words'> & { readonly words: TitleWords | undefined },
  ): ProjectTitles | undefined {
    return store && words && new ProjectTitles({ ...deps, store, words });
  }

  /**
   * The titles that these changes of a project change; undefined without any. The first entry of a project has all, even if there are
   * none.
   */
  changedBy({ id: project, index }: HostedProject, changes: readonly Change[]): ChangedTitles | undefined {
    const { words, store } = this.#deps;
    const changed: StoredTitle[] = [];
    let isNew = false;
    for (const { collection, id, from, to } of changes) {
      if (id === project && from === undefined) isNew = true;
      const [former, present] = [from && words.titleOf(collection, from), to && words.titleOf(collection, to)];
      if (former === present) continue;
      changed.push({ id, collection, words: () => (present === undefined ? [] : words.wordsOf(present)) });
    }
    const isAll = isNew && !store.hasEarlierNodes;
    if (!isAll && changed.length === 0) return undefined;
    return { changed, project_at: madeAt(index, project), ...(isAll && { isAll }) };
  }

  /** The projects that a search over all has to read; undefined if that is not known. */
  async choose(choose: ChooseProjects): Promise<Awaited<ReturnType<ChooseProjects>> | undefined> {
    if (this.#deps.store.hasEarlierNodes) return undefined;
    const isComplete = (await this.#missed()).size === 0;
    const { projects, isWhole } = await choose(this.#deps.store);
    return { projects, isWhole: isWhole && isComplete };
  }

  /** Stores missing titles in the background. */
  begin(): void {
    if (this.#deps.store.hasEarlierNodes) return;
    this.#after(firstMs, () => this.#storeAll());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #missed(): Promise<Set<string>> {
    this.#missing ??= this.#deps
      .whenKnown()
      .then(() => this.#deps.store.complete())
      .then(
        (complete) => new Set([...this.#deps.projects.ids()].filter((id) => !complete.has(id))),
        (error: unknown) => {
          this.#missing = undefined;
          throw error;
        },
      );
    return this.#missing;
  }

  #after(ms: number, run: () => Promise<void>): void {
    if (this.#isClosed) return;
    this.#timer = this.#deps.clock.after(ms, () => void (this.#running = run())).unref();
  }

  async #storeAll(): Promise<void> {
    // A project that could not be loaded the last time may be there by now.
    this.#missing = undefined;
    try {
      const missing = await this.#missed();
      this.#storeNext(missing, [...missing].values());
    } catch (error) {
      this.#failed(error);
    }
  }

  #storeNext(missing: Set<string>, left: Iterator<string, undefined>): void {
    const { value: project, done } = left.next();
    if (done === true) {
      this.#after(nextMs, () => this.#storeAll());
      return;
    }
    const { clock, projects } = this.#deps;
    const begun = clock.monotonic();
    this.#running = (projects.has(project) ? this.#store(project) : Promise.resolve()).then(
      () => {
        missing.delete(project);
        this.#after((clock.monotonic() - begun) * (1 / share - 1), () =>
          Promise.resolve(this.#storeNext(missing, left)),
        );
      },
      (error: unknown) => this.#failed(error),
    );
  }

  async #store(id: string): Promise<void> {
    const { residents, store } = this.#deps;
    const titles = await residents.using(id, async (project) => ({
      project: id,
      project_at: madeAt(project.index, id),
      titles: await inSlices('search index', this.#titlesOf(project), { project: id }),
    }));
    await store.add(titles);
  }

  *#titlesOf({ index }: HostedProject): Steps<readonly StoredTitle[]> {
    const { collections, words } = this.#deps;
    const titles: StoredTitle[] = [];
    for (const collection of collections.keys())
      // It may change between two steps.
      for (const record of [...index.table(collection).values()]) {
        const title = words.titleOf(collection, record);
        if (title !== undefined) titles.push({ id: record.id, collection, words: () => words.wordsOf(title) });
        yield;
      }
    return titles;
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return;
    this.#deps.report(`Titles of projects were not stored: ${(error as Error).message}`);
    this.#after(nextMs, () => this.#storeAll());
  }
}

function madeAt(index: HostedProject['index'], project: string): string {
  return index.record(project)?.created_at ?? '';
}
