import { expect } from 'chai';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { PlannerError } from '../../src/base/errors.ts';
import { HttpServer } from '../../src/http/http-server.ts';
import type { ServerTimeouts } from '../../src/http/http-server.ts';

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

/** Resolves when the server ended or reset a connection. */
const isEnded = (socket: Socket): boolean => socket.readableEnded || socket.destroyed;

describe('The HTTP server', () => {
  let server: HttpServer | undefined;
  let clients: Socket[] = [];
  let pending: ServerResponse[] = [];
  afterEach(async () => {
    for (const client of clients) client.destroy();
    clients = [];
    pending = [];
    await server?.close();
    server = undefined;
  });

  const start = async (timeouts?: Partial<ServerTimeouts>, handler?: RequestListener): Promise<HttpServer> => {
    const wait: RequestListener = (_, response) => void pending.push(response);
    server = await HttpServer.listen({ host: '127.0.0.1', port: 0, handler: handler ?? wait, timeouts });
    return server;
  };
  /** A connection and the data received on it. */
  const open = (text = ''): { socket: Socket; received: () => string } => {
    const socket = connect({ port: server!.port, host: '127.0.0.1', allowHalfOpen: true });
    let received = '';
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => (received += chunk.toString()));
    if (text !== '') socket.write(text);
    clients.push(socket);
    return { socket, received: () => received };
  };

  it('reports its port before the first request is handled', async () => {
    const ports: number[] = [];
    server = await HttpServer.listen({
      host: '127.0.0.1',
      port: 0,
      onListening: (port) => ports.push(port),
      handler: (_, response) => response.end(),
    });
    expect(ports).to.deep.equal([server.port]);
  });

  it('rejects with the reason if the port is in use, or the address is none of this machine', async () => {
    const { port } = await start();
    const handler = (): void => undefined;
    const taken: unknown = await HttpServer.listen({ host: '127.0.0.1', port, handler }).catch(
      (error: unknown) => error,
    );
    expect(taken).to.be.instanceOf(PlannerError);
    expect((taken as PlannerError).toJSON()).to.include({ error: 'conflict', port });
    // An address reserved for documentation, which no machine has.
    const foreign: unknown = await HttpServer.listen({ host: '192.0.2.1', port: 0, handler }).catch(
      (error: unknown) => error,
    );
    expect(foreign).to.include({ code: 'invalid_argument', field: '--host' });
  });

  it('responds to invalid HTTP in the common error format, and closes connections that keep sending [A.hostile.slow]', async () => {
    await start({ headersMs: 100, checkMs: 20 });
    const cases: readonly (readonly [text: string, status: string, message: string])[] = [
      ['NOT HTTP\r\n\r\n', '400 Bad Request', 'is not HTTP/1.1'],
      [
        `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(17_000)}\r\n\r\n`,
        '431 Request Header Fields Too Large',
        'over 16 KiB',
      ],
      ['GET / HTTP/1.1\r\nHost: x\r\n', '408 Request Timeout', 'in time'],
    ];
    for (const [text, status, message] of cases) {
      const { socket, received } = open(text);
      await once(socket, 'end');
      const [head, body] = received().split('\r\n\r\n') as [string, string];
      expect(head.split('\r\n')).to.deep.equal([
        `HTTP/1.1 ${status}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
      ]);
      const error = JSON.parse(body) as { error: string; message: string };
      expect(error.error).to.equal('invalid_argument');
      expect(error.message).to.include(message);
      // The client's end of the connection is still open.
      expect(socket.destroyed).to.equal(false);
      while (!socket.destroyed) {
        socket.write('NOR THIS\r\n\r\n');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  });

  it('sends no error that could be mistaken for a pending response [A.hostile.pipelining]', async () => {
    await start();
    const { socket, received } = open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloNOT HTTP\r\n\r\n');
    await until(() => isEnded(socket));
    expect([received(), pending.length]).to.deep.equal(['', 1]);
    const answered = open(get);
    await until(() => pending.length === 2);
    pending[1]!.end();
    await until(() => answered.received() !== '');
    answered.socket.write('NOT HTTP\r\n\r\n');
    await once(answered.socket, 'end');
    expect(answered.received()).to.match(/^HTTP\/1.1 200 .*HTTP\/1.1 400 /s);
  });

  it('closes idle connections after the configured timeout, and limits their number [A.hostile.slow, A.hostile.connections]', async () => {
    await start({ idleMs: 100 });
    const { socket } = open(get);
    await until(() => isEnded(socket));
    await server!.close();
    await start({ connectionsMax: 2 });
    const [first, second] = [open(get), open(get)];
    await until(() => pending.length === 3);
    pending[1]!.end();
    await until(() => first.received() !== '' || second.received() !== '');
    const [resting, waiting] = first.received() === '' ? [second, first] : [first, second];
    open(get);
    await until(() => isEnded(resting.socket));
    expect(waiting.socket.readyState).to.equal('open');
  });

  it('has defaults for all timeouts [A.hostile.slow]', async () => {
    await start();
    const { socket } = open(get);
    socket.pause();
    await until(() => pending.length === 1);
    const { timeout } = pending[0]!.socket!;
    pending[0]!.end(Buffer.alloc(32 * 1024 * 1024));
    // Half the timeout of a stalled response.
    await until(() => pending[0]!.socket?.timeout !== timeout);
    expect([timeout, pending[0]!.socket?.timeout]).to.deep.equal([600_000, 15_000]);
  });

  it('lets requests in progress finish when it is closed, and closes idle connections', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await start();
    const [idle, busy] = [open(get), open(get)];
    await until(() => pending.length === 2);
    pending[0]!.end();
    await until(() => idle.received() !== '' || busy.received() !== '');
    const before = timers();
    const closed = server!.close();
    await Promise.race([once(idle.socket, 'end'), once(busy.socket, 'end')]);
    pending[1]!.end('in time');
    await closed;
    expect(timers()).to.equal(before);
    server = undefined;
    await until(() => (idle.received() + busy.received()).includes('in time'));
  });

  it('closes connections without a request immediately when it is closed', async () => {
    await start({ drainMs: 1_000_000 });
    const { socket } = open();
    await once(socket, 'connect');
    open(get);
    await until(() => pending.length === 1);
    pending[0]!.end();
    await server!.close();
    server = undefined;
    await until(() => isEnded(socket));
  });

  it('closes their connections after the drain timeout', async () => {
    await start({ drainMs: 100 });
    const { socket, received } = open(get);
    await until(() => pending.length === 1);
    await server!.close();
    server = undefined;
    await until(() => isEnded(socket));
    expect(received()).to.equal('');
  });
});
