import { nodeDisk, openFlags } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';

/** The outcome of held writes: they continue, or the disk fails. */
export type Release = 'through' | 'fail';

/**
 * The real disk, on which the journal's writes can be held before they happen: a change is then in the index and not
 * durable.
 */
export class HeldJournal {
  readonly disk: Disk;
  readonly #descriptors = new Set<number>();
  #gate: PromiseWithResolvers<Release> | undefined;
  #reached = Promise.withResolvers<void>();

  constructor() {
    const before = async (fd: number): Promise<void> => {
      if (this.#gate === undefined || !this.#descriptors.has(fd)) return;
      this.#reached.resolve();
      if ((await this.#gate.promise) === 'fail') throw Object.assign(new Error('EIO: held and lost'), { code: 'EIO' });
    };
    this.disk = {
      ...nodeDisk,
      open: (path, flags, mode) => {
        const fd = nodeDisk.open(path, flags, mode);
        if (path.includes('/local/journal/')) this.#descriptors.add(fd);
        return fd;
      },
      close: (fd) => {
        this.#descriptors.delete(fd);
        nodeDisk.close(fd);
      },
      writeAtAsync: async (fd, data, position) => {
        // If a write is not durable without a sync, its sync is held. Zeros are allocated ahead of the lines.
        if (openFlags.durable !== 0 && data[0] !== 0) await before(fd);
        await nodeDisk.writeAtAsync(fd, data, position);
      },
      dataSyncAsync: async (fd) => {
        await before(fd);
        await nodeDisk.dataSyncAsync(fd);
      },
    };
  }

  /** Holds the journal's writes from now on. */
  hold(): void {
    this.#gate = Promise.withResolvers<Release>();
    this.#reached = Promise.withResolvers<void>();
  }

  /** Resolves once a write is held. */
  reached(): Promise<void> {
    return this.#reached.promise;
  }

  /** Releases held writes; `fail` makes the journal fail, like any failed write. */
  release(how: Release): void {
    this.#gate?.resolve(how);
    this.#gate = undefined;
  }
}
