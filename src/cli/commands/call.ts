import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { PlannerOperation } from '../../operations/declaration/planner-operation.ts';
import { addCommand, usageError } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { withTarget } from '../cli-target.ts';

/** `call`: calls any tool of the catalogue, for use without MCP. */
export function addCallCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'call [tool] [input]',
      description: 'call a tool by name; without a name, list the tools',
      examples: [
        'call',
        'call list_goals',
        `call create_task '{"label": "Take payments", "tags": ["checkout"]}'`,
        'call scaffold_project_from_plan @plan.json',
        'generate-plan | planner call scaffold_project_from_plan -',
      ],
    },
    async ([tool, text], options, out) => {
      const tools = await readTools();
      if (tool === undefined) return out.print(toolList(tools), toolLines(tools));
      if (!tools.some(({ name }) => name === tool))
        throw usageError('tool', `There is no tool ${JSON.stringify(tool)}. planner call lists them.`);
      const input = parseInput(await inputText(deps, text));
      await withTarget(deps, options, async ({ planner, config }) => {
        const bound = takesProject(tools, tool) && !Object.hasOwn(input, 'project_id') ? config.project_id : undefined;
        const result = await planner.call(tool, bound === undefined ? input : { project_id: bound, ...input });
        out.print(result, { block: JSON.stringify(result, undefined, 2) });
      });
    },
  );
}

type Tools = readonly PlannerOperation[];

/** The operations that are MCP tools; none of them deletes content. Loaded on demand, since the catalogue is large and only this command needs it. */
async function readTools(): Promise<Tools> {
  const { catalogue } = await import('../../operations/catalogue.ts');
  return catalogue.filter(({ mcp }) => mcp !== undefined);
}

/** Whether a tool needs a `project_id`. The others find the project by a resource's id, or work across projects. */
function takesProject(tools: Tools, tool: string): boolean {
  const operation = tools.find(({ name }) => name === tool);
  if (operation?.scope !== 'project' || operation.locate !== undefined) return false;
  return operation.effect === 'read' || operation.effect === 'write';
}

function toolList(tools: Tools): object {
  return { tools: tools.map(({ name, summary, mcp }) => ({ name, summary, description: mcp!.description })) };
}

function toolLines(tools: Tools): readonly string[] {
  const width = Math.max(...tools.map(({ name }) => name.length));
  return tools.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`);
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
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw usageError(
    'input',
    `The input is not a JSON object: a tool takes its arguments by name, as in '{"task_id": "tsk_..."}'.`,
  );
}
