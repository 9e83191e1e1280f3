/** The offset of the next line that begins with `mark`, or -1. */
function lineBeginning(text: string, mark: string, from: number): number {
  for (let at = text.indexOf(mark, from); at !== -1; at = text.indexOf(mark, at + 1)) {
    if (at === 0 || text.charAt(at - 1) === '\n') return at;
  }
  return -1;
}

function separator(text: string, from: number): number {
  for (let at = lineBeginning(text, '=======', from); at !== -1; at = lineBeginning(text, '=======', at + 1)) {
    const next = text.charAt(at + 7);
    if (next === '\n' || next === '\r') return at;
  }
  return -1;
}

/**
 * The offset of a git conflict: of a line `<<<<<<< ` that is followed by a line `=======` and one `>>>>>>> `, or -1. A
 * line of seven equals signs alone underlines a heading.
 */
export function conflictOffset(text: string): number {
  const ours = lineBeginning(text, '<<<<<<< ', 0);
  if (ours === -1) return -1;
  const middle = separator(text, ours);
  return middle !== -1 && lineBeginning(text, '>>>>>>> ', middle) !== -1 ? ours : -1;
}

/**
 * The number of lines that look like the first or last line of a conflict, if a text contains a complete conflict; else
 * 0. Its file states this number, which distinguishes a body that explains conflicts from one that has them.
 */
export function markerLines(text: string): number {
  if (conflictOffset(text) === -1) return 0;
  let count = 0;
  for (const mark of ['<<<<<<< ', '>>>>>>> ']) {
    for (let at = lineBeginning(text, mark, 0); at !== -1; at = lineBeginning(text, mark, at + 1)) count++;
  }
  return count;
}

/** The lines of a git conflict, from 1: those of its first and last marker. */
export interface ConflictBlock {
  readonly from: number;
  readonly to: number;
}

/**
 * Every conflict of a text: of each line `<<<<<<< `, `=======` and `>>>>>>> ` in this order. Takes linear time.
 * `linesBefore`: the number of lines of the file before this text.
 */
export function conflictBlocks(text: string, linesBefore = 0): ConflictBlock[] {
  const blocks: ConflictBlock[] = [];
  let from = 0;
  let isDivided = false;
  let line = linesBefore;
  for (let at = 0; at <= text.length; at = endOfLine(text, at) + 1) {
    line++;
    if (text.startsWith('<<<<<<< ', at)) {
      from = line;
      isDivided = false;
    } else if (from > 0 && !isDivided) isDivided = /=======\r?(?:\n|$)/y.test(text.slice(at, at + 9));
    else if (from > 0 && text.startsWith('>>>>>>> ', at)) {
      blocks.push({ from, to: line });
      from = 0;
    }
  }
  return blocks;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The beginning of the reason why a file with conflicts is unreadable. */
export const conflictTitle = 'Conflict markers of git';

/** More blocks than this are counted. */
const blocksListedMax = 10;

/** The problem of a text with conflicts, with the lines of each, and the remedy; undefined without conflicts. */
export function conflictMessage(text: string, linesBefore = 0): string | undefined {
  if (conflictOffset(text) === -1) return undefined;
  const blocks = conflictBlocks(text, linesBefore);
  const listed = blocks.slice(0, blocksListedMax).map(({ from, to }) => `${from}-${to}`);
  const others = blocks.length - listed.length;
  const lines = `${listed.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  const place = blocks.length === 0 ? '' : ` in lines ${lines}`;
  return `${conflictTitle}${place}: resolve the conflict${blocks.length > 1 ? 's' : ''} first: merge the two versions and remove the markers.`;
}
