import { expect } from 'chai';
import { limits } from '../../src/limits.ts';
import { ResourceTexts } from '../../src/rest/resource-texts.ts';

describe('The texts of resources that were read last', () => {
  const baseUrl = 'http://127.0.0.1:4400';

  it('are found by their path and the URL of the service', () => {
    const texts = new ResourceTexts();
    const first = { etag: '"1.0"', baseUrl, text: '{"id":"a"}' };
    texts.add('/tasks/a', first);
    expect(texts.of('/tasks/a', baseUrl)).to.equal(first);
    expect(texts.of('/tasks/b', baseUrl)).to.equal(undefined);
    expect(texts.of('/tasks/a', 'http://localhost:4400')).to.equal(undefined);
    const next = { etag: '"2.0"', baseUrl, text: '{"id":"a","label":"x"}' };
    texts.add('/tasks/a', next);
    expect(texts.of('/tasks/a', baseUrl)).to.equal(next);
  });

  it('take a bounded number of characters: the oldest are dropped, and a long one is not kept', () => {
    const texts = new ResourceTexts();
    const text = 'x'.repeat(limits.resourceTextCharactersMax);
    const count = limits.resourceTextsCharactersMax / limits.resourceTextCharactersMax;
    for (let at = 0; at <= count; at++) texts.add(`/tasks/${at}`, { etag: '"1.0"', baseUrl, text });
    const kept = Array.from({ length: count + 1 }, (_, at) => texts.of(`/tasks/${at}`, baseUrl) !== undefined);
    expect(kept.indexOf(true)).to.equal(2);
    expect(kept.slice(2)).not.to.include(false);
    texts.add('/tasks/long', { etag: '"1.0"', baseUrl, text: `${text}x` });
    expect(texts.of('/tasks/long', baseUrl)).to.equal(undefined);
  });

  it('make room as they are replaced', () => {
    const texts = new ResourceTexts();
    const text = 'x'.repeat(limits.resourceTextCharactersMax);
    texts.add('/tasks/a', { etag: '"1.0"', baseUrl, text });
    for (let at = 0; at < 1000; at++) texts.add('/tasks/b', { etag: `"${at}.0"`, baseUrl, text });
    expect(texts.of('/tasks/a', baseUrl)?.text).to.equal(text);
  });
});
