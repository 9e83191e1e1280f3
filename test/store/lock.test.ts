import { expect } from 'chai';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import { PlannerError } from '../../src/errors.ts';
import { nodeDisk } from '../../src/store/disk.ts';
import { RootLock } from '../../src/store/lock.ts';
import type { LockHolder } from '../../src/store/lock.ts';
import { scratchDirectory } from '../support/scratch.ts';

const holderProgram = join(import.meta.dirname, '../support/lock-holder.ts');

describe('RootLock', () => {
  const scratch = scratchDirectory();
  const local = (): string => join(scratch.path, 'local');
  const acquire = (options: { address?: string; host?: string; now?: number } = {}): RootLock => {
    const { now, ...rest } = options;
    const clock = now === undefined ? systemClock : { ...systemClock, now: () => now };
    return RootLock.acquire({ disk: nodeDisk, directory: local(), clock, ...rest });
  };
  const holder = (): LockHolder => JSON.parse(readFileSync(join(local(), 'lock.json'), 'utf8')) as LockHolder;
  const children: ChildProcess[] = [];

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function refusal(attempt: () => unknown): PlannerError {
    try {
      attempt();
    } catch (error) {
      expect(error).to.be.instanceOf(PlannerError);
      return error as PlannerError;
    }
    throw new Error('The lock was given twice.');
  }

  /** Another process that asks for the lock; resolves with its answer. */
  async function other(address?: string): Promise<{ child: ChildProcess; answer: string }> {
    const args = [holderProgram, local(), ...(address === undefined ? [] : [address])];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [data] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, answer: data.toString().trim() };
  }

  it('is given to one process at a time and names the holder to the next', async () => {
    const { child, answer } = await other('http://127.0.0.1:4747');
    expect(answer).to.equal('held');
    const error = refusal(() => acquire());
    expect(error.code).to.equal('conflict');
    expect(error.details).to.deep.equal({ host: hostname(), pid: child.pid, address: 'http://127.0.0.1:4747' });
    expect(error.message).to.contain(String(child.pid)).and.contain('http://127.0.0.1:4747').and.contain('stop it');
  });

  it('is refused to another process while this one holds it, and free once it was released', async () => {
    const lock = acquire();
    lock.setAddress('http://127.0.0.1:1234');
    const refused = await other();
    expect(JSON.parse(refused.answer)).to.include({
      error: 'conflict',
      pid: process.pid,
      address: 'http://127.0.0.1:1234',
    });
    lock.release();
    lock.release();
    expect(existsSync(join(local(), 'lock.json'))).to.equal(false);
    expect((await other()).answer).to.equal('held');
  });

  it('is free after its holder was killed, with nothing to delete [A.lock.free]', async () => {
    const { child } = await other();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(holder().pid).to.equal(child.pid);
    const lock = acquire();
    expect(holder().pid).to.equal(process.pid);
    lock.release();
  });

  it('stays with a holder that is stopped', async () => {
    const { child } = await other();
    child.kill('SIGSTOP');
    expect(refusal(() => acquire()).details).to.include({ pid: child.pid });
    child.kill('SIGCONT');
  });

  it('is not given twice within one process', () => {
    const lock = acquire();
    expect(refusal(() => acquire()).code).to.equal('conflict');
    lock.release();
  });

  it('is refused while another host, whose kernel hides its lock, gives signs of life', () => {
    const now = Date.parse('2026-03-01T12:00:00.000Z');
    const lock = acquire({ host: 'far', now });
    const record = readFileSync(join(local(), 'lock.json'));
    lock.release();
    writeFileSync(join(local(), 'lock.json'), record);

    expect(refusal(() => acquire({ host: 'near', now: now + 19_000 })).details).to.include({ host: 'far' });
    expect(readFileSync(join(local(), 'lock.json')).equals(record)).to.equal(true);
    const late = acquire({ host: 'near', now: now + 21_000 });
    expect(holder().host).to.equal('near');
    late.release();
  });

  it('gives signs of life while it is held, and none afterwards', async () => {
    const lock = RootLock.acquire({ disk: nodeDisk, directory: local(), beatMilliseconds: 5 });
    const first = holder();
    while (holder().beat === first.beat) await setTimeout(5);
    expect(holder()).to.deep.equal({ ...first, beat: holder().beat });
    lock.release();
    await setTimeout(20);
    expect(existsSync(join(local(), 'lock.json'))).to.equal(false);
  });

  it('is not kept from anyone by a lock.json that cannot be read', () => {
    acquire().release();
    writeFileSync(join(local(), 'lock.json'), '{"host": "far", ');
    const lock = acquire();
    expect(holder().pid).to.equal(process.pid);
    lock.release();
  });

  it('notices that its file was taken away, and can be taken anew unless another was faster', async () => {
    const lock = acquire();
    expect(lock.intact()).to.equal(true);
    rmSync(local(), { recursive: true });
    expect(lock.intact()).to.equal(false);
    lock.renew();
    expect(lock.intact()).to.equal(true);
    expect(JSON.parse((await other()).answer)).to.include({ error: 'conflict' });

    rmSync(local(), { recursive: true });
    const { child } = await other();
    expect(refusal(() => lock.renew()).details).to.include({ pid: child.pid });
    expect(lock.intact()).to.equal(false);
    lock.release();
    expect(holder().pid, 'the other process keeps its record').to.equal(child.pid);
  });
});
