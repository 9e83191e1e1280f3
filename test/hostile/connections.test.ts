import { expect } from 'chai';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { HttpServer } from '../../src/http/http-server.ts';
import type { ServerTimeouts } from '../../src/http/http-server.ts';
import type { RequestListener } from 'node:http';
import { HostedService } from '../support/hosted-service.ts';
import { TestService } from '../support/service.ts';
import { describeCrowds } from './crowds.ts';

/** Timeouts that no test here reaches. */
const forever = 600_000;
const shortTimeouts: Partial<ServerTimeouts> = {
  headersMs: forever,
  requestMs: forever,
  keepAliveMs: forever,
  idleMs: forever,
  stalledMs: forever,
};

/** A connection of a hostile client. */
class Caller {
  readonly socket: Socket;
  received = '';
  readonly closed: Promise<void>;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on('data', (chunk) => (this.received += chunk.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  /** Keeps sending until it is disconnected. Resolves with the number of bytes sent. */
  async sendUntilClosed(piece: string, betweenMs: number): Promise<number> {
    let sent = 0;
    while (!this.socket.closed) {
      if (this.socket.write(piece)) await new Promise((resolve) => setTimeout(resolve, betweenMs));
      else await Promise.race([this.closed, new Promise((resolve) => this.socket.once('drain', resolve))]);
      sent += piece.length;
    }
    return sent;
  }
}

describe('Slow and endless clients', function () {
  this.timeout(30_000);
  let stop: () => Promise<void> = () => Promise.resolve();
  afterEach(() => stop());

  const start = async (timeouts: Partial<ServerTimeouts>): Promise<TestService> => {
    const service = await TestService.start({ timeouts: { ...shortTimeouts, checkMs: 50, ...timeouts } });
    stop = () => service.stop();
    return service;
  };
  const headOf = (url: string, first: string): string => `${first}\r\nHost: ${new URL(url).host}\r\n`;

  it('have timeouts for headers, whole requests, and idle connections [A.hostile.slow]', async () => {
    const { url, rest } = await start({ headersMs: 300, requestMs: 400, keepAliveMs: 200 });
    const [silent, headers, body, chunked, rested] = Array.from({ length: 5 }, () => new Caller(url)) as [
      ...[Caller, Caller, Caller, Caller, Caller],
    ];
    headers.socket.write(headOf(url, 'GET /api/v1/health HTTP/1.1'));
    const head = `${headOf(url, 'POST /api/v1/projects HTTP/1.1')}Content-Type: application/json\r\n`;
    body.socket.write(`${head}Content-Length: 1000000\r\n\r\n{`);
    chunked.socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    rested.socket.write(`${headOf(url, 'GET /api/v1/health HTTP/1.1')}\r\n`);
    await Promise.all([
      ...[silent.closed, rested.closed, headers.sendUntilClosed('X: y\r\n', 30)],
      ...[body.sendUntilClosed(' ', 30), chunked.sendUntilClosed('1\r\n \r\n', 30)],
    ]);
    expect(headers.received).to.match(/^HTTP\/1.1 408 .*invalid_argument/s);
    expect(rested.received).to.match(/^HTTP\/1.1 200/);
    expect((await rest.get('/projects')).body.projects).to.deep.equal([]);
  });

  it('cannot send an endless body: it is rejected at its limit, and a client that keeps sending is disconnected [A.hostile.slow, A.hostile.bodies]', async () => {
    const { url, rest } = await start({ lingerMs: 200 });
    const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const type = (mime: string): string => `Content-Type: ${mime}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const cases: readonly (readonly [path: string, type: string, status: number])[] = [
      ['/mcp', 'application/json', 413],
      ['/api/v1/projects', 'text/plain', 415],
      ['/nowhere', 'application/json', 404],
    ];
    const send = async ([path, mime, status]: (typeof cases)[number]): Promise<void> => {
      const caller = new Caller(url);
      caller.socket.write(headOf(url, `POST ${path} HTTP/1.1`) + type(mime));
      await caller.sendUntilClosed(piece, 0);
      expect(caller.received, path).to.match(new RegExp(`^HTTP/1.1 ${status} `));
    };
    await Promise.all(cases.map(send));
    expect((await rest.get('/projects')).body.projects).to.deep.equal([]);
  });

  it('are disconnected without a credential too, at a hosted service [A.hostile.slow]', async () => {
    const hosted = await HostedService.start({ timeouts: { ...shortTimeouts, lingerMs: 200 } });
    stop = () => hosted.stop();
    const caller = new Caller(hosted.url);
    caller.socket.write(`${headOf(hosted.url, 'POST /api/v1/projects HTTP/1.1')}Transfer-Encoding: chunked\r\n\r\n`);
    await caller.sendUntilClosed(`10000\r\n${' '.repeat(0x10000)}\r\n`, 0);
    expect(caller.received).to.match(/^HTTP\/1.1 401 /);
  });

  it('that do not read a response do not keep it in memory [A.hostile.slow]', async () => {
    const ended = Promise.withResolvers<void>();
    const server = await listen({ stalledMs: 600 }, (_, response) => {
      response.once('close', () => ended.resolve());
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
    const caller = new Caller(`http://127.0.0.1:${server.port}`);
    caller.socket.pause();
    caller.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await ended.promise;
    caller.socket.destroy();
  });

  const listen = async (timeouts: Partial<ServerTimeouts>, handler: RequestListener): Promise<HttpServer> => {
    const all = { ...shortTimeouts, checkMs: 50, ...timeouts };
    const server = await HttpServer.listen({ host: '127.0.0.1', port: 0, handler, timeouts: all });
    stop = () => server.close();
    return server;
  };

  it('are evicted for others: idle connections first, then those still sending, never those awaiting a response [A.hostile.connections]', async () => {
    const waiting: (() => void)[] = [];
    const server = await listen({ connectionsMax: 4 }, (request, response) => {
      if (request.url === '/now') response.end();
      else waiting.push(() => response.end('at last'));
    });
    const url = `http://127.0.0.1:${server.port}`;
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const patientOne = new Caller(url);
    patientOne.socket.write(get('/later'));
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const rested = new Caller(url);
    rested.socket.write(get('/now'));
    while (rested.received === '') await new Promise((resolve) => setTimeout(resolve, 5));
    const sending = new Caller(url);
    sending.socket.write('POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1');
    while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const busy: Caller[] = [];
    for (let before = waiting.length; busy.length < 3; before = waiting.length) {
      const caller = new Caller(url);
      busy.push(caller);
      caller.socket.write(get('/later'));
      while (waiting.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all([rested.closed, sending.closed]);
    for (const answer of waiting) answer();
    while (patientOne.received === '') await new Promise((resolve) => setTimeout(resolve, 5));
    expect(patientOne.received).to.include('at last');
    for (const { socket } of [patientOne, ...busy]) socket.destroy();
  });
});

describeCrowds(600, 400, ['silent']);
