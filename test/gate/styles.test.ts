import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postcss from 'postcss';

const web = join(import.meta.dirname, '../../src/web');
const tokens = readFileSync(join(web, 'styles/tokens.css'), 'utf8');

/** The lengths of the breakpoints, which media queries cannot read as properties. */
const breakpoints = [...tokens.matchAll(/--(?:phone|tablet|laptop): (?<px>\d+px)/g)].map(
  ({ groups }) => groups!['px']!,
);

/** A scale has this many steps. */
const scales: Readonly<Record<string, readonly [pattern: RegExp, steps: number]>> = {
  type: [/^--text-\d$/, 5],
  weight: [/^--(?:regular|medium|bold)$/, 3],
  space: [/^--space-\d$/, 8],
  breakpoint: [/^--(?:phone|tablet|laptop)$/, 3],
};

/** The properties whose lengths and numbers come from a scale. */
const scaled =
  /^(?:font|font-size|font-weight|(?:scroll-)?(?:padding|margin)(?:-.*)?|(?:row-|column-)?gap|.*border-.*radius|border-radius)$/;

/** Paper is measured in points and millimetres, and what is round in per cent. */
const length = /(?<![\w.-])-?[\d.]+(?:px|r?em|ch|v[wh])\b/g;
const weight = /(?<![\w.-])\d{3}\b/;
/** As wide as a border. */
const hairline = /^-?1px$/;

/** The raw sizes of a style sheet, one per declaration or media query. */
function rawSizes(css: string): string[] {
  const found: string[] = [];
  postcss.parse(css).walk((node) => {
    if (node.type === 'decl') {
      const { prop, value } = node;
      const lengths = scaled.test(prop) ? (value.match(length) ?? []).filter((each) => !hairline.test(each)) : [];
      const isRaw =
        (prop === 'line-height' && value.includes('px')) || (/^font(?:-weight)?$/.test(prop) && weight.test(value));
      if (lengths.length > 0 || isRaw) found.push(String(node));
    } else if (node.type === 'atrule' && (node.name === 'media' || node.name === 'container')) {
      if ((node.params.match(/\d+px/g) ?? []).some((each) => !breakpoints.includes(each))) found.push(node.params);
    }
  });
  return found;
}

describe('The style sheets of the page', () => {
  it('take sizes of type, weights, spaces, corners and breakpoints from the scales [S.web.scales]', () => {
    const sheets = globSync('**/*.css', { cwd: web }).filter((path) => path !== join('styles', 'tokens.css'));
    expect(sheets).to.have.length.above(30);
    const found = sheets.flatMap((path) =>
      rawSizes(readFileSync(join(web, path), 'utf8')).map((each) => `${path}: ${each}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('have scales of five sizes, three weights, eight spaces and three breakpoints [S.web.scales]', () => {
    const names = new Set<string>();
    postcss.parse(tokens).walkDecls(({ prop }) => void names.add(prop));
    for (const [scale, [pattern, steps]] of Object.entries(scales))
      expect(
        [...names].filter((name) => pattern.test(name)),
        scale,
      ).to.have.length(steps);
  });

  for (const [css, expected] of [
    ['a { font-size: 13px }', 1],
    ['a { font: 600 13px/1.5 var(--font) }', 1],
    ['a { font-weight: 550 }', 1],
    ['a { padding: var(--space-2) 10px }', 1],
    ['a { margin-left: calc(2 * var(--depth) + 3px) }', 1],
    ['a { border-top-left-radius: .3em }', 1],
    ['a { line-height: 17px }', 1],
    ['@media (max-width: 700px) { a { gap: 1.5rem } }', 2],
    ['a { font: var(--bold) var(--text-3) / 1.5 var(--font); margin: 0 auto calc(-1 * var(--space-8)) -1px }', 0],
    ['a { width: 13px; line-height: 1.5; border-radius: 50% }', 0],
    ['@media print { a { font-size: 9pt } } @media (width > 640px) { a { padding: 0 } } @page { margin: 16mm }', 0],
  ] as const)
    it(`${expected === 0 ? 'may' : 'may not'} have \`${css}\` [S.web.scales]`, () => {
      expect(rawSizes(css)).to.have.length(expected);
    });
});
