import { expect } from 'chai';
import { isReasonable, isReasonableForPlaces } from '../../src/domain/text/reasonable-markdown.ts';

/** A text that is at a limit, and the same with a little more. */
type Limit = readonly [most: string, over: string];

const repeated = (unit: string, most: number): Limit => [unit.repeat(most), unit.repeat(most + 1)];
const links = '[a](b) '.repeat(1001);

/** So many characters without a blank of which so many are marks. */
const run = (length: number, marks: string): string => marks + 'a'.repeat(length - marks.length);

const limitsOfAll: Readonly<Record<string, Limit>> = {
  'quotes within each other': repeated('>', 100),
  'lists within each other': [`a\n${'1. - '.repeat(50)}`, `a\n${'1. - '.repeat(50)}+`],
  'lists within each other, by blanks': [`${' '.repeat(199)}- a`, `${' '.repeat(200)}- a`],
  'lists within each other, by tabs': [`${'\t'.repeat(49)}1. a`, `${'\t'.repeat(50)}1. a`],
  lines: repeated('\n', 60_000),
  'lines that end with carriage returns': repeated('\r', 60_000),
  'lines of both kinds': ['\n\r'.repeat(30_000), '\n\r'.repeat(30_000) + '\r'],
  marks: repeated('\\ ', 120_000),
  'the length of a run times its marks': [run(5000, '@'.repeat(1000)), run(5001, '@'.repeat(1000))],
  'the length of a run times its protocols': [run(5000, 'HTTP'.repeat(1000)), run(5001, 'HTTP'.repeat(1000))],
  'the lengths of runs times their marks': [
    `${run(2500, '|'.repeat(1000))} ${run(2500, '|'.repeat(1000))}`,
    `${run(2500, '|'.repeat(1000))} ${run(2501, '|'.repeat(1000))}`,
  ],
  'loose brackets': repeated('[ ', 1000),
  'loose brackets behind another block': [`[ \n \t\r\n${'[ '.repeat(1000)}`, `[ \n\n${'[ '.repeat(1001)}`],
  'loose brackets beside links': [links + '[ '.repeat(1000), links + '[ '.repeat(1001)],
};

const limitsOfPlaces: Readonly<Record<string, Limit>> = {
  'underlined headings': repeated('a\n=\n', 500),
  'headings underlined with dashes': repeated('a\n  -- \t\n', 500),
  brackets: repeated('[a](b)\n\n', 10_000),
  'tabs and number signs': ['\t#'.repeat(300_000), `${'\t#'.repeat(300_000)}#`],
  markers: repeated('- a\n', 15_000),
  'numbered markers': repeated('1) a\n', 15_000),
  'items within others': repeated('- - a\n', 1500),
  'items that are indented': repeated('  - a\n', 1500),
  'lists and quotes behind other lines': repeated('a\n> b\n', 2000),
};

/** Texts within the limits that resemble those beyond them. */
const harmless: Readonly<Record<string, string>> = {
  'lines with an equals sign at the end': 'a =\n'.repeat(501),
  'lines with an equals sign at the beginning': '=a\n'.repeat(501),
  'hyphens within lines': 'a - b\n'.repeat(15_001),
  'items behind a blank': ' - a\n'.repeat(1501),
  'items whose text is indented': '-   a\n'.repeat(1501),
  'many runs that are short': `${run(999, '@'.repeat(900))} `.repeat(10),
};

describe('A text that parsers read in bounded time [A.hostile.patterns]', () => {
  for (const [what, [most, over]] of Object.entries(limitsOfAll))
    it(`has a limited number: ${what}`, () => {
      expect([isReasonable(most), isReasonable(over)]).to.deep.equal([true, false]);
      expect(isReasonableForPlaces(over)).to.equal(false);
    });

  for (const [what, [most, over]] of Object.entries(limitsOfPlaces))
    it(`has a limited number if its URLs are searched: ${what}`, () => {
      expect([isReasonableForPlaces(most), isReasonableForPlaces(over)]).to.deep.equal([true, false]);
      expect(isReasonable(over)).to.equal(true);
    });

  for (const [what, text] of Object.entries(harmless))
    it(`has no limit: ${what}`, () => expect(isReasonableForPlaces(text)).to.equal(true));

  it('has marks of every kind counted together', () => {
    const most = '\\ '.repeat(120_000);
    for (const mark of '<`\\&[]*_~!|') expect(isReasonable(most + mark), mark).to.equal(false);
  });
});
