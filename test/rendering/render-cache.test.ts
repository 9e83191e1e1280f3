import { expect } from 'chai';
import { renderCache, type Rendered } from '../../src/rendering/render-cache.ts';

/** A string that takes so many bytes of a cache. */
const sized = (bytes: number): string => 'x'.repeat(bytes - 200);
const kept = (output: unknown): Rendered => ({ output, expiresAt: Infinity });

describe('A cache of rendered texts [A.hostile.rendering]', () => {
  it('counts the bytes of all entries', () => {
    for (const [output, bytes] of [
      ['', 200],
      ['xx', 202],
      ['\0ÿ', 202],
      ['xĀ', 204],
      [null, 200],
      [true, 200],
      [{ html: 'xx', refused: null }, 602],
      [['xx', 'xx'], 604],
    ] as const) {
      const cache = renderCache(10_000);
      cache.set('key', kept(output));
      expect(cache.calculatedSize, JSON.stringify(output)).to.equal(bytes);
    }
  });

  it('keeps no output that exceeds a quarter of it', () => {
    const cache = renderCache(4000);
    cache.set('most', kept(sized(1000)));
    cache.set('over', kept(sized(1001)));
    expect([cache.get('most') === undefined, cache.get('over')]).to.deep.equal([false, undefined]);
    expect(cache.calculatedSize).to.equal(1000);
  });

  it('evicts the least recently used, and no more than necessary', () => {
    const cache = renderCache(4000);
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, kept(sized(1000)));
    expect(cache.calculatedSize).to.equal(4000);
    cache.get('a');
    cache.set('e', kept(sized(1000)));
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined)).to.deep.equal([
      ...['a', 'c', 'd', 'e'],
    ]);
    expect(cache.calculatedSize).to.equal(4000);
  });
});
