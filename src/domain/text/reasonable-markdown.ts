/** The maximum nesting of quotes and lists. */
const depthMax = 100;
/** A parser takes microseconds for each line, also for blank ones: two million take a quarter of a minute. */
const linesMax = 60_000;
/** Characters that may begin an inline element: a parser takes up to 8 microseconds for each. */
const marksMax = 120_000;
/**
 * Marked searches runs of this many characters without a blank for an e-mail address at each mark, up to the end of the
 * run.
 */
const longRun = /\S{1000,}/g;
/** The maximum number of steps of all those lookaheads together. */
const lookaheadMax = 5_000_000;
/** The maximum number of brackets in a block that belong to no link. */
const looseBracketsMax = 1000;

const deep = new RegExp(`^(?:[ \\t]*(?:>|[-+*]|\\d{1,9}[.)])){${depthMax + 1}}`, 'm');
/** Matches deep lists over several lines, by indentation: an item is at least two columns deeper than its parent. */
const deeplyIndented = new RegExp(
  `^(?: {${2 * depthMax}}|(?: *\\t){${depthMax / 2}})[ \\t]*(?:[-+*]|\\d{1,9}[.)])[ \\t]`,
  'm',
);
/** A link, a reference, a definition or a checkbox. */
const bound = /\[[^[\]]*\](?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^[\]]+\])|^ {0,3}\[[^[\]]*\]:|\[[ xX]\](?=\s)/gm;

/**
 * Returns whether a parser takes linear time for a text. Some constructed texts take quadratic time: two megabytes of
 * them would block a thread for an hour.
 */
export function isReasonable(markdown: string): boolean {
  if (deep.test(markdown) || deeplyIndented.test(markdown) || linesIn(markdown) > linesMax) return false;
  if (marksIn(markdown) > marksMax || lookaheadOf(markdown) > lookaheadMax) return false;
  return markdown.split(/\n[ \t\r]*\n/).every((block) => {
    const brackets = block.split('[').length - 1;
    return brackets <= looseBracketsMax || brackets - (block.match(bound) ?? []).length <= looseBracketsMax;
  });
}

/** The number of occurrences of a character. */
function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** Markers of quotes and list items: micromark takes up to 60 microseconds for each. */
const markersMax = 15_000;
/** Nested list items: for each of them micromark moves the events of the whole text. */
const nestedItemsMax = 1500;

/** Quotes and lists after other lines: at the end of each, micromark searches the preceding events. */
const blocksMax = 2000;

/** Underlined headings: for each of them micromark searches the preceding events. */
const underlinesMax = 500;
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/gm;

/** Opening brackets: micromark takes up to 60 microseconds for each link, image and definition. */
const bracketsMax = 10_000;
/** Tabs and number signs: micromark creates a token for each number sign and two for each tab. */
const singlesMax = 600_000;

const markersOfLine = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)+/gm;

/** Returns whether micromark parses a text in about a second: it takes longer than Marked for lists and quotes. */
export function isReasonableForPlaces(markdown: string): boolean {
  if (!isReasonable(markdown) || (markdown.match(underline)?.length ?? 0) > underlinesMax) return false;
  if (countOf(markdown, '[') > bracketsMax) return false;
  if (countOf(markdown, '\t') + countOf(markdown, '#') > singlesMax) return false;
  let markers = 0;
  let nested = 0;
  let blocks = 0;
  let next = 0;
  for (const { 0: line, index } of markdown.matchAll(markersOfLine)) {
    if (index !== next) blocks++;
    next = markdown.indexOf('\n', index) + 1;
    const here = line.match(/[>\-+*]|\d[.)]/g)?.length ?? 0;
    markers += here;
    if (here > 1 || /^[ \t]{2}/.test(line)) nested++;
    if (markers > markersMax || nested > nestedItemsMax || blocks > blocksMax) return false;
  }
  return true;
}

function linesIn(text: string): number {
  return countOf(text, '\n') + countOf(text, '\r');
}

function marksIn(text: string): number {
  let count = 0;
  for (const mark of '<`\\&[]*_~!|') count += countOf(text, mark);
  return count;
}

function lookaheadOf(text: string): number {
  let steps = 0;
  for (const [run] of text.matchAll(longRun))
    steps += run.length * (run.match(/[\\<![`*~_|@:]|http|ftp|www/gi)?.length ?? 0);
  return steps;
}
