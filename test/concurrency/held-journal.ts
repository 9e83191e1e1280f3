import { nodeDisk, openFlags } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';

/** What the held writes get: their turn, or the end of the disk. */
export type Release = 'through' | 'fail';

/** The real disk, on which the journal's writes can be stopped before they happen: a change is in the index then and not durable. */
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
        // Where a write is not durable by itself, its sync is what is held.
        if (openFlags.durable !== 0) await before(fd);
        await nodeDisk.writeAtAsync(fd, data, position);
      },
      dataSyncAsync: async (fd) => {
        await before(fd);
        await nodeDisk.dataSyncAsync(fd);
      },
    };
  }

  /** From now on the journal's writes wait. */
  hold(): void {
    this.#gate = Promise.withResolvers<Release>();
    this.#reached = Promise.withResolvers<void>();
  }

  /** Resolves once a write waits. */
  reached(): Promise<void> {
    return this.#reached.promise;
  }

  /** Lets go of what waits; `fail` is the end of the journal, as for any failed write. */
  release(how: Release): void {
    this.#gate?.resolve(how);
    this.#gate = undefined;
  }
}
