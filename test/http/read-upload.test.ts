import { expect } from 'chai';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlannerError } from '../../src/base/errors.ts';
import { isUpload, readUpload } from '../../src/http/read-upload.ts';

interface Read {
  readonly fields: object;
  readonly filename: string;
  readonly text: string;
}

/** Sends a body to a server that reads one upload. Resolves with the result; `cut` aborts the connection afterwards, `isRead` waits until all was read. */
async function upload(
  body: string,
  { cut = false, bytesMax = 1000, encoding = 'identity', isRead = false } = {},
): Promise<Read | PlannerError> {
  const outcome = Promise.withResolvers<Read | PlannerError>();
  const read = Promise.withResolvers<void>();
  const server = createServer((incoming, response) => {
    incoming.once('end', read.resolve);
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
    'Content-Encoding': encoding,
    ...(cut ? { 'Content-Length': body.length + 500 } : {}),
  };
  const client = request({ host: '127.0.0.1', port, method: 'POST', headers });
  client.on('error', () => undefined);
  client.write(body, () => (cut ? setTimeout(() => client.destroy(), 20) : client.end()));
  try {
    const result = await outcome.promise;
    if (isRead) await read.promise;
    return result;
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
  it('is a form with one file, which is streamed, and the fields before it', async () => {
    const read = (await upload(field('title', 'Ä') + file('Hello', 'ü.txt') + end)) as Read;
    expect(read).to.deep.include({ filename: 'ü.txt', text: 'Hello' });
    expect({ ...read.fields }).to.deep.equal({ title: 'Ä' });
  });

  it('is recognised by its content type', () => {
    const hasUploadType = (type?: string): boolean =>
      isUpload({ headers: { ...(type !== undefined && { 'content-type': type }) } } as IncomingMessage);
    for (const type of ['multipart/form-data; boundary=b', 'Multipart/Form-Data', 'multipart/form-data ;boundary=b'])
      expect([type, hasUploadType(type)]).to.deep.equal([type, true]);
    for (const type of [undefined, 'multipart/form-dated', 'text/plain; multipart/form-data', 'application/json'])
      expect([type, hasUploadType(type)]).to.deep.equal([type, false]);
  });

  it('is rejected before it is read if it is encoded, has too many fields, or is far too long', async () => {
    const whole = file('a') + end;
    const codeOf = async (...args: Parameters<typeof upload>): Promise<unknown> => {
      const error = await upload(...args);
      return error instanceof PlannerError ? error.code : 'taken';
    };
    expect(await codeOf(whole)).to.equal('taken');
    expect(await codeOf(whole, { encoding: 'gzip' })).to.equal('unsupported_media_type');
    const fields = (count: number): string => Array.from({ length: count }, (_, at) => field(`f${at}`, 'x')).join('');
    expect(await codeOf(fields(20) + whole)).to.equal('taken');
    expect(await codeOf(fields(21) + whole)).to.equal('invalid_argument');
    // The Content-Length announces 500 bytes more than are sent.
    const long = (announced: number): string => '-'.repeat(announced - 500);
    expect(await codeOf(long(1000 + 2 * 1024 * 1024), { cut: true })).to.equal('invalid_argument');
    expect(await codeOf(long(1001 + 2 * 1024 * 1024), { cut: true })).to.equal('payload_too_large');
  });

  it('is received to its end after a rejection, and gets the error', async () => {
    const messageOf = async (...args: Parameters<typeof upload>): Promise<string> => {
      const error = await upload(...args);
      return error instanceof PlannerError ? error.message : 'taken';
    };
    const large = file('x'.repeat(3_000_000)) + field('title', 'x') + end;
    expect(await messageOf(large, { isRead: true })).to.include('exceeds 1000 bytes');
    expect(await messageOf(field('a', 'b') + end)).to.include('has no file');
    expect(await messageOf(file('a') + file('b') + end)).to.include('is invalid');
    expect(await messageOf('nothing of a form')).to.include('ended before');
    expect(await messageOf(file('a'))).to.include('ended before');
  });

  it('is rejected if it is too large or truncated, or has no file, two files, or fields after the file', async () => {
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
