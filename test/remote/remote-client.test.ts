import { expect } from 'chai';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { PlannerError } from '../../src/base/errors.ts';
import { RemoteClient } from '../../src/remote/remote-client.ts';

describe('The client for other services [A.trust.outgoing, D8.sync-origin]', () => {
  const servers: Server[] = [];
  /** Requested paths with their Authorization. */
  let requests: string[];

  beforeEach(() => (requests = []));
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Starts a server of the test. Resolves with its URL. */
  function serve(answer: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      requests.push(`${request.url} ${request.headers.authorization}`);
      answer(request, response);
    });
    servers.push(server);
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    });
  }

  async function failure(url: string, limits = {}): Promise<PlannerError> {
    try {
      await new RemoteClient({ url, key: 'k' }, limits).get('/x');
    } catch (thrown) {
      if (thrown instanceof PlannerError) return thrown;
      throw thrown;
    }
    throw new Error('It was not refused.');
  }

  it('sends the key, requests no encoding, and reads JSON with its entity tag', async () => {
    let encodings: string | undefined;
    let types: string | undefined;
    const url = await serve((request, response) => {
      encodings = request.headers['accept-encoding'];
      types = request.headers.accept;
      response.writeHead(200, { ETag: '"a.b"' }).end('{"a":1}');
    });
    const answer = await new RemoteClient({ url: `${url}/mounted`, key: 'k' }).get('/x?y=1');
    expect(answer).to.deep.equal({ status: 200, etag: '"a.b"', body: { a: 1 } });
    expect(requests).to.deep.equal(['/mounted/api/v1/x?y=1 Bearer k']);
    expect([encodings, types]).to.deep.equal(['identity', 'application/json']);
  });

  it('follows redirects within the origin', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/end') response.end('{}');
      else response.writeHead(307, { Location: '/end' }).end();
    });
    expect((await new RemoteClient({ url, key: 'k' }).get('/x')).body).to.deep.equal({});
    for (const status of [300, 399]) {
      const bound = await serve((request, response) => {
        if (request.url === '/end') response.end('{}');
        else response.writeHead(status, { Location: '/end' }).end();
      });
      expect((await new RemoteClient({ url: bound, key: 'k' }).get('/x')).body, String(status)).to.deep.equal({});
    }
  });

  it('returns a redirect without a location, and unknown 3xx statuses, as the response', async () => {
    for (const status of [299, 300, 304, 399, 400, 404]) {
      const url = await serve((request, response) => {
        const headers = status < 300 || status > 399 ? { Location: '/end' } : {};
        if (request.url === '/end') response.end('{}');
        else response.writeHead(status, headers).end();
      });
      const answer = await new RemoteClient({ url, key: 'k' }).get('/x');
      expect(answer).to.deep.equal({ status, etag: undefined, body: undefined });
    }
  });

  it('follows three redirects', async () => {
    const url = await serve((request, response) => {
      const left = Number(new URL(request.url!, 'http://localhost').searchParams.get('left') ?? 3);
      if (left === 0) response.end('{}');
      else response.writeHead(308, { Location: `?left=${left - 1}` }).end();
    });
    const client = new RemoteClient({ url, key: 'k' });
    expect((await client.get('/x')).body).to.deep.equal({});
    expect(requests).to.have.length(4);
    expect((await failure(`${url}/x?left=4&`)).message).to.include('redirects too often');
  });

  it('sends no key to another origin', async () => {
    const elsewhere = await serve((_, response) => void response.end('{}'));
    const url = await serve((_, response) => void response.writeHead(302, { Location: `${elsewhere}/x` }).end());
    const error = await failure(url);
    expect(error).to.include({ code: 'unavailable' });
    expect(error.message).to.include('another origin');
    expect(requests).to.deep.equal(['/api/v1/x Bearer k']);
  });

  it('stops at redirect loops', async () => {
    const url = await serve((_, response) => void response.writeHead(302, { Location: '/api/v1/x' }).end());
    expect((await failure(url)).message).to.include('redirects too often');
    expect(requests.length).to.be.below(10);
  });

  it('accepts a response with the encoding identity', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'Content-Encoding': ' Identity' }).end('{}');
    });
    expect((await new RemoteClient({ url, key: 'k' }).get('/x')).body).to.deep.equal({});
  });

  it('rejects an encoded response', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{}'));
    });
    expect((await failure(url)).message).to.include('gzip');
  });

  it('rejects a response that is too large, without waiting for its end', async () => {
    const url = await serve((_, response) => {
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(more));
      };
      more();
    });
    expect(await failure(url, { answerBytesMax: 100_000 })).to.include({ code: 'payload_too_large' });
  });

  it('accepts a response of exactly the maximum size', async () => {
    const url = await serve((_, response) => void response.end('"four"'));
    expect((await new RemoteClient({ url, key: 'k' }, { answerBytesMax: 6 }).get('/x')).body).to.equal('four');
    expect(await failure(url, { answerBytesMax: 5 })).to.include({ code: 'payload_too_large' });
    const large = await serve((_, response) => void response.end(`"${'x'.repeat(2_000_000)}"`));
    expect((await new RemoteClient({ url: large, key: 'k' }).get('/x')).body).to.have.length(2_000_000);
  });

  it('times out, for the headers and for the body', async () => {
    const silent = await serve(() => undefined);
    const halting = await serve((_, response) => void response.writeHead(200).write('{'));
    for (const url of [silent, halting]) {
      const error = await failure(url, { timeoutMs: 100 });
      expect(error).to.include({ code: 'unavailable' });
      expect(error.message).to.include('timed out');
    }
  });

  it('reports a response that is not JSON, and a service that does not respond', async () => {
    const url = await serve((_, response) => void response.end('<html>'));
    expect((await failure(url)).message).to.include('no JSON');
    expect((await failure('http://127.0.0.1:9')).message)
      .to.include('does not respond')
      .and.not.include('undefined');
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect((await failure(`http://127.0.0.1:${port}`)).message).to.include('does not respond (ECONNREFUSED)');
  });
});
