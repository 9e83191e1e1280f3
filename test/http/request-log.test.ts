import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { requestIdHeader, routeOf, setRequestId, withRequestLog } from '../../src/http/request-log.ts';
import type { RequestLogEntry } from '../../src/http/request-log.ts';

describe('The request log', () => {
  let server: Server;
  let now = 1;
  const entries: RequestLogEntry[] = [];
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    entries.length = 0;
  });

  const start = async (handler: RequestListener): Promise<void> => {
    const clock = { ...systemClock, monotonic: () => now };
    server = createServer(withRequestLog(handler, { clock, onFinished: (entry) => entries.push(entry) })).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
  };
  const ask = async (id?: string): Promise<string | null> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const before = entries.length;
    const answer = await fetch(url, { headers: { ...(id !== undefined && { 'X-Request-Id': id }) } });
    await answer.text();
    while (entries.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
    return answer.headers.get('x-request-id');
  };

  it('logs status 499 if the client disconnects before the response headers [A.log-line]', async () => {
    const received = Promise.withResolvers<void>();
    await start(() => received.resolve());
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await received.promise;
    socket.destroy();
    while (entries.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(entries[0]).to.include({ method: 'GET', status: 499, aborted: true, route: 'unmatched', caller: null });
  });

  it('logs the route, the caller and the duration [A.log-line]', async () => {
    await start((_, response) => {
      const noted = Object.assign(response, { locals: {} });
      expect(routeOf(noted)).to.equal('unmatched');
      Object.assign(noted.locals, { route: '/api/v1/tasks', caller: 'agent' });
      expect(routeOf(noted)).to.equal('/api/v1/tasks');
      now += 12.3456;
      response.writeHead(201, requestIdHeader(response)).end();
    });
    const id = await ask();
    expect(entries).to.deep.equal([
      {
        ...{ message: 'request', id, method: 'GET', route: '/api/v1/tasks' },
        ...{ status: 201, ms: 12.346, caller: 'agent', aborted: false },
      },
    ]);
  });

  it('keeps the id of a request, and assigns one otherwise [A.log-line]', async () => {
    await start((_, response) => response.writeHead(200, requestIdHeader(response)).end());
    const given = `a.b:c-${'d'.repeat(122)}`;
    expect(await ask(given)).to.equal(given);
    const own = [await ask(), await ask(''), await ask(`${given}e`), await ask('a b'), await ask('"a"')] as string[];
    const [, name] = /^(\w+)-1$/.exec(own[0]!)!;
    expect(own).to.deep.equal([1, 2, 3, 4, 5].map((count) => `${name}-${count}`));
    expect(entries.map(({ id }) => id)).to.deep.equal([given, ...own]);
  });

  it('sets the id once on a response that another handler writes', async () => {
    let left: object | undefined;
    await start((_, response: ServerResponse) => {
      setRequestId(response);
      left = requestIdHeader(response);
      response.end();
    });
    expect(await ask('x')).to.equal('x');
    expect(left).to.deep.equal({});
  });

  it('sets no id without the wrapper', async () => {
    server = createServer((_, response) => {
      setRequestId(response);
      response.writeHead(200, requestIdHeader(response)).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect([answer.status, answer.headers.get('x-request-id')]).to.deep.equal([200, null]);
  });
});
