import { Command, CommanderError, Help, Option } from 'commander';
import { PlannerError } from '../base/errors.ts';
import { errorJson, errorText, forPeople, isUsage, usageJson } from './terminal/error-lines.ts';
import { exitCodes, withCommonOptions } from './call/command-line.ts';
import type { ProgramDeps } from './call/program-deps.ts';
import { commandGroups, visibleNames } from './command-groups.ts';
import { programHelp } from './terminal/program-help.ts';
import { withOtherWord } from './terminal/other-words.ts';

/** The `planner` command, with all commands, or those of the module of one. Its actions throw `PlannerError` for errors that the user can correct; commander throws for usage errors. */
export async function program(
  deps: ProgramDeps,
  { json = false, only }: { readonly json?: boolean; readonly only?: string | undefined } = {},
): Promise<Command> {
  const command = withCommonOptions(new Command('planner'))
    .configureOutput({
      writeOut: (text) => deps.print(text.replace(/\n$/, '')),
      // With --json, `runProgram` prints usage errors.
      writeErr: (text) => (json ? undefined : deps.remark(text.replace(/\n$/, ''))),
      outputError: (text, write) => write(withOtherWord(text)),
    })
    .description('A plan that people and software agents share, as files beside your code.')
    .version(deps.version)
    .addOption(new Option('-v', 'print the version').hideHelp())
    .on('option:v', () => printVersion(deps))
    .showHelpAfterError('(run planner --help, or --help after a command, for usage)')
    .exitOverride();
  command.configureHelp({
    formatHelp: (shown, helper) =>
      shown === command ? programHelp(command.description(), visibleNames()) : plainHelp(shown, helper),
  });
  for (const [group, modules] of Object.entries(commandGroups)) {
    command.commandsGroup(group);
    for (const [names, load] of Object.entries(modules))
      if (only === undefined || names.split(' ').includes(only)) (await load())(deps, command);
  }
  return command;
}

/** Command lines about the program itself. */
const aboutProgram: ReadonlySet<string> = new Set(['', 'help', '-h', '--help', '-v', '-V', '--version']);

/** The command that a command line needs: none is empty; undefined is all, of a name that no command has. */
function neededBy(argv: readonly string[]): string | undefined {
  if (argv.length <= 1 && aboutProgram.has(argv[0] ?? '')) return '';
  const [first, second] = withCommonOptions(new Command()).parseOptions([...argv]).operands;
  const word = first === 'help' ? second : first;
  const names = Object.values(commandGroups).flatMap((modules) => Object.keys(modules).join(' ').split(' '));
  // The script for a shell has the names and options of all.
  return word === 'completion' ? undefined : names.find((name) => name === word);
}

/** The short option that many programs have; commander's own is -V. */
function printVersion(deps: ProgramDeps): never {
  deps.print(deps.version);
  throw new CommanderError(exitCodes.done, 'commander.version', deps.version);
}

const plainHelp = (command: Command, helper: Help): string => Help.prototype.formatHelp.call(helper, command, helper);

/** `help task add` as `task add --help`. The word of an unknown command is left alone: that is an error. */
function helpOf(whole: Command, words: readonly string[]): string[] {
  let at: Command | undefined = whole;
  const known: string[] = [];
  for (const word of words) {
    at = at?.commands.find((command) => command.name() === word);
    if (at !== undefined) known.push(word);
  }
  return known.length === 0 && words.length > 0 ? [...words.slice(0, 1)] : [...known, '--help'];
}

/** Runs one command line. Resolves with the exit code. */
export async function runProgram(
  deps: Omit<ProgramDeps, 'exitWith' | 'notice'>,
  argv: readonly string[],
  printError: (line: string) => void,
): Promise<number> {
  const json = argv.includes('--json');
  let exitCode: number = exitCodes.done;
  const isQuiet = argv.includes('-q') || argv.includes('--quiet');
  const notice = isQuiet ? (): void => undefined : deps.remark;
  const parts = { ...deps, json, notice, exitWith: (code: number) => (exitCode = code) };
  const command = await program(parts, { json, only: neededBy(argv) });
  if (argv.length === 0) {
    command.outputHelp();
    return exitCodes.done;
  }
  try {
    await command.parseAsync(argv[0] === 'help' ? helpOf(command, argv.slice(1)) : [...argv], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // Without --json, commander has printed the error already.
      if (json && thrown.exitCode !== 0) printError(JSON.stringify(usageJson(thrown)));
      return thrown.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    const error = forPeople(thrown, deps.disk);
    if (error === undefined) throw thrown;
    printError(json ? JSON.stringify(errorJson(error)) : errorText(error));
    return exitCodeOf(error);
  }
}

/** The exit code of a command that failed: the one that it chose, else whether it was called wrongly. */
function exitCodeOf(error: Error): number {
  const chosen = error instanceof PlannerError ? error.details['exit'] : undefined;
  if (typeof chosen === 'number') return chosen;
  return isUsage(error) ? exitCodes.usage : exitCodes.failure;
}
