import type { Clock } from '../../../base/clock.ts';
import { randomShare } from '../../../base/ids.ts';

/** A project counts as contested for this time after an entry lost its place to another node's. */
const contestedMs = 1000;
/** A rest is this many times as long as a node needs to append again after it has lost. */
const restFactorMin = 0.5;
const restFactorMax = 1.5;
const returnMsMin = 8;
const returnMsMax = 200;
/** How much of the mean the last return is. */
const lastShare = 0.2;

/**
 * The projects that other nodes append to at this time. A node that has won rests before its next append to such a
 * project: without that, the node that is nearest to the database would win again and again, and others not at all. It
 * rests for about as long as another one needs to read the entry, to run its rules again, and to append, estimated by
 * its own time.
 */
export class ContestedProjects {
  readonly #clock: Clock;
  /** Until when, by the monotonic clock. */
  readonly #until = new Map<string, number>();
  /** Since when projects were not appended to whose last entry lost its place. */
  readonly #lostAt = new Map<string, number>();
  #returnMs = returnMsMin;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An entry of this node was in conflict with another node's entry. */
  lost(project: string): void {
    const now = this.#clock.monotonic();
    this.#until.delete(project);
    this.#until.set(project, now + contestedMs);
    if (!this.#lostAt.has(project)) this.#lostAt.set(project, now);
  }

  /** A statement that appends to the project is sent. */
  sent(project: string): void {
    const lostAt = this.#lostAt.get(project);
    if (lostAt === undefined) return;
    this.#lostAt.delete(project);
    const ms = Math.min(returnMsMax, Math.max(returnMsMin, this.#clock.monotonic() - lostAt));
    this.#returnMs += lastShare * (ms - this.#returnMs);
  }

  /** How long to rest after an entry was appended, in milliseconds; undefined if no other node appends. */
  rest(project: string): number | undefined {
    this.#forget();
    if (!this.#until.has(project)) return undefined;
    return this.#returnMs * (restFactorMin + randomShare() * (restFactorMax - restFactorMin));
  }

  #forget(): void {
    const now = this.#clock.monotonic();
    for (const [project, until] of this.#until) {
      if (until > now) return;
      this.#until.delete(project);
      this.#lostAt.delete(project);
    }
  }
}
