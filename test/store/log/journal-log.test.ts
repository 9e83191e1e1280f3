import { expect } from 'chai';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from '../../../src/store/files/journal/journal.ts';
import { emptyHead, type Log } from '../../../src/store/record/log.ts';
import { nodeDisk } from '../../../src/store/files/disk/disk.ts';
import { faultyDisk } from '../../support/faulty-disk.ts';
import { scratchDirectory } from '../../support/scratch.ts';
import { describeLog, type LogWorld } from './describe-log.ts';

class JournalWorld implements LogWorld {
  readonly #base = mkdtempSync(join(tmpdir(), 'planner-log-'));
  #disk = faultyDisk();
  readonly backup = {
    keep: (): void => cpSync(this.#directory, `${this.#base}/kept`, { recursive: true }),
    restore: (): void => {
      rmSync(this.#directory, { recursive: true });
      cpSync(`${this.#base}/kept`, this.#directory, { recursive: true });
    },
  };

  get #directory(): string {
    return join(this.#base, 'journal');
  }

  open(): Promise<Log> {
    this.#disk = faultyDisk();
    return Promise.resolve(Journal.open({ disk: this.#disk, directory: this.#directory }).journal);
  }

  kill(): Promise<void> {
    this.#disk.closeAll();
    return Promise.resolve();
  }

  async trim(log: Log): Promise<void> {
    const journal = log as Journal;
    await journal.rotate();
    journal.truncateBefore(journal.position + 1);
  }

  fill(): void {
    this.#disk.arm({ at: 1, kind: 'short' });
  }

  remove(): Promise<void> {
    rmSync(this.#base, { recursive: true, force: true });
    return Promise.resolve();
  }
}

describeLog({ name: 'the journal', make: () => new JournalWorld(), isShared: false });

describe('Entries that the journal appends together', () => {
  const scratch = scratchDirectory();

  it('are lost together by a torn write, whichever byte it ends at', async () => {
    const directory = join(scratch.path, 'journal');
    const open = (): ReturnType<typeof Journal.open> => Journal.open({ disk: nodeDisk, directory });
    const { journal } = open();
    await journal.append({ project: 'a', after: emptyHead, id: 'evt_1', body: {} });
    const begin = journal.bytes;
    await journal.appendTogether([
      { project: 'a', after: { seq: 1, id: 'evt_1' }, id: 'evt_2', body: {} },
      { project: '$service', after: emptyHead, id: 'evt_3', body: {} },
    ]);
    await journal.close();
    const path = join(directory, '00000001.log');
    const bytes = readFileSync(path);
    for (let end = begin; end <= bytes.length; end++) {
      writeFileSync(path, bytes.subarray(0, end));
      const opened = open();
      const ids = opened.entries.map(({ id }) => id);
      expect(ids, `cut at ${end}`).to.deep.equal(end < bytes.length ? ['evt_1'] : ['evt_1', 'evt_2', 'evt_3']);
      await opened.journal.close();
    }
  });
});
