import { expect } from 'chai';

describe('The formats of texts', () => {
  it('accept no empty date-time in a process that has seen none, and none that differs from the last one [D2.violations]', async () => {
    const path = new URL('../../src/schema/keywords.ts?first', import.meta.url).href;
    const { formats } = (await import(path)) as typeof import('../../src/schema/keywords.ts');
    const isDateTime = formats['date-time'];
    expect(isDateTime('')).to.equal(false);
    for (const text of ['2026-02-28T10:00:00.000Z', '2026-02-28T10:00:00.000Z', '2026-02-28T10:00:00+01:00'])
      expect(isDateTime(text), text).to.equal(true);
    for (const text of ['', '2026-02-30T10:00:00.000Z', '2026-02-28', '2026-02-28T10:00:00.000'])
      expect(isDateTime(text), text).to.equal(false);
    expect(formats.date('2026-02-28')).to.equal(true);
    expect(formats.date('2026-02-30')).to.equal(false);
  });
});
