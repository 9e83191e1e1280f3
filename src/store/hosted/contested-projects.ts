import type { Clock } from '../../clock.ts';
import { randomShare } from '../../ids.ts';

/** A project counts as contested for this time after an entry lost its place to another node's. */
const contestedMs = 1000;
const restMsMin = 4;
const restMsMax = 12;

/**
 * The projects that other nodes append to at this time. A node that has won rests before its next append to such a
 * project: without that, the node that is nearest to the database would win again and again, and others not at all.
 */
export class ContestedProjects {
  readonly #clock: Clock;
  /** Until when, by the monotonic clock. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An entry of this node was in conflict with that of another one. */
  lost(project: string): void {
    this.#until.delete(project);
    this.#until.set(project, this.#clock.monotonic() + contestedMs);
  }

  /** How long to rest after an entry was appended, in milliseconds; undefined if no other node appends. */
  rest(project: string): number | undefined {
    this.#forget();
    return this.#until.has(project) ? restMsMin + randomShare() * (restMsMax - restMsMin) : undefined;
  }

  #forget(): void {
    const now = this.#clock.monotonic();
    for (const [project, until] of this.#until) {
      if (until > now) return;
      this.#until.delete(project);
    }
  }
}
