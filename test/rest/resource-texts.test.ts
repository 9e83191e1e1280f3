import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { ResourceTexts } from '../../src/rest/resource-texts.ts';

describe('The texts of resources that were read last', () => {
  it('are found by their name', () => {
    const texts = new ResourceTexts();
    const first = { etag: '"1.0"', text: '{"id":"a"}' };
    texts.add('/tasks/a', first);
    expect(texts.of('/tasks/a')).to.equal(first);
    expect(texts.of('/tasks/b')).to.equal(undefined);
    const next = { etag: '"2.0"', text: '{"id":"a","label":"x"}' };
    texts.add('/tasks/a', next);
    expect(texts.of('/tasks/a')).to.equal(next);
  });

  it('take a bounded number of characters: the oldest are dropped, and a long one is not kept', () => {
    const texts = new ResourceTexts();
    const text = 'x'.repeat(limits.resourceTextCharactersMax);
    const count = limits.resourceTextsCharactersMax / limits.resourceTextCharactersMax;
    for (let at = 0; at <= count; at++) texts.add(`/tasks/${at}`, { etag: '"1.0"', text });
    const kept = Array.from({ length: count + 1 }, (_, at) => texts.of(`/tasks/${at}`) !== undefined);
    expect(kept.indexOf(true)).to.equal(2);
    expect(kept.slice(2)).not.to.include(false);
    texts.add('/tasks/long', { etag: '"1.0"', text: `${text}x` });
    expect(texts.of('/tasks/long')).to.equal(undefined);
  });

  it('make room as they are replaced', () => {
    const texts = new ResourceTexts();
    const text = 'x'.repeat(limits.resourceTextCharactersMax);
    texts.add('/tasks/a', { etag: '"1.0"', text });
    for (let at = 0; at < 1000; at++) texts.add('/tasks/b', { etag: `"${at}.0"`, text });
    expect(texts.of('/tasks/a')?.text).to.equal(text);
  });
});
