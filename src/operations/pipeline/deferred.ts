import { type Chunks, valueOf } from '../../base/slices.ts';
import { whenFetched } from '../../store/index.ts';

/**
 * The rows of a long list for a JSON response: captured in the view, encoded one by one while they are sent. Records are frozen, so the
 * list does not change after it was captured, however long sending takes. `show` must not read the view.
 */
export class Deferred<R, W> implements Iterable<W> {
  readonly #rows: Iterable<R>;
  readonly #show: (row: R) => W;

  constructor(rows: Iterable<R>, show: (row: R) => W) {
    this.#rows = rows;
    this.#show = show;
  }

  *[Symbol.iterator](): IterableIterator<W> {
    for (const row of this.#rows) yield this.#show(row);
  }

  /** Functions that show each row. */
  *shown(): IterableIterator<() => W> {
    for (const row of this.#rows) yield () => this.#show(row);
  }

  toJSON(): W[] {
    return Array.from(this.#rows, (row) => this.#show(row));
  }
}

/** Deferred rows as a member of a result. A transport that `streams` recognises them; JSON.stringify encodes them as a list. */
export function deferred<R, W>(rows: Iterable<R>, show: (row: R) => W): W[] {
  return new Deferred(rows, show) as unknown as W[];
}

/** The JSON of a result with deferred rows, in chunks; undefined for a result without them. */
export function jsonTexts(answer: unknown): Chunks | undefined {
  return holdsDeferred(answer) || wraps(answer) ? membersText(answer) : undefined;
}

function holdsDeferred(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  for (const name in value) if ((value as Record<string, unknown>)[name] instanceof Deferred) return true;
  return false;
}

/** Returns whether a member of a result has deferred rows. */
function wraps(answer: unknown): answer is object {
  return typeof answer === 'object' && answer !== null && Object.values(answer).some(holdsDeferred);
}

function* membersText(answer: object): Chunks {
  let separator = '{';
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (value instanceof Deferred) yield* rowsText(value as Deferred<unknown, unknown>);
    else if (holdsDeferred(value)) yield* membersText(value);
    else yield JSON.stringify(value);
  }
  yield separator === '{' ? '{}' : '}';
}

function* rowsText(rows: Deferred<unknown, unknown>): Chunks {
  yield '[';
  let separator = '';
  for (const show of rows.shown()) {
    // A row may show a text that is not in memory.
    const row = yield* valueOf(whenFetched(show));
    if (separator !== '') yield separator;
    separator = ',';
    if (holdsDeferred(row)) yield* membersText(row);
    else yield JSON.stringify(row);
  }
  yield ']';
}
