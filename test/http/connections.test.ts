import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { Connections } from '../../src/http/connections.ts';
import type { ConnectionsOptions } from '../../src/http/connections.ts';

const hour = 3_600_000;
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n';

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('The connection limit', () => {
  let server: Server;
  let connections: Connections;
  let clients: Socket[] = [];
  const pending: ServerResponse[] = [];
  const start = async (options: Partial<ConnectionsOptions>): Promise<void> => {
    server = createServer((request, response) => {
      connections.begin(request);
      response.once('close', () => connections.end(request, response));
      pending.push(response);
    });
    connections = new Connections(server, { max: 3, lingerMs: hour, ...options });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  };
  afterEach(async () => {
    for (const client of clients) client.destroy();
    clients = [];
    pending.length = 0;
    server.close();
    await once(server, 'close');
  });

  /** Opens a connection. Resolves with both ends when the server has accepted it. */
  const open = async (allowHalfOpen = false): Promise<{ near: Socket; far: Socket }> => {
    const near = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen });
    near.on('error', () => undefined).resume();
    clients.push(near);
    const [far] = (await once(server, 'connection')) as [Socket];
    return { near, far };
  };
  const ask = async (
    text: string,
    allowHalfOpen = false,
  ): Promise<{ near: Socket; far: Socket; response: ServerResponse }> => {
    const ends = await open(allowHalfOpen);
    ends.near.write(text);
    const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    return { ...ends, response };
  };

  it('evicts the connection that has been idle longest [A.hostile.connections]', async () => {
    await start({});
    const first = await ask(get);
    const [second, third] = [await open(), await open()];
    first.response.end();
    await once(first.response, 'close');
    expect([first, second, third].map(({ far }) => far.destroyed)).to.deep.equal([false, false, false]);
    // The first has been idle since its response was sent.
    const fourth = await open();
    expect([first, second, third, fourth].map(({ far }) => far.destroyed)).to.deep.equal([false, true, false, false]);
    const fifth = await open();
    expect([first, third, fourth, fifth].map(({ far }) => far.destroyed)).to.deep.equal([false, true, false, false]);
    await open();
    expect([first, fourth, fifth].map(({ far }) => far.destroyed)).to.deep.equal([true, false, false]);
  });

  it('evicts one whose request is being received if none is idle, never one that awaits a response [A.hostile.connections]', async () => {
    await start({});
    const whole = await ask(get);
    const arriving = [await ask(post), await ask(post)];
    const ends = [whole, ...arriving];
    const fourth = await ask(get);
    expect(ends.map(({ far }) => far.destroyed)).to.deep.equal([false, true, false]);
    const fifth = await ask(get);
    expect([...ends, fourth, fifth].map(({ far }) => far.destroyed)).to.deep.equal([false, true, true, false, false]);
    const sixth = await open();
    expect([whole, fourth, fifth, sixth].map(({ far }) => far.destroyed)).to.deep.equal([false, false, false, true]);
  });

  it('does not count closed connections, with or without a response [A.hostile.connections]', async () => {
    await start({});
    const [resting, waiting] = [await open(), await ask(get)];
    for (const { near, far } of [resting, waiting]) {
      near.destroy();
      await once(far, 'close');
    }
    const left = [await open(), await open(), await open()];
    expect(left.map(({ far }) => far.destroyed)).to.deep.equal([false, false, false]);
    await open();
    expect(left.map(({ far }) => far.destroyed)).to.deep.equal([true, false, false]);
  });

  it('allows exactly the maximum number of connections [A.hostile.connections]', async () => {
    await start({ max: 201 });
    const ends: { far: Socket }[] = [];
    while (ends.length < 201) ends.push(await open());
    expect(ends.some(({ far }) => far.destroyed)).to.equal(false);
    await open();
    expect(ends.filter(({ far }) => far.destroyed)).to.deep.equal([ends[0]]);
  });

  it('closes a connection that keeps sending after its response for too long [A.hostile.slow]', async () => {
    await start({ lingerMs: 50 });
    const { far, response } = await ask(post);
    response.end();
    await once(far, 'close');
  });

  it('keeps a connection whose remaining body arrives in time [A.hostile.slow]', async () => {
    await start({ lingerMs: 3000 });
    const { near, far, response } = await ask(`${post.replace('9', '200000')}${'x'.repeat(10)}`);
    const { req: request } = response;
    // Like a client that stops reading.
    request.once('data', () => request.pause());
    await until(() => request.isPaused());
    response.end('enough');
    near.write('x'.repeat(199_990));
    await once(request, 'close');
    near.write(get);
    await until(() => pending.length === 2);
    pending[1]!.end();
    await new Promise((resolve) => setTimeout(resolve, 3200));
    expect(far.destroyed).to.equal(false);
  });

  it('receives the rest of a body also where the connection closes with its response [A.hostile.slow]', async () => {
    await start({ lingerMs: hour });
    const closing = post.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n').replace('9', '200000');
    const { near, far, response } = await ask(closing, true);
    response.end('enough');
    // The response has arrived, and the client may still send.
    await once(near, 'end');
    expect(far.destroyed).to.equal(false);
    near.end('x'.repeat(200_000));
    await once(far, 'close');
    expect(far.errored).to.equal(null);
  });

  it("leaves a quarter of the process's open files for other uses [A.hostile.connections]", async () => {
    const worker = join(import.meta.dirname, 'connections-worker.ts');
    const argv = ['-c', 'ulimit -n 280 && exec "$0" "$1"', process.execPath, worker];
    const child = spawn('sh', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    await start({});
    const open = new Set<Socket>();
    for (let n = 0; n < 220; n++) {
      const client = connect(Number(String(port)), '127.0.0.1').resume();
      client.on('error', () => undefined).once('close', () => open.delete(client));
      clients.push(client);
      open.add(client);
      await once(client, 'connect');
    }
    await until(() => open.size <= 210);
    const last = [...open].at(-1)!;
    last.write(get);
    await once(last, 'data');
    expect(open.size).to.equal(210);
    child.stdin.end();
    await once(child, 'exit');
  });

  it('reads the open-file limit without environment and network data', async () => {
    const flags = { excludeEnv: false, excludeNetwork: false };
    Object.assign(process.report, flags);
    await start({});
    await open();
    const { excludeEnv, excludeNetwork } = process.report as unknown as typeof flags;
    expect([excludeEnv, excludeNetwork]).to.deep.equal([true, true]);
  });
});
