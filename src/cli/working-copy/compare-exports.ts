/** Where two exports differ first. */
export interface ExportDifference {
  /** From 0. */
  readonly offset: number;
  /** From 1; each record of an export has a line of its own. */
  readonly line: number;
}

const lineFeed = 0x0a;

/** Compares two exports byte by byte as they arrive. Resolves to the first difference; undefined if they are equal. */
export async function compareExports(
  one: AsyncIterable<Uint8Array>,
  other: AsyncIterable<Uint8Array>,
): Promise<ExportDifference | undefined> {
  const [left, right] = [new Pieces(one), new Pieces(other)];
  let [offset, line] = [0, 1];
  try {
    for (;;) {
      const [a, b] = [await left.peek(), await right.peek()];
      if (a === undefined && b === undefined) return undefined;
      const length = Math.min(a?.length ?? 0, b?.length ?? 0);
      for (let at = 0; at < length; at++) {
        if (a![at] !== b![at]) return { offset: offset + at, line };
        if (a![at] === lineFeed) line++;
      }
      if (length === 0) return { offset, line };
      left.skip(length);
      right.skip(length);
      offset += length;
    }
  } finally {
    await Promise.all([left.close(), right.close()]);
  }
}

/** The pieces of a stream, cut as they are used. */
class Pieces {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next chunk, not empty; undefined at the end. */
  async peek(): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) return undefined;
      // A stream of texts has strings in this process.
      this.#rest = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    }
    return this.#rest;
  }

  skip(length: number): void {
    this.#rest = this.#rest.subarray(length);
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
