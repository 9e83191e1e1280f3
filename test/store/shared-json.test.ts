import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlannerError } from '../../src/base/errors.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { lockKernel } from '../../src/store/files/disk/kernel-lock.ts';
import { SharedJson } from '../../src/store/files/disk/shared-json.ts';
import { scratchDirectory } from '../support/scratch.ts';

interface Counter {
  readonly count: number;
}

describe('A JSON file that several processes change', () => {
  const scratch = scratchDirectory();
  const open = (): SharedJson<Counter> => new SharedJson(nodeDisk, scratch.path, 'shared/counter.json');
  const add = (file: SharedJson<Counter>): void => file.changeNow((data) => ({ count: (data?.count ?? 0) + 1 }));
  const path = (name: string): string => join(scratch.path, 'shared', name);

  function refusal(run: () => void): PlannerError {
    try {
      run();
    } catch (error) {
      return error as PlannerError;
    }
    return expect.fail('It was accepted.');
  }

  it('has the changes of all, and is read again once another one has changed it [A.git.own-claims]', () => {
    const [one, other] = [open(), open()];
    expect([one.exists(), one.readNow()]).to.deep.equal([false, null]);
    for (let i = 0; i < 5; i++) {
      add(one);
      expect(other.readNow()).to.deep.equal({ count: 2 * i + 1 });
      add(other);
      expect(one.readNow()).to.deep.equal({ count: 2 * i + 2 });
    }
    one.changeNow(() => undefined);
    expect(other.readNow()).to.deep.equal({ count: 10 });
    expect(other.exists()).to.equal(true);
  });

  it('is not changed while another one has the lock, nor by a change that throws [A.git.own-claims]', () => {
    const file = open();
    add(file);
    const lock = lockKernel(path('counter.json.lock'))!;
    expect(refusal(() => add(file)).code).to.equal('unavailable');
    lock.close();
    const failed = refusal(() =>
      file.changeNow(() => {
        throw new PlannerError('internal', 'It failed.');
      }),
    );
    expect(failed.message).to.equal('It failed.');
    add(file);
    expect(file.readNow()).to.deep.equal({ count: 2 });
  });

  it('loses the temporary files of processes that were killed, and nothing else [A.git.own-claims]', () => {
    mkdirSync(path(''), { recursive: true });
    for (const name of ['.12-3.tmp', '.mine.tmp', 'x']) writeFileSync(path(name), '');
    add(open());
    expect(readdirSync(path('')).sort()).to.deep.equal(['.mine.tmp', 'counter.json', 'counter.json.lock', 'x']);
  });

  it('is rejected if it is invalid JSON or a link [A.git.own-claims]', () => {
    const file = open();
    add(file);
    writeFileSync(path('counter.json'), '{');
    for (const run of [(): void => add(file), (): void => void file.readNow()]) {
      const { code, message } = refusal(run);
      expect(code).to.equal('conflict');
      expect(message).to.include('counter.json cannot be read');
    }
    const elsewhere = join(scratch.path, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(scratch.path, 'link'));
    const linked = new SharedJson<Counter>(nodeDisk, scratch.path, 'link/counter.json');
    for (const run of [(): void => add(linked), (): void => void linked.readNow()])
      expect(refusal(run).message).to.include('is a symbolic link');
    expect(existsSync(join(elsewhere, 'counter.json'))).to.equal(false);
  });
});
