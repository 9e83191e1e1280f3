import { PlannerError } from '../../../base/errors.ts';
import { inSlices, nextTurn, type Steps } from '../../../base/slices.ts';
import type { Feed } from '../../replica/feed.ts';
import { ForkError } from '../../replica/replica.ts';
import type { CaughtUp, Entry, Head, Log } from '../../record/log.ts';
import type { EntryBody } from '../../record/entry.ts';
import { charactersOf, heldCharactersOf } from './entry-size.ts';
import type { ColdProject } from './cold-project.ts';
import type { HostedFeeds } from './hosted-feeds.ts';
import type { HostedProject } from './hosted-project.ts';
import { readSnapshot, type RestoredLog } from './log-snapshot.ts';
import type { NodeProjects } from './node-projects.ts';
import { SnapshotError, type SnapshotStore } from '../storage/snapshot-store.ts';

export interface ResidentLoaderDeps {
  readonly log: Log<EntryBody>;
  readonly snapshots: SnapshotStore;
  readonly projects: NodeProjects;
  readonly feeds: HostedFeeds | undefined;
  readonly empty: (project: Pick<HostedProject, 'id' | 'code'>) => HostedProject;
  /** Adds the derived indexes to the records of a project. */
  readonly derive: (project: HostedProject) => Steps<void>;
  /** Applies the next entry of its log to a cold project. */
  readonly follow: (project: ColdProject, entry: Entry<EntryBody>) => void;
  /** A project is in memory from now on. */
  readonly onLoaded: (project: HostedProject) => void;
  readonly report: (message: string) => void;
}

/**
 * Loads cold projects into memory: each from its newest snapshot and the tail of its log. Its log is followed as before
 * during the load, so that the service's records in it never fall back to an earlier state.
 */
export class ResidentLoader {
  readonly #deps: ResidentLoaderDeps;
  readonly #loading = new Map<string, Promise<void>>();

  constructor(deps: ResidentLoaderDeps) {
    this.#deps = deps;
  }

  /** Returns whether calls wait for the project already: they share one load. */
  isLoading(project: string): boolean {
    return this.#loading.has(project);
  }

  /**
   * Resolves when the project is in memory, with every entry that was acknowledged before the call, when its log has lost
   * entries that it has yet to follow, or when it is gone.
   */
  load(cold: ColdProject): Promise<void> {
    let loading = this.#loading.get(cold.id);
    if (loading === undefined) {
      loading = this.#load(cold).finally(() => this.#loading.delete(cold.id));
      this.#loading.set(cold.id, loading);
    }
    return loading;
  }

  async #load(cold: ColdProject): Promise<void> {
    const { snapshots } = this.#deps;
    const { id } = cold;
    const tried = new Set<number>();
    for (;;) {
      // Entries after the known ones may have been removed in between: then there are newer snapshots.
      const heads = ((await snapshots.heads([id])).get(id) ?? []).filter(({ seq }) => !tried.has(seq));
      if (heads.length === 0 && tried.has(0)) throw notReadable(id);
      for (const head of [...heads, undefined]) {
        tried.add(head?.seq ?? 0);
        if (await this.#isLoadedFrom(cold, head)) return;
      }
    }
  }

  /** False if the log does not continue the snapshot, or the snapshot cannot be read. */
  async #isLoadedFrom(cold: ColdProject, head: Head | undefined): Promise<boolean> {
    const { feeds, empty, derive, report, onLoaded } = this.#deps;
    const project = empty(cold);
    let restored: RestoredLog | undefined;
    try {
      restored = head && (await this.#restored(project, head));
      const feed = feeds?.detached(cold.id, restored?.feed);
      project.heldCharacters = restored?.characters ?? 0;
      const loading = new Loading(project, cold, feed);
      await this.#replay(loading);
      await inSlices('cold load', derive(project), { project: cold.id });
      for (let switched = await this.#switched(loading); switched !== 'in place';) {
        if (switched === 'cold is behind' || switched === 'gone') return true;
        await this.#replay(loading);
        switched = await this.#switched(loading);
      }
      onLoaded(project);
      return true;
    } catch (error) {
      if (!(error instanceof SnapshotError || error instanceof ForkError)) throw error;
      if (head !== undefined) report(`The snapshot of ${cold.id} at entry ${head.seq} is not used: ${error.message}.`);
      return false;
    }
  }

  #restored(project: HostedProject, head: Head): Promise<RestoredLog> {
    const { id: log } = project;
    return readSnapshot({ log, head, parts: this.#deps.snapshots.read(log, head) }, project);
  }

  /** Applies the tail of the log. The next page is asked for while one is applied. */
  async #replay(loading: Loading): Promise<void> {
    const { tail } = loading.project.replica;
    const { id } = loading.project;
    for (let page: Promise<CaughtUp<EntryBody>> | undefined = this.#page(id, tail.confirmed); page !== undefined;) {
      const { entries, more, trimmed, forked }: CaughtUp<EntryBody> = await page;
      if (trimmed.length > 0) throw new SnapshotError('the entries behind it are not kept any more');
      if (forked.length > 0) throw new SnapshotError('the log has another entry there');
      page = more.length > 0 ? this.#page(id, entries.at(-1)!) : undefined;
      page?.catch(() => undefined);
      await inSlices('cold load', loading.apply(entries), { project: id });
    }
    await loading.feed?.write(nextTurn);
  }

  #page(project: string, { seq, id }: Head): Promise<CaughtUp<EntryBody>> {
    return this.#deps.log.catchUp(new Map([[project, { seq, id }]]));
  }

  /** Puts the project in the place of the cold one, unless their logs end at different entries. */
  #switched({ project, cold, feed, unfollowed }: Loading): Promise<Switched> {
    const { projects, feeds, follow } = this.#deps;
    // Within one turn: a catch-up applies entries to the cold one until then, and to the project from then on.
    const switched = (): Switched => {
      const { tail } = cold.replica;
      const left = unfollowed.splice(0).filter(({ seq }) => seq > tail.confirmed.seq);
      if (left.length > 0 && left[0]!.seq !== tail.confirmed.seq + 1) return 'cold is behind';
      for (const entry of left) follow(cold, entry);
      if (projects.get(cold.id) !== cold) return 'gone';
      const { seq, id } = project.replica.tail.confirmed;
      if (seq < tail.confirmed.seq) return 'behind';
      if (seq > tail.confirmed.seq) return 'cold is behind';
      if (id !== tail.confirmed.id) throw new SnapshotError(`the log has another entry ${seq}`);
      project.entryBytes = cold.entryBytes;
      project.placed = cold.placed;
      project.foreign = cold.foreign;
      if (feed !== undefined) feeds?.attach(cold.id, feed);
      projects.replace(project);
      return 'in place';
    };
    return cold.exclusive.run(() => Promise.try(switched));
  }
}

type Switched = 'in place' | 'behind' | 'cold is behind' | 'gone';

/** A project that is being loaded. */
class Loading {
  readonly project: HostedProject;
  readonly cold: ColdProject;
  readonly feed: Feed | undefined;
  /** Entries that the cold project has yet to follow. */
  readonly unfollowed: Entry<EntryBody>[] = [];

  constructor(project: HostedProject, cold: ColdProject, feed: Feed | undefined) {
    this.project = project;
    this.cold = cold;
    this.feed = feed;
  }

  *apply(entries: readonly Entry<EntryBody>[]): Steps<void> {
    const { project, cold, feed } = this;
    for (const entry of entries) {
      const { id, seq, body } = entry;
      project.replica.applyAlone(entry);
      for (const revision of body.revisions) project.replica.history.add(revision);
      project.heldCharacters += heldCharactersOf(body, charactersOf(body));
      feed?.add(id, seq, body);
      if (seq > cold.replica.tail.confirmed.seq) this.unfollowed.push(entry);
      yield;
    }
  }
}

export function notReadable(id: string): PlannerError {
  return new PlannerError(
    'unavailable',
    `The database has not all of ${id}: neither its whole log nor a snapshot that can be read. Restore it from a backup.`,
  );
}
