import { expect } from 'chai';
import { Slots } from '../../src/webhooks/slots.ts';

describe('The connections of webhooks [A.feed.webhooks.fair]', () => {
  it('are given to sources in turn, so many to each, and passed on when their work ends', async () => {
    const slots = new Slots({ max: 3, perSourceMax: 2 });
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const works = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) =>
      slots.run(name[0]!, async () => {
        begun.push(name);
        await new Promise<void>((end) => ends.set(name, end));
        if (name === 'b1') throw new Error('failed');
        return name;
      }),
    );
    const results = Promise.allSettled(works);
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await turn();
    expect(begun).to.deep.equal(['a1', 'a2', 'b1']);
    for (const [end, next] of [
      ['b1', 'b2'],
      ['a1', 'c1'],
      ['a2', 'a3'],
      ['c1', 'a4'],
    ] as const) {
      ends.get(end)!();
      await turn();
      expect(begun.at(-1), `after ${end}`).to.equal(next);
    }
    for (const end of ends.values()) end();
    expect((await results).map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
