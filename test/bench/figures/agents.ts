import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerProcess } from '../../support/server-process.ts';
import { startService } from '../service.ts';
import type { Figure } from '../figure.ts';
import { fileOf, projectDirectory } from '../files.ts';
import { HttpClient } from '../http-client.ts';
import { McpClient } from '../../support/mcp-client.ts';
import { attain, measured } from '../measure.ts';
import { seed } from '../plans.ts';

const agentCount = 8;

/** The results that an agent got: these labels and statuses must exist. */
interface Acknowledged {
  readonly id: string;
  readonly label: string;
  readonly status: string;
}

/** Agents that change and create different tasks of one project concurrently, and how much of it is kept. */
export const agents: Figure = {
  name: 'agents',
  title: 'Agents at work: 8 MCP clients updating and adding different tasks of one project',
  measure: async (bench) => {
    const each = bench.quick ? 5 : 100;
    const root = bench.scratch('agents');
    const service = await startService(root);
    const { projectId, taskIds } = await seed(service, 'Garden', { tasks: agentCount * each });
    const began = performance.now();
    const work = await Promise.all(
      Array.from({ length: agentCount }, (_, agent) =>
        workOf(service, projectId, agent, taskIds.slice(agent * each, (agent + 1) * each)),
      ),
    );
    const seconds = (performance.now() - began) / 1000;
    const acknowledged = work.flatMap((agent) => agent.acknowledged);
    const refused = work.reduce((sum, agent) => sum + agent.refused, 0);
    const overRest = await keptOverRest(service, acknowledged);
    await service.stop();
    const inFiles = keptInFiles(join(projectDirectory(root), 'tasks'), acknowledged);
    const share = (kept: number): number => (kept / acknowledged.length) * 100;
    return [
      attain(
        measured(`acknowledged changes found over REST, of ${acknowledged.length}`, '%', [share(overRest)]),
        { atLeast: 100 },
        undefined,
        {
          changes_per_second: Math.round(acknowledged.length / seconds),
        },
      ),
      attain(measured('the same found in the files', '%', [share(inFiles)]), { atLeast: 100 }),
      attain(measured('refused', 'calls', [refused]), { atMost: 0 }),
    ];
  },
};

async function workOf(
  service: ServerProcess,
  projectId: string,
  agent: number,
  own: readonly string[],
): Promise<{ acknowledged: Acknowledged[]; refused: number }> {
  const client = await McpClient.connect(service.url);
  const acknowledged: Acknowledged[] = [];
  let refused = 0;
  const change = async (tool: string, input: Record<string, unknown>): Promise<void> => {
    try {
      const { task } = (await client.get(tool, input)) as { task: Acknowledged };
      acknowledged.push({ id: task.id, label: task.label, status: task.status });
    } catch {
      refused++;
    }
  };
  for (const [i, id] of own.entries()) {
    await change('update_task', {
      task_id: id,
      label: `Changed by agent ${agent} as number ${i}`,
      status: 'in_progress',
    });
    if (i % 2 === 0)
      await change('create_task', {
        project_id: projectId,
        label: `Added by agent ${agent} as number ${i}`,
        status: 'todo',
      });
  }
  await client.close();
  return { acknowledged, refused };
}

async function keptOverRest(service: ServerProcess, acknowledged: readonly Acknowledged[]): Promise<number> {
  const client = new HttpClient(service.url);
  let kept = 0;
  for (const { id, label, status } of acknowledged) {
    const answer = await client.get(`/tasks/${id}`);
    const task = JSON.parse(answer.body.toString()) as Acknowledged;
    if (answer.status === 200 && task.label === label && task.status === status) kept++;
  }
  client.close();
  return kept;
}

function keptInFiles(directory: string, acknowledged: readonly Acknowledged[]): number {
  return acknowledged.filter(({ id, label, status }) => {
    const text = readFileSync(fileOf(directory, id), 'utf8');
    return text.includes(`\nlabel: ${label}\n`) && text.includes(`status: ${status}\n`);
  }).length;
}
