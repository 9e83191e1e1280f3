import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../../src/base/errors.ts';
import type { ErrorBody } from '../../src/base/errors.ts';
import { refuseOtherSites, requireOneHost } from '../../src/http/fetch-site.ts';

/** Runs a check and returns its error in the wire format. */
function refusalOf(run: () => void): Partial<ErrorBody> | undefined {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof PlannerError) return thrown.toJSON();
    throw thrown;
  }
  return undefined;
}

/** Returns whether a request is rejected as cross-site. */
function isRefused(url: string, mode: string, dest: string, method = 'GET', site = 'cross-site'): boolean {
  const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
  const refusal = refusalOf(() => refuseOtherSites({ method, headers } as unknown as IncomingMessage, url));
  if (refusal !== undefined) expect(refusal.error).to.equal('forbidden');
  return refusal !== undefined;
}

describe('Cross-site requests', () => {
  it('are allowed to paths that only contain the name of an API path [A.hostile.other-sites]', () => {
    for (const url of ['/api', '/api?x', '/API/v1/doctor', '/mcp', '/mcp/', '/Metrics'])
      expect([url, isRefused(url, 'no-cors', 'image')]).to.deep.equal([url, true]);
    for (const url of ['/apis', '/goals/api', '/s/mcp', '/?next=/api/v1/doctor', '/'])
      expect([url, isRefused(url, 'no-cors', 'image')]).to.deep.equal([url, false]);
  });

  it('are not assumed for own pages, typed URLs and programs [A.hostile.other-sites]', () => {
    for (const site of ['same-origin', 'none'])
      expect([site, isRefused('/mcp', 'cors', 'empty', 'POST', site)]).to.deep.equal([site, false]);
    expect(isRefused('/mcp', 'cors', 'empty', 'POST', 'same-site')).to.equal(true);
    const program = { method: 'POST', headers: {} } as unknown as IncomingMessage;
    expect(refusalOf(() => refuseOtherSites(program, '/mcp'))).to.equal(undefined);
  });

  it('are allowed to shares in any spelling, and not to paths that only contain the word [A.hostile.other-sites]', () => {
    for (const url of ['/api/v1/share/x', '/API/v1/Share/x'])
      expect([url, isRefused(url, 'no-cors', 'image')]).to.deep.equal([url, false]);
    for (const url of ['/api/v1/doctor?/api/v1/share/', '/api/v1/shares/x'])
      expect([url, isRefused(url, 'no-cors', 'image')]).to.deep.equal([url, true]);
  });

  it('are allowed for top-level navigation to documents [A.hostile.other-sites]', () => {
    const opened = [
      'files/x',
      'docs',
      'docs?x',
      'docs/a.js',
      'openapi.json',
      'artifacts/x/render',
      'artifacts/x/render?y',
    ];
    for (const path of opened) {
      const url = `/api/v1/${path}`;
      expect([url, isRefused(url, 'navigate', 'document')]).to.deep.equal([url, false]);
      expect([url, isRefused(url, 'navigate', 'iframe')]).to.deep.equal([url, true]);
      expect([url, isRefused(url, 'cors', 'document')]).to.deep.equal([url, true]);
      expect([url, isRefused(url, 'navigate', 'document', 'POST')]).to.deep.equal([url, true]);
    }
    for (const path of ['doctor?/api/v1/docs', 'docsy', 'artifacts/x/y/render', 'artifacts/x/renders', 'projects'])
      expect([path, isRefused(`/api/v1/${path}`, 'navigate', 'document')]).to.deep.equal([path, true]);
  });
});

describe('The Host header', () => {
  const refusal = (...rawHeaders: string[]): Partial<ErrorBody> | undefined =>
    refusalOf(() => requireOneHost({ rawHeaders } as IncomingMessage));

  it('must occur once in any spelling, whatever the other headers are [A.hostile.hosts]', () => {
    expect(refusal('Host', 'host', 'From', 'host', 'From', 'Host', 'Date', 'x')).to.equal(undefined);
    const twice = refusal('Host', 'a', 'Accept', '*/*', 'hOST', 'a');
    expect(twice).to.include({ error: 'invalid_argument', field: 'Host' });
  });
});
