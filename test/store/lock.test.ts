import { expect } from 'chai';
import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isoTime, systemClock } from '../../src/base/clock.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { thisMachine } from '../../src/store/files/lock/lock-holder.ts';
import type { LockHolder, Machine } from '../../src/store/files/lock/lock-holder.ts';
import { RootLock } from '../../src/store/files/lock/lock.ts';
import { containerCommand } from '../support/container.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { scratchDirectory } from '../support/scratch.ts';

const holderProgram = join(import.meta.dirname, '../support/lock-holder.ts');

describe('RootLock', () => {
  const scratch = scratchDirectory();
  const local = (): string => join(scratch.path, 'local');
  const acquire = (options: { address?: string; machine?: Partial<Machine>; now?: number } = {}): RootLock => {
    const { now, ...rest } = options;
    const clock = now === undefined ? systemClock : { ...systemClock, now: () => now };
    return RootLock.acquire({ disk: nodeDisk, directory: local(), clock, ...rest });
  };
  /** The note of a holder whose lock this kernel does not see. */
  const leave = (fields: Partial<LockHolder>): void => {
    rmSync(note(), { force: true });
    acquire().release();
    const sound = {
      host: 'far',
      pid: 1,
      address: null,
      started_at: isoTime(0),
      beat: isoTime(0),
      instance: 'x',
      boot: 'b',
    };
    writeFileSync(note(), JSON.stringify({ ...sound, ...fields }));
  };
  const note = (): string => join(local(), 'lock.json');
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

  /** Another process that asks for the lock; resolves with its answer. `inside`: a command that runs a command in a place of its own. */
  async function other(
    address?: string,
    inside: readonly string[] = [],
  ): Promise<{ child: ChildProcess; answer: string }> {
    const words = [...inside, process.execPath, holderProgram, local(), ...(address === undefined ? [] : [address])];
    const child = spawn(words[0]!, words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [data] = (await once(child.stdout, 'data')) as [Buffer];
    return { child, answer: data.toString().trim() };
  }

  it('is held by one process at a time and names the holder to the next [A.lock.one, A.root.message]', async () => {
    const { child, answer } = await other('http://127.0.0.1:4321');
    expect(answer).to.equal('held');
    const error = refusal(() => acquire());
    expect(error.code).to.equal('conflict');
    expect(error.details).to.deep.equal({ host: hostname(), pid: child.pid, address: 'http://127.0.0.1:4321' });
    expect(error.message).to.contain(String(child.pid)).and.contain('http://127.0.0.1:4321').and.contain('stop it');
  });

  it('is rejected for another process while this one holds it, and free once it was released', async () => {
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

  it('is kept by a suspended holder, and names the commands to resume or end it [A.root.stopped]', async () => {
    const { child } = await other('http://127.0.0.1:4321');
    child.kill('SIGSTOP');
    const refused = await untilRefused(/suspended/);
    expect(refused.details).to.include({ pid: child.pid });
    expect(refused.message).to.contain(`kill -CONT ${child.pid}`).and.to.contain(`kill -KILL ${child.pid}`);
    child.kill('SIGCONT');
    await untilRefused(/Use it at http:\/\/127\.0\.0\.1:4321/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    acquire().release();
  });

  /** A signal reaches another process when that runs next. */
  async function untilRefused(message: RegExp): Promise<PlannerError> {
    for (;;) {
      const refused = refusal(() => acquire());
      if (message.test(refused.message)) return refused;
      await setTimeout(5);
    }
  }

  it('excludes containers of one machine whatever their pids and host names, and is free once one was killed [A.root.containers]', async function () {
    const container = containerCommand();
    if (container === undefined) return console.log('      no containers here: this system grants no pid namespace');
    const [first, second] = [container('first'), container('second')];
    const held = await other('http://127.0.0.1:4321', first);
    expect(held.answer).to.equal('held');
    expect(holder()).to.include({ pid: 1, host: 'first' });
    const refused = JSON.parse((await other(undefined, second)).answer) as Record<string, unknown>;
    expect(refused).to.include({ error: 'conflict', pid: 1, host: 'first', address: 'http://127.0.0.1:4321' });
    expect(refused['message']).to.contain('another container');
    // Seen from outside it is no process of that pid either.
    expect(refusal(() => acquire()).message).to.contain('process 1 of another container on first');
    held.child.kill('SIGKILL');
    await once(held.child, 'exit');
    let next: string;
    // The kernel ends the processes of a container a moment after the one that began it.
    do next = (await other(undefined, second)).answer;
    while (next !== 'held');
    expect(holder()).to.include({ pid: 1, host: 'second' });
  });

  it('relies on the kernel and not on the pid: a note with this very pid belongs to another container, and has no effect once its lock is released [A.root.containers]', async () => {
    const { child } = await other();
    const equal = { ...holder(), pid: process.pid, process_start: '1', host: 'container' };
    writeFileSync(note(), JSON.stringify(equal));
    const refused = refusal(() => acquire());
    expect(refused.message).to.contain(`process ${process.pid} of another container on container`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = acquire();
    expect(lock.takenOverFrom).to.equal(undefined);
    lock.release();
  });

  it('is rejected while the process that holds it lives, even if its lock is invisible, as through a FUSE mount [A.root.fuse]', async () => {
    const { child } = await other('http://127.0.0.1:4321');
    const found = readFileSync(note());
    // Another file of that name, as another file system would show it: nothing holds a lock on it.
    rmSync(join(local(), 'lock'));
    const refused = refusal(() => acquire());
    expect(refused.details).to.include({ pid: child.pid, address: 'http://127.0.0.1:4321' });
    expect({ ...holder(), beat: '' }).to.deep.equal({ ...JSON.parse(found.toString()), beat: '' });
    child.kill('SIGSTOP');
    await untilRefused(/suspended/);
    child.kill('SIGKILL');
    await once(child, 'exit');
    acquire().release();
  });

  it('is rejected while the process of another container that holds it has a recent heartbeat, if its lock is invisible, and taken over afterwards [A.root.namespaces]', async function () {
    const container = containerCommand();
    if (container === undefined) return console.log('      no containers here: this system grants no pid namespace');
    const address = 'http://127.0.0.1:4321';
    const held = await other(address, container('first'));
    expect(held.answer).to.equal('held');
    const found = holder();
    // Another file of that name, as a FUSE mount would show it: nothing holds a lock on it.
    rmSync(join(local(), 'lock'));
    const refused = refusal(() => acquire());
    expect(refused.details).to.deep.equal({ host: 'first', pid: 1, address });
    expect(refused.message).to.contain('process 1 of another container on first').and.to.contain('last heartbeat');
    expect(JSON.parse((await other(undefined, container('second'))).answer)).to.include({ error: 'conflict', pid: 1 });
    held.child.kill('SIGKILL');
    await once(held.child, 'exit');
    // As from an earlier version: its pid alone is known.
    const { pid_namespace: _, ...former } = found;
    writeFileSync(note(), JSON.stringify(former));
    acquire().release();
    writeFileSync(note(), JSON.stringify(found));
    const long = new Date(Date.now() - 60_000);
    utimesSync(note(), long, long);
    const late = acquire({ now: Date.parse(holder().beat) + 21_000 });
    expect(late.takenOverFrom).to.include({ host: 'first', pid: 1 });
    late.release();
  });

  it('is decided by the heartbeat of another container on a file system that may hide its lock, and by the lock on others [A.root.namespaces]', () => {
    const theirs = { ...holderNote(), pid_namespace: 'theirs', beat: isoTime(Date.now()) };
    const onFuse = { ...nodeDisk, fileSystemType: () => 0x6573_5546 };
    for (const [disk, lockInode] of [
      [onFuse, inode()],
      [nodeDisk, null],
    ] as const) {
      writeFileSync(note(), JSON.stringify({ ...theirs, lock_inode: lockInode }));
      const error = refusal(() => RootLock.acquire({ disk, directory: local(), machine: { pidNamespace: 'ours' } }));
      expect(error.message).to.contain('another container');
    }
    writeFileSync(note(), JSON.stringify({ ...theirs, lock_inode: inode() }));
    acquire({ machine: { pidNamespace: 'ours' } }).release();
  });

  const inode = (): number => statSync(join(local(), 'lock')).ino;

  /** The note of a holder with this process's properties. */
  function holderNote(): LockHolder {
    const lock = acquire();
    const found = holder();
    lock.release();
    return { ...found, host: 'container', process_start: '1' };
  }

  it('is free when its holder has ended and its parent has not noticed, and after this process left its own note [A.lock.free]', async () => {
    // The shell becomes `sleep`, which never waits for the child that it then has; a shell would, now and then.
    const script = '"$0" "$@" & exec sleep 100';
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
    const parent = spawn('sh', ['-c', script, process.execPath, holderProgram, local()], { stdio });
    children.push(parent);
    await once(parent.stdout!, 'data');
    process.kill(holder().pid, 'SIGKILL');
    const state = (): string => /\) (\w)/.exec(readFileSync(`/proc/${holder().pid}/stat`, 'utf8'))?.[1] ?? '';
    while (state() !== 'Z') await setTimeout(5);
    acquire().release();
    writeFileSync(note(), JSON.stringify({ ...thisMachineNote(), beat: isoTime(0) }));
    acquire().release();
  });

  /** The note that this process would leave if the disk failed at the release. */
  function thisMachineNote(): object {
    const { host, boot, pid, processStart } = thisMachine(nodeDisk);
    return { host, boot, pid, process_start: processStart, address: null, started_at: isoTime(0), instance: 'x' };
  }

  it('is not acquired twice within one process', () => {
    const lock = acquire();
    expect(refusal(() => acquire()).code).to.equal('conflict');
    lock.release();
  });

  it('is rejected while another machine, whose kernel hides its lock, has a recent heartbeat, and taken over afterwards [A.root.machines]', () => {
    const now = Date.parse('2026-03-01T12:00:00.000Z');
    leave({ host: 'far', beat: isoTime(now), pid: 77, address: 'http://10.0.0.7:4321' });
    const found = readFileSync(note());
    const long = new Date(Date.now() - 60_000);
    utimesSync(note(), long, long);

    const refused = refusal(() => acquire({ now: now + 15_000 }));
    expect(refused.details).to.deep.equal({ host: 'far', pid: 77, address: 'http://10.0.0.7:4321' });
    expect(refused.message)
      .to.contain('another machine, far')
      .and.to.contain('http://10.0.0.7:4321')
      .and.to.contain('kill 77 on far');
    expect(refused.message).to.contain('free in 5 s');
    expect(readFileSync(note()).equals(found)).to.equal(true);
    const late = acquire({ now: now + 21_000 });
    expect(late.takenOverFrom).to.include({ host: 'far', pid: 77 });
    expect(holder().host).to.equal(thisMachine(nodeDisk).host);
    late.release();
    expect(existsSync(join(local(), 'lock.probe'))).to.equal(false);
  });

  it('accepts a heartbeat of a clock that is an hour off while the file is recent [A.root.machines]', () => {
    leave({ beat: isoTime(Date.now() - 3_600_000) });
    expect(refusal(() => acquire()).details).to.include({ host: 'far' });
    const long = new Date(Date.now() - 60_000);
    utimesSync(note(), long, long);
    acquire().release();
  });

  it('relies on the boot id if known: a host of the same name is another machine, a container of another name is not [A.root.machines]', () => {
    const { host, boot } = thisMachine(nodeDisk);
    if (boot === null) return console.log('      this system does not name its kernel');
    leave({ host, beat: isoTime(Date.now()) });
    expect(refusal(() => acquire()).details).to.include({ host });
    leave({ host: 'container', boot, beat: isoTime(Date.now()) });
    acquire().release();
  });

  it('is known to be lost when another machine writes its note, which stays [A.root.lost]', () => {
    const clock = new ManualClock(systemClock.now());
    const lock = RootLock.acquire({ disk: nodeDisk, directory: local(), clock });
    expect(lock.takenBy()).to.equal(undefined);
    const theirs = { ...holder(), host: 'far', pid: 7, instance: 'another' };
    writeFileSync(note(), JSON.stringify(theirs));
    clock.advance(60_000);
    expect(lock.takenBy()).to.include({ host: 'far', pid: 7 });
    lock.release();
    expect(holder()).to.deep.equal(theirs);
  });

  it('has heartbeats while it is held, and none afterwards', () => {
    const clock = new ManualClock(systemClock.now());
    const lock = RootLock.acquire({ disk: nodeDisk, directory: local(), clock });
    const first = holder();
    for (const beats of [1, 2]) {
      clock.advance(5_000);
      expect(holder()).to.deep.equal({ ...first, beat: isoTime(Date.parse(first.beat) + beats * 5_000) });
    }
    lock.release();
    clock.advance(60_000);
    expect(existsSync(join(local(), 'lock.json'))).to.equal(false);
  });

  it('is not blocked by an unreadable lock.json', () => {
    acquire().release();
    writeFileSync(join(local(), 'lock.json'), '{"host": "far", ');
    const lock = acquire();
    expect(holder().pid).to.equal(process.pid);
    lock.release();
  });

  it('detects that its file was removed, and can be acquired again unless another process was faster', async () => {
    const lock = acquire();
    expect(lock.intact()).to.equal(true);
    rmSync(local(), { recursive: true });
    expect(lock.intact()).to.equal(false);
    lock.relock();
    expect(lock.intact()).to.equal(true);
    expect(JSON.parse((await other()).answer)).to.include({ error: 'conflict' });

    rmSync(local(), { recursive: true });
    const { child } = await other();
    expect(refusal(() => lock.relock()).details).to.include({ pid: child.pid });
    expect(lock.intact()).to.equal(false);
    lock.release();
    expect(holder().pid, 'the other process keeps its record').to.equal(child.pid);
  });
});
