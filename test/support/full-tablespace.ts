import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, unprivileged } from './postgres.ts';

const bytes = 256 * 1024;
/** Rows of one statement that fills the disk, fewer and fewer. */
const batches = [500, 50, 5, 1];

/** A disk without space on which a table is: a small file system in memory, which only root can mount. */
export class FullTablespace {
  readonly #server: PostgresServer;
  readonly #directory: string;
  readonly #name: string;

  static async create(server: PostgresServer): Promise<FullTablespace | undefined> {
    const owner = unprivileged();
    if (owner === undefined) return undefined;
    const directory = mkdtempSync(join(tmpdir(), 'planner-full-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', directory]);
    if (status !== 0) {
      rmSync(directory, { recursive: true });
      return undefined;
    }
    process.once('exit', () => unmount(directory));
    chownSync(directory, owner.uid, owner.gid);
    const full = new FullTablespace(server, directory);
    await server.query(`CREATE TABLESPACE ${full.#name} LOCATION '${directory}'`);
    return full;
  }

  private constructor(server: PostgresServer, directory: string) {
    this.#server = server;
    this.#directory = directory;
    this.#name = directory
      .slice(directory.lastIndexOf('/') + 1)
      .replaceAll(/\W/g, '_')
      .toLowerCase();
  }

  /** Moves a table to it, and inserts rows by a statement without parameters but their number until no row fits. */
  async fill(table: string, insert: string): Promise<void> {
    await this.#server.query(`ALTER TABLE ${table} SET TABLESPACE ${this.#name}`);
    let from = 0;
    for (const rows of batches) {
      try {
        for (;;) {
          await this.#server.query(insert, [from, from + rows - 1]);
          from += rows;
        }
      } catch (error) {
        if ((error as { code?: string }).code !== '53100') throw error;
        from += rows;
      }
    }
  }

  /** The table is dropped before. */
  async remove(): Promise<void> {
    await this.#server.query(`DROP TABLESPACE ${this.#name}`);
    unmount(this.#directory);
  }
}

function unmount(directory: string): void {
  spawnSync('umount', ['-l', directory]);
  rmSync(directory, { recursive: true, force: true });
}
