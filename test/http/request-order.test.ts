import { expect } from 'chai';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import type { Duplex } from 'node:stream';
import { systemClock } from '../../src/base/clock.ts';
import { RequestOrder } from '../../src/http/request-order.ts';
import { limits } from '../../src/base/limits.ts';

const mebibyte = 1024 * 1024;
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Padding: ${'p'.repeat(60)}\r\nContent-Length: ${length}\r\n\r\n`;
const inLaterTurns = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

interface Begun {
  readonly url: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Chunks of the body as they were parsed. */
  readonly pieces: string[];
}

interface Connection {
  readonly near: Duplex;
  readonly socket: Socket;
}

/** A server whose connections are pairs of streams in memory: one write is one chunk. */
class Ordered {
  readonly order: RequestOrder;
  readonly server: Server = createServer();
  /** Paths of requests as they were parsed, started and finished. */
  readonly parsed: string[] = [];
  readonly begun: Begun[] = [];
  readonly ended: string[] = [];
  answers: ((begun: Begun) => void) | undefined;

  constructor() {
    this.order = new RequestOrder(this.server, {
      isUrgent: ({ url }) => url === '/health',
      begin: (request, response) => {
        const begun = { url: request.url!, request, response, pieces: [] as string[] };
        request.on('data', (piece: Buffer) => begun.pieces.push(piece.toString('latin1')));
        this.begun.push(begun);
        this.answers?.(begun);
      },
      end: (request) => this.ended.push(request.url!),
    });
    this.server.prependListener('request', ({ url }: IncomingMessage) => this.parsed.push(url!));
    this.server.on('clientError', (_, socket) => socket.destroy());
  }

  /** Both ends of a connection: `near` is the client's. */
  async open(): Promise<Connection> {
    const [near, far] = duplexPair();
    near.resume();
    near.on('error', () => undefined);
    this.server.emit('connection', far);
    // Now both ends flow.
    await inLaterTurns();
    return { near, socket: far as unknown as Socket };
  }

  /** Resolves when written data was parsed. */
  async send({ near }: Connection, text: string): Promise<void> {
    near.write(text);
    await inLaterTurns();
  }

  get urls(): string[] {
    return this.begun.map(({ url }) => url);
  }

  get last(): Begun {
    return this.begun.at(-1)!;
  }

  /** Sends a response. Resolves when the next request could have started. */
  async answer({ response }: Begun = this.last): Promise<void> {
    response.end('done');
    await inLaterTurns();
  }
}

describe('Requests of many connections that arrive together', () => {
  it('start in several turns, in their order, and an urgent one immediately [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    ordered.answers = ({ response }) => {
      for (const until = performance.now() + 2; performance.now() < until;);
      response.end('done');
    };
    const paths = Array.from({ length: 60 }, (_, i) => `/${i}`);
    const connections = await Promise.all([...paths, '/health'].map(() => ordered.open()));
    const arrived = [...paths, '/health'].map((path, i) => [connections[i]!, path] as const);
    for (const [{ near }, path] of arrived) near.write(get(path) + get(`${path}/second`));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ordered.urls).to.include('/health').and.not.include('/59');
    while (ordered.ended.length < 2 * arrived.length) await inLaterTurns();
    const first = ordered.urls.filter((url) => paths.includes(url));
    expect(first).to.deep.equal(paths);
    for (const path of paths) expect(ordered.urls.indexOf(path)).to.be.below(ordered.urls.indexOf(`${path}/second`));
  });
});

describe('Pipelined requests of a connection', () => {
  it('are parsed only after the preceding response was sent, however they are split [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const connection = await ordered.open();
    const { socket } = connection;
    await ordered.send(connection, get('/1') + get('/2') + get('/3').slice(0, 9));
    expect([ordered.parsed, ordered.urls]).to.deep.equal([['/1'], ['/1']]);
    expect(socket.isPaused()).to.equal(true);
    socket.resume();
    await inLaterTurns();
    expect(socket.isPaused()).to.equal(true);
    await ordered.send(connection, get('/3').slice(9));
    await ordered.answer();
    expect([ordered.parsed, ordered.ended]).to.deep.equal([['/1', '/2'], ['/1']]);
    await ordered.answer();
    await ordered.answer();
    expect([ordered.urls, ordered.ended]).to.deep.equal([
      ['/1', '/2', '/3'],
      ['/1', '/2', '/3'],
    ]);
    expect(socket.isPaused()).to.equal(false);
    await ordered.send(connection, get('/4'));
    await ordered.answer();
    expect(ordered.ended.at(-1)).to.equal('/4');
  });

  it('have a body of known length parsed in one slice, and nothing after it [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const connection = await ordered.open();
    const head = post('/1', 4000 + 200).length;
    const body = '\r\n\r\n'.repeat(1000) + 'x'.repeat(200);
    await ordered.send(connection, post('/1', body.length) + body + get('/2') + get('/3'));
    const whole = body.length - head;
    // The length of the head is subtracted too, so that the rest arrives with the next head.
    expect(ordered.last.pieces.join('').length).to.equal(body.length);
    expect(ordered.last.pieces.map(({ length }) => length)).to.deep.equal([whole, head]);
    expect([ordered.parsed, ordered.urls]).to.deep.equal([['/1', '/2'], ['/1']]);
    await ordered.answer();
    expect([ordered.parsed, ordered.urls]).to.deep.equal([
      ['/1', '/2'],
      ['/1', '/2'],
    ]);
    await ordered.answer();
    expect(ordered.urls).to.deep.equal(['/1', '/2', '/3']);
    await ordered.answer();
    const [start, rest] = [body.slice(0, 400), body.slice(400)];
    await ordered.send(connection, post('/4', body.length) + start);
    await ordered.send(connection, rest + get('/5'));
    expect(ordered.last.pieces.map(({ length }) => length)).to.deep.equal([400, body.length - 400 - head, head]);
    await ordered.answer();
    expect(ordered.urls.slice(3)).to.deep.equal(['/4', '/5']);
  });

  it('get their turn, and then their body, if they were parsed with the preceding one [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const connection = await ordered.open();
    await ordered.send(connection, `${post('/1', 5)}hello${post('/2', 5)}`);
    expect([ordered.parsed, ordered.urls]).to.deep.equal([['/1', '/2'], ['/1']]);
    await ordered.send(connection, `world${get('/3')}`);
    await ordered.answer();
    expect(ordered.last).to.include({ url: '/2' });
    expect(ordered.last.pieces.join('')).to.equal('world');
    await ordered.answer();
    expect(ordered.last).to.include({ url: '/3' });
  });

  it('do not overtake a waiting one [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const { near } = await ordered.open();
    near.write(`${post('/1', 5)}hello${get('/2')}`);
    expect(ordered.parsed).to.deep.equal(['/1', '/2']);
    const [first] = ordered.begun;
    first!.response.once('close', () => near.write(get('/3')));
    await ordered.answer(first);
    expect(ordered.urls).to.deep.equal(['/1', '/2']);
    await ordered.answer();
    expect(ordered.urls).to.deep.equal(['/1', '/2', '/3']);
    await ordered.answer();
    expect(ordered.ended).to.deep.equal(['/1', '/2', '/3']);
  });

  it('keep the order of input that is read while the connection is paused [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const { near, socket } = await ordered.open();
    near.write(get('/1') + get('/2'));
    near.write(get('/3'));
    ordered.last.response.once('close', () => socket.read());
    await ordered.answer();
    expect(ordered.urls).to.deep.equal(['/1', '/2']);
    await ordered.answer();
    expect(ordered.urls).to.deep.equal(['/1', '/2', '/3']);
  });

  it('are neither started nor parsed after the connection is destroyed [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const [one, other, broken] = [await ordered.open(), await ordered.open(), await ordered.open()];
    let errors = 0;
    ordered.server.prependListener('clientError', () => errors++);
    broken.near.write('NOT HTTP\r\n\r\nNOR THIS\r\n\r\nNOR THIS\r\n\r\n');
    expect(errors).to.equal(1);
    one.near.write(`${post('/1', 5)}hello${get('/2')}${get('/3')}`);
    other.near.write(get('/a') + get('/b'));
    // Both have their next turn in the same run of callbacks; the first one destroys the connection of the other.
    ordered.answers = () => {
      one.socket.destroy();
      other.socket.destroy();
    };
    for (const { response } of ordered.begun) response.end();
    await inLaterTurns();
    expect(ordered.urls).to.have.length(3);
    expect(ordered.parsed).to.not.include('/3');
  });

  it('report whether a complete request awaits its response [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const connection = await ordered.open();
    const { socket } = connection;
    const owed: boolean[] = [ordered.order.hasPendingResponse(socket)];
    await ordered.send(connection, post('/1', 5));
    owed.push(ordered.order.hasPendingResponse(socket));
    await ordered.send(connection, 'hello');
    owed.push(ordered.order.hasPendingResponse(socket));
    await ordered.answer();
    owed.push(ordered.order.hasPendingResponse(socket));
    expect(owed).to.deep.equal([false, false, true, false]);
  });

  it('get several turns in a row before another connection has its turn [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const [one, other] = [await ordered.open(), await ordered.open()];
    const done = Promise.withResolvers<void>();
    // Longer than the time that the requests of one turn of the event loop may take.
    ordered.answers = ({ response }) => {
      const until = systemClock.monotonic() + 6;
      while (systemClock.monotonic() < until);
      response.end();
      if (ordered.begun.length === 80) done.resolve();
    };
    one.near.write(get('/one').repeat(40));
    other.near.write(get('/other').repeat(40));
    await done.promise;
    const rows: number[] = [];
    for (const [at, url] of ordered.urls.entries()) {
      if (url === ordered.urls[at - 1]) rows[rows.length - 1]!++;
      else rows.push(1);
    }
    // The second connection's first request starts immediately, or in a later turn if the present one has taken too
    // long.
    expect(rows).to.be.deep.oneOf([
      [1, 32, 31, 8, 8],
      [32, 32, 8, 8],
    ]);
  });

  it('reject a server that does not read its connections', () => {
    const server = createServer();
    server.removeAllListeners('connection');
    const none = (): void => undefined;
    expect(new RequestOrder(server, { begin: none, end: none })).to.be.an('object');
    expect(() => server.emit('connection', duplexPair()[0])).to.throw('does not read this connection');
  });
});

describe('Buffered pipelined input', () => {
  it('above the limit destroys the connection with the most, and releases its memory [A.hostile.pipelining]', async () => {
    const ordered = new Ordered();
    const pipelined = await ordered.open();
    pipelined.near.write(get('/').repeat(4));
    // Buffered input that was parsed no longer counts.
    for (let n = 0; n < 4; n++) await ordered.answer();
    const connections = await Promise.all(Array.from({ length: 7 }, () => ordered.open()));
    const hold = (at: number, bytes: number): void => {
      const head = get('/');
      const chunk = Buffer.alloc(head.length + bytes);
      chunk.write(head);
      connections[at]!.near.write(chunk);
    };
    const destroyed = (): number[] => [...connections.keys()].filter((at) => connections[at]!.socket.destroyed);
    hold(0, 24 * mebibyte);
    hold(1, limits.heldInputBytesMax - 24 * mebibyte);
    expect(destroyed()).to.deep.equal([]);
    hold(2, 1);
    expect(destroyed()).to.deep.equal([1]);
    // Its memory is released immediately.
    hold(3, 39 * mebibyte);
    expect(destroyed()).to.deep.equal([1]);
    hold(4, 2 * mebibyte);
    expect(destroyed()).to.deep.equal([1, 3]);
    connections[0]!.socket.destroy();
    await inLaterTurns();
    hold(5, limits.heldInputBytesMax - 2 * mebibyte - 1);
    expect(destroyed()).to.deep.equal([0, 1, 3]);
    hold(6, 1);
    expect(destroyed()).to.deep.equal([0, 1, 3, 5]);
    for (const { socket } of connections) socket.destroy();
  });
});
