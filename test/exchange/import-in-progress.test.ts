import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import { ImportInProgress } from '../../src/exchange/import-in-progress.ts';
import { limits } from '../../src/base/limits.ts';

const begin = (credential: string, signal?: AbortSignal): ImportInProgress => {
  const running = new ImportInProgress({ credential, isAgent: true, signal });
  running.takePlace();
  return running;
};

function refused(act: () => void): PlannerError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error as PlannerError;
  }
}

describe('Imports in progress', () => {
  it('have their turns one after the other, 64 of 64 credentials together [D9.moving.one-at-a-time]', async () => {
    const all = Array.from({ length: limits.importsMax }, (_, at) => begin(`key ${at}`));
    expect(refused(() => begin('one more'))).to.deep.include({ code: 'rate_limited' });
    const began: number[] = [];
    let atOnce = 0;
    await Promise.all(
      all.map(async (running, at) => {
        await running.turn();
        began.push(at);
        expect(++atOnce).to.equal(1);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce--;
        running.end();
      }),
    );
    expect(began).to.deep.equal(all.map((_, at) => at));
    begin('one more').end();
  });

  it('have two places of a credential [D9.moving.one-at-a-time]', async () => {
    const [first, second] = [begin('a'), begin('a')];
    expect(refused(() => begin('a'))).to.deep.include({ code: 'rate_limited', details: { retry_after: 5 } });
    await first.turn();
    const turn = second.turn();
    first.end();
    await turn;
    const third = begin('a');
    for (const one of [second, third]) one.end();
  });

  it('give up their place when the caller is gone [D9.moving.with-caller]', async () => {
    const first = begin('a');
    await first.turn();
    const caller = new AbortController();
    const [waiting, next] = [begin('b', caller.signal), begin('c')];
    const [given, turn] = [waiting.turn(), next.turn()];
    caller.abort();
    const error = await given.catch((thrown: unknown) => thrown);
    expect(error).to.deep.include({ code: 'unavailable' });
    waiting.end();
    const late = begin('b', caller.signal);
    expect(await late.turn().catch((thrown: unknown) => thrown)).to.deep.include({ code: 'unavailable' });
    late.end();
    first.end();
    await turn;
    next.end();
  });

  it('have a bound of bytes each, and together [D9.moving.bounded]', () => {
    const bytes = limits.agentImportBytesMax;
    const all = Array.from({ length: limits.importsBytesMax / bytes }, (_, at) => begin(`key ${at}`));
    expect(refused(() => all[0]!.hold(bytes + 1))).to.deep.include({ code: 'payload_too_large' });
    for (const running of all) running.hold(bytes);
    const another = begin('another');
    expect(refused(() => another.hold(1))).to.deep.include({ code: 'unavailable' });
    all[0]!.end();
    another.hold(bytes);
    for (const running of [...all, another]) running.end();
  });
});
