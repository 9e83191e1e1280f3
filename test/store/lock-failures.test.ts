import { expect } from 'chai';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Clock, isoTime, systemClock } from '../../src/base/clock.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { errorCode, nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { thisMachine } from '../../src/store/files/lock/lock-holder.ts';
import { RootLock } from '../../src/store/files/lock/lock.ts';
import type { RootLockOptions } from '../../src/store/files/lock/lock.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { scratchDirectory } from '../support/scratch.ts';

/** Fails as a call of the operating system does. */
function fail(code: string): never {
  throw Object.assign(new Error(`${code}: it fails`), { code });
}

describe('RootLock, with failures and concurrent changes', function () {
  this.timeout(60_000);
  const scratch = scratchDirectory();
  const at = (name = ''): string => join(scratch.path, 'local', name);
  const acquire = (options: Partial<RootLockOptions> = {}): RootLock =>
    RootLock.acquire({ disk: nodeDisk, directory: at(), ...options });
  const note = (): Record<string, unknown> =>
    JSON.parse(readFileSync(at('lock.json'), 'utf8')) as Record<string, unknown>;
  /** How many descriptors of this process are of files of the scratch directory. */
  const openFiles = (): number =>
    process.platform === 'linux' ? readdirSync('/proc/self/fd').filter(isOfScratch).length : 0;
  let blocker: DatabaseSync | undefined;
  afterEach(() => unblock());

  function isOfScratch(fd: string): boolean {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(scratch.path);
    } catch {
      return false;
    }
  }

  /** Holds the kernel's lock, as a process does that has not written its note yet, or has ended a moment ago. */
  function block(): void {
    mkdirSync(at(), { recursive: true });
    blocker = new DatabaseSync(at('lock'));
    blocker.exec('BEGIN EXCLUSIVE');
  }

  function unblock(): void {
    blocker?.close();
    blocker = undefined;
  }

  function thrownBy(attempt: () => unknown): Error {
    try {
      attempt();
    } catch (error) {
      return error as Error;
    }
    return expect.fail('The lock was given.');
  }

  function refusalOf(attempt: () => unknown): PlannerError {
    const thrown = thrownBy(attempt);
    expect(thrown).to.be.instanceOf(PlannerError).and.have.property('code', 'conflict');
    return thrown as PlannerError;
  }

  /** The note of process 77 of this machine. */
  function leaveNote(): void {
    const { host, boot } = thisMachine(nodeDisk);
    const holder = { host, boot, pid: 77, process_start: '900', address: null, instance: 'x' };
    mkdirSync(at(), { recursive: true });
    writeFileSync(at('lock.json'), JSON.stringify({ ...holder, started_at: isoTime(0), beat: isoTime(0) }));
  }

  /** The real disk, but for the state of process 77; `look` runs before each look at the note. */
  function diskWith(state: string, look: (count: number) => void = () => undefined): Disk {
    let looks = 0;
    const stat = ['77 (planner)', state, ...Array<number>(18).fill(0), '900', ''].join(' ');
    return {
      ...nodeDisk,
      read: (path) => (path === '/proc/77/stat' ? Buffer.from(stat) : nodeDisk.read(path)),
      readIfExists: (path) => {
        if (path === at('lock.json')) look(++looks);
        return nodeDisk.readIfExists(path);
      },
    };
  }

  /** A clock by which waiting takes no time. `at`: the events by the time it has waited. */
  function impatientClock(at: Readonly<Record<number, () => void>> = {}): Clock & { waitedMs: number } {
    const clock = {
      ...systemClock,
      waitedMs: 0,
      sleep: (ms: number): void => {
        clock.waitedMs += ms;
        at[clock.waitedMs]?.();
      },
    };
    return clock;
  }

  it('is private, including files from before it [A.trust.private]', () => {
    const lock = acquire();
    expect(statSync(at()).mode & 0o777).to.equal(0o700);
    expect(statSync(at('lock')).mode & 0o777).to.equal(0o600);
    expect(statSync(at('lock.json')).mode & 0o777).to.equal(0o600);
    lock.release();
    rmSync(at(), { recursive: true });
    mkdirSync(at(), { mode: 0o755 });
    writeFileSync(at('service'), '', { mode: 0o644 });
    acquire().release();
    expect(statSync(at()).mode & 0o777).to.equal(0o700);
    expect(statSync(at('service')).mode & 0o777).to.equal(0o600);
  });

  it('names its holder by the given machine', () => {
    const lock = acquire({ machine: { host: 'elsewhere', boot: 'another', pid: 5, processStart: '6' } });
    expect(note()).to.include({ host: 'elsewhere', boot: 'another', pid: 5, process_start: '6' });
    lock.release();
  });

  it('can be released twice, and is not intact afterwards', () => {
    const before = openFiles();
    const lock = acquire();
    expect([lock.intact(), lock.takenBy()]).to.deep.equal([true, undefined]);
    lock.release();
    expect([lock.intact(), lock.takenBy()]).to.deep.equal([false, undefined]);
    expect(openFiles()).to.equal(before);
    const next = acquire();
    lock.release();
    expect(next.intact()).to.equal(true);
    expect(note()['instance']).to.equal(next.holder.instance);
    next.release();
  });

  it('leaves no note even if its file was removed, so that the root is not blocked [A.lock.free]', () => {
    const lock = acquire();
    rmSync(at('lock'));
    lock.release();
    expect(existsSync(at('lock.json'))).to.equal(false);
    const failing = acquire({ disk: hookedDisk({ remove: () => fail('EIO') }) });
    failing.release();
    expect(failing.intact()).to.equal(false);
    acquire().release();
  });

  describe('after its file was removed', () => {
    it('is acquired again, with nothing left open, and is not touched while it is intact', () => {
      const lock = acquire();
      const before = [openFiles(), statSync(at('lock.json')).ino];
      lock.relock();
      expect([openFiles(), statSync(at('lock.json')).ino]).to.deep.equal(before);
      rmSync(at(), { recursive: true });
      lock.relock();
      expect(lock.intact()).to.equal(true);
      expect(openFiles()).to.equal(before[0]);
      lock.release();
    });

    it('creates no file again, whatever else is missing', () => {
      const clock = new ManualClock(systemClock.now());
      const lock = acquire({ clock });
      rmSync(at(), { recursive: true });
      clock.advance(60_000);
      expect(existsSync(at())).to.equal(false);
      block();
      refusalOf(() => lock.relock());
      unblock();
      rmSync(at(), { recursive: true });
      expect(lock.intact()).to.equal(false);
      lock.release();
    });

    it('removes its note in favour of a faster process, and keeps it if the disk failed', () => {
      let code: string | undefined;
      const disk = hookedDisk({ makeDirectory: () => code !== undefined && fail(code) });
      const lock = acquire({ disk });
      rmSync(at('lock'));
      code = 'EIO';
      expect(errorCode(thrownBy(() => lock.relock()))).to.equal('EIO');
      expect(note()['instance']).to.equal(lock.holder.instance);
      code = undefined;
      block();
      refusalOf(() => lock.relock());
      expect(existsSync(at('lock.json'))).to.equal(false);
      // Where it is gone already, the refusal is the same.
      refusalOf(() => lock.relock());
      unblock();
      lock.relock();
      expect(lock.intact()).to.equal(true);
      lock.release();
    });
  });

  describe("while another process holds the kernel's lock", () => {
    it('is rejected immediately if that process has no note, or is alive', () => {
      const before = openFiles();
      block();
      expect(refusalOf(() => acquire()).message).to.match(/has not identified itself yet/);
      unblock();
      expect(openFiles()).to.equal(before);
      leaveNote();
      block();
      // A caller that retried for longer would get it.
      const disk = diskWith('S', (looks) => {
        if (looks <= 2) return;
        unblock();
        rmSync(at('lock.json'), { force: true });
      });
      expect(refusalOf(() => acquire({ disk })).details).to.include({ pid: 77 });
    });

    it('waits for a limited time if that process has ended [A.lock.free]', () => {
      leaveNote();
      block();
      acquire({ disk: diskWith('Z'), clock: impatientClock({ 1000: unblock }) }).release();
      leaveNote();
      block();
      const clock = impatientClock();
      expect(refusalOf(() => acquire({ disk: diskWith('Z'), clock })).details).to.include({ pid: 77 });
      expect(clock.waitedMs).to.equal(1000);
    });
  });

  it('waits for a limited time if the note of a living process is about to be removed [A.root.fuse]', () => {
    leaveNote();
    acquire({ disk: diskWith('S'), clock: impatientClock({ 1000: () => rmSync(at('lock.json')) }) }).release();
    leaveNote();
    const { ino } = statSync(at('lock.json'));
    const before = openFiles();
    const clock = impatientClock();
    expect(refusalOf(() => acquire({ disk: diskWith('S'), clock })).details).to.include({ pid: 77 });
    expect(clock.waitedMs).to.equal(1000);
    expect(statSync(at('lock.json')).ino).to.equal(ino);
    expect(openFiles()).to.equal(before);
  });

  describe('of another machine', () => {
    const now = Date.parse('2026-03-01T12:00:00.000Z');

    function leaveDistant(beat: string, ageMs: number): void {
      mkdirSync(at(), { recursive: true });
      const holder = { host: 'far', boot: 'b', pid: 7, address: null, started_at: isoTime(0), instance: 'x', beat };
      writeFileSync(at('lock.json'), JSON.stringify(holder));
      const written = (Date.now() - ageMs) / 1000;
      utimesSync(at('lock.json'), written, written);
    }

    const acquireAt = (ms: number, disk = nodeDisk): RootLock =>
      acquire({ disk, clock: { ...systemClock, now: () => ms } });

    it('is taken over when its last heartbeat is as old as allowed [A.root.machines]', () => {
      leaveDistant(isoTime(now), 3_600_000);
      expect(refusalOf(() => acquireAt(now + 19_999)).message).to.include('free in 1 s');
      const lock = acquireAt(now + 20_000);
      expect(lock.takenOverFrom).to.include({ host: 'far', pid: 7 });
      lock.release();
    });

    it("uses the file's time if the heartbeat is no time, and the heartbeat if the file system has none [A.root.machines]", () => {
      leaveDistant('not a time', 0);
      expect(refusalOf(() => acquireAt(now)).details).to.include({ host: 'far' });
      leaveDistant('not a time', 3_600_000);
      acquireAt(now).release();
      const disk = hookedDisk({ open: (path) => path.endsWith('lock.probe') && fail('EACCES') });
      leaveDistant(isoTime(now), 0);
      expect(refusalOf(() => acquireAt(now + 10_000, disk)).message).to.include('10 s ago');
      acquireAt(now + 30_000, disk).release();
      // If neither has a usable time, there is nothing to wait for.
      leaveDistant('not a time', 0);
      acquireAt(now, disk).release();
      expect(existsSync(at('lock.probe'))).to.equal(false);
    });
  });

  it('fails like the disk if that cannot create its file or has a different one there', () => {
    const disk = hookedDisk({ open: (path) => path.endsWith('/lock') && fail('EROFS') });
    expect(errorCode(thrownBy(() => acquire({ disk })))).to.equal('EROFS');
    mkdirSync(at(), { recursive: true });
    writeFileSync(at('lock'), 'This is no database. '.repeat(500));
    const before = openFiles();
    const thrown = thrownBy(() => acquire());
    expect(thrown).not.to.be.instanceOf(PlannerError);
    expect(thrown.message).to.match(/not a database/);
    expect(openFiles()).to.equal(before);
  });

  it('hides the experimental warning of older versions of Node about SQLite, and nothing else', () => {
    const warnings: unknown[][] = [];
    const builtin = Object.getOwnPropertyDescriptor(process, 'getBuiltinModule')!;
    const warning = Object.getOwnPropertyDescriptor(process, 'emitWarning')!;
    const sqlite = process.getBuiltinModule('node:sqlite');
    const record = (...args: unknown[]): void => void warnings.push(args);
    const passing = [
      ['SQLite is slow', 'DeprecationWarning'],
      ['Something is an experimental feature', 'ExperimentalWarning'],
    ];
    try {
      Object.defineProperty(process, 'emitWarning', { ...warning, value: record });
      const value = (): unknown => {
        for (const args of [['SQLite is an experimental feature', 'ExperimentalWarning'], ...passing])
          (process.emitWarning as (...args: unknown[]) => void)(...args);
        return sqlite;
      };
      Object.defineProperty(process, 'getBuiltinModule', { ...builtin, value });
      acquire().release();
      expect(Object.getOwnPropertyDescriptor(process, 'emitWarning')).to.have.property('value', record);
    } finally {
      Object.defineProperty(process, 'getBuiltinModule', builtin);
      Object.defineProperty(process, 'emitWarning', warning);
    }
    expect(warnings).to.deep.equal(passing);
  });
});
