import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { sendChunks, sendEmpty, sendJson } from '../../src/http/send.ts';

/** An address of this machine that other machines can connect to; undefined without a network. */
const outward = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

describe('A JSON response [S.web.compressed]', () => {
  let server: Server;
  let send: (response: ServerResponse) => unknown;
  const body = { tasks: Array.from({ length: 300 }, (_, n) => ({ label: `Größe ${n}`, status: 'todo' })) };

  before(async () => {
    server = createServer((_, response) => void send(response)).listen(0, '0.0.0.0');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  async function answer(
    host: string,
    accepted: string | undefined,
    method = 'GET',
  ): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer }> {
    const { port } = server.address() as AddressInfo;
    const headers = accepted === undefined ? {} : { 'Accept-Encoding': accepted };
    const outgoing = request({ host, port, method, headers, agent: false }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { headers: response.headers, bytes: Buffer.concat(chunks) };
  }

  /** The headers that depend on the encoding. */
  const encoding = ({ headers }: { headers: IncomingHttpHeaders }): unknown[] => [
    headers['content-encoding'],
    headers.vary,
    headers['content-length'] === undefined,
  ];

  describe('beyond loopback', () => {
    before(function () {
      if (outward === undefined) this.skip();
    });

    it('of over 2 kB is compressed if the client accepts gzip, with the same entity tag', async () => {
      send = (response) => sendJson(response, 200, body, { ETag: '"a.0"' });
      for (const accepted of ['gzip', 'br, GZIP;q=0.5', '*', 'deflate,gzip , br']) {
        const found = await answer(outward!, accepted);
        expect(encoding(found), accepted).to.deep.equal(['gzip', 'Accept-Encoding', true]);
        expect(found.headers.etag).to.equal('"a.0"');
        expect(found.headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(JSON.parse(gunzipSync(found.bytes).toString())).to.deep.equal(body);
        expect(found.bytes.length).to.be.lessThan(JSON.stringify(body).length / 5);
      }
    });

    it('varies by its encoding in addition to other headers', async () => {
      send = (response) => {
        response.setHeader('Vary', 'Accept');
        sendJson(response, 200, body);
      };
      for (const accepted of ['gzip', 'br'])
        expect((await answer(outward!, accepted)).headers.vary, accepted).to.equal('Accept, Accept-Encoding');
    });

    it('is not compressed for a client that does not accept it', async () => {
      send = (response) => sendJson(response, 200, body);
      for (const accepted of [undefined, 'br', 'gzip;q=0', 'gzip; q=0.00', 'xgzip', 'gzipped']) {
        const found = await answer(outward!, accepted);
        expect(encoding(found), accepted).to.deep.equal([undefined, 'Accept-Encoding', false]);
        expect(JSON.parse(found.bytes.toString())).to.deep.equal(body);
      }
      expect(encoding(await answer(outward!, 'gzip', 'HEAD'))).to.deep.equal([undefined, 'Accept-Encoding', false]);
    });

    it('that is short, or has no body, is sent as it is', async () => {
      send = (response) => sendJson(response, 200, { label: 'x'.repeat(2048 - '{"label":""}'.length) });
      expect(encoding(await answer(outward!, 'gzip'))).to.deep.equal([undefined, undefined, false]);
      send = (response) => sendJson(response, 200, { label: 'x'.repeat(2049 - '{"label":""}'.length) });
      expect(encoding(await answer(outward!, 'gzip'))).to.deep.equal(['gzip', 'Accept-Encoding', true]);
      send = (response) => sendEmpty(response, 304);
      expect((await answer(outward!, 'gzip')).headers['content-encoding']).to.equal(undefined);
    });

    it('that is generated in pieces is compressed, and broken off if generating it fails', async () => {
      const texts = async function* (fails: boolean): AsyncGenerator<string> {
        for (let at = 0; at < 50; at++) {
          await new Promise((resolve) => setImmediate(resolve));
          if (fails && at === 40) throw new Error('disk');
          yield 'é'.repeat(10_000);
        }
      };
      send = (response) => sendChunks(response, 200, texts(false));
      const found = await answer(outward!, 'gzip');
      expect(encoding(found)).to.deep.equal(['gzip', 'Accept-Encoding', true]);
      expect(gunzipSync(found.bytes).toString()).to.equal('é'.repeat(500_000));
      let sent: Promise<unknown> | undefined;
      send = (response) => (sent = sendChunks(response, 200, texts(true)).catch((error: unknown) => error));
      const broken = await answer(outward!, 'gzip').catch((error: unknown) => (error as NodeJS.ErrnoException).code);
      expect(broken).to.equal('ECONNRESET');
      expect(await sent).to.deep.include({ message: 'disk' });
    });
  });

  it('over loopback is sent as it is', async () => {
    send = (response) => sendJson(response, 200, body);
    expect(encoding(await answer('127.0.0.1', 'gzip'))).to.deep.equal([undefined, undefined, false]);
  });
});
