/** A terminal has at least so many columns. */
const columns = 80;

/** The commands that most people want first. */
const firstSteps = `
  planner connect             begin a plan here, also for coding agents
  planner task add "Take payments"
  planner open                see it on the page
  planner run                 let a coding agent do it, until the gate is green
  planner next, claim, done   or do it yourself
`;

/** The help of the program: the names of the commands by group, on one screen. */
export function programHelp(
  description: string,
  groups: readonly (readonly [heading: string, names: readonly string[]])[],
): string {
  const width = Math.max(...groups.map(([heading]) => heading.length)) + 2;
  return [
    description,
    '\nUsage: planner <command> [options]',
    firstSteps,
    ...groups.map(([heading, names]) => wrapped(heading.padEnd(width), names)),
    '\nAfter a command, --help shows its options and examples; --json prints JSON.',
    'Records are named by id, its end, a label, or a part of that.',
    'Exit codes: 0 success, 1 failure or no, 2 invalid usage, 3 partial import.',
    '',
  ].join('\n');
}

/** Words after a heading, on lines that fit a terminal. */
export function wrapped(heading: string, words: readonly string[]): string {
  const lines = [heading];
  for (const word of words) {
    if (lines.at(-1)!.length + 1 + word.length > columns) lines.push(' '.repeat(heading.length));
    const line = lines.pop()!;
    lines.push(line === '' ? word : `${line} ${word}`);
  }
  return lines.join('\n');
}
