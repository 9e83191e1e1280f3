import type { Command } from 'commander';
import { printable, printableLine } from '../printable.ts';
import { PlannerError } from '../errors.ts';
import type { ProgramDeps } from './program-deps.ts';
import { withTarget } from './cli-target.ts';
import type { CliTarget, TargetOptions } from './cli-target.ts';

/** What every command takes. */
export interface CommonOptions {
  readonly root?: string;
  readonly json?: boolean;
}

/** How a command is called and what it says of itself. */
export interface CommandSpec {
  /** The name and its arguments, as commander reads them: `claim [task]`. */
  readonly usage: string;
  readonly description: string;
  /** What its group does where no subcommand is named. */
  readonly isDefault?: boolean;
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  /** Adds the command's own options. */
  readonly options?: (command: Command) => Command;
}

/** The command line is wrong: exit code 2. `field` is the option or argument as it was meant to be given. */
export function usageError(field: string, message: string): PlannerError {
  return new PlannerError('invalid_argument', message, { field, usage: true });
}

/** Exit codes. `no` is an out, not an accident: nothing to do, not claimed, problems found. */
export const exitCodes = { done: 0, failure: 1, no: 1, usage: 2 } as const;

/** A text of several lines, such as a document's body: its own line feeds stay. */
export interface TextBlock {
  readonly block: string;
}

/** What people read of an answer: text is one line, whatever a title or a name in it holds. */
export type ShownLine = string | TextBlock;

/** An answer as it goes out: JSON, or lines for people. */
export class CommandOutput {
  readonly json: boolean;
  readonly #deps: ProgramDeps;

  constructor(deps: ProgramDeps, json: boolean) {
    this.#deps = deps;
    this.json = json;
  }

  /** The one answer of a command. */
  print(value: unknown, lines: ShownLine | readonly ShownLine[]): void {
    if (this.json) return this.#deps.print(printableLine(JSON.stringify(value)));
    const shown = (isList(lines) ? lines : [lines]).map((line) =>
      typeof line === 'string' ? printableLine(line) : printable(line.block),
    );
    if (shown.length > 0) this.#deps.print(shown.join('\n'));
  }

  /** The same, where the answer is no. */
  printNo(value: unknown, lines: ShownLine | readonly ShownLine[]): void {
    this.print(value, lines);
    this.#deps.exitWith(exitCodes.no);
  }
}

function isList(lines: ShownLine | readonly ShownLine[]): lines is readonly ShownLine[] {
  return Array.isArray(lines);
}

/** A command with its own options and those that every command takes. `run` gets the arguments as they were given. */
export function addCommand<O>(
  deps: ProgramDeps,
  parent: Command,
  spec: CommandSpec,
  run: (given: readonly string[], options: O & CommonOptions, out: CommandOutput) => Promise<void>,
): Command {
  const command = parent.command(spec.usage, { isDefault: spec.isDefault === true }).description(spec.description);
  spec.options?.(command);
  return withCommonOptions(command)
    .addHelpText('after', ['\nExamples:', ...spec.examples.map((line) => `  $ planner ${line}`)].join('\n'))
    .action(async (...args: unknown[]) => {
      const self = args.at(-1) as Command;
      const options = self.optsWithGlobals<O & CommonOptions>();
      const given = self.processedArgs as (string | undefined)[];
      await run(given as readonly string[], options, new CommandOutput(deps, options.json === true));
    });
}

/** `--root` and `--json`, which stand before the command's name too. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--root <directory>', 'the directory that holds .planner (default: PLANNER_ROOT, else the nearest upwards)')
    .option('--json', 'print JSON, errors too');
}

export interface PlanCommandSpec<O> extends CommandSpec {
  /** How the plan is opened. */
  readonly target?: (options: O) => TargetOptions;
}

/** A command that works on a plan. */
export function addPlanCommand<O>(
  deps: ProgramDeps,
  parent: Command,
  spec: PlanCommandSpec<O>,
  run: (given: readonly string[], options: O & CommonOptions, out: CommandOutput, target: CliTarget) => Promise<void>,
): Command {
  return addCommand<O>(deps, parent, spec, (given, options, out) =>
    withTarget(deps, options.root, (target) => run(given, options, out, target), spec.target?.(options)),
  );
}

/** For options that may be given several times. */
export function collect(value: string, former: readonly string[] = []): readonly string[] {
  return [...former, value];
}

/** A text that an option gives, or all of standard input for `-`. */
export async function textOf(deps: ProgramDeps, given: string | undefined): Promise<string | undefined> {
  return given === '-' ? (await deps.input()).replace(/\n$/, '') : given;
}

/** A whole number that an option gives. */
export function numberOf(given: string | undefined, option: string): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,10}$/.test(given)) return Number(given);
  throw usageError(option, `${option} is ${JSON.stringify(given)}; it takes a whole number.`);
}

/** The members that were given: what is absent is left alone. */
export function present<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
