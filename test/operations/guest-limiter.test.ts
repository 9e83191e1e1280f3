import { expect } from 'chai';
import { PlannerError } from '../../src/base/errors.ts';
import { GuestLimiter, subscriber } from '../../src/operations/access/guest-limiter.ts';

describe('The limiter of guests [D8.guests]', () => {
  it('counts by link and address', async () => {
    const limiter = new GuestLimiter();
    const refused = async (link: string, address: string | undefined): Promise<boolean> => {
      try {
        await limiter.take(link, address, 2);
        return false;
      } catch (thrown) {
        expect(thrown).to.be.instanceOf(PlannerError).and.include({ code: 'rate_limited' });
        expect((thrown as PlannerError).details['retry_after']).to.be.within(1, 60);
        return true;
      }
    };
    expect([await refused('a', '192.0.2.1'), await refused('a', '192.0.2.1')]).to.deep.equal([false, false]);
    expect(await refused('a', '192.0.2.1')).to.equal(true);
    expect(await refused('b', '192.0.2.1')).to.equal(false);
    expect(await refused('a', '192.0.2.2')).to.equal(false);
    expect(await refused('a', undefined)).to.equal(false);
    expect(await new GuestLimiter().take('a', '192.0.2.1', 2)).to.equal(undefined);
  });

  it('counts the addresses of one subscriber as one', () => {
    const same = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::', '2001:0DB8:0001:0002:0:0:0:9', '2001:db8:1:2:3:4:5:6%eth0'];
    expect(new Set(same.map(subscriber))).to.deep.equal(new Set(['2001:db8:1:2']));
    expect(subscriber('2001:db8:1:3::1')).to.equal('2001:db8:1:3');
    expect(subscriber('::1')).to.equal('0:0:0:0');
    expect(subscriber('2001:db8::1')).to.equal('2001:db8:0:0');
    expect(subscriber('1::4:5:6:7:8')).to.equal('1:0:0:4');
    expect(subscriber('::3:4:5:6:7:8')).to.equal('0:0:3:4');
    for (const other of ['Unix Socket', '192.0.2.1.Example']) expect(subscriber(other)).to.equal(other);
    expect(subscriber('192.0.2.1')).to.equal('192.0.2.1');
    expect(subscriber('::ffff:192.0.2.1')).to.equal('192.0.2.1');
  });
});
