import { expect } from 'chai';
import { join } from 'node:path';
import { requirements, sections } from '../requirements.ts';
import type { Requirement } from '../requirements.ts';
import { citationsBelow, citationsIn } from './citations.ts';

const root = join(import.meta.dirname, '../..');

/** Requirements as a readable list: section by section, one per line. */
function tidy(missing: readonly Requirement[]): string {
  const bySection = Map.groupBy(missing, ({ section }) => section);
  const parts = [...bySection].map(([section, rules]) =>
    [section, ...rules.map(({ id, text }) => `    ${id.padEnd(26)} ${text}`)].join('\n  '),
  );
  return parts.join('\n  ');
}

describe('Requirements', () => {
  const citations = citationsBelow(join(root, 'test'), root);
  const counts = Map.groupBy(requirements, ({ scope }) => scope);

  it('have unique ids', () => {
    const repeated = [...Map.groupBy(requirements, ({ id }) => id)].filter(([, { length }]) => length > 1);
    expect(repeated.map(([id]) => id)).to.deep.equal([]);
    expect([...Map.groupBy(sections, ({ title }) => title)].filter(([, { length }]) => length > 1)).to.deep.equal([]);
  });

  it('are the only ids that tests cite', () => {
    const known = new Set(requirements.map(({ id }) => id));
    const unknown = citations.filter(({ id }) => !known.has(id)).map(({ id, at }) => `${at} cites ${id}`);
    expect(unknown, 'ids that are not in test/requirements').to.deep.equal([]);
  });

  it(`are each cited by a test, except ${counts.get('later')?.length ?? 0} that are not built yet`, () => {
    const held = new Set(citations.map(({ id }) => id));
    const missing = (counts.get('now') ?? []).filter(({ id }) => !held.has(id));
    if (missing.length > 0) expect.fail(`${missing.length} requirements that no test cites\n\n  ${tidy(missing)}\n`);
  });
});

describe('A citation', () => {
  const read = (text: string): string[] => citationsIn('x.test.ts', text).map(({ id, at }) => `${id} ${at}`);

  it('is one id or several in brackets at the end of a title', () => {
    expect(read("describe('a', () => {\n  it('b [D3.claim]', f);\n});")).to.deep.equal(['D3.claim x.test.ts:2']);
    expect(read("it('b [D3.claim, S.rest.GET /projects/:id]', f)")).to.deep.equal([
      'D3.claim x.test.ts:1',
      'S.rest.GET /projects/:id x.test.ts:1',
    ]);
  });

  it('may be in a title passed to a helper, and after something computed', () => {
    expect(read("overBoth('b [A.layers]', f)")).to.deep.equal(['A.layers x.test.ts:1']);
    expect(read('it(`over ${transport} [A.layers]`, f)')).to.deep.equal(['A.layers x.test.ts:1']);
  });

  it('may not be computed itself, because titles are read without running the test', () => {
    expect(() => read('it(`b [${id}]`, f)')).to.throw('x.test.ts:1 cites something computed');
  });

  it('is not any bracket, and not one in a comment or in the middle of a title', () => {
    expect(read("it('answers [1, 2]', f); // it('x [A.layers]')\nit('[A.layers] b', f);")).to.deep.equal([]);
  });
});
