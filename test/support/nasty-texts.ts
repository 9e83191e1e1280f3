import type { Random } from './random.ts';

/** The seed of tests that make up their input: PLANNER_TEST_SEED, else one of the moment. Their titles name it. */
export const seed = Number(process.env['PLANNER_TEST_SEED'] ?? Date.now()) >>> 0;

/** Texts that formats like to read as something else. */
export const nastyTexts: readonly string[] = [
  ...[
    '',
    ' ',
    'a',
    ' a',
    'a ',
    '\ta',
    'a\t',
    'a\tb',
    '-',
    '--',
    '---',
    '--- a',
    '...',
    '... a',
    '-a',
    '- a',
    '-\ta',
    '?',
    '? a',
    '?a',
    ':',
    ':a',
  ],
  ...[
    ': a',
    'a:',
    'a: b',
    'a:b',
    'a :b',
    'a#b',
    'a #b',
    '#a',
    'a ',
    '&a',
    '*a',
    '!a',
    '!!str a',
    '|',
    '|-',
    '>',
    '> a',
    '%a',
    '%YAML 1.2',
    '@a',
    '`a',
  ],
  ...[
    "'",
    '"',
    "''",
    '""',
    "'a'",
    '"a"',
    "it's",
    "it''s",
    'say "hi"',
    `both ' and "`,
    '\\',
    'a\\',
    '\\n',
    '"\\"',
    'a\\b"c',
  ],
  ...[
    '[',
    ']',
    '{',
    '}',
    '[]',
    '{}',
    '[a',
    'a]',
    '{a',
    'a}',
    'a,b',
    'a, b',
    ',',
    '{a: b}',
    '[a, b]',
    '[WIP] fix',
    'http://x.y/z?a=b#c',
    'a::b',
    '::',
  ],
  ...[
    'null',
    'Null',
    'NULL',
    '~',
    'nUll',
    'true',
    'True',
    'TRUE',
    'false',
    'yes',
    'no',
    'on',
    'off',
    'y',
    'n',
    '<<',
    '=',
  ],
  ...[
    '0',
    '-0',
    '+1',
    '2026',
    '1.0',
    '1.',
    '.5',
    '-.5',
    '1e5',
    '1E5',
    '1e+5',
    '.e5',
    '0x1F',
    '0xg',
    '0o17',
    '0o8',
    '08',
    '1_000',
    '12:30',
    '1.2.3',
  ],
  ...[
    '.inf',
    '-.INF',
    '.nan',
    '.NaN',
    'nan',
    'Infinity',
    '2026-01-02',
    '2026-01-02T03:04:05.678Z',
    '9007199254740993',
    '123abc',
    '.',
    '+',
    '-1-',
    '1e',
    '0x',
  ],
  ...[
    'a\nb',
    'a\n',
    '\na',
    '\n',
    '\n\n',
    'a\n\n\nb',
    'a\n b',
    ' a\nb',
    'a\nb\n',
    'a\nb\n\n',
    'a\n\tb',
    'a\n  \nb',
    'a \nb ',
    'a\r\nb',
    'a\rb',
    '\r',
    'a\n\r',
  ],
  ...[
    'a\n---\nb',
    '---\na: b\n---\n',
    'a\n...\nb',
    '# a\n# b',
    'a\n#b',
    'a:\nb:',
    '- a\n- b',
    `a${'\n'.repeat(200)}b`,
    'a\n'.repeat(100),
  ],
  ...[
    '\0',
    '\x07',
    '\x1b[31m',
    '\x7f',
    '\x85',
    '\x9f',
    '\u00a0',
    '\u00a0a',
    'a\u00a0',
    '\u2028',
    'a\u2029b',
    '\ufeff',
    'a\ufeff',
    '\ufffe',
    '\uffff',
  ],
  ...['é', 'e\u0301', 'ß', '日本語', '🙂', '👨‍👩‍👧', '\u202eabc', 'a\u200db', '\ud83d', 'a\udc00b', '\u{10ffff}'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'id',
    'id: x',
    '<<<<<<< HEAD',
    '=======',
    '>>>>>>> theirs',
    '<!-- a -->',
    '<script>',
    '${a}',
    '{{a}}',
  ],
  ...['x'.repeat(2000), 'long words '.repeat(30), ' '.repeat(600) + 'x', `x${' '.repeat(600)}y`],
];

/** The text as one line may have it: characters that are refused there become blanks. */
export function oneLine(text: string): string {
  return text.replace(/[[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]--\t]/gv, ' ');
}

const pieces = [
  ...'abcXYZ019 \t\n\r-:?#,[]{}&*!|>\'"%@`~.<=_/\\',
  '\r\n',
  ': ',
  ' #',
  '- ',
  '---',
  '\n---\n',
  '\n\n',
  'é',
  '🙂',
  '\u2028',
  '\0',
  '\ufeff',
  'null',
  '1e3',
];

/** A text of pieces that formats give a meaning, or one of the nasty ones. */
export function nastyText(random: Random): string {
  if (random.chance(0.25)) return random.pick(nastyTexts);
  let text = '';
  for (let left = random.integer(0, 12); left > 0; left--) text += random.pick(pieces);
  return text;
}

/** A body: several nasty texts, and often line endings of one kind at the end. */
export function nastyBody(random: Random): string {
  let text = random.chance(0.2)
    ? random.pick(['---\n', '---\nid: x\n---\n', '\n', '\r\n', '\ufeff', '# Title\n', '```\n'])
    : '';
  for (let left = random.integer(0, 8); left > 0; left--)
    text += nastyText(random) + random.pick(['', '\n', '\r\n', '\n\n', ' ']);
  return text.toWellFormed();
}

/** A plain JSON value. */
export function nastyJson(random: Random, depth = 3): unknown {
  const kind = random.integer(0, depth === 0 ? 5 : 7);
  if (kind <= 2) return nastyText(random);
  if (kind === 3)
    return random.pick([
      0,
      1,
      -1,
      0.1,
      -2.5,
      1e21,
      1e-7,
      2 ** 53,
      -(2 ** 63),
      123456789,
      Number.MAX_VALUE,
      Number.MIN_VALUE,
    ]);
  if (kind === 4) return random.pick([true, false]);
  if (kind === 5) return null;
  const length = random.integer(0, 4);
  if (kind === 6) return Array.from({ length }, () => nastyJson(random, depth - 1));
  return Object.fromEntries(Array.from({ length }, () => [nastyText(random), nastyJson(random, depth - 1)]));
}
