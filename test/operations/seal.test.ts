import { expect } from 'chai';
import { Seal } from '../../src/operations/pipeline/seal.ts';

describe('A seal [D8.token, D1.idempotency]', () => {
  it('decrypts a text only with the secret', () => {
    const sealed = new Seal('one').close('{"url":"https://plan.example.org/s/ä"}');
    expect(sealed).to.match(/^[A-Za-z0-9_-]+$/);
    expect(new Seal('one').open(sealed)).to.equal('{"url":"https://plan.example.org/s/ä"}');
    expect(() => new Seal('two').open(sealed)).to.throw();
    expect(() => new Seal('one').open(sealed.slice(0, -4) + 'AAAA')).to.throw();
  });

  it('encrypts one text differently each time', () => {
    const seal = new Seal('one');
    expect(seal.close('x')).not.to.equal(seal.close('x'));
  });
});
