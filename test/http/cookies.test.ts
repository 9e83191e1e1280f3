import { expect } from 'chai';
import { Cookies } from '../../src/http/cookies.ts';

describe('The cookies of a service', () => {
  it('are host-only over https, and inaccessible to scripts and other sites [D10.cookie]', () => {
    const cookies = new Cookies('https://plan.example.org');
    expect([cookies.session, cookies.pending]).to.deep.equal(['__Host-planner', '__Host-planner-pending']);
    expect(cookies.set(cookies.session, 'abc')).to.equal('__Host-planner=abc; Path=/; HttpOnly; SameSite=Lax; Secure');
  });

  it('have the port in their names over http, where browsers separate cookies only by host [D10.cookie]', () => {
    const cookies = new Cookies('http://127.0.0.1:4747');
    expect([cookies.session, cookies.pending]).to.deep.equal(['planner_4747', 'planner_pending_4747']);
    expect(cookies.set(cookies.pending, 'abc', 600)).to.equal(
      'planner_pending_4747=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=600',
    );
    const standard = new Cookies('http://localhost');
    expect([standard.session, standard.pending]).to.deep.equal(['planner_80', 'planner_pending_80']);
  });

  it('are cleared with the attributes they were set with [D10.cookie]', () => {
    expect(new Cookies('https://plan.example.org').clear('__Host-planner')).to.equal(
      '__Host-planner=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
    );
  });
});
