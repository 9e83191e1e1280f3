import { Option } from 'commander';
import type { Command } from 'commander';
import { printableLine } from '../../base/printable.ts';
import { PlannerError } from '../../base/errors.ts';
import type { Problem } from '../../schema/types.ts';
import { namedByOption } from '../terminal/option-errors.ts';
import type { ProgramDeps } from './program-deps.ts';
import { rendered } from '../terminal/style.ts';
import type { ShownLine } from '../terminal/style.ts';
import { withTarget } from './cli-target.ts';
import type { CliTarget, TargetOptions } from './cli-target.ts';
import type { RootOptions } from '../worktrees/command-root.ts';

/** Options of every command. */
export interface CommonOptions extends RootOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Usage and help of a command. */
export interface CommandSpec<U extends string = string> {
  /** The name and its arguments, in commander's syntax: `claim [task]`. */
  readonly usage: U;
  readonly description: string;
  /** The default subcommand of its group. */
  readonly isDefault?: boolean;
  /** True if the output only reports the change: --quiet leaves it out. */
  readonly isChange?: boolean;
  /** Other programs run it: the help of the program does not name it. */
  readonly isHidden?: boolean;
  /** Command lines without the program's name. */
  readonly examples: readonly string[];
  /** Adds the command's own options. */
  readonly options?: (command: Command) => Command;
}

/** An invalid command line: exit code 2. `field`: the option or argument. */
export function usageError(field: string, message: string): PlannerError {
  return new PlannerError('invalid_argument', message, { field, usage: true });
}

/** Exit codes. `no` is a negative result, not a failure: nothing to do, not claimed, problems found. `partial`: done, but not with everything. */
export const exitCodes = { done: 0, failure: 1, no: 1, usage: 2, partial: 3 } as const;

/** Prints the result of a command: as JSON with --json, else as lines for people. */
export class CommandOutput {
  readonly json: boolean;
  readonly #deps: ProgramDeps;
  readonly #isSilent: boolean;
  /** Lines that are longer than the terminal, for the pager. */
  #long: string | undefined;

  /** `isSilent`: only JSON is printed. */
  constructor(
    deps: ProgramDeps,
    { json = false, isSilent = false }: { readonly json?: boolean | undefined; readonly isSilent?: boolean },
  ) {
    this.#deps = deps;
    this.json = json;
    this.#isSilent = isSilent;
  }

  /** Prints the result. Call once per command. */
  print(value: unknown, lines: ShownLine | readonly ShownLine[]): void {
    const { print, printEscaped, colours, rows } = this.#deps;
    if (this.json) return print(printableLine(JSON.stringify(value)));
    const all = isList(lines) ? lines : [lines];
    if (this.#isSilent || all.length === 0) return;
    const hasColours = colours();
    const text = all.map((line) => rendered(line, hasColours)).join('\n');
    if (this.#long === undefined && text.split('\n', rows()).length < rows()) printEscaped(text);
    else this.#long = this.#long === undefined ? text : `${this.#long}\n${text}`;
  }

  /** Prints one of several results of a command that continues, immediately and without the pager. */
  printLive(value: unknown, lines: ShownLine | readonly ShownLine[]): void {
    this.print(value, lines);
    if (this.#long !== undefined) this.#deps.printEscaped(this.#long);
    this.#long = undefined;
  }

  /** Shows the long output in the pager, once the command has ended and holds no resources. */
  async end(): Promise<void> {
    const long = this.#long;
    if (long !== undefined && !(await this.#deps.page(`${long}\n`))) this.#deps.printEscaped(long);
  }

  /** Prints a negative result and sets exit code 1. */
  printNo(value: unknown, lines: ShownLine | readonly ShownLine[]): void {
    this.print(value, lines);
    this.#deps.exitWith(exitCodes.no);
  }

  /** Prints a result that is not complete and sets exit code 3. */
  printPartial(value: unknown, lines: ShownLine | readonly ShownLine[]): void {
    this.print(value, lines);
    this.#deps.exitWith(exitCodes.partial);
  }
}

function isList(lines: ShownLine | readonly ShownLine[]): lines is readonly ShownLine[] {
  return Array.isArray(lines);
}

/** The positional arguments by a usage that is known to the compiler: `<task>` is there, `[task]` may be. */
export type Positional<U extends string> = string extends U
  ? readonly string[]
  : U extends `${string} ${infer Rest}`
    ? EachOf<Rest>
    : readonly [];

type EachOf<Usage extends string> = Usage extends `${infer First} ${infer Rest}`
  ? readonly [...OneOf<First>, ...EachOf<Rest>]
  : OneOf<Usage>;

type OneOf<Usage extends string> = Usage extends `<${string}...>`
  ? readonly [string, ...string[]]
  : Usage extends `<${string}>`
    ? readonly [string]
    : Usage extends `[${string}...]`
      ? readonly string[]
      : readonly [string?];

/** Adds a command with its own and the common options. `run` gets the positional arguments in order. */
export function addCommand<O, U extends string>(
  deps: ProgramDeps,
  parent: Command,
  spec: CommandSpec<U>,
  run: (given: Positional<U>, options: O & CommonOptions, out: CommandOutput) => Promise<void>,
): Command {
  const { isDefault = false, isHidden: hidden = false } = spec;
  const command = parent.command(spec.usage, { isDefault, hidden }).description(spec.description);
  spec.options?.(command);
  withCommonOptions(command);
  const usage = command.createHelp().commandUsage(command);
  return (
    command
      .showHelpAfterError(`Usage: ${usage} (--help shows its options and examples)`)
      .addHelpText('after', ['\nExamples:', ...spec.examples.map((line) => `  $ planner ${line}`)].join('\n'))
      // A default command also gets the name of a command that does not exist: `runDefault` says so.
      .allowExcessArguments(isDefault)
      .action(async (...args: unknown[]) => {
        const self = args.at(-1) as Command;
        const options = self.optsWithGlobals<O & CommonOptions>();
        // Commander rejects other numbers of arguments.
        const given = (
          self.processedArgs as readonly (string | readonly string[])[]
        ).flat() as unknown as Positional<U>;
        const { json, quiet = false } = options;
        const out = new CommandOutput(deps, { json, isSilent: quiet && spec.isChange === true });
        const done = (): Promise<void> => run(given, options, out);
        try {
          await (isDefault ? runDefault(parent, self, done) : done());
        } catch (thrown) {
          throw namedByOption(thrown, self);
        } finally {
          await out.end();
        }
      })
  );
}

/** Runs the default command of a group. If it fails because its argument is the name of no command either, says which commands there are. */
async function runDefault(group: Command, self: Command, run: () => Promise<void>): Promise<void> {
  const [word, ...more] = self.args;
  const isNamed = group.args[0] === self.name();
  const path = `planner ${group.name()}`;
  const commands = group.commands.map((command) => command.name()).join(', ');
  if (self.args.length > self.registeredArguments.length) {
    const excess = isNamed ? [...self.args].slice(self.registeredArguments.length) : [word, ...more];
    const message = isNamed
      ? `${path} ${self.name()} does not take ${excess.join(' ')}: ${path} --help shows its usage.`
      : `There is no command ${path} ${excess[0]}. There are: ${commands}.`;
    throw usageError('command', message);
  }
  try {
    await run();
  } catch (thrown) {
    const isUnknown = thrown instanceof PlannerError && thrown.code === 'not_found' && thrown.details['id'] === word;
    if (!isUnknown || isNamed || !/^[a-z][a-z-]*$/.test(word ?? '')) throw thrown;
    const message = `${thrown.message} Nor is there a command ${path} ${word}. There are: ${commands}.`;
    throw new PlannerError(thrown.code, message, thrown.details);
  }
}

/** Adds `--root`, `--own` and `--json`, which are also accepted before the command's name. */
export function withCommonOptions(command: Command): Command {
  return command
    .option('--root <directory>', 'the directory that holds .planner (default: PLANNER_ROOT, else the nearest upwards)')
    .option('--own', 'in a linked worktree of git: its own .planner instead of the one that all worktrees share')
    .option('--database <url>', 'a PostgreSQL database instead of files (default: PLANNER_DATABASE)')
    .option('--json', 'print JSON, errors too')
    .option('-q, --quiet', 'print only the requested output, and errors')
    .addOption(noColours());
}

/** Commands have options named --color, of which it is not the opposite. */
function noColours(): Option {
  const option = new Option('--no-color', 'no colours, as with NO_COLOR');
  option.negate = false;
  return option;
}

export interface PlanCommandSpec<O, U extends string = string> extends CommandSpec<U> {
  /** How the target is opened. */
  readonly target?: (options: O) => TargetOptions;
}

/** Adds a command that needs a plan: a running service or the files of a root. */
export function addPlanCommand<O, U extends string>(
  deps: ProgramDeps,
  parent: Command,
  spec: PlanCommandSpec<O, U>,
  run: (given: Positional<U>, options: O & CommonOptions, out: CommandOutput, target: CliTarget) => Promise<void>,
): Command {
  return addCommand<O, U>(deps, parent, spec, (given, options, out) =>
    withTarget(deps, options, (target) => run(given, options, out, target), spec.target?.(options)),
  );
}

/** Collects the values of a repeatable option. */
export function collect(value: string, former: readonly string[] = []): readonly string[] {
  return [...former, value];
}

/** The value of a text option; for `-`, all of standard input. */
export async function textOf(deps: ProgramDeps, given: string | undefined): Promise<string | undefined> {
  return given === '-' ? (await deps.input()).replace(/\n$/, '') : given;
}

/** The value of an integer option. */
export function numberOf(given: string | undefined, option: string): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,10}$/.test(given)) return Number(given);
  throw usageError(option, `${option} is ${JSON.stringify(given)}; it must be a whole number.`);
}

/** A problem as one line: place, kind, reason, remedy. */
export function problemLine({ path, line, kind, reason, remedy }: Problem): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${kind}: ${reason}${remedy === undefined ? '' : ` ${remedy}`}`;
}

/** Removes undefined members. */
export function present<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The warnings of a result. */
export function warningsIn(result: Readonly<Record<string, unknown>>): readonly string[] {
  const list = result['warnings'];
  return Array.isArray(list) ? list.map(String) : [];
}
