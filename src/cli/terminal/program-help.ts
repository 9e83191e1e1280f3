import type { Command } from 'commander';

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

/** The help of the program: the commands by group, on one screen. Hidden commands are for programs. */
export function programHelp(program: Command): string {
  const groups = Map.groupBy(
    program
      .createHelp()
      .visibleCommands(program)
      .filter((command) => command.name() !== 'help'),
    (command) => command.helpGroup(),
  );
  const width = Math.max(...[...groups.keys()].map(({ length }) => length)) + 2;
  const lines = [...groups].map(([heading, commands]) =>
    wrapped(
      heading.padEnd(width),
      commands.map((command) => command.name()),
    ),
  );
  return [
    program.description(),
    '\nUsage: planner <command> [options]',
    firstSteps,
    ...lines,
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
