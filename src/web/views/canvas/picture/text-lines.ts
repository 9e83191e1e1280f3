/** The width of a text, in units of the picture. */
export type Measure = (text: string) => number;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text in at most `most` lines of a width, broken between words; words that are longer than a line are broken within. The rest is an ellipsis. */
export function linesOf(text: string, width: number, most: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = '';
  const words = text.split(/\s+/).filter((word) => word !== '');
  for (let at = 0; at < words.length; at++) {
    const joined = line === '' ? words[at]! : `${line} ${words[at]!}`;
    if (measure(joined) <= width) {
      line = joined;
      continue;
    }
    if (lines.length === most - 1)
      return [...lines, shortened([line, ...words.slice(at)].join(' ').trim(), width, measure)];
    if (line !== '') {
      lines.push(line);
      line = '';
      at--;
      continue;
    }
    const head = headOf(words[at]!, width, measure);
    lines.push(head);
    words[at] = words[at]!.slice(head.length);
    at--;
  }
  return line === '' ? lines : [...lines, line];
}

/** A text in one line of a width: an ellipsis replaces the part that does not fit. */
export function shortened(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  return `${headOf(text, width - measure('…'), measure).trimEnd()}…`;
}

/** The longest beginning that fits, of whole graphemes; at least one of them. */
function headOf(text: string, width: number, measure: Measure): string {
  const ends = [...graphemes.segment(text)].map(({ index, segment }) => index + segment.length);
  let [low, high] = [1, ends.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(text.slice(0, ends[middle - 1])) <= width) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, ends[low - 1]);
}
