import type { Problem } from '../../record/read-transaction.ts';
import {
  changed,
  clean,
  next,
  type NotClean,
  type UnverifiedWrite,
  type WriteEffect,
  type WriteEvent,
  type WriteLife,
} from './write-life.ts';

/** The records of a project whose latest value is not in their files, by id. */
export class DirtyRecords {
  readonly #lives = new Map<string, NotClean>();
  /** The ids of records with an unverified write, by its path. */
  readonly #unverified = new Map<string, string>();
  /** The number of parked changes, without those that they block. */
  parked = 0;

  get size(): number {
    return this.#lives.size;
  }

  has(id: string): boolean {
    return this.#lives.has(id);
  }

  get(id: string): WriteLife {
    return this.#lives.get(id) ?? clean;
  }

  ids(): Iterable<string> {
    return this.#lives.keys();
  }

  /** Iterates in the order of their first changes, correctly even if records change during it. */
  [Symbol.iterator](): Iterator<[string, NotClean]> {
    return this.#lives.entries();
  }

  /** The record changed: the same as the event, without allocating anything but the state. */
  mark(id: string, collection: string, position: number, force = false): void {
    const before = this.get(id);
    this.#set(id, before, changed(before, collection, position, force));
  }

  /** Applies an event to a record. Returns the effects for the caller. */
  on(id: string, event: WriteEvent): readonly WriteEffect[] {
    const before = this.get(id);
    const { life, effects } = next(before, event);
    if (before.kind === 'unverified') this.#unverified.delete(before.write.path);
    if (life.kind === 'unverified') this.#unverified.set(life.write.path, id);
    if (life !== before) this.#set(id, before, life);
    return effects;
  }

  #set(id: string, before: WriteLife, life: WriteLife): void {
    this.parked += Number(life.kind === 'parked') - Number(before.kind === 'parked');
    if (life.kind === 'clean') this.#lives.delete(id);
    else this.#lives.set(id, life);
  }

  /** The write at this path that has to be verified. */
  unverifiedAt(path: string): UnverifiedWrite | undefined {
    const life = this.get(this.#unverified.get(path) ?? '');
    return life.kind === 'unverified' ? life.write : undefined;
  }

  /** The present file at this path was read. Returns whether an unverified write was at it. */
  seenAt(path: string): boolean {
    const id = this.#unverified.get(path);
    if (id !== undefined) this.on(id, { kind: 'seen' });
    return id !== undefined;
  }

  /** Returns whether the outcome of a write of this record is unknown. */
  isBeingWritten(id: string): boolean {
    return this.get(id).kind === 'writing';
  }

  /** Whether the record's file is written although the record is unchanged. */
  isForced(id: string): boolean {
    const life = this.get(id);
    return life.kind !== 'clean' && life.force;
  }

  /** Why a change cannot be written now: it is parked, or the one that blocks it is. */
  parkedBy(life: WriteLife): Problem | undefined {
    const first = life.kind === 'blocked' ? this.get(life.by) : life;
    return first.kind === 'parked' ? first.problem : undefined;
  }

  /** Retries parked changes. Returns false without parked changes. */
  retryParked(): boolean {
    let found = false;
    for (const [id, { kind }] of this)
      if (kind === 'parked') {
        this.on(id, { kind: 'retried' });
        found = true;
      }
    return found;
  }

  /** The oldest journal position that is still needed; `none` if there is none. */
  oldestNeeded(none: number): number {
    let oldest = none;
    for (const life of this.#lives.values()) {
      oldest = Math.min(oldest, life.position);
      if (life.kind === 'writing') oldest = Math.min(oldest, life.later ?? oldest);
    }
    return oldest;
  }

  /** Returns whether a change can be written now. `isUnreadable`: a person has to repair the record's file first. */
  canWrite(isUnreadable: (id: string) => boolean): boolean {
    for (const [id, life] of this)
      if (life.kind === 'unverified' || (this.parkedBy(life) === undefined && !isUnreadable(id))) return true;
    return false;
  }

  get hasParked(): boolean {
    for (const _ of this.problems()) return true;
    return false;
  }

  /** The problems of parked changes. */
  *problems(): Iterable<Problem> {
    for (const life of this.#lives.values()) if (life.kind === 'parked') yield life.problem;
  }
}
