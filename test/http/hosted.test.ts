import { expect } from 'chai';
import type { Socket } from 'node:net';
import type { PlannerError } from '../../src/base/errors.ts';
import { HostedGuard } from '../../src/http/hosted.ts';

const baseUrl = 'https://plan.example.org';

function urlFor(guard: HostedGuard, headers: Record<string, string>): string {
  return guard.check({ headers, socket: {} as Socket }).baseUrl;
}

function refusal(guard: HostedGuard, headers: Record<string, string>): PlannerError {
  try {
    urlFor(guard, headers);
  } catch (error) {
    return error as PlannerError;
  }
  return expect.fail(`${JSON.stringify(headers)} was let in`);
}

describe('The guard of a hosted service', () => {
  const guard = new HostedGuard({ baseUrl, trustedProxies: 0 });

  it('accepts calls to the base URL and by IP address, and returns the base URL for all [D10.base-url]', () => {
    const hosts = [
      'plan.example.org',
      'PLAN.example.org',
      '10.0.0.7:4321',
      '127.0.0.1:4321',
      '[fd00::7]:4321',
      '[FD00::7]',
      'localhost:4321',
      'LOCALHOST',
    ];
    for (const host of hosts) expect(urlFor(guard, { host }), host).to.equal(baseUrl);
    expect(
      urlFor(new HostedGuard({ baseUrl: 'https://plan.example.org:8443', trustedProxies: 0 }), {
        host: 'plan.example.org:8443',
      }),
    ).to.equal('https://plan.example.org:8443');
  });

  it('rejects other names, as DNS rebinding uses them [D2.forbidden]', () => {
    const hosts = [
      'evil.example',
      'plan.example.org.evil.example',
      'plan.example.org:8443',
      'plan.example.org@evil.example',
      'evil.example@[::1]',
      'evil.example 10.0.0.7',
      '10.0.0.7:4321.evil.example',
      '127.0.0.1:123456',
      '[fd00::7].evil.example',
      '[evil]',
      ']::1[',
      '1[0.0.0.7',
      '10.0.0.]7',
      '',
    ];
    for (const host of hosts) expect(refusal(guard, { host }).code, host).to.equal('forbidden');
    expect(refusal(guard, { host: 'backend', 'x-forwarded-host': 'plan.example.org' }).message).to.include(baseUrl);
  });

  it('accepts the forwarded Host of a trusted proxy [D10.trust-proxy]', () => {
    const behind = new HostedGuard({ baseUrl, trustedProxies: 1 });
    expect(urlFor(behind, { host: 'backend:4321', 'x-forwarded-host': 'plan.example.org' })).to.equal(baseUrl);
    expect(urlFor(behind, { host: 'backend:4321', 'x-forwarded-host': 'Plan.Example.Org' })).to.equal(baseUrl);
    expect(refusal(behind, { host: 'backend:4321', 'x-forwarded-host': 'evil.example' }).code).to.equal('forbidden');
    expect(refusal(behind, { host: 'backend:4321' }).code).to.equal('forbidden');
  });

  it('accepts only its own origin [D2.forbidden]', () => {
    const host = 'plan.example.org';
    expect(urlFor(guard, { host, origin: baseUrl })).to.equal(baseUrl);
    for (const origin of [
      'http://plan.example.org',
      'https://evil.example',
      'https://plan.example.org:8443',
      'null',
      '',
    ])
      expect(refusal(guard, { host, origin }).code, origin).to.equal('forbidden');
  });

  it('trusts the configured number of proxies, and no address from the client [D10.trust-proxy]', () => {
    const addressOf = (trustedProxies: number, forwarded?: string): string | undefined =>
      new HostedGuard({ baseUrl, trustedProxies }).check({
        headers: { host: 'plan.example.org', ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
        socket: { remoteAddress: '10.0.0.1' } as Socket,
      }).address;
    expect(addressOf(0, '192.0.2.1')).to.equal('10.0.0.1');
    expect(addressOf(1)).to.equal('10.0.0.1');
    expect(addressOf(1, '192.0.2.1')).to.equal('192.0.2.1');
    expect(addressOf(1, '203.0.113.9, 192.0.2.1')).to.equal('192.0.2.1');
    expect(addressOf(2, '203.0.113.9, 192.0.2.1, 10.0.0.2')).to.equal('192.0.2.1');
    expect(addressOf(3, '192.0.2.1')).to.equal('192.0.2.1');
    expect(addressOf(1, '192.0.2.1:5555')).to.equal('192.0.2.1');
    expect(addressOf(1, '[2001:db8::1]:5555')).to.equal('2001:db8::1');
    expect(addressOf(1, '[2001:db8::1]')).to.equal('2001:db8::1');
    for (const garbled of [
      'unknown',
      'x192.0.2.1:5555',
      '192.0.2.1:5555x',
      'x[2001:db8::1]:5555',
      '[2001:db8::1]:5555x',
    ])
      expect(addressOf(1, garbled), garbled).to.equal('10.0.0.1');
  });
});
