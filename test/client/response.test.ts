import { expect } from 'chai';
import { Readable } from 'node:stream';
import type { HttpResponse } from '../../src/client/http-request.ts';
import { InvalidResponse, readResponse, ResponseTruncated } from '../../src/client/response.ts';
import type { RpcMessage } from '../../src/client/message.ts';

const answer = { jsonrpc: '2.0', id: 1, result: { text: 'é🌱' } };
const json = JSON.stringify(answer);

/** A response of the pieces as they arrive. */
function response(type: string, pieces: Iterable<Uint8Array>): Pick<HttpResponse, 'headers' | 'body'> {
  return { headers: { 'content-type': type }, body: Readable.from(pieces, { objectMode: false }) };
}

function* cut(text: string, size: number): Iterable<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = Infinity): Promise<readonly [unknown, readonly RpcMessage[]]> {
  const others: RpcMessage[] = [];
  const found = await readResponse(response('text/event-stream; charset=utf-8', cut(text, size)), 1, (message) =>
    others.push(message),
  );
  return [found, others];
}

describe('The response in a stream of events', () => {
  const note = '{"jsonrpc":"2.0","method":"note"}';

  it('is found after comments, other fields and other messages, however the stream is cut', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = [
        ': hello',
        '',
        'event: message',
        'id: 7',
        `data: ${note}`,
        '',
        'retry: 5',
        `data:${json}`,
        '',
        ': end',
        '',
      ].join(end);
      for (const size of [1, 2, 3, 7, Infinity])
        expect(await read(text, size), `${JSON.stringify(end)} ${size}`).to.deep.equal([answer, [JSON.parse(note)]]);
    }
  });

  it('may have several lines', async () => {
    const lines = JSON.stringify(answer, undefined, 1)
      .split('\n')
      .map((line) => `data: ${line}`);
    expect(await read(`${lines.join('\n')}\n\n`)).to.deep.equal([answer, []]);
  });

  it('is read once if it is large, in time that grows with its length', async () => {
    const large = { jsonrpc: '2.0', id: 1, result: 'x'.repeat(1024 * 1024) };
    const [found] = await read(`data: ${JSON.stringify(large)}\n\n`, 1024);
    expect(found).to.deep.equal(large);
  });

  it('is lost if the stream ends before it, and is rejected if it is not a message', async () => {
    const failure = (text: string): Promise<unknown> => read(text).catch((error: unknown) => error);
    expect(await failure(`data: ${note}\n\n`)).to.be.instanceOf(ResponseTruncated);
    expect(await failure(`data: ${json}\n`), 'an event that is not complete').to.be.instanceOf(ResponseTruncated);
    expect(await failure('')).to.be.instanceOf(ResponseTruncated);
    for (const data of ['no JSON', '[]', 'null'])
      expect(await failure(`data: ${data}\n\n`), data).to.be.instanceOf(InvalidResponse);
  });

  it('is the body if that is JSON', async () => {
    expect(await readResponse(response('application/json', cut(json, 5)), 1, () => expect.fail())).to.deep.equal(
      answer,
    );
    expect(await readResponse(response('application/json', []), undefined, () => expect.fail())).to.equal(undefined);
  });
});
