import { expect } from 'chai';
import { controlCharacterIn, printable, printableLine } from '../src/base/printable.ts';

describe('Control characters', () => {
  it('are found in a one-line text, the first of them by its code point [A.hostile.one-line]', () => {
    for (const [text, found] of [
      ['', undefined],
      ['a\tb é 👨‍👩‍👧 \u200f', undefined],
      ['a\n\0', 'U+000A'],
      ['\u009b', 'U+009B'],
      ['a\u2028', 'U+2028'],
      ['\u2029', 'U+2029'],
      ['\u202a', 'U+202A'],
      ['\u2069', 'U+2069'],
    ] as const)
      expect(controlCharacterIn(text), JSON.stringify(text)).to.equal(found);
  });

  it('are escaped in a text for a terminal, each separately, lone surrogates included [A.hostile.terminal]', () => {
    expect(printable('\u001b[0m\u001b\u009b\u{e0041}a\u0007')).to.equal(
      '\\u001b[0m\\u001b\\u009b\\udb40\\udc41a\\u0007',
    );
    expect(printable('a\nb\r\nc\td\re\r')).to.equal('a\nb\r\nc\td\\u000de\r');
    expect(printable('🏴󠁧󠁢󠁥󠁮󠁧󠁿\u{e007f}')).to.equal('🏴󠁧󠁢󠁥󠁮󠁧󠁿\\udb40\\udc7f');
  });

  it('are escaped in one line together with its line feeds [A.hostile.terminal]', () => {
    expect(printableLine('a\nb\r\nc\n\u001b')).to.equal('a\\u000ab\\u000d\\u000ac\\u000a\\u001b');
  });
});
