import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { systemClock } from '../../src/base/clock.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { errorHeaders, sendEmpty, sendError, sendJson, sendChunks, sendRaw, sendText } from '../../src/http/send.ts';
import { withRequestLog } from '../../src/http/request-log.ts';

/** The headers of every API response. */
const guarded = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-cache',
  'x-request-id': 'a-request',
};
const policy = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" };
const json = { 'content-type': 'application/json; charset=utf-8' };
const more = { ETag: '"a"' };

interface Answer {
  readonly status: number;
  /** The headers without the ones that Node sets. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('A response', () => {
  let server: Server;
  let send: (response: ServerResponse) => unknown;
  /** Settles like the result of `send`. */
  let sent: Promise<unknown>;
  before(async () => {
    const handler = (_: IncomingMessage, response: ServerResponse): void => {
      sent = Promise.resolve(send(response));
      sent.catch(() => undefined);
    };
    server = createServer(withRequestLog(handler, { clock: systemClock, onFinished: () => undefined })).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const answerTo = async (how: typeof send): Promise<Answer> => {
    send = how;
    const { port } = server.address() as AddressInfo;
    const outgoing = get({ port, host: '127.0.0.1', headers: { 'X-Request-Id': 'a-request' }, agent: false });
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    let body = '';
    for await (const piece of response.setEncoding('utf8')) body += String(piece);
    const { date: _, connection: __, 'transfer-encoding': ___, ...headers } = response.headers;
    return { status: response.statusCode!, headers, body };
  };
  const pieces = async function* (...texts: string[]): AsyncGenerator<string> {
    for (const text of texts) {
      await Promise.resolve();
      yield text;
    }
  };
  const length = (bytes: number): object => ({ 'content-length': String(bytes) });

  it('with JSON has its length in bytes and the common headers', async () => {
    const all = { ...guarded, ...policy, ...json, etag: '"a"' };
    expect(await answerTo((response) => sendText(response, 201, '"é"', more))).to.deep.equal({
      status: 201,
      headers: { ...all, ...length(4) },
      body: '"é"',
    });
    expect(await answerTo((response) => sendJson(response, 200, { a: 1 }, more))).to.deep.equal({
      status: 200,
      headers: { ...all, ...length(7) },
      body: '{"a":1}',
    });
  });

  it('in chunks has its length if it is one chunk, and is complete if it is several', async () => {
    const all = { ...guarded, ...policy, ...json, etag: '"a"' };
    for (const texts of [[], ['é']])
      expect(await answerTo((response) => sendChunks(response, 201, pieces(...texts), more))).to.deep.equal({
        status: 201,
        headers: { ...all, ...length(2 * texts.length) },
        body: texts.join(''),
      });
    for (const texts of [
      ['[1,', '2]'],
      ['[1,', '2,', '3,', '4]'],
    ])
      expect(await answerTo((response) => sendChunks(response, 201, pieces(...texts), more))).to.deep.equal({
        status: 201,
        headers: all,
        body: texts.join(''),
      });
  });

  /** A client that reads nothing and disconnects on request. Returns the chunks generated until that is noticed. */
  const unread = async (pieceBytes: number, leaveAt: number): Promise<number> => {
    let made = 0;
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const long = async function* (): AsyncGenerator<string> {
      try {
        while (made < 200) {
          await Promise.resolve();
          made++;
          begun.resolve();
          if (made === leaveAt) client.destroy();
          yield 'x'.repeat(pieceBytes);
        }
      } finally {
        ended.resolve();
      }
    };
    send = (response) => sendChunks(response, 200, long());
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await begun.promise;
    for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
    const until = made;
    client.destroy();
    expect(await sent).to.equal(undefined);
    await ended.promise;
    return until;
  };

  it('in chunks is generated as it is read, and ends without an error when the client disconnects', async () => {
    // The client leaves in the first chunks or after them.
    for (const leaveAt of [Infinity, 2, 3, 5]) expect(await unread(8 * 1024 * 1024, leaveAt)).to.be.below(12);
    await unread(64 * 1024 * 1024, Infinity);
  });

  it('whose generator throws destroys the connection, so that it is not mistaken for a complete one', async () => {
    const broken = async function* (): AsyncGenerator<string> {
      yield* pieces('[1,', '2,');
      throw new Error('The disk is gone.');
    };
    const answer = await answerTo((response) => sendChunks(response, 200, broken())).catch((error: unknown) => error);
    expect(answer).to.include({ code: 'ECONNRESET' });
    expect(await sent.catch((error: unknown) => (error as Error).message)).to.equal('The disk is gone.');
  });

  it('that is not JSON has its type, its length if known, and its own headers', async () => {
    const stream = (): Readable => Readable.from([Buffer.from('é'), Buffer.from('!')]);
    for (const [content, known, own] of [
      ['é!', undefined, 3],
      [Buffer.from('é!'), undefined, 3],
      [stream, 3, 3],
      [stream, undefined, undefined],
    ] as const) {
      const headers = { 'Cache-Control': 'no-store' };
      const raw = (): Parameters<typeof sendRaw>[2] => ({
        type: 'text/plain',
        content: typeof content === 'function' ? content() : content,
        headers,
        ...(known !== undefined && { length: known }),
      });
      const all = { ...guarded, ...policy, 'content-type': 'text/plain', 'cache-control': 'no-store', etag: '"a"' };
      expect(await answerTo((response) => sendRaw(response, 203, raw(), more))).to.deep.equal({
        status: 203,
        headers: { ...all, ...(own !== undefined && length(own)) },
        body: 'é!',
      });
    }
  });

  it('without a body has no type; a 304 keeps the policy of the cached page [D1.304]', async () => {
    for (const status of [204, 304])
      expect(await answerTo((response) => sendEmpty(response, status, more))).to.deep.equal({
        status,
        headers: { ...guarded, ...(status === 204 && policy), etag: '"a"' },
        body: '',
      });
  });

  it('with an error has its status, its body and the headers of its code', async () => {
    const error = new PlannerError('unauthorized', 'No.', { schemes: ['Bearer'] });
    const { status, headers, body } = await answerTo((response) => sendError(response, error));
    expect([status, headers['www-authenticate'], body]).to.deep.equal([
      401,
      'Bearer realm="planner"',
      JSON.stringify(error),
    ]);
  });
});

describe('The headers of an error', () => {
  it('have the accepted schemes and the time to retry', () => {
    const of = (code: PlannerError['code'], details: object = {}): object =>
      errorHeaders(new PlannerError(code, 'No.', { ...details }));
    const [bearer, basic] = ['Bearer realm="planner"', 'Basic realm="planner", charset="UTF-8"'];
    expect(of('unauthorized')).to.deep.equal({ 'WWW-Authenticate': bearer });
    expect(of('unauthorized', { schemes: [] })).to.deep.equal({ 'WWW-Authenticate': bearer });
    expect(of('unauthorized', { schemes: ['Basic', 'Bearer'] })).to.deep.equal({
      'WWW-Authenticate': `${basic}, ${bearer}`,
    });
    const wait = { retry_after: 7 };
    for (const code of ['rate_limited', 'unavailable'] as const) {
      expect(of(code, wait)).to.deep.equal({ 'Retry-After': '7' });
      expect(of(code)).to.deep.equal({});
    }
    const allow = { allow: ['GET', 'HEAD'] };
    expect(of('method_not_allowed', allow)).to.deep.equal({ Allow: 'GET, HEAD' });
    expect(of('method_not_allowed')).to.deep.equal({});
    expect(of('conflict', { ...wait, ...allow })).to.deep.equal({});
  });
});
