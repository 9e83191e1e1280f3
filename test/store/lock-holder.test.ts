import { expect } from 'chai';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { PlannerError } from '../../src/base/errors.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import {
  heldElsewhere,
  heldOnThisMachine,
  holderOf,
  isAlive,
  isInOtherContainer,
  isOnOtherMachine,
  isEnding,
  isSameHolder,
  isSuspended,
  thisMachine,
} from '../../src/store/files/lock/lock-holder.ts';
import type { LockHolder, Machine } from '../../src/store/files/lock/lock-holder.ts';

const machine: Machine = { host: 'here', boot: 'boot', pid: 1, processStart: '500', pidNamespace: 'ours' };
const holder: LockHolder = {
  ...{ host: 'here', pid: 77, address: null, started_at: '2026-01-01T00:00:00.000Z', beat: '2026-01-01T00:00:05.000Z' },
  ...{ instance: 'one', boot: 'boot', process_start: '900', pid_namespace: 'ours' },
};

interface Process {
  readonly state: string;
  readonly flags?: number;
  readonly start?: string;
}

/** The real disk, except the kernel's answers about process 77. */
function diskWith({ state, flags = 4_194_560, start = '900' }: Process): Disk {
  const before = ['77 (a) b (c)', state, 1, 77, 77, 0, -1, flags, ...Array<number>(12).fill(3)];
  const text = [...before, start, ...Array<number>(30).fill(4)].join(' ');
  const read = (path: string): Buffer => (path === '/proc/77/stat' ? Buffer.from(`${text}\n`) : nodeDisk.read(path));
  return { ...nodeDisk, read };
}

const running = diskWith({ state: 'S' });
const gone: Disk = { ...nodeDisk, read: () => nodeDisk.read('/proc/none') };

describe('The holder of a root', () => {
  it('is read from a note, and from nothing else', () => {
    const { host, pid, beat } = holder;
    const least = { host, pid, beat, address: null };
    for (const sound of [holder, least, { ...least, address: 'http://127.0.0.1:1' }])
      expect(holderOf(sound)).to.equal(sound);
    for (const broken of [
      ...[null, undefined, 'text', 1, {}, [], { ...least, host: 1 }, { ...least, pid: '77' }, { ...least, beat: 5 }],
      ...[
        { host, pid, beat },
        { ...least, address: 4321 },
        { ...least, host: undefined },
      ],
    ])
      expect(holderOf(broken), JSON.stringify(broken)).to.equal(null);
  });

  it('is the same if instance, host, pid and start are equal', () => {
    expect(isSameHolder(holder, { ...holder, beat: 'later', address: 'http://127.0.0.1:1' })).to.equal(true);
    for (const other of [{ instance: 'two' }, { host: 'far' }, { pid: 78 }, { started_at: 'later' }])
      expect(isSameHolder(holder, { ...holder, ...other }), JSON.stringify(other)).to.equal(false);
  });

  it('is on another machine according to its boot id, or to its host if one of both has none [A.root.machines]', () => {
    const distant = (found: Partial<LockHolder>, on: Partial<Machine> = {}): boolean =>
      isOnOtherMachine({ ...holder, ...found }, { ...machine, ...on });
    expect(distant({ host: 'container' })).to.equal(false);
    expect(distant({ boot: 'other' })).to.equal(true);
    for (const boot of [undefined, null] as const) {
      const { boot: _, ...rest } = holder;
      const found = boot === undefined ? rest : { ...rest, boot };
      expect(isOnOtherMachine(found, machine)).to.equal(false);
      expect(isOnOtherMachine({ ...found, host: 'far' }, machine)).to.equal(true);
    }
    expect(distant({}, { boot: null })).to.equal(false);
    expect(distant({ host: 'far' }, { boot: null })).to.equal(true);
  });

  it('is in another container if both know their pid namespaces, which differ, on one machine [A.root.namespaces]', () => {
    const contained = (found: Partial<LockHolder>, on: Partial<Machine> = {}): boolean =>
      isInOtherContainer({ ...holder, ...found }, { ...machine, ...on });
    expect(contained({})).to.equal(false);
    expect(contained({ pid_namespace: 'theirs' })).to.equal(true);
    expect(contained({ pid_namespace: 'theirs', boot: 'other' })).to.equal(false);
    const { pid_namespace: _, ...former } = holder;
    for (const found of [former, { ...holder, pid_namespace: null }])
      expect(isInOtherContainer(found, machine)).to.equal(false);
    expect(contained({}, { pidNamespace: null })).to.equal(false);
  });

  it('is neither alive, ending nor suspended by a pid of another container [A.root.namespaces]', () => {
    const found = { ...holder, pid_namespace: 'theirs' };
    for (const state of ['S', 'T', 'Z']) {
      expect(isAlive(diskWith({ state }), found, machine)).to.equal(false);
      expect(isEnding(diskWith({ state }), found, machine)).to.equal(false);
      const { host, boot } = thisMachine(nodeDisk);
      expect(isSuspended(diskWith({ state }), { ...found, host, boot })).to.equal(false);
    }
    expect(heldOnThisMachine(running, '/plan/local', found, machine).message).to.include('another container');
  });

  it('is alive while its kernel shows an unfinished process with its pid and start time [A.root.fuse]', () => {
    expect(isAlive(running, holder, machine)).to.equal(true);
    expect(isEnding(running, holder, machine)).to.equal(false);
    for (const process of [
      ...['Z', 'X', 'x'].map((state) => ({ state })),
      { state: 'S', flags: 4_194_560 + 4 },
      { state: 'Z', flags: 4 },
    ]) {
      expect(isAlive(diskWith(process), holder, machine), JSON.stringify(process)).to.equal(false);
      expect(isEnding(diskWith(process), holder, machine), JSON.stringify(process)).to.equal(true);
    }
    for (const disk of [diskWith({ state: 'S', start: '901' }), diskWith({ state: 'Z', start: '901' }), gone]) {
      expect(isAlive(disk, holder, machine)).to.equal(false);
      expect(isEnding(disk, holder, machine)).to.equal(false);
    }
  });

  it('is not alive on another machine, without its start time, or as this process itself [A.root.fuse]', () => {
    const { process_start: _, ...without } = holder;
    for (const found of [{ ...holder, boot: 'other' }, without, { ...holder, process_start: null }])
      for (const state of ['S', 'Z']) {
        expect(isAlive(diskWith({ state }), found, machine)).to.equal(false);
        expect(isEnding(diskWith({ state }), found, machine)).to.equal(false);
      }
    // No process of a kernel without /proc: neither has a start.
    expect(isAlive(gone, without, { ...machine, pid: 77 })).to.equal(false);
    expect(isEnding(gone, without, { ...machine, pid: 77 })).to.equal(false);
    expect(isAlive(running, holder, { ...machine, pid: 77, processStart: '900' })).to.equal(false);
    // A process that had this pid, and a process of this start in another container.
    expect(isAlive(running, holder, { ...machine, pid: 77, processStart: '500' })).to.equal(true);
    expect(isAlive(running, holder, { ...machine, pid: 1, processStart: '900' })).to.equal(true);
  });

  it('is suspended if its kernel, the present one, has stopped it [A.root.stopped]', () => {
    const { host, boot } = thisMachine(nodeDisk);
    const here = { ...holder, host, boot, pid_namespace: null };
    for (const [state, stopped] of [
      ['T', true],
      ['t', true],
      ['S', false],
    ] as const) {
      expect(isSuspended(diskWith({ state }), here), state).to.equal(stopped);
      expect(isSuspended(diskWith({ state }), { ...here, host: 'far', boot: `not ${boot}` })).to.equal(false);
    }
  });

  it('has the properties that the kernel reports of this process', () => {
    if (process.platform !== 'linux') return console.log('      no Linux');
    const machine = thisMachine(nodeDisk);
    expect(machine.boot).to.equal(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    const [, pidNamespace] = /\[(\d+)\]/.exec(readlinkSync('/proc/self/ns/pid'))!;
    expect(machine).to.include({ host: hostname(), pid: process.pid, pidNamespace });
    const { pid, processStart, pidNamespace: pid_namespace } = machine;
    const own = { ...holder, host: machine.host, boot: machine.boot, pid, process_start: processStart, pid_namespace };
    expect(isAlive(nodeDisk, own, { ...machine, pid: -1 })).to.equal(true);
    expect(thisMachine(gone)).to.include({ boot: null, processStart: null });
    const broken = new TypeError('A mistake of the program');
    const failing: Disk = {
      ...nodeDisk,
      read: () => {
        throw broken;
      },
    };
    expect(() => thisMachine(failing)).to.throw(broken);
  });
});

describe('The error for a locked root', () => {
  const messageFor = (disk: Disk, found: LockHolder | null): string =>
    heldOnThisMachine(disk, '/plan/local', found, machine).message;
  const at = { ...holder, address: 'http://127.0.0.1:4321' };

  it('names the process, its state and the remedy [A.root.message, A.root.stopped, A.root.containers]', () => {
    expect(messageFor(running, at)).to.equal(
      '/plan/local is in use by Planner, process 77 on here, http://127.0.0.1:4321. ' +
        'Use it at http://127.0.0.1:4321, or stop it first (kill 77 on here).',
    );
    expect(messageFor(running, holder)).to.equal(
      '/plan/local is in use by Planner, process 77 on here. Wait until it has ended, or stop it first (kill 77 on here).',
    );
    expect(messageFor(diskWith({ state: 'T' }), holder)).to.equal(
      '/plan/local is in use by Planner, process 77 on here. It is suspended and still holds the root: resume it ' +
        '(kill -CONT 77), or end it (kill -KILL 77); no acknowledged change is lost.',
    );
    for (const disk of [gone, diskWith({ state: 'T', start: '901' })])
      expect(messageFor(disk, at)).to.equal(
        '/plan/local is in use by Planner, process 77 of another container on here, http://127.0.0.1:4321. ' +
          'Use it at http://127.0.0.1:4321, or stop that container first.',
      );
    // A kernel that does not report when a process began is not queried for it.
    for (const found of [
      { ...holder, process_start: null },
      { ...holder, process_start: undefined },
    ] as LockHolder[])
      expect(messageFor(diskWith({ state: 'T' }), found)).to.match(/process 77 on here\. Wait until it has ended/);
    const details: PlannerError['details'] = heldOnThisMachine(running, '/plan/local', at, machine).details;
    expect(details).to.deep.equal({ host: 'here', pid: 77, address: 'http://127.0.0.1:4321' });
  });

  it('names no process if the note does not belong to the process with the visible lock', () => {
    for (const found of [null, { ...at, boot: 'other' }])
      expect(messageFor(running, found)).to.equal(
        '/plan/local is in use by another Planner process that has not identified itself yet. Try again in a moment.',
      );
  });

  it('names the time at which the lock of another machine expires [A.root.machines]', () => {
    const elsewhere = (found: LockHolder, ageMs: number): string =>
      heldElsewhere('/plan/local', { ...found, boot: 'other' }, { ageMs, ageMsMax: 20_000, machine }).message;
    expect(elsewhere(at, 4600)).to.equal(
      '/plan/local is in use by Planner, process 77 on another machine, here, http://127.0.0.1:4321. Its last heartbeat was 5 s ago: ' +
        'use it at http://127.0.0.1:4321, or stop it there (kill 77 on here). If that machine is gone, the root is free in 16 s.',
    );
    expect(elsewhere(holder, 20_000)).to.equal(
      '/plan/local is in use by Planner, process 77 on another machine, here. Its last heartbeat was 20 s ago: ' +
        'stop it there (kill 77 on here). If that machine is gone, the root is free in 1 s.',
    );
  });
});
