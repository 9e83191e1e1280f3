import { expect } from 'chai';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appSecurity, pageSecurity, strictTransport } from '../../src/http/security-headers.ts';

describe('The security headers of pages', () => {
  let server: Server | undefined;

  afterEach(() => server?.close());

  async function headersOf(harden: ReturnType<typeof pageSecurity>): Promise<Headers> {
    const own = createServer((request, response) => harden(request, response, () => response.end()));
    server = own;
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const response = await fetch(`http://127.0.0.1:${(own.address() as AddressInfo).port}/`, {
      headers: { Connection: 'close' },
    });
    return response.headers;
  }

  /** The headers of every page besides its policy. */
  function expectClosed(headers: Headers): void {
    expect(Object.fromEntries(headers)).to.include({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(headers.has('strict-transport-security')).to.equal(false);
    expect(headers.has('x-powered-by')).to.equal(false);
  }

  it('let a page without script load nothing, and post its forms only to the service [A.hostile.html]', async () => {
    const plain = await headersOf(pageSecurity());
    expect(plain.get('content-security-policy')).to.equal(
      "default-src 'none';style-src 'none';form-action 'self';base-uri 'none';frame-ancestors 'none'",
    );
    expectClosed(plain);
  });

  it('allow the inline style sheet of a page [A.hostile.html]', async () => {
    const styled = await headersOf(pageSecurity({ style: "'sha256-abc'" }));
    expect(styled.get('content-security-policy')).to.include("style-src 'sha256-abc';");
  });

  it('allow scripts of the web page only from the service [A.hostile.html]', async () => {
    const headers = await headersOf(appSecurity());
    expect(headers.get('content-security-policy')!.split(';')).to.have.members([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "frame-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "object-src 'none'",
      "frame-ancestors 'none'",
    ]);
    expectClosed(headers);
  });

  it('make browsers use https for a year, for this host only [A.hostile.html]', async () => {
    expect((await headersOf(strictTransport())).get('strict-transport-security')).to.equal('max-age=31536000');
  });
});
