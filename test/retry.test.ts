import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { doubling, retry } from '../src/base/retry.ts';
import { ManualClock } from './support/manual-clock.ts';

describe('Retries', () => {
  const clock = new ManualClock();
  const failing = (times: number): { readonly run: () => Promise<string>; readonly at: number[] } => {
    const at: number[] = [];
    const began = clock.monotonic();
    const run = async (): Promise<string> => {
      at.push(clock.monotonic() - began);
      if (at.length <= times) throw new Error(`failure ${at.length}`);
      return 'done';
    };
    return { run, at };
  };

  it('end with the first success, after pauses that double up to a limit', async () => {
    const { run, at } = failing(5);
    const result = retry({ clock, pauseMs: doubling(10, 40), mayRetry: () => true }, run);
    await turn();
    await clock.pass(1000);
    expect(await result).to.equal('done');
    expect(at).to.deep.equal([0, 10, 30, 70, 110, 150]);
  });

  it('end with an error that is not retried, or another one instead of it', async () => {
    const counted: number[] = [];
    const { run } = failing(9);
    const mayRetry = (error: unknown, failures: number): boolean => {
      counted.push(failures);
      return (error as Error).message !== 'failure 3';
    };
    const refused = retry({ clock, pauseMs: () => 0, mayRetry }, run).catch(messageOf);
    await clock.pass(100);
    expect([await refused, counted]).to.deep.equal(['failure 3', [1, 2, 3]]);
    const other = retry({ clock, pauseMs: () => 0, mayRetry: () => fail('too late') }, failing(1).run);
    expect(await other.catch(messageOf)).to.equal('too late');
  });

  it('end in a pause when their signal aborts', async () => {
    const { run, at } = failing(9);
    const ending = new AbortController();
    const { signal } = ending;
    const aborted = retry({ clock, pauseMs: () => 1000, mayRetry: () => true, signal }, run).catch(
      (why: unknown) => why,
    );
    await turn();
    await clock.pass(1500);
    ending.abort('the end');
    expect([await aborted, at]).to.deep.equal(['the end', [0, 1000]]);
  });
});

function messageOf(error: unknown): string {
  return (error as Error).message;
}

function fail(message: string): never {
  throw new Error(message);
}
