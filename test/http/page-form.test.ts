import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlannerError } from '../../src/base/errors.ts';
import { isForm, readForm } from '../../src/http/page-form.ts';

describe('An HTML form', () => {
  let server: Server;
  before(async () => {
    server = createServer((request, response) => {
      readForm(request, 30).then(
        (fields) => response.end(JSON.stringify(fields)),
        (thrown: unknown) => response.end(JSON.stringify(thrown instanceof PlannerError ? thrown : 'failed')),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  const send = async (body: string, headers: Record<string, string> = {}): Promise<Record<string, string>> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await fetch(url, { method: 'POST', body, headers: { Connection: 'close', ...headers } });
    return (await answer.json()) as Record<string, string>;
  };

  it('is recognised by its content type', () => {
    const hasFormType = (type?: string): boolean =>
      isForm({ headers: { ...(type !== undefined && { 'content-type': type }) } } as IncomingMessage);
    for (const type of ['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded ; charset=utf-8'])
      expect(hasFormType(type)).to.equal(true);
    for (const type of [undefined, '', 'application/json', 'text/plain; application/x-www-form-urlencoded'])
      expect(hasFormType(type)).to.equal(false);
  });

  it('is read with LF line ends', async () => {
    expect(await send('a=x%0D%0Ay%0Dz%0A&b=%C3%A9+1')).to.deep.equal({ a: 'x\ny\nz\n', b: 'é 1' });
  });

  it('is rejected if it is encoded, too large, or has a duplicate field', async () => {
    expect(await send('a=1&b=2&a=1')).to.include({ error: 'invalid_argument', field: 'a' });
    expect(await send('a=1', { 'Content-Encoding': 'gzip' })).to.include({ error: 'unsupported_media_type' });
    expect(await send(`a=${'1'.repeat(30)}`)).to.include({ error: 'payload_too_large', bytes_max: 30 });
  });
});
