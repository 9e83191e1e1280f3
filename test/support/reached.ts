/** Notes the extent that a test has reached: `kill points: 1,240 (seed 17)`. */
const lines: string[] = [];

/**
 * Keeps a figure for the end of the run, when the reporter prints them: kills survived, random operations, merges without a
 * conflict. The README's section on reliability quotes what `npm run test:long` says there.
 */
export function reached(what: string, figure: number | string): void {
  lines.push(`${what}: ${typeof figure === 'number' ? figure.toLocaleString('en-US') : figure}`);
}

/** The figures so far, in the order of the tests. */
export function figuresReached(): readonly string[] {
  return lines;
}
