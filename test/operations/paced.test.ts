import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { paced } from '../../src/operations/pipeline/paced.ts';
import { rarely } from '../support/rarely.ts';

/** Ordinary code and a surrogate pair across the end of each piece of 64 Ki characters. */
const text = `${'a'.repeat(64 * 1024 - 1)}🌱`.repeat(200);

async function* texts(count: number): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < count; at++) yield text;
}

describe('A paced stream', () => {
  rarely('lets other work run while its reader takes every piece immediately [A.hostile.unread]', async () => {
    let turns = 0;
    const count = (): void => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    let mostBetweenTurns = 0;
    let [seenTurns, pieces] = [0, 0];
    const reader = new Writable({
      write(_piece, _encoding, done) {
        if (turns !== seenTurns) [seenTurns, pieces] = [turns, 0];
        mostBetweenTurns = Math.max(mostBetweenTurns, ++pieces);
        done();
      },
    });
    await pipeline(paced(texts(20)), reader);
    clearImmediate(timer);
    // 4,000 pieces in all: in one turn they hold the event loop for as long as the reader takes them.
    expect(mostBetweenTurns).to.be.below(2000);
    expect(turns).to.be.above(10);
  });

  it('makes the texts of two streams at a time, also of 64 together [A.hostile.starts]', async () => {
    let [making, most] = [0, 0];
    async function* counted(): AsyncGenerator<string, void, undefined> {
      most = Math.max(most, ++making);
      await new Promise((resolve) => setImmediate(resolve));
      making--;
      yield 'text';
    }
    const read = await Promise.all(Array.from({ length: 64 }, () => paced(counted()).toArray()));
    expect(read.map((pieces) => Buffer.concat(pieces as Buffer[]).toString())).to.deep.equal(Array(64).fill('text'));
    expect(most).to.equal(2);
  });

  it('keeps the halves of a surrogate pair together', async () => {
    const pieces: Buffer[] = [];
    for await (const piece of paced(texts(1))) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).to.equal(text);
  });
});
