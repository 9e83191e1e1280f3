import type { Clock } from '../../../base/clock.ts';
import { randomName } from '../../../base/ids.ts';
import { nextTurn } from '../../../base/slices.ts';
import type { FileStat } from '../disk/disk.ts';
import { removeQuietly } from '../disk/replace-file.ts';
import { privateDirectoryMode } from '../disk/root-files.ts';
import { racyMs, type Stamp } from './file-table.ts';
import { type IndexedSegment, IndexFile, type IndexFileContext, placeOf } from './history-file.ts';
import type { Reference } from './history-reference.ts';
import type { RowSource } from './history-rows.ts';
import { mergedBatches, sortedBatches, writeIndexFile } from './write-index-file.ts';

/** When references leave memory, and how they are written. */
export interface IndexBounds {
  /** Fewer stay in memory: a start reads their segments. */
  readonly rowsMin: number;
  /** A file that is written of references in memory has about so many: they are sorted in one turn. */
  readonly rowsMax: number;
  readonly blockRows: number;
  /** So many files of about the same size become one. */
  readonly filesMax: number;
}

export const indexBounds: IndexBounds = { rowsMin: 2048, rowsMax: 4096, blockRows: 128, filesMax: 4 };

export interface IndexFilesContext extends IndexFileContext {
  readonly clock: Clock;
  readonly directory: string;
  readonly temporaryDirectory: string;
  readonly bounds: IndexBounds;
}

/** A segment to which nothing is appended, with the references of its lines. */
export interface SealedSegment {
  readonly file: string;
  readonly stamp: Stamp;
  readonly references: readonly Reference[];
}

const extension = '.index';

/** The index of a project's history on disk. It is derived from the segments, and may be lost at any time. */
export class IndexFiles {
  readonly #context: IndexFilesContext;
  #files: readonly IndexFile[] = [];

  constructor(context: IndexFilesContext) {
    this.#context = context;
  }

  get bounds(): IndexBounds {
    return this.#context.bounds;
  }

  get all(): readonly IndexFile[] {
    return this.#files;
  }

  /** Whether a file changed so long ago that another change would change its times, too. */
  isSettled({ mtimeMs, ctimeMs }: Stamp): boolean {
    return Math.max(mtimeMs, ctimeMs) < this.#context.clock.now() - racyMs;
  }

  /** Finds the files. Which of their segments are served from them is decided when the segments are read. */
  open(): void {
    const { disk, directory } = this.#context;
    this.#files = [];
    if (disk.stat(directory) === undefined) return;
    const paths = disk.list(directory).filter(({ name, kind }) => kind === 'file' && name.endsWith(extension));
    for (const { name } of paths) {
      const path = `${directory}/${name}`;
      const file = IndexFile.open(this.#context, path);
      if (file === undefined) removeQuietly(disk, path);
      else this.#files = [...this.#files, file];
    }
  }

  /** Serves a segment from a file if one has it as it is. Returns whether one does. */
  claim(file: string, stat: FileStat): boolean {
    const serving = this.#files.find((one) => one.has(file));
    if (serving?.claim(file, stat) === true) return true;
    serving?.drop(file);
    return this.#files.some((one) => one.claim(file, stat));
  }

  /** Returns the number of revisions that are served from here no more. */
  drop(file: string): number {
    return this.#files.reduce((sum, one) => sum + one.drop(file), 0);
  }

  /** Removes a file that cannot be read. Returns the segments that it served. */
  lose(path: string): readonly string[] {
    const lost = this.#files.find((one) => one.path === path);
    if (lost === undefined) return [];
    this.#files = this.#files.filter((one) => one !== lost);
    removeQuietly(this.#context.disk, path);
    return lost.files;
  }

  /** The segments' paths begin with another directory now. */
  moved(): void {
    this.#context.blocks.clear();
  }

  /** Writes a file of segments. Returns those that are served from it from now on: those that are `unchanged` then. */
  async add(
    segments: readonly SealedSegment[],
    isUnchanged: (segment: SealedSegment) => boolean,
  ): Promise<readonly SealedSegment[]> {
    const { bounds, tops } = this.#context;
    const placed = segments.flatMap(({ file, stamp, references }) => {
      const place = placeOf(tops(), file);
      return place === undefined ? [] : [{ ...place, stamp, count: references.length }];
    });
    if (placed.length < segments.length) return [];
    const sources = segments.flatMap(({ references }, number) =>
      references.map((reference) => [reference as RowSource, number] as const),
    );
    const file = await this.#write(placed, (order) => sortedBatches(sources, order, bounds.blockRows));
    if (file === undefined) return [];
    this.#files = [...this.#files, file];
    return segments.filter((segment) => isUnchanged(segment) && file.claim(segment.file, segment.stamp));
  }

  /**
   * Makes one file of several of about the same size, and removes those that serve nothing. Returns the segments that
   * are served no more, and have to be read again; undefined if there was nothing to do. Throws `LostIndexFile`.
   */
  async merge(): Promise<readonly string[] | undefined> {
    for (const file of this.#files.filter(({ files }) => files.length === 0)) this.lose(file.path);
    const { filesMax, rowsMin } = this.#context.bounds;
    const tierOf = ({ count }: IndexFile): number =>
      Math.max(0, Math.floor(Math.log(count / rowsMin) / Math.log(filesMax)));
    const tier = [...Map.groupBy(this.#files, tierOf).values()].find((files) => files.length >= filesMax);
    return tier && this.#replace(tier);
  }

  async #replace(files: readonly IndexFile[]): Promise<readonly string[] | undefined> {
    const { bounds, disk } = this.#context;
    const segments: IndexedSegment[] = [];
    const numbers = new Map<IndexFile, ReadonlyMap<number, number>>();
    for (const file of files) {
      const live = [...file.segments.entries()].filter(([number]) => file.isLive(number));
      numbers.set(file, new Map(live.map(([number, segment]) => [number, segments.push(segment) - 1])));
    }
    const merged = await this.#write(segments, (order) => mergedBatches(numbers, order, bounds.blockRows));
    if (merged === undefined) return undefined;
    const unserved: string[] = [];
    // Some may have been dropped, claimed or lost since.
    for (const file of files.filter((one) => this.#files.includes(one)))
      for (const path of file.files) if (!merged.claim(path, file.stampOf(path)!)) unserved.push(path);
    this.#files = [...this.#files.filter((file) => !files.includes(file)), merged];
    for (const { path } of files) removeQuietly(disk, path);
    return unserved;
  }

  async #write(
    segments: readonly IndexedSegment[],
    batches: Parameters<typeof writeIndexFile>[3]['batches'],
  ): Promise<IndexFile | undefined> {
    const { disk, clock, directory, temporaryDirectory } = this.#context;
    const written = { boot: disk.bootId(), at: clock.now() };
    const path = `${directory}/${randomName()}${extension}`;
    disk.makeDirectory(directory, privateDirectoryMode);
    await writeIndexFile(disk, path, temporaryDirectory, { written, segments, batches });
    await nextTurn();
    return IndexFile.open(this.#context, path);
  }
}
