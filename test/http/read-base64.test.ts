import { expect } from 'chai';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { PlannerError } from '../../src/base/errors.ts';
import { HttpServer } from '../../src/http/http-server.ts';
import { readBase64 } from '../../src/http/read-base64.ts';
import { limits } from '../../src/base/limits.ts';
import { rarely } from '../support/rarely.ts';

const members = { content: 'content', filename: 'name', type: 'type' };
const bytesMax = 1000;

type Answer = Record<string, unknown>;

/**
 * The result of a call with a file. `staged`: its bytes, if they were staged before the call; `early`: whether the call
 * read them itself.
 */
async function filed(request: IncomingMessage): Promise<Answer> {
  const pieces: Uint8Array[] = [];
  const stage = async (bytes: AsyncIterable<Uint8Array>): Promise<{ sha256: string; size: number }> => {
    for await (const piece of bytes) pieces.push(piece);
    const whole = Buffer.concat(pieces);
    return { sha256: createHash('sha256').update(whole).digest('hex'), size: whole.length };
  };
  return readBase64(request, { bytesMax, members }, stage, async (fields, upload) => {
    if (upload === undefined) return { fields };
    const { bytes, staged, ...names } = upload;
    const late = pieces.splice(0);
    // A call that is refused reads nothing.
    if (names.filename === 'refused') throw new PlannerError('forbidden', 'No.');
    for await (const piece of bytes) pieces.push(piece);
    const text = Buffer.concat([...late, ...pieces]).toString('latin1');
    return {
      fields,
      ...names,
      text,
      ...('staged' in upload && { staged: staged?.size ?? 'none' }),
      early: pieces.length > 0,
    };
  });
}

describe('A JSON body with a file in base64 [D6.file-forms]', () => {
  const original = { ...limits };
  let server: HttpServer;
  let socket: Socket;
  /** The connection as the server has it. */
  let peer: Socket | undefined;
  let received: string;
  let onFailure: (thrown: unknown) => void = () => undefined;

  before(async () => {
    const handler = (request: IncomingMessage, response: ServerResponse): void => {
      peer = request.socket;
      void filed(request)
        .catch((thrown: unknown) => {
          onFailure(thrown);
          return thrown instanceof PlannerError ? thrown : { error: String(thrown) };
        })
        .then((answer) => response.end(`${JSON.stringify(answer)}\n`));
    };
    server = await HttpServer.listen({ host: '127.0.0.1', port: 0, handler });
    open();
  });
  beforeEach(() => (received = ''));
  afterEach(() => Object.assign(limits, original));
  after(async () => {
    socket.destroy();
    await server.close();
  });

  function open(): void {
    socket = connect(server.port, '127.0.0.1').setNoDelay();
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => (received += chunk.toString()));
  }

  /** Waits until the server has read everything that was sent. */
  async function arrived(): Promise<void> {
    const isOnItsWay = (): boolean => socket.writableLength > 0 || (peer?.bytesRead ?? 0) < socket.bytesWritten;
    while (isOnItsWay()) await turn();
    // The request is read in turns of its own.
    for (let turns = 0; turns < 3; turns++) await turn();
  }

  async function turn(): Promise<void> {
    // Otherwise a waiting test would keep its process busy after its timeout, too.
    if (socket.destroyed) throw new Error('The connection was closed.');
    await new Promise((resolve) => setImmediate(resolve));
  }

  async function answer(): Promise<Answer> {
    while (!received.includes('}\n')) await turn();
    const body = received.slice(received.indexOf('\r\n\r\n') + 4);
    received = '';
    return JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)) as Answer;
  }

  /** Sends a body of which each piece is read separately. */
  async function send(pieces: readonly (string | Buffer)[], headers: readonly string[] = []): Promise<Answer> {
    const bytes = pieces.map((piece) => Buffer.from(piece as string));
    const length = bytes.reduce((sum, piece) => sum + piece.length, 0);
    socket.write(
      [
        ...['POST / HTTP/1.1', 'Host: a', 'Content-Type: application/json'],
        ...(headers.length > 0 ? headers : [`Content-Length: ${length}`]),
        ...['', ''],
      ].join('\r\n'),
    );
    for (const piece of bytes) {
      socket.write(piece);
      await arrived();
    }
    return answer();
  }

  const text = '>>>???';
  const base64 = Buffer.from(text).toString('base64');
  const named = '"name":"a.png","type":"image/png"';
  const coded = (letters: string): string =>
    [...letters].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  /** The bodies with their further members. */
  const bodies: readonly (readonly [body: string, more: object])[] = [
    [`{${named},"content":"${base64}"}`, {}],
    [`{"content":"${base64}",${named}}`, {}],
    [`{"name":"a.png","content":"${base64}","type":"image/png"}`, {}],
    [`{"type":"image/png","content":"${base64}","name":"a.png"}`, {}],
    [` {\n "name" : "a.png" , "type" : "image/png" , "content" : "${base64}" }\n`, {}],
    [`{${named},"content":"${base64.replaceAll('/', '\\/')}"}`, {}],
    [`{${named},"content":"${coded(base64)}"}`, {}],
    [`{${named},"content":"${coded(base64).replaceAll('f', 'F')}"}`, {}],
    [
      `{"q":"\\"","a":"\\"content\\":\\\\","content2":"x","conten":"x","b":"content",${named},"content":"${base64}"}`,
      { q: '"', a: '"content":\\', content2: 'x', conten: 'x', b: 'content' },
    ],
    [
      `{"a":{"content":"QUJD","b":["content","QUJD"]},"c":[{"content":"x"}],"d":[",:","]}"],"ä":"ö",${named},"content":"${base64}"}`,
      { a: { content: 'QUJD', b: ['content', 'QUJD'] }, c: [{ content: 'x' }], d: [',:', ']}'], ä: 'ö' },
    ],
    [`{"":0,${named},"content":"${base64}"}`, { '': 0 }],
    [`{"content":"${base64}",${named},"a":[{"content":"x"}],"b":"content"}`, { a: [{ content: 'x' }], b: 'content' }],
  ];

  rarely('is read alike wherever it is divided', async () => {
    for (const [body, more] of bodies) {
      const bytes = Buffer.from(body);
      const { early, ...read } = await send([bytes]);
      expect(read, body).to.deep.include({ filename: 'a.png', type: 'image/png', text });
      expect(read['fields'], body).to.deep.equal({ name: 'a.png', type: 'image/png', content: '', ...more });
      expect([early, 'staged' in read], body).to.deep.equal(
        body.includes(`${base64}",`) ? [false, true] : [true, false],
      );
      for (let at = 1; at < bytes.length; at++) {
        const parts = await send([bytes.subarray(0, at), bytes.subarray(at)]);
        expect(parts, `${body} at ${at}`).to.deep.equal({ ...read, early });
      }
      const single = await send([...bytes].map((byte) => Buffer.of(byte)));
      expect(single, body).to.deep.equal({ ...read, early });
    }
  });

  it('may be without a file, or empty', async () => {
    for (const body of [
      `{${named}}`,
      '{"a":{"content":"QUJD"}}',
      '{"content":null,"b":"QUJD"}',
      '{"content":{"b":"QUJD"}}',
      '{"content":["QUJD"]}',
      '["content","QUJD"]',
      '"content"',
      '{"b\\u005f":1,"co\\u006etent":"QUJD"}',
    ])
      expect(await send([body]), body).to.deep.equal({ fields: JSON.parse(body) });
    expect(await send([])).to.deep.equal({});
    expect(await send([`{${named},"content":""}`])).to.include({ text: '', early: false });
    expect(await send([`{${named},"content":"QQ=="}`])).to.include({ text: 'A' });
    const unnamed = await send(['{"name":5,"content":"QUJD"}']);
    expect(unnamed).to.deep.include({ filename: '', type: '', text: 'ABC', staged: 3 });
  });

  it('is rejected if it is invalid, with its position in the whole body [D2.parse-error]', async () => {
    const file = '"content":"QUJD"';
    const cases: readonly (readonly [body: string, error: object])[] = [
      [`{${named},${file},${file}}`, { field: 'content' }],
      [`{${named},${file},"more":1,"last":2}`, { field: 'more' }],
      [`{${file},${named},,}`, { line: 1, column: 53, position: 52 }],
      [`{${named},${file},,}`, { line: 1, column: 53, position: 52 }],
      [`{${named},\n\n${file},,}`, { line: 3, column: 18, position: 54 }],
      [`{${named},${file},\n,}`, { line: 2, column: 1, position: 53 }],
      [`{${named},nope,${file}}`, { line: 1, column: 36, position: 35 }],
      [`{${named},${file}`, { line: 1, column: 52, position: 51 }],
      [`{${named},"content":"QUJD`, { line: 1 }],
      [`{${named},"content":"QUJ"}`, { field: 'content', position: 3 }],
      [`{${named},"content":"QUJ#"}`, { field: 'content', position: 3 }],
      [`{${named},"content":"QUJD\\"}`, { field: 'content', position: 4 }],
      [`{"content":"QUJD\\n",${named}}`, { field: 'content', position: 4 }],
    ];
    for (const [body, error] of cases)
      for (const at of [1, 10, 20, 40, 44, 46])
        expect(await send([body.slice(0, at), body.slice(at)]), `${body} at ${at}`).to.deep.include({
          ...{ error: 'invalid_argument', ...error },
        });
    const text = await send([`{${named}}`], ['Content-Length: 35', 'Content-Encoding: gzip']);
    expect(text).to.include({ error: 'unsupported_media_type' });
  });

  it('may have as many bytes as its limits, and not one more [D2.payload_too_large]', async () => {
    const bodyOf = (bytes: number): string => `{${named},"content":"${Buffer.alloc(bytes).toString('base64')}"}`;
    const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n`;
    const inChunks = ['Transfer-Encoding: chunked'];
    const body = bodyOf(bytesMax);
    expect((await send([body]))['text']).to.have.length(bytesMax);
    const over = bodyOf(bytesMax + 1);
    for (const pieces of [[over], [over.slice(0, 400), over.slice(400)]])
      expect(await send(pieces)).to.include({ error: 'payload_too_large', bytes_max: bytesMax });
    Object.assign(limits, { requestBytesMax: body.length });
    expect((await send([body]))['text']).to.have.length(bytesMax);
    const pieces = [chunked(body.slice(0, 400)), chunked(body.slice(400)), '0\r\n\r\n'];
    expect((await send(pieces, inChunks))['text']).to.have.length(bytesMax);
    Object.assign(limits, { requestBytesMax: body.length - 1 });
    const tooLarge = { error: 'payload_too_large', bytes_max: body.length - 1 };
    expect(await send(pieces, inChunks)).to.include(tooLarge);
    // Answered before the first byte of the body.
    expect(await send([], [`Content-Length: ${body.length}`])).to.include(tooLarge);
    socket.write(body);
  });

  it('is rejected once it is too large, whatever escapes it contains', async () => {
    const begun = `{${named},"content":"\\u0051UJD${'QUJD'.repeat(400)}`;
    expect(await send([begun], ['Content-Length: 100000'])).to.include({ error: 'payload_too_large' });
    socket.destroy();
    open();
  });

  it('is dropped if the call is rejected, and the connection serves the next request', async () => {
    const refused = '{"name":"refused","type":"a/b","content":"QUJD';
    const rest = `${'QUJD'.repeat(250_000)}"}`;
    expect(await send([refused, rest], [`Content-Length: ${refused.length + rest.length}`])).to.include({
      error: 'forbidden',
    });
    expect(await send([`{${named},"content":"QUJD"}`])).to.include({ text: 'ABC' });
  });

  it('takes memory for its other members alone, until it was used [A.hostile.body-budget]', async () => {
    const body = `{${named},"content":"${'QUJD'.repeat(200)}"}`;
    const others = body.length - 800;
    Object.assign(limits, { bodiesOfOneBytesMax: others });
    for (let times = 0; times < 3; times++) expect((await send([body]))['text']).to.have.length(600);
    expect(await send([body.replace('{', '{  ')])).to.include({ error: 'rate_limited' });
    expect((await send([body]))['text']).to.have.length(600);
  });

  it('that is incomplete is rejected as such', async () => {
    peer = undefined;
    const outcome = Promise.withResolvers<unknown>();
    onFailure = outcome.resolve;
    socket.write(
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{${named},`,
    );
    await arrived();
    socket.destroy();
    expect(await outcome.promise).to.include({
      ...{ code: 'invalid_argument', message: 'The body ended before it was complete.' },
    });
    open();
  });
});
