import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFile, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, delay, systemClock, type Timer } from '../src/base/clock.ts';
import { ManualClock } from './support/manual-clock.ts';

/** The behaviour of every clock. `pass` lets at least this much time pass. */
function describeClock(
  name: string,
  open: () => { readonly clock: Clock; readonly pass: (ms: number) => unknown },
): void {
  describe(name, () => {
    it('calls once after a time, in the order of time, and again and again at an interval', async () => {
      const { clock, pass } = open();
      const calls: string[] = [];
      let timers: readonly Timer[] = [];
      // A time begins when it is asked for. The process may be held up between two of them: then they begin again.
      for (let began = NaN; !(performance.now() - began < 1);) {
        for (const timer of timers) timer.cancel();
        began = performance.now();
        timers = [
          clock.every(10, () => calls.push('every')),
          clock.after(8, () => calls.push('late')),
          clock.after(1, () => calls.push('early')),
        ];
      }
      expect(calls).to.deep.equal([]);
      for (let tries = 0; tries < 1000 && calls.length < 6; tries++) await pass(10);
      for (const timer of timers) timer.cancel();
      expect(calls.slice(0, 2)).to.deep.equal(['early', 'late']);
      expect(calls.slice(2, 6)).to.deep.equal(['every', 'every', 'every', 'every']);
    });

    it('does not call cancelled functions, also by the call itself or twice', async () => {
      const { clock, pass } = open();
      const calls: string[] = [];
      clock.after(1, () => calls.push('cancelled')).cancel();
      const timer = clock.every(1, () => {
        calls.push('once');
        timer.cancel();
        timer.cancel();
      });
      await pass(20);
      await pass(20);
      expect(calls).to.deep.equal(['once']);
    });

    it('measures passing time, and how long its thread sleeps', async () => {
      const { clock, pass } = open();
      const [now, began] = [clock.now(), clock.monotonic()];
      clock.sleep(5);
      clock.sleep(-1);
      const slept = clock.monotonic() - began;
      expect(slept).to.be.at.least(4.9);
      await pass(5);
      // Node's timers count whole milliseconds, so this one may have been up to 1 ms too early.
      expect(clock.monotonic() - began).to.be.at.least(slept + 4);
      expect(clock.now()).to.be.at.least(now + 8);
    });
  });
}

describeClock("The system's clock", () => ({ clock: systemClock, pass: (ms) => delay(systemClock, ms) }));
describeClock('A clock of a test', () => {
  const clock = new ManualClock();
  return { clock, pass: (ms) => clock.advance(ms) };
});

describe("The system's clock", () => {
  it('keeps the process alive for a call, unless it need not', async () => {
    const module = JSON.stringify(join(import.meta.dirname, '../src/base/clock.ts'));
    const program = `import { systemClock } from ${module};
      systemClock.after(600_000, () => console.log('after')).unref();
      systemClock.every(600_000, () => console.log('every')).unref();
      systemClock.after(1, () => console.log('awaited'));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).to.equal('awaited\n');
  });
});

describe('A clock of a test', () => {
  const start = Date.parse('2030-01-01T00:00:00.000Z');

  it('does not move until it is advanced, and calls everything at its own time, in order', () => {
    const clock = new ManualClock(start);
    const calls: (readonly [string, number])[] = [];
    const note = (name: string) => (): void => void calls.push([name, clock.now() - start]);
    clock.every(40, note('every'));
    clock.after(40, note('after'));
    clock.after(20, () => clock.after(10, note('nested')));
    expect(clock.nextMs).to.equal(20);
    clock.advance(39);
    expect([clock.now() - start, clock.monotonic()]).to.deep.equal([39, 39]);
    expect(calls).to.deep.equal([['nested', 30]]);
    clock.advance(50);
    expect(calls.slice(1)).to.deep.equal([
      ['every', 40],
      ['after', 40],
      ['every', 80],
    ]);
    expect(clock.timers).to.equal(1);
  });

  it('calls nothing while its thread sleeps, and functions due then as soon as it is advanced', () => {
    const clock = new ManualClock(start);
    const calls: number[] = [];
    clock.after(10, () => calls.push(clock.monotonic()));
    clock.sleep(30);
    expect(calls).to.deep.equal([]);
    expect(clock.nextMs).to.equal(0);
    clock.advance(0);
    expect(calls).to.deep.equal([30]);
  });

  it('passes no time while a call of a disk is in progress', async () => {
    const clock = new ManualClock(start);
    let read = 0;
    readFile(import.meta.filename, (_, { length }) => (read = length));
    const seen: number[] = [];
    clock.after(10, () => seen.push(read));
    await clock.pass(10);
    expect(seen).to.deep.equal([statSync(import.meta.filename).size]);
  });

  it('has a wall clock that can be set without time passing', () => {
    const clock = new ManualClock(start);
    const calls: number[] = [];
    clock.after(10, () => calls.push(clock.monotonic()));
    clock.set(start + 3_600_000);
    expect([clock.now() - start, clock.monotonic(), calls]).to.deep.equal([3_600_000, 0, []]);
    clock.advance(10);
    expect(calls).to.deep.equal([10]);
  });
});
