import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import { AttemptLimiter } from '../../src/operations/access/attempt-limiter.ts';
import { MinuteCounter } from '../../src/operations/access/minute-counter.ts';

describe('A limit per minute [A.hostile.guessing]', () => {
  it('permits a number of uses by each key, and then returns the time to wait', async () => {
    const counter = new MinuteCounter('attempts', 2);
    expect([await counter.take('a'), await counter.take('a')]).to.deep.equal([undefined, undefined]);
    expect(await counter.take('a')).to.be.within(30, 60);
    expect(await counter.take('b')).to.equal(undefined);
  });

  it('can be checked without counting', async () => {
    const counter = new MinuteCounter('attempts', 2);
    for (let time = 0; time < 5; time++) expect(counter.check('a')).to.equal(undefined);
    await counter.take('a');
    for (let time = 0; time < 5; time++) expect(counter.check('a')).to.equal(undefined);
    await counter.take('a');
    expect(counter.check('a')).to.be.within(30, 60);
    expect(counter.check('b')).to.equal(undefined);
  });
});

describe('Attempts from one address [A.hostile.guessing]', () => {
  const refusal = async (attempt: () => Promise<void> | void): Promise<PlannerError | undefined> =>
    Promise.try(attempt).then(
      () => undefined,
      (error: unknown) => error as PlannerError,
    );

  it('are rejected if there were too many, with the seconds to wait', async () => {
    const limiter = new AttemptLimiter('attempts', 2);
    for (const address of ['192.0.2.1', '192.0.2.1']) {
      limiter.check(address);
      await limiter.take(address);
    }
    for (const attempt of [() => limiter.check('192.0.2.1'), () => limiter.take('192.0.2.1')]) {
      const error = await refusal(attempt);
      expect(error).to.include({ code: 'rate_limited' });
      expect(error!.details['retry_after']).to.be.within(1, 60);
    }
    expect(await refusal(() => limiter.check('192.0.2.2'))).to.equal(undefined);
  });

  it('are counted by subscriber, and together if no address is known', async () => {
    const limiter = new AttemptLimiter('attempts', 1);
    await limiter.take('2001:db8:1:2::1');
    expect(await refusal(() => limiter.check('2001:db8:1:2:ffff::9'))).to.include({ code: 'rate_limited' });
    expect(await refusal(() => limiter.check('2001:db8:1:3::1'))).to.equal(undefined);
    expect(await refusal(() => limiter.check(undefined))).to.equal(undefined);
    await limiter.take(undefined);
    expect(await refusal(() => limiter.check(undefined))).to.include({ code: 'rate_limited' });
  });
});
