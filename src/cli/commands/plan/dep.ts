import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import type { Edge } from '../../../schema/types.ts';
import { addPlanCommand, collect, usageError, warningsIn } from '../../call/command-line.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { findRecord, inProject } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { letWait, nodeLine, readGraph, treeLines } from '../../records/task-graph.ts';

interface Places {
  readonly after?: readonly string[];
  readonly before?: readonly string[];
}

interface Task {
  readonly id: string;
  readonly name: string | null;
}

/** Two tasks in the order of work. */
interface Pair {
  readonly first: Task;
  readonly then: Task;
}

/** `dep`: which task waits for which. */
export function addDependencyCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('dep').description('which task waits for which: add, rm, list, tree, cycles');
  addDepAdd(deps, group);
  addDepRemove(deps, group);
  addDepList(deps, group);
  addDepTree(deps, group);
  addDepCycles(deps, group);
}

function addDepAdd(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'add <task>',
      isChange: true,
      description: 'let a task wait for others, or others for it; warns if that closes a cycle',
      examples: ['dep add "Send invoices" --after "Take payments"', 'dep add 9q3f --before x7k9 --before 4n0c'],
      options: placeOptions,
    },
    async ([text], options: Places, out, target) => {
      const { project_id, pairs } = await pairsOf(target, text, options);
      const results = [];
      for (const { first, then } of pairs)
        results.push(await letWait(target, project_id, { first: first.id, then: then.id }));
      const warnings = results.flatMap(warningsIn);
      out.print({ edges: results.map(({ edge }) => edge), ...(warnings.length > 0 && { warnings }) }, [
        ...pairs.map(({ first, then }) => `${then.name ?? then.id} waits for ${first.name ?? first.id}.`),
        ...warnings.map((warning) => `Note: ${warning}`),
      ]);
    },
  );
}

function addDepRemove(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'rm <task>',
      isChange: true,
      description: 'let a task no longer wait for others, or others for it: deletes the edges that say so',
      examples: ['dep rm "Send invoices" --after "Take payments"'],
      options: placeOptions,
    },
    async ([text], options: Places, out, target) => {
      const { project_id, pairs } = await pairsOf(target, text, options);
      const found = await Promise.all(pairs.map((pair) => edgesThatOrder(target, project_id, pair)));
      for (const [at, { first, then }] of pairs.entries())
        if (found[at]!.length === 0)
          throw new PlannerError(
            'not_found',
            `${JSON.stringify(then.name)} does not wait for ${JSON.stringify(first.name)} itself: planner dep tree ${then.id} shows what it waits for.`,
          );
      const ids = new Set(found.flat());
      for (const edge_id of ids) await target.planner.call('delete_edge', { edge_id });
      out.print(
        { deleted: [...ids] },
        pairs.map(({ first, then }) => `${then.name ?? then.id} no longer waits for ${first.name ?? first.id}.`),
      );
    },
  );
}

function addDepList(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'list',
      isDefault: true,
      description: 'list the tasks that wait for others, each with those; also planner dep',
      examples: ['dep list', 'dep list --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const { id } = await chooseProject(target, options);
      const graph = await readGraph(target, id);
      const waiting = [...graph.nodes.values()].filter(({ prerequisites }) => prerequisites.length > 0);
      out.print(
        { tasks: waiting },
        waiting.length === 0
          ? 'No task waits for another.'
          : waiting.flatMap((task) => [
              nodeLine(graph, task.id),
              ...task.prerequisites.map((first) => `    after ${nodeLine(graph, first)}`),
            ]),
      );
    },
  );
}

function addDepTree(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'tree [task]',
      description:
        'draw the prerequisites of a task, and theirs; without a task, those of every task that no other waits for',
      examples: ['dep tree "Open the shop"', 'dep tree'],
      options: projectOption,
    },
    async ([text], options: ProjectOption, out, target) => {
      const task = text === undefined ? undefined : await findRecord(target, ['task'], text);
      const graph = await readGraph(target, task?.project_id ?? (await chooseProject(target, options)).id);
      const nodes = [...graph.nodes.values()];
      const waitedFor = new Set(nodes.flatMap(({ prerequisites }) => prerequisites));
      const last = nodes.filter(({ id, prerequisites }) => prerequisites.length > 0 && !waitedFor.has(id));
      const roots = task === undefined ? last.map(({ id }) => id) : [task.id];
      const shown = task === undefined ? nodes.filter(({ id }) => waitedFor.has(id) || roots.includes(id)) : nodes;
      out.print({ roots, tasks: shown }, [
        ...roots.flatMap((root) => treeLines(graph, root)),
        ...(roots.length === 0 ? ['No task waits for another, or all that do are in cycles: planner dep cycles.'] : []),
      ]);
    },
  );
}

function addDepCycles(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'cycles',
      description: 'list the tasks that wait for each other; exit code 1 if there are any',
      examples: ['dep cycles', 'dep cycles --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const { id } = await chooseProject(target, options);
      const graph = await readGraph(target, id);
      const { cycles } = graph;
      if (cycles.length === 0) return out.print({ cycles }, 'No cycles.');
      const lines = cycles.flatMap((cycle) => [
        'These wait for each other, each for the one above it and the first for the last:',
        ...cycle.map((one) => `    ${nodeLine(graph, one)}`),
      ]);
      out.printNo({ cycles }, [...lines, 'planner dep rm <task> --after <task> takes one of the orders away.']);
    },
  );
}

function placeOptions(command: Command): Command {
  return command
    .option('--after <task>', 'the task waits for this one; repeat for several', collect)
    .option('--before <task>', 'this one waits for the task; repeat for several', collect);
}

/** The pairs of tasks that a command line orders. All names are looked up before anything is changed. */
async function pairsOf(
  target: CliTarget,
  text: string,
  { after = [], before = [] }: Places,
): Promise<{ readonly project_id: string; readonly pairs: readonly Pair[] }> {
  if (after.length + before.length === 0)
    throw usageError(
      '--after',
      'Name the other task: --after <task> for one to be done before it, or --before <task>.',
    );
  const task = await findRecord(target, ['task'], text);
  const near = inProject(target, task.project_id);
  const find = (names: readonly string[]): Promise<readonly Task[]> =>
    Promise.all(names.map((name) => findRecord(near, ['task'], name)));
  const [firsts, thens] = await Promise.all([find(after), find(before)]);
  const pairs = [...firsts.map((first) => ({ first, then: task })), ...thens.map((then) => ({ first: task, then }))];
  return { project_id: task.project_id, pairs };
}

/** The ids of the edges that let one task wait for another; edges that only relate them remain. */
async function edgesThatOrder({ planner }: CliTarget, project_id: string, { first, then }: Pair): Promise<string[]> {
  const { edges } = await planner.call('list_edges', { project_id, first_id: first.id, then_id: then.id });
  return (edges as readonly Edge[]).map(({ edge_id: id }) => id);
}
