import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import type { BodyLease } from '../../src/http/body-budget.ts';
import { limits } from '../../src/base/limits.ts';
import { budgetOf } from './budget.ts';

const { bodiesOfOneBytesMax: ofOne, bodiesBytesMax: ofAll } = limits;

describe('The request body budget', () => {
  let leases: BodyLease[] = [];
  beforeEach(() => (leases = []));
  afterEach(() => {
    for (const lease of leases) lease.release();
  });

  const lease = (by?: string, announced?: number): BodyLease => {
    const made = budgetOf(by, announced);
    leases.push(made);
    return made;
  };
  const release = (given: BodyLease): void => {
    given.release();
    leases = leases.filter((one) => one !== given);
  };
  const refused = (run: () => unknown, code: string, max: number): void => {
    let thrown: unknown;
    try {
      run();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).to.be.instanceOf(PlannerError);
    const { code: found, details } = thrown as PlannerError;
    expect([found, details]).to.deep.equal([code, { bytes_max: max, retry_after: 5 }]);
  };
  const rateLimited = (by: string | undefined, announced: number): void =>
    refused(() => lease(by, announced), 'rate_limited', ofOne);

  it('reserves the announced bytes of a caller, up to its limit [A.hostile.body-budget]', () => {
    const first = lease('a', ofOne - 10);
    const second = lease('a', 10);
    rateLimited('a', 1);
    lease('b', ofOne);
    lease(undefined, ofOne);
    rateLimited(undefined, 1);
    first.grow(ofOne - 10);
    rateLimited('a', 1);
    release(first);
    rateLimited('a', ofOne - 9);
    release(second);
    lease('a', ofOne);
  });

  it('reserves more as further bytes arrive [A.hostile.body-budget]', () => {
    const growing = lease('a', 10);
    for (const bytes of [5, 5, 7, 8]) growing.grow(bytes);
    const rest = lease('a', ofOne - 25);
    rateLimited('a', 1);
    refused(() => growing.grow(1), 'rate_limited', ofOne);
    release(rest);
    growing.grow(1);
    lease('a', ofOne - 26);
    rateLimited('a', 1);
  });

  it('limits the received bytes of all callers together, and releases them [A.hostile.body-budget]', () => {
    const count = ofAll / ofOne;
    const full = Array.from({ length: count }, (_, at) => lease(String(at)));
    for (const one of full) one.grow(ofOne);
    const late = lease('late');
    refused(() => late.grow(1), 'unavailable', ofAll);
    late.grow(0);
    release(full[0]!);
    late.grow(ofOne - 1);
    late.grow(1);
    refused(() => late.grow(1), 'unavailable', ofAll);
  });
});
