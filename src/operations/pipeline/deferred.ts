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

  toJSON(): W[] {
    return Array.from(this.#rows, (row) => this.#show(row));
  }
}

/** Deferred rows as a member of a result. A transport that `streams` recognises them; JSON.stringify encodes them as a list. */
export function deferred<R, W>(rows: Iterable<R>, show: (row: R) => W): W[] {
  return new Deferred(rows, show) as unknown as W[];
}

/** The JSON of a result with deferred rows, in pieces; undefined for a result without them. */
export function jsonTexts(answer: unknown): IterableIterator<string> | undefined {
  return holdsDeferred(answer) ? membersText(answer) : undefined;
}

function holdsDeferred(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  for (const name in value) if ((value as Record<string, unknown>)[name] instanceof Deferred) return true;
  return false;
}

function* membersText(answer: object): IterableIterator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(answer)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (value instanceof Deferred) yield* rowsText(value);
    else yield JSON.stringify(value);
  }
  yield separator === '{' ? '{}' : '}';
}

function* rowsText(rows: Iterable<unknown>): IterableIterator<string> {
  yield '[';
  let separator = '';
  for (const row of rows) {
    if (separator !== '') yield separator;
    separator = ',';
    if (holdsDeferred(row)) yield* membersText(row);
    else yield JSON.stringify(row);
  }
  yield ']';
}
