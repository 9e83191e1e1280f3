import { expect } from 'chai';
import { ContestedProjects } from '../../src/store/hosted/storage/contested-projects.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('The rest of a node that has won', () => {
  let clock: ManualClock;
  let contested: ContestedProjects;

  beforeEach(() => {
    clock = new ManualClock();
    contested = new ContestedProjects(clock);
  });

  /** Loses a place so many times, and needs so long each time until it appends again. */
  function lose(times: number, returnMs: number): void {
    for (let left = times; left > 0; left--) {
      contested.lost('garden');
      clock.advance(returnMs);
      contested.sent('garden');
    }
  }
  const rests = (): number[] => Array.from({ length: 200 }, () => contested.rest('garden')!);

  it('is about as long as it needed itself to append again', () => {
    for (const returnMs of [20, 80, 30]) {
      lose(40, returnMs);
      const all = rests();
      expect(Math.min(...all), `${returnMs} ms`).to.be.within(returnMs * 0.49, returnMs * 0.6);
      expect(Math.max(...all), `${returnMs} ms`).to.be.within(returnMs * 1.4, returnMs * 1.51);
    }
  });

  it('is neither too short for others nor longer than a fifth of a second and a half of that', () => {
    lose(40, 0);
    expect(Math.min(...rests())).to.be.at.least(4);
    lose(40, 60_000);
    contested.lost('garden');
    expect(Math.max(...rests())).to.be.at.most(300);
  });

  it('is none where no other node appends, or did so for a second', () => {
    expect(contested.rest('garden')).to.equal(undefined);
    lose(1, 20);
    expect(contested.rest('orchard')).to.equal(undefined);
    expect(contested.rest('garden')).to.be.a('number');
    clock.advance(1000);
    expect(contested.rest('garden')).to.equal(undefined);
  });
});
