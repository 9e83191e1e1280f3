import type { Command, Option } from 'commander';
import { code, sentence, table } from './markdown.ts';

/** A command that is not a group of commands. */
export interface Leaf {
  /** `task add`. */
  readonly name: string;
  /** `task add <label>`. */
  readonly usage: string;
  readonly command: Command;
}

/** The commands of a program, in the order of its help. */
export function leavesOf(command: Command, before = ''): Leaf[] {
  return command.commands.flatMap((child) => {
    const name = `${before}${child.name()}`;
    if (child.commands.length > 0) return leavesOf(child, `${name} `);
    const args = child.registeredArguments.map((argument) => {
      const shown = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? ` <${shown}>` : ` [${shown}]`;
    });
    return [{ name, usage: `${name}${args.join('')}`, command: child }];
  });
}

/** Options that commands and the program have in common. */
const commonOf = (program: Command): ReadonlySet<string> =>
  new Set(program.options.map(({ flags }) => flags).filter((flags) => !flags.includes('--version')));

/** Each command with its own options; then the options that every command has. */
export function commandReference(program: Command): string {
  const common = commonOf(program);
  const commands = leavesOf(program).map(({ usage, command }) => {
    const own = command.options.filter(({ flags }) => !common.has(flags));
    return [`## ${code(`planner ${usage}`)}`, sentence(command.description()), ...optionTable(own)].join('\n\n');
  });
  const shared = program.options.filter(({ flags }) => common.has(flags));
  return [...commands, '## Options of every command', ...optionTable(shared)].join('\n\n');
}

function optionTable(options: readonly Option[]): string[] {
  if (options.length === 0) return [];
  return [
    table(
      ['Option', 'Meaning'],
      options.map((option) => [code(option.flags), meaningOf(option)]),
    ),
  ];
}

function meaningOf({ description, argChoices: choices, ...option }: Option): string {
  const initial: unknown = option.defaultValue;
  const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
  return sentence(`${description}${values}${typeof initial === 'string' ? ` (default: ${initial})` : ''}`);
}
