import { expect } from 'chai';
import { RenderCache } from '../../src/rendering/render-cache.ts';

/** A string that takes so many bytes of a cache. */
const sized = (bytes: number): string => 'x'.repeat(bytes - 200);

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
      const cache = new RenderCache(10_000);
      cache.set('key', output, Infinity);
      expect(cache.bytes, JSON.stringify(output)).to.equal(bytes);
      cache.set('key', 'another', Infinity);
      expect([cache.bytes, cache.get('key', 0)?.output]).to.deep.equal([bytes, output]);
    }
  });

  it('keeps no output that exceeds a quarter of it', () => {
    const cache = new RenderCache(4000);
    cache.set('most', sized(1000), Infinity);
    cache.set('over', sized(1001), Infinity);
    expect([cache.get('most', 0) === undefined, cache.get('over', 0)]).to.deep.equal([false, undefined]);
    expect(cache.bytes).to.equal(1000);
  });

  it('evicts the least recently used, and no more than necessary', () => {
    const cache = new RenderCache(4000);
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, sized(1000), Infinity);
    expect(cache.bytes).to.equal(4000);
    cache.get('a', 0);
    cache.set('e', sized(1000), Infinity);
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key, 0) !== undefined)).to.deep.equal([
      ...['a', 'c', 'd', 'e'],
    ]);
    expect(cache.bytes).to.equal(4000);
  });

  it('forgets expired entries', () => {
    const cache = new RenderCache(4000);
    cache.set('key', 'x', 50);
    expect(cache.get('key', 49)).to.include({ output: 'x' });
    expect([cache.get('key', 50), cache.bytes]).to.deep.equal([undefined, 0]);
    cache.set('key', 'y', Infinity);
    expect(cache.get('key', 1e9)).to.include({ output: 'y' });
  });
});
