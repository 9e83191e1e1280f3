import { isTurnSpent, nextTurn } from '../../../base/slices.ts';
import type { Disk } from '../disk/disk.ts';
import { replaceFileAsync } from '../disk/replace-file.ts';
import { privateFileMode } from '../disk/root-files.ts';
import { type Block, encodeBlock } from './history-blocks.ts';
import {
  type Directory,
  type IndexedSegment,
  type IndexFile,
  indexVersion,
  tailBytes,
  type Written,
} from './history-file.ts';
import {
  encodedRowBlock,
  type IndexedReference,
  type OrderName,
  orderNames,
  orders,
  referenceIn,
  type Row,
  type RowBlock,
  rowOf,
  type RowSource,
} from './history-rows.ts';

/** The rows of an order, some at a time: each becomes a block. */
export type Batches = AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>;

export interface IndexFileContent {
  readonly written: Written;
  readonly segments: readonly IndexedSegment[];
  readonly batches: (order: OrderName) => Batches;
}

/** The size of a write. */
const pieceBytesMin = 64 * 1024;

/** Writes an index file, durably, yielding to the event loop after each piece. */
export async function writeIndexFile(
  disk: Disk,
  path: string,
  temporaryDirectory: string,
  content: IndexFileContent,
): Promise<void> {
  await replaceFileAsync(disk, path, pieces(content), { temporaryDirectory, mode: privateFileMode });
}

async function* pieces({ written, segments, batches }: IndexFileContent): AsyncGenerator<Buffer> {
  let [offset, waiting, waitingBytes]: [number, Buffer[], number] = [0, [], 0];
  const add = (value: unknown): Block => {
    const { bytes, block } = encodeBlock(value, offset);
    offset += bytes.length;
    waitingBytes += bytes.length;
    waiting.push(bytes);
    return block;
  };
  const lists: Partial<Record<OrderName, Block>> = {};
  for (const order of orderNames) {
    const blocks: RowBlock[] = [];
    for await (const rows of batches(order)) {
      const [at, id, target] = rows[0]!;
      blocks.push({ ...add(rows), at, id, target, kinds: kindsOf(rows) });
      if (isTurnSpent()) await nextTurn();
      if (waitingBytes < pieceBytesMin) continue;
      yield Buffer.concat(waiting);
      [waiting, waitingBytes] = [[], 0];
    }
    lists[order] = add(blocks.map(encodedRowBlock));
  }
  const directory: Directory = { version: indexVersion, written, segments, orders: lists as Directory['orders'] };
  const tail = JSON.stringify(add(directory)).padEnd(tailBytes);
  yield Buffer.concat([...waiting, Buffer.from(tail)]);
}

function kindsOf(rows: readonly Row[]): RowBlock['kinds'] {
  const kinds = new Map<string, readonly [string, string]>();
  for (const [, , , type, author] of rows) kinds.set(`${type} ${author}`, [type, author]);
  return [...kinds.values()];
}

/** The rows of references in memory, each with the number of its segment. */
export function* sortedBatches(
  sources: readonly (readonly [RowSource, segment: number])[],
  order: OrderName,
  rowsMax: number,
): Generator<readonly Row[]> {
  const compare = orders[order];
  const sorted = sources.toSorted(([a], [b]) => compare(a, b));
  for (let at = 0; at < sorted.length; at += rowsMax)
    yield sorted.slice(at, at + rowsMax).map(([source, segment]) => rowOf(source, segment));
}

/** The new numbers of the segments of a file. The rows of others are left out. */
export type Numbers = ReadonlyMap<number, number>;

/** Rows of several files in one order. */
export async function* mergedBatches(
  files: ReadonlyMap<IndexFile, Numbers>,
  order: OrderName,
  rowsMax: number,
): AsyncGenerator<readonly Row[]> {
  const compare = orders[order];
  const begun = await Promise.all(Array.from(files, ([file, numbers]) => Cursor.begin(file, numbers, order)));
  let cursors = begun.filter(({ row }) => row !== undefined);
  let batch: Row[] = [];
  while (cursors.length > 0) {
    let least = cursors[0]!;
    for (const cursor of cursors) if (compare(cursor.row!, least.row!) < 0) least = cursor;
    batch.push(rowOf(least.row as RowSource, least.row!.segment));
    if (!least.step()) await least.load();
    if (least.row === undefined) cursors = cursors.filter((cursor) => cursor !== least);
    if (batch.length < rowsMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** A place in the rows of a file, in an order. */
class Cursor {
  readonly #file: IndexFile;
  readonly #numbers: Numbers;
  readonly #blocks: readonly RowBlock[];
  #next = 0;
  #rows: readonly IndexedReference[] = [];
  #at = 0;

  private constructor(file: IndexFile, numbers: Numbers, blocks: readonly RowBlock[]) {
    this.#file = file;
    this.#numbers = numbers;
    this.#blocks = blocks;
  }

  static async begin(file: IndexFile, numbers: Numbers, order: OrderName): Promise<Cursor> {
    const cursor = new Cursor(file, numbers, await file.rowBlocks(order));
    await cursor.load();
    return cursor;
  }

  /** With its segment's new number; undefined at the end. */
  get row(): IndexedReference | undefined {
    return this.#rows[this.#at];
  }

  /** Goes to the next row of the block. Returns false if there is none. */
  step(): boolean {
    return ++this.#at < this.#rows.length;
  }

  /** Goes to the first row of the next block that has one. */
  async load(): Promise<void> {
    [this.#rows, this.#at] = [[], 0];
    while (this.#rows.length === 0 && this.#next < this.#blocks.length) {
      const rows = (await this.#file.load(this.#blocks[this.#next++]!)) as readonly Row[];
      this.#rows = rows.flatMap((row) => {
        const [reference, number] = [referenceIn(row, () => ''), this.#numbers.get(row[8])];
        return number === undefined ? [] : [{ ...reference, segment: number }];
      });
    }
  }
}
