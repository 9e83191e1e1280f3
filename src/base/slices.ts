import { channel } from 'node:diagnostics_channel';
import { systemClock } from './clock.ts';
import { limits } from './limits.ts';

/**
 * Everything runs on one event loop: long work is done in slices, between which other requests are served. A turn is
 * one pass of the event loop. All sliced work shares one time budget per turn, so that many such requests delay others
 * no more than one does.
 */

/** Synchronous work that blocked the event loop for longer than `limits.slowSliceMs`. */
export interface SlowSlice {
  /** The name of an operation or a background job (`checkpoint`). */
  readonly operation: string;
  readonly project?: string | undefined;
  readonly ms: number;
}

/** Work that can be interrupted at each `yield`, so that other requests are served. */
export type Steps<T> = Generator<undefined, T, undefined>;

/**
 * Thrown or yielded by work that lacks data in memory. Slices continue once the data is there, and work without slices
 * throws it.
 */
export abstract class NotInMemory extends Error {
  /** Resolves when it is there. */
  abstract arrival(): Promise<unknown>;
}

const slowSlices = channel('planner.slow-slice');

/** Calls the listener after each slow slice of this process. Returns the function that removes the listener. */
export function onSlowSlice(listener: (slice: SlowSlice) => void): () => void {
  const subscriber = (message: unknown): void => listener(message as SlowSlice);
  slowSlices.subscribe(subscriber);
  return () => void slowSlices.unsubscribe(subscriber);
}

/** Runs synchronous work and reports it if it was slow. */
export function slice<T>(operation: string, work: () => T, project?: string): T {
  const began = systemClock.monotonic();
  try {
    return work();
  } finally {
    const ms = systemClock.monotonic() - began;
    if (ms > limits.slowSliceMs) slowSlices.publish({ operation, project, ms: Math.round(ms) } satisfies SlowSlice);
  }
}

/** When the first slice of the current turn began; undefined before it. */
let turnBegan: number | undefined;
/** Waiting tasks, first in, first out. */
const waiting: object[] = [];

function endTurn(): void {
  turnBegan = undefined;
}

/** Returns whether the current turn has exceeded its budget. The first call in a turn starts the measurement. */
export function isTurnSpent(budgetMs: number = limits.turnBudgetMs): boolean {
  if (turnBegan !== undefined) return systemClock.monotonic() - turnBegan > budgetMs;
  turnBegan = systemClock.monotonic();
  setImmediate(endTurn);
  return false;
}

/**
 * Resolves in a turn with budget left, after other requests were served. First in, first out: no task gets a second
 * slice before every other waiting task had one.
 */
export async function nextTurn(): Promise<void> {
  const ticket = {};
  waiting.push(ticket);
  do await new Promise((resolve) => setImmediate(resolve));
  while (waiting[0] !== ticket || isTurnSpent());
  waiting.shift();
}

/**
 * Runs a generator to its end and returns its result. The event loop may continue at each yield, so everything that the
 * generator reads may change there. `check` is called after every such turn and may throw, which ends the work.
 */
export async function inSlices<T>(
  operation: string,
  steps: Iterator<unknown, T>,
  { project, check }: { readonly project?: string | undefined; readonly check?: () => void } = {},
): Promise<T> {
  for (;;) {
    if (isTurnSpent()) {
      await nextTurn();
      check?.();
    }
    const next = slice(operation, () => untilSpent(steps), project);
    if (next.done === true) return next.value;
    if (next.value instanceof NotInMemory) {
      await next.value.arrival();
      check?.();
    }
  }
}

function untilSpent<T>(steps: Iterator<unknown, T>): IteratorResult<unknown, T> {
  let next = steps.next();
  while (next.done !== true && !(next.value instanceof NotInMemory) && !isTurnSpent()) next = steps.next();
  return next;
}

/** Runs the same generator without interruptions. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
    if (next.value instanceof NotInMemory) throw next.value;
  }
}

/** The number of list items per step. */
const stepItems = 32;

/** How many items of a list one counts as: a record with thousands of links takes as long as thousands. Default: 1. */
export type WeightOf<T> = (item: T) => number;

/** Maps items, in steps. */
export function* mapInSteps<T, U>(items: Iterable<T>, map: (item: T) => U, weightOf?: WeightOf<T>): Steps<U[]> {
  const mapped: U[] = [];
  yield* eachInSteps(items, (item) => void mapped.push(map(item)), weightOf);
  return mapped;
}

/** Acts on each item, in steps. */
export function* eachInSteps<T>(items: Iterable<T>, act: (item: T) => void, weightOf?: WeightOf<T>): Steps<void> {
  let left = stepItems;
  for (const item of items) {
    act(item);
    left -= weightOf === undefined ? 1 : weightOf(item);
    if (left > 0) continue;
    yield;
    left = stepItems;
  }
}

/** The minimum size of a piece: one chunk per text would cost more than the texts. */
const pieceCharacters = 64 * 1024;

/** Chunks of a text, and promises of which each has to be fulfilled before the next chunk is asked for. */
export type Chunks = Generator<string | Promise<unknown>, void>;

type Texts = Iterator<string | Promise<unknown>>;

/** The value, which is there once the consumer of the chunks asks for the next one. */
export function* valueOf<T>(value: T | Promise<T>): Generator<Promise<unknown>, T> {
  if (!(value instanceof Promise)) return value;
  let found: { readonly value: T } | undefined;
  yield value.then((fulfilled) => (found = { value: fulfilled }));
  return found!.value;
}

/** Combines texts to larger pieces, produced in slices: their size does not depend on the load. */
export async function* piecesOf(operation: string, texts: Texts, project?: string): AsyncGenerator<string> {
  let piece = '';
  try {
    for (;;) {
      if (isTurnSpent()) await nextTurn();
      const next = slice(operation, () => nextPart(texts, pieceCharacters - piece.length), project);
      piece += next.part;
      if (next.wait !== undefined) await next.wait;
      if (piece !== '' && (next.done || piece.length >= pieceCharacters)) {
        yield piece;
        piece = '';
      }
      if (next.done) return;
    }
  } finally {
    texts.return?.();
  }
}

interface Part {
  readonly part: string;
  readonly done: boolean;
  readonly wait?: Promise<unknown>;
}

/** The next part of at least `characters`; shorter at the end, at a promise, or if the turn's budget is used up. */
function nextPart(texts: Texts, characters: number): Part {
  let part = '';
  do {
    const next = texts.next();
    if (next.done === true) return { part, done: true };
    if (typeof next.value !== 'string') return { part, done: false, wait: next.value };
    part += next.value;
  } while (part.length < characters && !isTurnSpent());
  return { part, done: false };
}
