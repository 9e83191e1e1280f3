/** The knowledge of a cached result. */
interface Mark {
  /** The position of the stream when the result was requested: it includes every event until then. */
  requestedAt: number;
  /** The cursor after the events that the result includes. */
  cursor: string | undefined;
  /** The position of the last event that may have changed the result. */
  changedAt: number;
}

/** Cursors of events are kept to recognise the cursors of results, which may arrive later than the events. */
const cursorsMax = 2000;

/**
 * Which events of a stream the cached results include. Positions count the events of the stream; cursors are compared
 * for equality only.
 */
export class Coverage {
  #position = 0;
  readonly #positions = new Map<string, number>();
  readonly #marks = new Map<string, Mark>();

  /** The position of the last event. */
  get position(): number {
    return this.#position;
  }

  /** An event was received, or the stream begins: returns its position. */
  receive(cursor: string | undefined): number {
    this.#position++;
    if (cursor === undefined) return this.#position;
    this.#positions.delete(cursor);
    this.#positions.set(cursor, this.#position);
    if (this.#positions.size > cursorsMax) this.#positions.delete(this.#positions.keys().next().value!);
    return this.#position;
  }

  /** A result is there that was requested at a position; `cursor` came with its response. */
  load(key: string, { requestedAt, cursor }: Omit<Mark, 'changedAt'>): void {
    const mark = this.#marks.get(key);
    if (mark === undefined) this.#marks.set(key, { requestedAt, cursor, changedAt: 0 });
    else Object.assign(mark, { requestedAt, cursor });
  }

  /** An event may have changed the result. */
  change(key: string, position: number): void {
    const mark = this.#marks.get(key);
    if (mark !== undefined) mark.changedAt = position;
    else this.#marks.set(key, { requestedAt: 0, cursor: undefined, changedAt: position });
  }

  /** Returns whether an event may have changed the result since. */
  isStale(key: string): boolean {
    const mark = this.#marks.get(key);
    if (mark === undefined) return false;
    const { requestedAt, cursor, changedAt } = mark;
    return changedAt > requestedAt && changedAt > (cursor === undefined ? 0 : (this.#positions.get(cursor) ?? 0));
  }

  forget(key: string): void {
    this.#marks.delete(key);
  }
}
