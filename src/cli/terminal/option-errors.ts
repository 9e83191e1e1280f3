import type { Command } from 'commander';
import { PlannerError } from '../../base/errors.ts';
import type { Violation } from '../../store/index.ts';

/** Options that are not named after the members of inputs that they set. */
const optionNames: Readonly<Record<string, string>> = {
  add_tags: 'add-tag',
  agent_ref: 'as',
  commit_refs: 'commit',
  due_date: 'due',
  goal_id: 'goal',
  project_id: 'project',
  remove_tags: 'remove-tag',
  status_line: 'status',
  tags: 'tag',
};

/** An error of a value that an option gave, with the name of the option in place of the member of the input. */
export function namedByOption(thrown: unknown, command: Command): unknown {
  if (!(thrown instanceof PlannerError) || thrown.code !== 'invalid_argument' || thrown.field === undefined)
    return thrown;
  const { field, message } = withOption({ field: thrown.field, message: thrown.message }, command);
  if (field === thrown.field) return thrown;
  const { details: all } = thrown.details as { readonly details?: readonly Violation[] };
  const details = all?.map((violation) => withOption(violation, command));
  return new PlannerError(thrown.code, message, { ...thrown.details, ...(details && { details }), field });
}

function withOption({ field, message }: Violation, command: Command): Violation {
  const member = /^\w+/.exec(field)?.[0] ?? '';
  const flag = flagOf(optionNames[member] ?? member, command);
  if (flag === undefined) return { field, message };
  return { field: flag, message: message.startsWith(field) ? flag + message.slice(field.length) : message };
}

/** The option if the command line gives it. */
function flagOf(name: string, command: Command): string | undefined {
  const option = command.options.find(({ long }) => long === `--${name.replaceAll('_', '-')}`);
  const isGiven = option !== undefined && command.getOptionValueSource(option.attributeName()) === 'cli';
  return isGiven ? option.long : undefined;
}
