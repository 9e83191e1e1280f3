import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { UnsentResponses } from '../../src/http/unsent-responses.ts';
import type { UnsentOptions } from '../../src/http/unsent-responses.ts';
import { limits } from '../../src/base/limits.ts';

const mebibyte = 1024 * 1024;
const { unsentPeerBytesMax: ofPeer, unsentBytesMax: ofAll } = limits;
const filler = Buffer.alloc(ofPeer + 8 * mebibyte);
const hour = 3_600_000;

describe('Responses that clients do not read', () => {
  let server: Server;
  let clients: Socket[] = [];
  let unsent: UnsentResponses;
  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    clients = [];
    server.close();
    await once(server, 'close');
  });

  const watching = (options: Partial<UnsentOptions> = {}): void => {
    unsent = new UnsentResponses({ stalledMs: hour, idleMs: hour, ...options });
  };
  /** A response to an address that does not read it. */
  const responseTo = async (address: string): Promise<ServerResponse> => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.on('error', () => undefined);
    clients.push(client);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    unsent.begin(Object.assign(response, { locals: { address } }));
    response.once('close', () => unsent.end(response));
    return response;
  };
  const responsesTo = async (...addresses: string[]): Promise<ServerResponse[]> => {
    const responses: ServerResponse[] = [];
    for (const address of addresses) responses.push(await responseTo(address));
    return responses;
  };
  /** Sends a number of bytes, headers included. They count as sent only when all are. */
  const send = (response: ServerResponse, bytes: number): void => {
    response.setHeader('Date', 'x').writeHead(200, { 'Content-Length': '12345678' });
    response.flushHeaders();
    response.strictContentLength = false;
    response.end(filler.subarray(0, bytes));
    if (!response.destroyed) expect(response.writableLength).to.equal(bytes);
  };
  const destroyed = (responses: readonly ServerResponse[]): number[] =>
    [...responses.keys()].filter((at) => responses[at]!.destroyed);
  const untilLate = async (...responses: ServerResponse[]): Promise<void> => {
    const before = responses.map(({ socket }) => socket!.timeout);
    while (responses.some(({ socket }, at) => socket!.timeout === before[at]))
      await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('are aborted above the limit of one address, the largest first [A.hostile.unread]', async () => {
    watching();
    for (const sizes of [
      [20, 30, 25],
      [30, 20, 25],
    ]) {
      const responses = await responsesTo('a', 'a', 'a', 'b');
      send(responses[3]!, 40 * mebibyte);
      for (const [at, size] of sizes.entries()) send(responses[at]!, size * mebibyte);
      expect(destroyed(responses)).to.deep.equal([sizes.indexOf(30)]);
      for (const response of responses) response.destroy();
    }
    const fitting = await responsesTo('a', 'a', 'a');
    send(fitting[0]!, 20 * mebibyte);
    send(fitting[1]!, 24 * mebibyte);
    send(fitting[2]!, ofPeer - 44 * mebibyte);
    expect(destroyed(fitting)).to.deep.equal([]);
    const over = await responseTo('a');
    send(over, 10 * mebibyte);
    expect([destroyed(fitting), over.destroyed]).to.deep.equal([[1], false]);
  });

  it('are aborted above the limit of all addresses, and not below it [A.hostile.unread]', async () => {
    watching();
    const responses = await responsesTo('a', 'b', 'c', 'd');
    for (const [at, size] of [50, 50, 28].entries()) send(responses[at]!, size * mebibyte);
    expect(destroyed(responses)).to.deep.equal([]);
    expect((50 + 50 + 28) * mebibyte).to.equal(ofAll);
    send(responses[3]!, 10 * mebibyte);
    expect(destroyed(responses)).to.deep.equal([0]);
  });

  it('are sent if there is only one, whatever its size, and finished ones do not count [A.hostile.unread]', async () => {
    watching();
    const [waiting, one, ended, other] = await responsesTo('a', 'a', 'b', 'b');
    send(one!, ofPeer + 1);
    send(ended!, 40 * mebibyte);
    unsent.end(ended!);
    send(other!, 40 * mebibyte);
    expect(destroyed([waiting!, one!, ended!, other!])).to.deep.equal([]);
  });

  it('are aborted first if the client had time to read them [A.hostile.unread]', async () => {
    watching();
    const late = await responsesTo('a', 'a', 'a', 'b');
    for (const [at, size] of [12, 30, 20, 20].entries()) send(late[at]!, size * mebibyte);
    await untilLate(...late);
    const [recent, single] = await responsesTo('a', 'b');
    send(recent!, 31 * mebibyte);
    expect([destroyed(late), recent!.destroyed]).to.deep.equal([[1], false]);
    for (const response of [...late.slice(0, 3), recent!]) response.destroy();
    send(single!, ofPeer + 1);
    expect([late[3]!.destroyed, single!.destroyed]).to.deep.equal([true, false]);
  });

  it('are checked at each large chunk of a stream, and otherwise at intervals [A.hostile.unread]', async () => {
    watching();
    const responses = await responsesTo('a', 'a', 'a', 'a');
    const [small, large] = responses.slice(0, 2).map((response) => {
      const source = new Readable({ read: () => undefined });
      source.pipe(response);
      return source;
    });
    await new Promise((resolve) => setImmediate(resolve));
    // All happens in one turn of the event loop, without a timer in between.
    for (const response of responses.slice(2)) response.write(filler.subarray(0, 40 * mebibyte));
    small!.push(filler.subarray(0, 256 * 1024 - 1));
    await Promise.resolve();
    expect(destroyed(responses)).to.deep.equal([]);
    large!.push(filler.subarray(0, 256 * 1024));
    await Promise.resolve();
    expect(destroyed(responses)).to.deep.equal([2]);
    const again = await responseTo('a');
    again.write(filler.subarray(0, 41 * mebibyte));
    while (destroyed([responses[3]!, again]).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(destroyed([responses[3]!, again])).to.deep.equal([1]);
  });

  it('have half the stall timeout, at most the idle timeout, until they are read [A.hostile.unread]', async () => {
    for (const [stuckMs, silentMs, expected] of [
      [hour, 4 * hour, hour / 2],
      [4 * hour, hour, hour],
    ] as const) {
      watching({ stalledMs: stuckMs, idleMs: silentMs });
      const [waiting, late] = await responsesTo('a', 'a');
      waiting!.socket!.setTimeout(7 * hour);
      late!.write(filler.subarray(0, 20 * mebibyte));
      await untilLate(late!);
      expect([late!.socket!.timeout, waiting!.socket!.timeout]).to.deep.equal([expected, 7 * hour]);
      late!.socket!.setTimeout(9 * hour);
      clients.at(-1)!.resume();
      await untilLate(late!);
      expect([late!.socket!.timeout, waiting!.socket!.timeout]).to.deep.equal([silentMs, 7 * hour]);
    }
  });

  it('are aborted when they stall, also after a time without any response [A.hostile.unread]', async () => {
    watching({ stalledMs: 600 });
    for (let n = 0; n < 2; n++) {
      const stuck = await responseTo('a');
      stuck.write(filler);
      await once(stuck, 'close');
      // A sweep without responses in progress.
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  });
});
