/** Scripts that write words without spaces between them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const word = /[\p{L}\p{N}]+/gu;

/** A text normalised for search: without case, accents and variants of letters. */
export function foldText(text: string): string {
  // Most titles are ASCII: they need no decomposition.
  // eslint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** The words of a text, folded, each once, in the text's order. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [run] of foldText(text).matchAll(word)) {
    if (!unspaced.test(run)) words.add(run);
    else for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike !== false) words.add(segment);
  }
  return words;
}
