import {
  beginningBytes,
  SnapshotError,
  snapshotsKept,
  type SnapshotStore,
  type Summary,
} from '../../src/store/hosted/storage/snapshot-store.ts';
import type { Head } from '../../src/store/record/log.ts';

/** A snapshot of one entry; undefined parts are being written. */
interface Kept {
  readonly head: Head;
  parts: Uint8Array[] | undefined;
}

/** The server that is trimmed if these snapshots belong to a simulated log. Entries have no age there. */
export interface TrimmedServer {
  firstOf(log: string): number;
  trimBelow(log: string, below: number): number;
}

/** Snapshots that several nodes of one process share. */
export class MemorySnapshots implements SnapshotStore {
  readonly #kept = new Map<string, Kept[]>();
  readonly #summaries = new Map<string, Summary>();
  readonly #server: TrimmedServer | undefined;

  constructor(server?: TrimmedServer) {
    this.#server = server;
  }

  heads(logs: readonly string[]): Promise<ReadonlyMap<string, readonly Head[]>> {
    const found = logs.map((log) => [log, this.headsOf(log)] as const).filter(([, heads]) => heads.length > 0);
    return Promise.resolve(new Map(found));
  }

  /** The complete snapshots of a log, newest first. */
  headsOf(log: string): readonly Head[] {
    return this.#of(log)
      .filter(({ parts }) => parts !== undefined)
      .map(({ head }) => head);
  }

  beginnings(heads: ReadonlyMap<string, Head>): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = Array.from(heads, ([log, { seq, id }]) => {
      const kept = this.#of(log).find(({ head }) => head.seq === seq && head.id === id);
      return [log, kept?.parts?.[0]?.subarray(0, beginningBytes)] as const;
    });
    return Promise.resolve(new Map(found.filter((one): one is [string, Uint8Array] => one[1] !== undefined)));
  }

  summaries(logs: readonly string[]): Promise<ReadonlyMap<string, Summary>> {
    return Promise.resolve(new Map([...this.#summaries].filter(([log]) => logs.includes(log))));
  }

  putSummaries(summaries: readonly Summary[]): Promise<void> {
    for (const summary of summaries) this.#summaries.set(summary.log, summary);
    return Promise.resolve();
  }

  /** Changes the texts of all summaries. */
  damageSummaries(change: (text: string) => string): void {
    for (const [log, summary] of this.#summaries) this.#summaries.set(log, { ...summary, text: change(summary.text) });
  }

  /** The entries of the stored summaries, by their logs. */
  get summarised(): ReadonlyMap<string, number> {
    return new Map(Array.from(this.#summaries, ([log, { head }]) => [log, head.seq]));
  }

  async *read(log: string, { seq, id }: Head): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    const found = this.#of(log).find(({ head }) => head.seq === seq && head.id === id);
    if (found?.parts === undefined) throw new SnapshotError('it is not there any more');
    for (const part of found.parts) {
      if (part.length === 0) throw new SnapshotError('a part is missing');
      yield part;
    }
  }

  async put(log: string, head: Head, parts: AsyncIterable<Uint8Array>): Promise<boolean> {
    const all = this.#of(log);
    if (all.some(({ head: { seq } }) => seq === head.seq)) return false;
    const kept: Kept = { head, parts: undefined };
    all.push(kept);
    all.sort((a, b) => b.head.seq - a.head.seq);
    const found: Uint8Array[] = [];
    for await (const part of parts) found.push(part);
    kept.parts = found;
    const oldest = this.headsOf(log)[snapshotsKept - 1];
    if (oldest !== undefined)
      this.#kept.set(
        log,
        this.#of(log).filter(({ head: { seq } }) => seq >= oldest.seq),
      );
    return true;
  }

  trimmable(): Promise<readonly string[]> {
    const older = Array.from(this.#kept.keys(), (log) => [log, this.headsOf(log)[snapshotsKept - 1]] as const);
    const found = older.filter(
      ([log, head]) => head !== undefined && (this.#server?.firstOf(log) ?? head.seq) < head.seq,
    );
    return Promise.resolve(found.map(([log]) => log));
  }

  trim(log: string, below: number): Promise<number> {
    return Promise.resolve(this.#server?.trimBelow(log, below) ?? 0);
  }

  /** Changes the bytes of all snapshots, or of the newest of each log alone. */
  damage(change: (parts: readonly Uint8Array[]) => Uint8Array[], which: 'all' | 'newest' = 'all'): void {
    for (const all of this.#kept.values()) {
      const complete = all.filter(({ parts }) => parts !== undefined);
      for (const kept of which === 'all' ? complete : complete.slice(0, 1)) kept.parts = change(kept.parts!);
    }
  }

  clear(): void {
    this.#kept.clear();
    this.#summaries.clear();
  }

  #of(log: string): Kept[] {
    let all = this.#kept.get(log);
    if (all === undefined) this.#kept.set(log, (all = []));
    return all;
  }
}
