import type { EntryBody } from '../../record/entry.ts';
import type { Entry } from '../journal/journal.ts';
import type { ServiceSnapshot } from '../root/service-snapshot.ts';
import type { StoreDeps } from '../projects/store-deps.ts';

/**
 * A busy store lets the journal grow to this many segments before it syncs the files: an fsync delays the commits.
 * While records are dirty there may be more: syncing one file delays writing the others. With more segments than that,
 * the journal does not wait for the index cache.
 */
const segmentsKept = 8;
const segmentsKeptBusy = 32;
/**
 * A store syncs its files, writes its index cache and truncates its journal at this interval: an opening after a kill
 * replays what was journaled since, and reads the files that changed since. The cache has the whole plan, so that one
 * change every minute would write it every minute.
 */
const checkpointIntervalMs = 15 * 60_000;
/** The same while the journal has more than one segment, or while there is no cache yet: for a busy store and an idle one. */
const checkpointSoonMs = 30_000;
const checkpointIdleMs = 5000;
/**
 * The pause after writing the cache is at least this many times the duration of the write, however many records there
 * are.
 */
const cachePauseFactor = 50;

/** Keeps the journal small: removes its segments once everything before a position is synced in files. */
export class JournalTruncation {
  readonly #engine: StoreDeps;
  readonly #snapshot: ServiceSnapshot;
  /**
   * The index cache has the values of all entries before this position. Without entry and cache, a value that a person
   * overwrites while no service runs would be in no revision.
   */
  #cachedBefore = 0;
  /** The journal's position at the last check. */
  #lastPosition: number | undefined;
  /** When the store was synced last, by the monotonic clock, and the journal's position then. */
  #syncedAt: number;
  #syncedPosition: number | undefined;
  /** The minimum pause until the next time. */
  #pauseMs = 0;

  constructor(engine: StoreDeps, snapshot: ServiceSnapshot) {
    this.#engine = engine;
    this.#snapshot = snapshot;
    this.#syncedAt = engine.options.clock.monotonic();
  }

  /** Called at an interval: what is due now, if anything. */
  due(): (() => Promise<void>) | undefined {
    const { journal, checkpointer } = this.#engine;
    const isIdle = journal.position === this.#lastPosition && !checkpointer.busy;
    this.#lastPosition = journal.position;
    const isFull =
      this.#isOver(checkpointer.busy ? segmentsKeptBusy : segmentsKept) &&
      this.#oldestNeeded() > (journal.segments()[0]?.last ?? 0);
    if (this.#isCheckpointDue(isIdle, isFull)) return () => this.checkpoint();
    return isFull && this.#isOver(segmentsKeptBusy) ? () => this.#truncate(false) : undefined;
  }

  #isOver(segments: number): boolean {
    const { journal, options } = this.#engine;
    return journal.bytes > segments * options.segmentBytes;
  }

  #isCheckpointDue(isIdle: boolean, isFull: boolean): boolean {
    const { cache, journal, options } = this.#engine;
    const agoMs = options.clock.monotonic() - this.#syncedAt;
    const isSoon = this.#isOver(1) || !cache.isThere;
    const intervalMs = isFull ? 0 : !isSoon ? checkpointIntervalMs : isIdle ? checkpointIdleMs : checkpointSoonMs;
    if (agoMs < Math.max(intervalMs, this.#pauseMs)) return false;
    return journal.position !== this.#syncedPosition || this.#oldestNeeded() > this.#cachedBefore;
  }

  /** Syncs the files, writes the index cache, and removes the segments that are not needed any more. */
  async checkpoint(): Promise<void> {
    await this.#truncate(true);
    this.#syncedAt = this.#engine.options.clock.monotonic();
  }

  /** The same after `local/` was created again: what was in it is written again. */
  async restart(): Promise<void> {
    await this.#engine.journal.rotate();
    this.#snapshot.invalidate();
    this.#engine.feeds?.lose();
    this.#cachedBefore = 0;
    await this.#truncate(true);
  }

  async #truncate(withCache: boolean): Promise<void> {
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
        this.#syncedPosition = position;
      }
      journal.truncateBefore(withCache ? Math.min(before, this.#cachedBefore) : before);
      if (withCache) await this.#engine.writeHistoryIndexes();
    } catch (error) {
      // The journal keeps what is not synced; the next tick retries.
      this.#engine.options.log(`The journal could not be shortened: ${(error as Error).message}`);
    }
  }

  async #writeIndexCache(): Promise<boolean> {
    const { clock } = this.#engine.options;
    const began = clock.monotonic();
    const isWritten = await this.#engine.writeIndexCache();
    this.#pauseMs = cachePauseFactor * (clock.monotonic() - began);
    return isWritten;
  }

  #oldestNeeded(): number {
    let oldest = this.#engine.journal.position + 1;
    for (const project of this.#engine.projects.values()) oldest = project.oldestNeeded(oldest);
    return oldest;
  }

  /**
   * Copies the entries of parked changes to the newest segment, so that they do not prevent the removal of older ones.
   * They are confirmed here: a position that is not may never be, since no change may follow it.
   */
  async #carryParked(): Promise<void> {
    const { journal, durability } = this.#engine;
    const current = journal.segments().at(-1)?.first ?? 0;
    for (const project of this.#engine.projects.values()) {
      const stuck = [...project.dirty].filter(
        ([id, life]) => life.kind !== 'writing' && life.position < current && project.problemOf(id) !== undefined,
      );
      if (stuck.length === 0) continue;
      const ids = new Set(stuck.map(([id]) => id));
      const position = journal.position + 1;
      const carried = journal.read(project.id, project.createdAt - 1, (entry) =>
        withChangesOf(entry as Entry<EntryBody>, ids),
      );
      const appended = carried.map((entry) => journal.carry(entry));
      const last = journal.position;
      const results = await Promise.all(appended);
      if (results.some(({ is }) => is !== 'ok')) continue;
      durability.confirm(last);
      for (const id of ids) project.dirty.on(id, { kind: 'carried', position });
    }
  }
}

/**
 * The part of an entry that concerns these records, with what an opening made of edits of their files: its other changes
 * are in files already and must not be repeated.
 */
function withChangesOf(entry: Entry<EntryBody>, ids: ReadonlySet<string>): Entry<EntryBody> | undefined {
  const { service: _, offline: edits = [], ...body } = entry.body;
  const changes = body.changes.filter(({ id }) => ids.has(id));
  const offline = edits.filter(({ id }) => ids.has(id));
  if (changes.length === 0 && offline.length === 0) return undefined;
  return { ...entry, body: { ...body, changes, ...(offline.length > 0 && { offline }), revisions: [] } };
}
