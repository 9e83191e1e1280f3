import { firstWhere } from '../../../base/first-where.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import { sameStamp, type Stamp, writebackMs } from './file-table.ts';
import { type Block, decodeBlock, type HistoryBlocks } from './history-blocks.ts';
import {
  decodedRowBlocks,
  type IndexedReference,
  type Key,
  type OrderName,
  ofTarget,
  referenceIn,
  type Row,
  type RowBlock,
} from './history-rows.ts';

/** The directories that segments are in: beside the records, or in `local/`. */
export type SegmentTop = 'shared' | 'local';

/** The paths of these directories. The one of a project changes when a person renames it. */
export type SegmentTops = Readonly<Record<SegmentTop, string>>;

/** A segment as an index file has it. */
export interface IndexedSegment {
  readonly top: SegmentTop;
  /** Its path below the top. */
  readonly path: string;
  readonly stamp: Stamp;
  readonly count: number;
}

/** When a file was written, and in which boot of the machine. */
export interface Written {
  readonly boot?: string | undefined;
  readonly at: number;
}

/** What the end of an index file has: everything else is found from there. */
export interface Directory {
  readonly version: number;
  readonly written: Written;
  readonly segments: readonly IndexedSegment[];
  /** The list of the blocks of each order. */
  readonly orders: Readonly<Record<OrderName, Block>>;
}

/** Files of another version are not read. */
export const indexVersion = 1;
/** The last bytes of a file: where its directory is, filled with spaces. */
export const tailBytes = 64;
/** Blocks that are read with one, if it is read asynchronously. */
const blocksAhead = 3;

/** What an index file needs, for all files of a project. */
export interface IndexFileContext {
  readonly disk: Disk;
  readonly blocks: HistoryBlocks;
  readonly tops: () => SegmentTops;
}

/**
 * A file with the references of segments that nothing appends to, in three orders. It never changes. A segment counts
 * only while it is `live`: it is at its path as it was when the file was written.
 */
export class IndexFile {
  readonly path: string;
  readonly #context: IndexFileContext;
  readonly #directory: Directory;
  readonly #live: boolean[];
  readonly #numbers = new Map<string, number>();

  constructor(context: IndexFileContext, path: string, directory: Directory) {
    this.#context = context;
    this.path = path;
    this.#directory = directory;
    this.#live = directory.segments.map(() => false);
    for (const [number, segment] of directory.segments.entries()) this.#numbers.set(nameOf(segment), number);
  }

  /** Undefined if the file is damaged or of another version. */
  static open(context: IndexFileContext, path: string): IndexFile | undefined {
    const { disk } = context;
    try {
      const size = disk.stat(path)?.size ?? 0;
      if (size < tailBytes) return undefined;
      const block = JSON.parse(disk.readRange(path, size - tailBytes, tailBytes)!.toString()) as Block;
      const directory = decodeBlock(disk.readRange(path, block.offset, block.length), block) as Directory | undefined;
      return directory?.version === indexVersion ? new IndexFile(context, path, directory) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The number of its rows, those of segments that are not live included. */
  get count(): number {
    return this.#directory.segments.reduce((sum, { count }) => sum + count, 0);
  }

  get segments(): readonly IndexedSegment[] {
    return this.#directory.segments;
  }

  /** The paths of the live segments. */
  get files(): readonly string[] {
    return this.segments.filter((_, number) => this.#live[number]).map((segment) => this.#pathOf(segment));
  }

  isLive(segment: number): boolean {
    return this.#live[segment] === true;
  }

  has(file: string): boolean {
    const number = this.#numberOf(file);
    return number !== undefined && this.isLive(number);
  }

  stampOf(file: string): Stamp | undefined {
    const number = this.#numberOf(file);
    return number === undefined ? undefined : this.segments[number]!.stamp;
  }

  /** Serves a segment from here, if it is as it was. Returns whether it is. */
  claim(file: string, stat: FileStat | Stamp): boolean {
    const number = this.#numberOf(file);
    if (number === undefined || !sameStamp(this.segments[number]!.stamp, stat) || this.#mayBeLost(stat)) return false;
    this.#live[number] = true;
    return true;
  }

  /** After a restart of the machine: git does not sync the segments that it writes. */
  #mayBeLost({ ctimeMs }: Stamp | FileStat): boolean {
    const { boot, at } = this.#directory.written;
    return ctimeMs >= at - writebackMs && (boot === undefined || boot !== this.#context.disk.bootId());
  }

  /** Serves a segment from here no more. Returns the number of its revisions. */
  drop(file: string): number {
    const number = this.#numberOf(file);
    if (number === undefined || !this.isLive(number)) return 0;
    this.#live[number] = false;
    return this.segments[number]!.count;
  }

  /**
   * The live rows from the first one on that is `beyond`: of all rows, those that are follow the others. `isAsked`: by
   * the types and authors of a block.
   */
  *forward(
    order: OrderName,
    isBeyond: (key: Key) => boolean,
    isAsked: (kinds: RowBlock['kinds']) => boolean = () => true,
  ): IterableIterator<IndexedReference> {
    const blocks = this.#blocksOf(order);
    for (let at = Math.max(0, firstWhere(blocks, isBeyond) - 1); at < blocks.length; at++) {
      if (!isAsked(blocks[at]!.kinds)) continue;
      for (const row of this.#rows(blocks, at)) if (this.isLive(row.segment) && isBeyond(row)) yield row;
    }
  }

  /** The other live rows, from the last one on to the first. */
  *backward(order: OrderName, isBeyond: (key: Key) => boolean): IterableIterator<IndexedReference> {
    const blocks = this.#blocksOf(order);
    for (let at = firstWhere(blocks, isBeyond) - 1; at >= 0; at--)
      for (const row of this.#rows(blocks, at).toReversed()) if (this.isLive(row.segment) && !isBeyond(row)) yield row;
  }

  /** The rows of a record, newest first. */
  ofTarget(target: string): Generator<IndexedReference> {
    return ofTarget(
      this.forward('target', (key) => key.target >= target),
      target,
    );
  }

  /** The newest and the oldest row of a record. */
  endsOf(target: string): readonly IndexedReference[] {
    const [newest] = this.ofTarget(target);
    const [oldest] = this.backward('target', (key) => key.target > target);
    return newest && oldest ? [newest, oldest] : [];
  }

  /** The blocks of an order, to be read one by one: for copying everything. */
  async rowBlocks(order: OrderName): Promise<readonly RowBlock[]> {
    return decodedRowBlocks(await this.load(this.#directory.orders[order]));
  }

  async load(block: Block): Promise<unknown> {
    return this.#context.blocks.load(this.path, block);
  }

  #blocksOf(order: OrderName): readonly RowBlock[] {
    return this.#context.blocks.get(this.path, this.#directory.orders[order], decodedRowBlocks);
  }

  #rows(blocks: readonly RowBlock[], at: number): readonly IndexedReference[] {
    const decode = (value: unknown): IndexedReference[] => {
      const files: string[] = [];
      const fileOf = (segment: number): string => (files[segment] ??= this.#pathOf(this.segments[segment]!));
      return (value as readonly Row[]).map((row) => referenceIn(row, fileOf));
    };
    return this.#context.blocks.get(this.path, blocks[at]!, decode, blocks.slice(at + 1, at + 1 + blocksAhead));
  }

  #pathOf({ top, path }: IndexedSegment): string {
    return `${this.#context.tops()[top]}/${path}`;
  }

  #numberOf(file: string): number | undefined {
    const place = placeOf(this.#context.tops(), file);
    return place && this.#numbers.get(nameOf(place));
  }
}

/** Where a segment is; undefined if it is in none of the directories. */
export function placeOf(tops: SegmentTops, file: string): Pick<IndexedSegment, 'top' | 'path'> | undefined {
  for (const top of ['shared', 'local'] as const)
    if (file.startsWith(`${tops[top]}/`)) return { top, path: file.slice(tops[top].length + 1) };
  return undefined;
}

function nameOf({ top, path }: Pick<IndexedSegment, 'top' | 'path'>): string {
  return `${top}/${path}`;
}
