import { expect } from 'chai';
import { createServer, request as requestTo } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { PlannerError } from '../../src/base/errors.ts';
import { countBodyFor, leaseBody } from '../../src/http/body-budget.ts';
import { HttpServer } from '../../src/http/http-server.ts';
import { parseRest, readJson } from '../../src/http/read-json.ts';
import { limits } from '../../src/base/limits.ts';
import { budgetOf } from './budget.ts';

const bytesMax = 100;
const json = { 'Content-Type': 'application/json' };

/** The parsed body, or the error. */
interface Read {
  readonly value?: unknown;
  readonly error?: string;
  readonly details?: unknown;
}

function refusal(thrown: unknown): Read {
  if (!(thrown instanceof PlannerError)) throw thrown;
  return { error: thrown.code, details: thrown.details };
}

describe('A JSON body', () => {
  let server: Server;
  let reads: Promise<Read>[];
  let last: IncomingMessage;
  before(async () => {
    server = createServer((request, response) => {
      last = request;
      countBodyFor(request, 'a reader');
      const read = readJson(request, bytesMax).then((value) => ({ value }), refusal);
      reads.push(read);
      void read.then(() => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => (reads = []));
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends chunks, each of which arrives separately. With `open`, the body is not ended. */
  const send = async (
    method: string,
    headers: Record<string, string>,
    pieces: readonly (string | Buffer)[] = [],
    open = false,
  ): Promise<Read> => {
    const { port } = server.address() as AddressInfo;
    const sent = requestTo({ port, host: '127.0.0.1', method, headers });
    const answered = new Promise<void>((resolve, reject) => {
      sent.once('response', (response) => response.resume().once('end', resolve)).once('error', reject);
    });
    sent.flushHeaders();
    for (const piece of pieces) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      sent.write(piece);
    }
    if (!open) sent.end();
    await answered;
    sent.destroy();
    return reads.at(-1)!;
  };
  const unsupported = 'unsupported_media_type';

  it('is undefined if none is sent, and rejected as a form if a page could send it [A.hostile.bodies, A.hostile.forms]', async () => {
    const text = { 'Content-Type': 'text/plain' };
    const cases: readonly (readonly [method: string, headers: Record<string, string>, error: string | undefined])[] = [
      ['GET', text, undefined],
      ['PUT', { ...text, 'Content-Length': '0' }, undefined],
      ['POST', { 'Content-Length': '0' }, undefined],
      ['PUT', { ...json, 'Transfer-Encoding': 'chunked' }, undefined],
      ['POST', { ...text, 'Content-Length': '0' }, unsupported],
      ['PUT', { ...text, 'Transfer-Encoding': 'chunked' }, unsupported],
      ['PUT', { ...text, 'Content-Length': '2' }, unsupported],
    ];
    for (const [method, headers, error] of cases) {
      const pieces = headers['Content-Length'] === '2' ? ['{}'] : [];
      const read = await send(method, headers, pieces);
      expect([method, headers, read.value, read.error]).to.deep.equal([method, headers, undefined, error]);
    }
  });

  it('must be JSON in UTF-8 without a content encoding, in any spelling [A.hostile.bodies]', async () => {
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const taken = [
      'application/json',
      'Application/JSON ;charset="UTF-8"',
      'application/json; a=b; charset=utf-8',
      'application/json; a=b',
    ];
    for (const type of taken)
      expect(await send('POST', { ...chunked, 'Content-Type': type }, ['{"a":', '1}'])).to.deep.equal({
        value: { a: 1 },
      });
    for (const type of ['text/json', 'application/json; charset=latin1', ''])
      expect((await send('POST', { ...chunked, 'Content-Type': type }, ['{}'])).error).to.equal(unsupported);
    const encoded = async (encoding: string): Promise<Read> =>
      send('PUT', { ...chunked, ...json, 'Content-Encoding': encoding }, ['{}']);
    expect(await encoded(' Identity')).to.deep.equal({ value: {} });
    expect((await encoded('gzip')).error).to.equal(unsupported);
  });

  it('is rejected above its limit, before it is read if its length is announced [A.hostile.bodies]', async () => {
    const body = (length: number): string => `"${'x'.repeat(length - 2)}"`;
    const tooLarge = { error: 'payload_too_large', details: { bytes_max: bytesMax } };
    const sized = (length: number): Record<string, string> => ({ ...json, 'Content-Length': String(length) });
    expect(await send('PUT', sized(bytesMax), [body(bytesMax)])).to.deep.equal({ value: 'x'.repeat(98) });
    expect(await send('PUT', sized(bytesMax + 1), [], true)).to.deep.equal(tooLarge);
    const chunked = { ...json, 'Transfer-Encoding': 'chunked' };
    const halves = [body(bytesMax).slice(0, 50), body(bytesMax).slice(50)];
    expect(await send('PUT', chunked, halves)).to.deep.equal({ value: 'x'.repeat(98) });
    expect(await send('PUT', chunked, [...halves, ' '], true)).to.deep.equal(tooLarge);
    expect(last.listenerCount('data')).to.equal(0);
  });

  it('counts against the budget until it is processed [A.hostile.body-budget]', async () => {
    const others = ['a', 'b', 'c'].map((by) => budgetOf(by));
    for (const lease of others) lease.grow(limits.bodiesBytesMax / 3);
    const chunked = { ...json, 'Transfer-Encoding': 'chunked' };
    expect(await send('PUT', chunked, ['{}'], true)).to.deep.include({ error: 'unavailable' });
    expect(last.listenerCount('data')).to.equal(0);
    for (const lease of others) lease.release();
    expect(await send('PUT', chunked, ['{}'])).to.deep.equal({ value: {} });
    countBodyFor(last, 'a reader');
    const whole = leaseBody(last, limits.bodiesOfOneBytesMax);
    whole.release();
  });

  it('is rejected if it is truncated [A.hostile.bodies]', async () => {
    const { port } = server.address() as AddressInfo;
    const sent = requestTo({ port, host: '127.0.0.1', method: 'PUT', headers: { ...json, 'Content-Length': '9' } });
    sent.once('error', () => undefined);
    sent.write('{');
    while (reads.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    sent.destroy();
    expect(await reads[0]!).to.deep.include({ error: 'invalid_argument' });
  });
});

describe('A small JSON body', () => {
  let server: HttpServer;
  let reads: { readonly read: Promise<Read>; readonly request: IncomingMessage; readonly atOnce: () => boolean }[];
  before(async () => {
    const handler = (request: IncomingMessage, response: ServerResponse): void => {
      countBodyFor(request, 'a small reader');
      let listened = false;
      request.on('newListener', (name) => (listened ||= name === 'data'));
      const read = readJson(request).then((value) => ({ value }), refusal);
      reads.push({ read, request, atOnce: () => !listened });
      void read.then(() => response.end());
    };
    server = await HttpServer.listen({ host: '127.0.0.1', port: 0, handler });
  });
  beforeEach(() => (reads = []));
  after(() => server.close());

  const head = (length: number): string =>
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  /** Sends pieces, each of which arrives separately, and returns how the body was read. */
  const send = async (pieces: readonly string[], end = false): Promise<Read & { readonly atOnce: boolean }> => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.setNoDelay();
    for (const piece of pieces) {
      socket.write(piece);
      while (reads.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    if (end) socket.destroy();
    const { read, atOnce } = reads[0]!;
    const found = await read;
    socket.destroy();
    return { ...found, atOnce: atOnce() };
  };
  const isReleased = (): void => {
    leaseBody(reads[0]!.request, limits.bodiesOfOneBytesMax).release();
  };

  it('is taken as a whole if it arrives with its head, and in pieces if it does not [A.hostile.bodies]', async () => {
    expect(await send([`${head(9)}{"é":1}`, ' '])).to.deep.equal({ value: { é: 1 }, atOnce: false });
    isReleased();
    reads = [];
    expect(await send([`${head(8)}{"é":1}`])).to.deep.equal({ value: { é: 1 }, atOnce: true });
    isReleased();
    reads = [];
    expect(await send([head(8), '{"é"', ':1}'])).to.deep.equal({ value: { é: 1 }, atOnce: false });
    isReleased();
  });

  it('is rejected if it is not JSON, or truncated, however it arrives [A.hostile.bodies]', async () => {
    for (const [pieces, end] of [
      [[`${head(2)}{x`], false],
      [[head(2), '{x'], false],
      [[`${head(2)}{`], true],
      [[head(2), '{'], true],
    ] as const) {
      expect(await send(pieces, end), pieces.join('|')).to.deep.include({ error: 'invalid_argument' });
      isReleased();
      reads = [];
    }
  });

  it('counts against the budget even if it arrives with its head [A.hostile.body-budget]', async () => {
    const others = ['a', 'b', 'c'].map((by) => budgetOf(by));
    for (const lease of others) lease.grow(limits.bodiesBytesMax / 3);
    const read = await send([`${head(2)}{}`]);
    for (const lease of others) lease.release();
    expect(read).to.deep.include({ error: 'unavailable', atOnce: true });
    isReleased();
  });
});

describe('Invalid JSON', () => {
  const placeOf = async (text: string | Buffer, cut?: { at: number; length: number }): Promise<object> => {
    try {
      await parseRest(Buffer.from(text), 2, cut);
    } catch (thrown) {
      return refusal(thrown);
    }
    throw new Error('It was parsed.');
  };
  const at = (position: number, line: number, column: number): object => ({
    error: 'invalid_argument',
    details: { position, line, column },
  });

  it('is rejected with the position of its first error [A.hostile.bodies]', async () => {
    expect(await placeOf('{"a":x,"b":y}')).to.deep.equal(at(5, 1, 6));
    expect(await placeOf('{"a":1,\n  "b":x}')).to.deep.equal(at(14, 2, 7));
    expect(await placeOf('[1 /* one */]')).to.deep.equal(at(3, 1, 4));
    expect(await placeOf('[1,\n]')).to.deep.equal(at(4, 2, 1));
  });

  it('includes duplicate members [A.hostile.duplicates]', async () => {
    expect(await placeOf('{"a":1,"a":2}')).to.deep.include({ error: 'invalid_argument' });
  });

  it('is rejected with its position in the whole body if a part was cut out before [A.hostile.bodies]', async () => {
    const text = '["",\n"",x,\n1]';
    const x = text.indexOf('x');
    const [unchanged, lineStart] = [at(x, 2, 4), text.indexOf('\n') + 1];
    expect(await placeOf(text)).to.deep.equal(unchanged);
    expect(await placeOf(text, { at: 2, length: 1000 })).to.deep.equal(at(x + 1000, 2, 4));
    expect(await placeOf(text, { at: lineStart, length: 1000 })).to.deep.equal(at(x + 1000, 2, 1004));
    expect(await placeOf(text, { at: x - 1, length: 1000 })).to.deep.equal(at(x + 1000, 2, 1004));
    expect(await placeOf(text, { at: x, length: 1000 })).to.deep.equal(unchanged);
    expect(await placeOf(text, { at: x + 2, length: 1000 })).to.deep.equal(unchanged);
  });

  it('is rejected without a position if it is nested too deeply for the parser, or not text [A.hostile.bodies]', async () => {
    const none = { error: 'invalid_argument', details: {} };
    expect(await placeOf('['.repeat(200_000))).to.deep.equal(none);
    expect(await placeOf(Buffer.from([0x22, 0xff, 0x22]))).to.deep.equal(none);
  });
});
