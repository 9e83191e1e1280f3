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
 * The offset of a git conflict: of a line `<<<<<<< ` that is followed by a line `=======` and one `>>>>>>> `; -1 for
 * none. A line of seven equals signs alone underlines a heading.
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
