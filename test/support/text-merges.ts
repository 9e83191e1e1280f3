/** A three-way merge of a text, and its expected result. */
export interface TextMerge {
  readonly what: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** The merged text; for a conflict the one with each side's lines where they are disputed. */
  readonly merged: string | { readonly ours: string; readonly theirs: string };
}

const sentence = 'The beds dry out in July.';

/** Merges that every part of the program does alike: the store with files, git's merge driver, the drafts of the page. */
export const textMerges: readonly TextMerge[] = [
  {
    what: 'different lines',
    ...{ base: 'one\ntwo\nthree\nfour\n', ours: 'ONE\ntwo\nthree\nfour\n', theirs: 'one\ntwo\nthree\nFOUR\nfive\n' },
    merged: 'ONE\ntwo\nthree\nFOUR\nfive\n',
  },
  {
    what: 'neighbouring lines',
    ...{ base: 'one\ntwo\nthree\n', ours: 'ONE\ntwo\nthree\n', theirs: 'one\nTWO\nthree\n' },
    merged: 'ONE\nTWO\nthree\n',
  },
  {
    what: 'a removed line beside a changed one',
    ...{ base: 'one\ntwo\nthree', ours: 'one\nTWO\nthree', theirs: 'two\nthree' },
    merged: 'TWO\nthree',
  },
  {
    what: 'different words of a line',
    ...{ base: sentence, ours: 'The beds dry out in May.', theirs: 'The beds never dry out in July.' },
    merged: 'The beds never dry out in May.',
  },
  {
    what: 'a new line after a line whose first word was changed',
    ...{ base: `${sentence}\n`, ours: `${sentence}\nWater them.\n`, theirs: 'Both beds dry out in July.\n' },
    merged: 'Both beds dry out in July.\nWater them.\n',
  },
  {
    what: 'a tick and a change of the words beside it',
    ...{ base: '- [ ] Water the beds', ours: '- [x] Water the beds', theirs: '- [ ] Water the new beds' },
    merged: '- [x] Water the new beds',
  },
  {
    what: 'clauses of a script without spaces',
    ...{ base: '七月很热，花坛干了。', ours: '五月很热，花坛干了。', theirs: '七月很热，菜园干了。' },
    merged: '五月很热，菜园干了。',
  },
  {
    what: 'the same change, beside one of either side',
    ...{ base: 'a\n-\nb\n-\nc', ours: 'a\n-\nX\n-\nC', theirs: 'A\n-\nX\n-\nc' },
    merged: 'A\n-\nX\n-\nC',
  },
  {
    what: 'Windows line endings',
    ...{ base: 'a b c\r\nd', ours: 'A b c\r\nd', theirs: 'a b C\r\nd\r\ne' },
    merged: 'A b C\r\nd\r\ne',
  },
  {
    what: 'the same words',
    ...{ base: sentence, ours: 'The beds dry out in May.', theirs: 'The beds dry out in June.' },
    merged: { ours: 'The beds dry out in May.', theirs: 'The beds dry out in June.' },
  },
  {
    what: 'neighbouring words, whose lines stay whole',
    ...{ base: `${sentence}\n`, ours: 'All beds dry out in May.\n', theirs: 'The beds dry out by July.\n' },
    merged: { ours: 'All beds dry out in May.\n', theirs: 'The beds dry out by July.\n' },
  },
  {
    what: 'two parts of one date',
    ...{ base: 'until 2026-01-31', ours: 'until 2026-02-31', theirs: 'until 2026-01-15' },
    merged: { ours: 'until 2026-02-31', theirs: 'until 2026-01-15' },
  },
  {
    what: 'a line that one side changed and the other removed',
    ...{ base: 'one\ntwo\nthree', ours: 'one\nthree', theirs: 'one\nTWO\nthree' },
    merged: { ours: 'one\nthree', theirs: 'one\nTWO\nthree' },
  },
  {
    what: 'two insertions at one place',
    ...{ base: 'one\ntwo', ours: 'one\nmine\ntwo', theirs: 'one\ntheirs\ntwo' },
    merged: { ours: 'one\nmine\ntwo', theirs: 'one\ntheirs\ntwo' },
  },
  {
    what: 'an insertion beside a changed line',
    ...{ base: 'one\ntwo', ours: 'one\nmine\ntwo', theirs: 'ONE\ntwo' },
    merged: { ours: 'one\nmine\ntwo', theirs: 'ONE\ntwo' },
  },
  {
    what: 'a disputed line beside lines that merge',
    ...{ base: '1\n2\n3\n4\n5', ours: 'one\n2\nthree\n4\n5', theirs: '1\n2\nTHREE\n4\nfive' },
    merged: { ours: 'one\n2\nthree\n4\nfive', theirs: 'one\n2\nTHREE\n4\nfive' },
  },
  {
    what: 'an empty text that both wrote',
    ...{ base: '', ours: 'mine\n', theirs: 'theirs\n' },
    merged: { ours: 'mine\n', theirs: 'theirs\n' },
  },
  { what: 'an emptied text', ...{ base: 'one\ntwo', ours: '', theirs: 'one\ntwo' }, merged: '' },
];
