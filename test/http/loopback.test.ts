import { expect } from 'chai';
import type { Socket } from 'node:net';
import type { PlannerError } from '../../src/base/errors.ts';
import { loopbackHosts, LoopbackGuard } from '../../src/http/loopback.ts';

const urlFor = (guard: LoopbackGuard, headers: Record<string, string>): string =>
  guard.check({ headers, socket: {} as Socket }).baseUrl;

describe('The guard of a loopback service', () => {
  const guard = new LoopbackGuard(4321);

  function refusal(headers: Record<string, string>): PlannerError {
    try {
      urlFor(guard, headers);
    } catch (error) {
      return error as PlannerError;
    }
    return expect.fail(`${JSON.stringify(headers)} was let in`);
  }

  it('accepts requests to its own names, and returns the one that was used [D10.host]', () => {
    for (const host of ['127.0.0.1:4321', 'localhost:4321', '[::1]:4321', 'LOCALHOST:4321']) {
      expect(urlFor(guard, { host })).to.equal(`http://${host}`);
    }
  });

  it('rejects other Hosts, as DNS rebinding uses them [D10.host]', () => {
    for (const host of [
      'evil.example',
      'evil.example:4321',
      'localhost',
      '127.0.0.1:80',
      'localhost:4321.evil.example',
      '',
    ]) {
      expect(refusal({ host }).code).to.equal('forbidden');
    }
    expect(refusal({}).code).to.equal('forbidden');
  });

  it('accepts only its own origin [D10.origin]', () => {
    const host = '127.0.0.1:4321';
    for (const origin of ['http://127.0.0.1:4321', 'http://localhost:4321', 'http://[::1]:4321'])
      urlFor(guard, { host, origin });
    for (const origin of [
      'http://evil.example',
      'null',
      'https://127.0.0.1:4321',
      'http://127.0.0.1:8080',
      'http://localhost',
      '',
    ]) {
      expect(refusal({ host, origin }).code, origin).to.equal('forbidden');
    }
  });

  it('rejects requests through a proxy, and suggests --hosted [D10.forwarded]', () => {
    for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-anything']) {
      const error = refusal({ host: '127.0.0.1:4321', [name]: 'for=192.0.2.1' });
      expect(error.code).to.equal('forbidden');
      expect(error.message).to.include('--hosted').and.include(name);
    }
  });

  it('rejects every header that proxies and tunnels add [D10.forwarded, A.hostile.hosts]', () => {
    const names = ['via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-envoy-external-address'];
    names.push(
      'x-original-forwarded-for',
      'x-original-host',
      'true-client-ip',
      'cf-connecting-ip',
      'cf-ray',
      'cdn-loop',
    );
    names.push('fastly-client-ip', 'fly-client-ip', 'tailscale-user-login');
    for (const name of names)
      expect(refusal({ host: '127.0.0.1:4321', [name]: '192.0.2.1' }).code, name).to.equal('forbidden');
    const own = { host: '127.0.0.1:4321', 'user-agent': 'curl', 'x-request-id': '1', forward: '1' };
    expect(urlFor(guard, own)).to.equal('http://127.0.0.1:4321');
  });

  it('has exactly these names of loopback [D10.host]', () => {
    expect([...loopbackHosts].sort()).to.deep.equal(['127.0.0.1', '::1', '[::1]', 'localhost']);
  });

  it('returns the client address', () => {
    const socket = { remoteAddress: '127.0.0.2' } as Socket;
    expect(guard.check({ headers: { host: '127.0.0.1:4321' }, socket }).address).to.equal('127.0.0.2');
  });

  it('accepts the default port of HTTP with and without its number', () => {
    const web = new LoopbackGuard(80);
    expect(urlFor(web, { host: 'localhost', origin: 'http://localhost' })).to.equal('http://localhost');
    expect(urlFor(web, { host: 'localhost:80' })).to.equal('http://localhost:80');
    expect(() => urlFor(web, { host: 'localhost', origin: 'http://localhost:80' })).to.throw('are rejected');
    expect(() => urlFor(web, { host: 'localhost:4321' })).to.throw('does not name this loopback service');
  });
});
