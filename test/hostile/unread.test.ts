import { expect } from 'chai';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { HttpServer } from '../../src/http/http-server.ts';
import { limits } from '../../src/base/limits.ts';
import { describeFloods } from './floods.ts';

const mebibyte = 1024 * 1024;

describe('Unread responses', function () {
  this.timeout(60_000);
  let server: HttpServer;
  let sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await server.close();
  });

  const listen = async (handler: RequestListener): Promise<void> => {
    server = await HttpServer.listen({ host: '127.0.0.1', port: 0, handler });
  };
  const open = (): Socket => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const post = (path: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const chunked = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\r\n\r\r\n2\r\n\nx\r\n0\r\n\r\n`;

  it('take the memory of one response per connection: pipelined requests are handled one after another, in order [A.hostile.pipelining]', async () => {
    let underWay = 0;
    let most = 0;
    const bodies: string[] = [];
    await listen((request, response) => {
      most = Math.max(most, ++underWay);
      response.once('close', () => underWay--);
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(body);
        setImmediate(() => response.end(`${request.url!};`));
      });
    });
    const socket = open();
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    // The chunks end anywhere, even in the middle of a blank line.
    const paths = Array.from({ length: 600 }, (_, at) => `/${at}`);
    const sent = paths
      .map((path, at) => [get(path), post(path, 'a\r\n\r\nb'.repeat(at)), chunked(path)][at % 3])
      .join('');
    for (let at = 0; at < sent.length; at += 4999) {
      socket.write(sent.slice(at, at + 4999));
      await new Promise((resolve) => setImmediate(resolve));
    }
    while ((received.match(/;/g) ?? []).length < paths.length) await once(socket, 'data');
    expect(received.match(/\/\d+(?=;)/g)).to.deep.equal(paths);
    expect(most).to.equal(1);
    expect(bodies).to.deep.equal(paths.map((_, at) => ['', 'a\r\n\r\nb'.repeat(at), '\r\n\r\nx'][at % 3]!));
  });

  it('delay further requests of their connection [A.hostile.pipelining]', async () => {
    const content = Buffer.alloc(8 * mebibyte);
    let begun = 0;
    await listen((_, response) => {
      begun++;
      response.end(content);
    });
    const socket = open();
    socket.pause();
    socket.write(get('/').repeat(900));
    const hasBegun = (): boolean => begun > 0;
    while (!hasBegun()) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 500));
    // The system buffers the first ones or a part of them.
    expect(begun).to.be.within(1, 4);
  });

  it('are aborted above the limit of bytes of one address, the largest first [A.hostile.unread]', async () => {
    const contents = { small: Buffer.alloc(11 * mebibyte), large: Buffer.alloc(19 * mebibyte) };
    const ended: string[] = [];
    await listen((request, response) => {
      const size = request.url!.slice(1) as keyof typeof contents;
      response.once('close', () => ended.push(size));
      response.end(contents[size]);
    });
    const ask = (path: string): void => {
      const socket = open();
      socket.pause();
      socket.write(get(path));
    };
    for (const path of ['/small', '/large', '/small', '/large']) ask(path);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(ended).to.deep.equal([]);
    for (const path of ['/small', '/small', '/small']) ask(path);
    while (ended.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ended).to.deep.equal(['large', 'large']);
    expect(5 * contents.small.length).to.be.below(limits.unsentPeerBytesMax);
  });

  it('are sent completely if there is only one, whatever its size [A.hostile.unread]', async () => {
    const bytes = limits.unsentPeerBytesMax + limits.unsentBytesMax;
    await listen((_, response) => void response.end(Buffer.alloc(bytes)));
    const socket = open();
    socket.write(get('/'));
    for (let received = 0; received < bytes;) received += ((await once(socket, 'data')) as [Buffer])[0].length;
  });
});

describeFloods({ connections: 20, readers: 10, floodMs: 700 });
