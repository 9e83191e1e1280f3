import { expect } from 'chai';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlannerError } from '../../src/errors.ts';
import { readUpload } from '../../src/http/read-upload.ts';

interface Read {
  readonly fields: object;
  readonly filename: string;
  readonly text: string;
}

/** Sends a body to a server that reads one upload and answers what came of it; `cut` breaks the connection off after what is sent. */
async function upload(body: string, { cut = false, bytesMax = 1000 } = {}): Promise<Read | PlannerError> {
  const outcome = Promise.withResolvers<Read | PlannerError>();
  const server = createServer((incoming, response) => {
    readUpload(incoming, response, { bytesMax }, async (fields, { filename, bytes }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of bytes) pieces.push(piece);
      return { fields, filename, text: Buffer.concat(pieces).toString() };
    })
      .then(outcome.resolve, (error: unknown) =>
        error instanceof PlannerError ? outcome.resolve(error) : outcome.reject(error as Error),
      )
      .finally(() => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const headers = {
    'Content-Type': 'multipart/form-data; boundary=b',
    ...(cut ? { 'Content-Length': body.length + 500 } : {}),
  };
  const client = request({ host: '127.0.0.1', port, method: 'POST', headers });
  client.on('error', () => undefined);
  client.write(body, () => (cut ? setTimeout(() => client.destroy(), 20) : client.end()));
  try {
    return await outcome.promise;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const field = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (content: string, name = 'a.txt'): string =>
  `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`;
const end = '--b--\r\n';

describe('An upload', () => {
  it('is a form with one file, which is read while it arrives, and the fields before it', async () => {
    const read = (await upload(field('title', 'Ä') + file('Hello', 'ü.txt') + end)) as Read;
    expect(read).to.deep.include({ filename: 'ü.txt', text: 'Hello' });
    expect({ ...read.fields }).to.deep.equal({ title: 'Ä' });
  });

  it('is refused when it is too large, breaks off, has no file, two, or fields that come too late', async () => {
    const refused = async (body: string, options = {}): Promise<unknown[]> => {
      const error = await upload(body, options);
      return error instanceof PlannerError ? [error.code, error.field] : ['taken'];
    };
    expect(await refused(file('x'.repeat(1001)) + end)).to.deep.equal(['payload_too_large', undefined]);
    expect(await refused(file('x'.repeat(1000)) + end)).to.deep.equal(['taken']);
    expect(await refused(file('Hel'), { cut: true })).to.deep.equal(['invalid_argument', 'file']);
    expect(await refused(field('a', 'b') + end)).to.deep.equal(['invalid_argument', 'file']);
    expect(await refused(file('a') + file('b') + end)).to.deep.equal(['invalid_argument', 'file']);
    expect(await refused(file('a') + field('title', 'x') + end)).to.deep.equal(['invalid_argument', 'title']);
    expect(await refused(file('a'))).to.deep.equal(['invalid_argument', 'file']);
    expect(await refused('nothing of a form')).to.deep.equal(['invalid_argument', 'file']);
    expect(await refused('x'.repeat(3_000_000), { cut: true })).to.deep.equal(['payload_too_large', undefined]);
  });
});
