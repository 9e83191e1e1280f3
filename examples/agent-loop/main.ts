/**
 * A real MCP client plans a web shop and works the plan to its end, while a person edits the same plan's files.
 *
 * npm run example -- [--url URL --root DIR] [--root DIR]
 *
 * Without --url it starts its own service, on --root or on a directory that it removes afterwards. With --url, --root is the directory that
 * contains that service's `.planner`. Exits with 0 only if everything was as expected.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent } from './agent.ts';
import { checkEnd } from './check-end.ts';
import { complete, completeAfterRed } from './complete.ts';
import { arrive, dropped, editsOf } from './edits.ts';
import { filePlan, type FiledPlan } from './file-plan.ts';
import { Person } from './person.ts';
import { readPlan } from './plan.ts';
import { startService } from './service.ts';
import { type Goal, workGoal } from './work.ts';

const { values: options } = parseArgs({ options: { url: { type: 'string' }, root: { type: 'string' } } });
if (options.url !== undefined && options.root === undefined) {
  throw new Error(
    '--url requires --root: the directory that contains the .planner of that service, for the edits on disk.',
  );
}

const temporary =
  options.root === undefined ? realpathSync(mkdtempSync(join(tmpdir(), 'planner-agent-loop-'))) : undefined;
const root = temporary ?? resolve(options.root!);
const service =
  options.url === undefined ? await startService(root) : { url: options.url, stop: () => Promise.resolve() };
try {
  await play(service.url, root);
} finally {
  await service.stop();
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
}

async function play(url: string, directory: string): Promise<void> {
  const agent = await Agent.connect(url, 'shop-builder');
  say(`Connected to ${url}/mcp/, which has ${(await agent.tools()).length} tools`);
  const plan = readPlan();
  const filed = await filePlan(agent, plan);
  say(`Filed "${plan.name}": ${filed.goals.size} goals, ${filed.tasks.size} tasks and documents`);
  const person = await Person.at(directory, filed.projectId);
  const edits = editsOf(person, agent, filed);
  for (const [index, { name }] of plan.goals.entries()) {
    say(`\n${name}`);
    const goalId = filed.goals.get(name)!;
    const coming = edits.filter(({ goal }) => goal === name);
    const done = await workGoal(agent, goalId, say, async (count) => {
      while (coming[0] !== undefined && coming[0].after <= count) await arrive(coming.shift()!, say);
    });
    if (coming.length > 0)
      throw new Error(`${name} ended after ${done.length} tasks, before a person ${coming[0]!.what}.`);
    if (index === 0) await completeAfterRed(agent, goalId, person, say);
    else await complete(agent, goalId, say);
  }
  await finishGeneral(agent, filed);
  await checkEnd(url, agent, person, filed, say);
  await agent.close();
}

/** The task file that the person added has no goal, so it belongs to the default goal. */
async function finishGeneral(agent: Agent, { projectId, goals }: FiledPlan): Promise<void> {
  const { goals: all } = await agent.call<{ goals: Goal[] }>('list_goals', { project_id: projectId });
  const general = all.find(({ name }) => name === 'General')!;
  goals.set('General', general.id);
  say('\nGeneral');
  const done = await workGoal(agent, general.id, say, () => Promise.resolve());
  if (!done.includes(dropped.label))
    throw new Error(`The added task should have been worked on; done were ${done.join(', ')}.`);
  await complete(agent, general.id, say);
}

function say(line: string): void {
  console.log(line.startsWith('\n') ? `\n== ${line.slice(1)}` : `   ${line}`);
}
