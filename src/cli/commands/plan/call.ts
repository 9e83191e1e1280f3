import { resolve } from 'node:path';
import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import { isObject } from '../../../base/is-object.ts';
import { LikeNames, proposal } from '../../../base/named.ts';
import { callInput } from '../../call/call-input.ts';
import { addCommand, usageError } from '../../call/command-line.ts';
import type { CommonOptions } from '../../call/command-line.ts';
import type { Input } from '../../service/planner-port.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { withTarget } from '../../call/cli-target.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { tools } from '../../terminal/tools.ts';

/** `call`: calls any tool of the catalogue, for use without MCP. */
export function addCallCommand(deps: ProgramDeps, program: Command): void {
  const command: Command = addCommand(
    deps,
    program,
    {
      usage: 'call [tool] [input]',
      description: 'call a tool by name; without a name, list the tools',
      examples: [
        'call',
        'call create_task --help',
        'call list_goals',
        `call create_task '{"label": "Take payments", "tags": ["checkout"]}'`,
        'call scaffold_project_from_plan @plan.json',
        'call scaffold_project_from_plan - < plan.json',
      ],
      // Replaces commander's own option, which knows no tools.
      options: (one) => projectOption(one.helpOption(false)).option('-h, --help', 'show the fields of the tool'),
    },
    async ([tool, text], options: ProjectOption & CommonOptions & { readonly help?: boolean }, out) => {
      const { help = false } = options;
      if (tool === undefined) return help ? command.outputHelp() : out.print(await toolList(), toolLines());
      const called = toolNamed(tool);
      if (help) {
        const { help: shown, lines } = await (await import('../../terminal/tool-help.ts')).toolHelp(tool);
        return out.print(shown, lines);
      }
      const input = parseInput(await inputText(deps, text));
      await withTarget(deps, options, async (target) => {
        const result = await callTool(target, tool, await callInput(target, called, input, options));
        out.print(result, { block: JSON.stringify(result, undefined, 2) });
      });
    },
  );
}

function toolNamed(name: string): (typeof tools)[string] {
  const found = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (found !== undefined) return found;
  const alike = new LikeNames(name);
  for (const known of Object.keys(tools)) alike.add(known);
  const message = `There is no tool ${JSON.stringify(name)}.${proposal(alike.found)} planner call lists them.`;
  throw usageError('tool', message);
}

/** Calls a tool. An error of its input also says where the fields are shown. */
async function callTool({ planner }: CliTarget, tool: string, input: Input): Promise<Input> {
  try {
    return await planner.call(tool, input);
  } catch (thrown) {
    if (!(thrown instanceof PlannerError) || thrown.code !== 'invalid_argument') throw thrown;
    const message = `${thrown.message} planner call ${tool} --help shows its fields.`;
    throw new PlannerError(thrown.code, message, { ...thrown.details, ...(thrown.field && { field: thrown.field }) });
  }
}

/**
 * The tools with their descriptions, for programs. Only this function loads the catalogue, which has the descriptions.
 */
async function toolList(): Promise<object> {
  const { catalogue } = await import('../../../operations/catalogue.ts');
  const listed = catalogue.flatMap(({ name, summary, mcp }) =>
    mcp === undefined ? [] : [{ name, summary, description: mcp.description }],
  );
  return { tools: listed };
}

function toolLines(): readonly string[] {
  const width = Math.max(...Object.keys(tools).map(({ length }) => length));
  return Object.entries(tools).map(([name, { summary }]) => `${name.padEnd(width)}  ${summary}`);
}

/** The input text: the argument itself, a file (`@plan.json`) or standard input (`-`). Default: `{}`. */
async function inputText(deps: ProgramDeps, text: string | undefined): Promise<string> {
  if (text === undefined) return '{}';
  if (text === '-') return deps.input();
  if (!text.startsWith('@')) return text;
  const path = resolve(deps.workingDirectory, text.slice(1));
  const bytes = deps.disk.readIfExists(path);
  if (bytes === undefined) throw usageError('input', `The file ${path} does not exist.`);
  return bytes.toString();
}

function parseInput(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(
      'input',
      `The input is not JSON (${(error as Error).message}). Pass a quoted object, @file, or - for standard input.`,
    );
  }
  if (isObject(value)) return value;
  throw usageError(
    'input',
    `The input is not a JSON object: a tool has named arguments, as in '{"task_id": "tsk_..."}'.`,
  );
}
