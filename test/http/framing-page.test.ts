import { expect } from 'chai';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { isTopLevelDocument, sendFramingPage } from '../../src/http/framing-page.ts';
import { withRequestLog } from '../../src/http/request-log.ts';

describe('The framing page of untrusted content', () => {
  it('is sent for top-level navigation', () => {
    const isAlone = (headers: object): boolean => isTopLevelDocument({ headers } as IncomingMessage);
    expect([{}, { 'sec-fetch-dest': 'iframe' }, { 'sec-fetch-dest': 'document' }].map(isAlone)).to.deep.equal([
      false,
      false,
      true,
    ]);
  });

  it('runs only its own script and style, and sandboxes the content', async () => {
    const handler = withRequestLog((_, response) => sendFramingPage(response, '/a?b="c"&d'), {
      clock: systemClock,
      onFinished: () => undefined,
    });
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await fetch(url, { headers: { Connection: 'close', 'X-Request-Id': 'a-request' } });
    const body = await answer.text();
    server.close();
    const { date: _, connection: __, ...headers } = Object.fromEntries(answer.headers);
    const [, style] = /<style>(.+)<\/style>/s.exec(body)!;
    const [, script] = /<script>(.+)<\/script>/s.exec(body)!;
    expect(style).to.include('iframe{display:block;width:100%');
    expect(answer.status).to.equal(200);
    expect(headers).to.deep.equal({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'content-security-policy': [
        "default-src 'none'",
        `style-src 'sha256-${hash('sha256', style!, 'base64')}'`,
        `script-src 'sha256-${hash('sha256', script!, 'base64')}'`,
        "img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      ].join('; '),
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      vary: 'Sec-Fetch-Dest',
      'x-request-id': 'a-request',
    });
    expect(body).to.include(
      '<iframe src="/a?b=&quot;c&quot;&amp;d" title="Content" sandbox="allow-scripts" referrerpolicy="no-referrer">',
    );
  });
});
