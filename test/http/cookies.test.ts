import { expect } from 'chai';
import { Cookies } from '../../src/http/cookies.ts';
import { cookieOf } from '../../src/operations/access/cookie.ts';

describe('The cookies of a service', () => {
  it('are host-only over https, and inaccessible to scripts and other sites [D10.cookie]', () => {
    const cookies = new Cookies('https://plan.example.org');
    expect([cookies.session, cookies.pending]).to.deep.equal(['__Host-planner', '__Host-planner-pending']);
    expect(cookies.set(cookies.session, 'abc')).to.equal('__Host-planner=abc; Path=/; HttpOnly; Secure; SameSite=Lax');
  });

  it('have the port in their names over http, where browsers separate cookies only by host [D10.cookie]', () => {
    const cookies = new Cookies('http://127.0.0.1:4321');
    expect([cookies.session, cookies.pending]).to.deep.equal(['planner_4321', 'planner_pending_4321']);
    expect(cookies.set(cookies.pending, 'abc', 600)).to.equal(
      'planner_pending_4321=abc; Max-Age=600; Path=/; HttpOnly; SameSite=Lax',
    );
    const standard = new Cookies('http://localhost');
    expect([standard.session, standard.pending]).to.deep.equal(['planner_80', 'planner_pending_80']);
  });

  it('are cleared with the attributes they were set with [D10.cookie]', () => {
    expect(new Cookies('https://plan.example.org').clear('__Host-planner')).to.equal(
      '__Host-planner=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
  });

  it('are read as they were sent, the first of a name, whatever else a browser sends along', () => {
    for (const [header, value] of [
      ['session=abc', 'abc'],
      [' a=b;session = x=y ; c', 'x=y'],
      ['session=first; session=second', 'first'],
      ['session=; a=b', ''],
      ['session="%41"', '"%41"'],
      ['other=1; session2=2; sessio=3; Session=4', undefined],
      ['session', undefined],
      ['__proto__=1; constructor=2', undefined],
      [undefined, undefined],
      [`${';=x'.repeat(4000)}; session=abc`, 'abc'],
    ] as const)
      expect(cookieOf(header, 'session'), header).to.equal(value);
    expect(cookieOf('a=b', 'toString')).to.equal(undefined);
  });
});
