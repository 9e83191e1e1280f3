import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpClient } from '../../support/mcp-client.ts';
import { startService } from '../service.ts';
import type { Bench, Figure } from '../figure.ts';
import { compare, measured } from '../measure.ts';
import { seed } from '../plans.ts';

const version = '0.43.1';
const agentCount = 4;
const tasksEach = 10;

/** The number of tasks acknowledged as done, and the number that are. */
interface Kept {
  readonly acknowledged: number;
  readonly kept: number;
}

/** Agents that concurrently mark different tasks of one plan as done, beside Taskmaster, which stores a plan in one file. */
export const taskmasterPeer: Figure = {
  name: 'taskmaster',
  title: `${agentCount} agents marking ${agentCount * tasksEach} different tasks done beside Taskmaster ${version}`,
  peersOnly: true,
  measure: async (bench) => {
    const server = join(
      await bench.peers.install('task-master-ai', version),
      'node_modules',
      'task-master-ai',
      'dist',
      'mcp-server.js',
    );
    const rounds = bench.quick ? 1 : 5;
    const [own, theirs]: [Kept[], Kept[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      theirs.push(await taskmaster(bench.scratch(`taskmaster-${round}`), server));
      own.push(await planner(bench, round));
    }
    const share = (all: readonly Kept[]): number[] => all.map(({ acknowledged, kept }) => (kept / acknowledged) * 100);
    const row = compare(
      measured('acknowledged changes kept', '%', share(own)),
      measured('Taskmaster', '%', share(theirs)),
    );
    return [
      { ...row, target: { text: '100 %', reached: own.every(({ acknowledged, kept }) => kept === acknowledged) } },
    ];
  },
};

async function planner(bench: Bench, round: number): Promise<Kept> {
  const service = await startService(bench.scratch(`planner-${round}`));
  try {
    const { projectId, taskIds } = await seed(service, 'Garden', { tasks: agentCount * tasksEach });
    const clients = await Promise.all(Array.from({ length: agentCount }, () => McpClient.connect(service.url)));
    const acknowledged = await atOnce(clients, async (client, index) => {
      const { isError } = await client.call('update_task', { task_id: taskIds[index]!, status: 'done' });
      return !isError;
    });
    const { tasks } = (await clients[0]!.get('list_tasks', { project_id: projectId, status: 'done', limit: 1000 })) as {
      tasks: unknown[];
    };
    await Promise.all(clients.map((client) => client.close()));
    return { acknowledged, kept: tasks.length };
  } finally {
    await service.stop();
  }
}

async function taskmaster(directory: string, server: string): Promise<Kept> {
  const file = join(directory, '.taskmaster', 'tasks', 'tasks.json');
  mkdirSync(join(directory, '.taskmaster', 'tasks'), { recursive: true });
  writeFileSync(join(directory, '.taskmaster', 'config.json'), '{}');
  writeFileSync(
    file,
    JSON.stringify({
      master: { tasks: Array.from({ length: agentCount * tasksEach }, (_, i) => taskOf(i + 1)), metadata: {} },
    }),
  );
  const clients = await Promise.all(Array.from({ length: agentCount }, () => connect(directory, server)));
  const acknowledged = await atOnce(clients, async (client, index) => {
    const { isError } = await client.callTool({
      name: 'set_task_status',
      arguments: { id: String(index + 1), status: 'done', projectRoot: directory },
    });
    return isError !== true;
  });
  await Promise.all(clients.map((client) => client.close()));
  const { master } = JSON.parse(readFileSync(file, 'utf8')) as { master: { tasks: { status: string }[] } };
  return { acknowledged, kept: master.tasks.filter(({ status }) => status === 'done').length };
}

async function connect(directory: string, server: string): Promise<Client> {
  const client = new Client({ name: 'planner-bench', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server], cwd: directory, stderr: 'ignore' }),
  );
  return client;
}

/** Each client works on its own tasks, all concurrently. Resolves with the number of acknowledged changes. */
async function atOnce<C>(
  clients: readonly C[],
  change: (client: C, index: number) => Promise<boolean>,
): Promise<number> {
  const counts = await Promise.all(
    clients.map(async (client, agent) => {
      let acknowledged = 0;
      for (let i = 0; i < tasksEach; i++) if (await change(client, agent * tasksEach + i)) acknowledged++;
      return acknowledged;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A task in the format of Taskmaster. */
function taskOf(id: number): Record<string, unknown> {
  return {
    id,
    title: `Prepare bed ${id}`,
    description: '',
    details: '',
    testStrategy: '',
    status: 'pending',
    dependencies: [],
    priority: 'medium',
    subtasks: [],
  };
}
