import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startService } from '../service.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { McpClient } from '../../support/mcp-client.ts';
import { attain, compare, measured, median, timed } from '../measure.ts';
import { seed, textOf } from '../plans.ts';

const run = promisify(execFile);
const version = '1.52.0';
const descriptionBytes = 400;

/** Median times of one tool call each, in milliseconds. */
interface Times {
  readonly create: number;
  readonly list: number;
  readonly update: number;
}

type Verb = keyof Times;
const verbs: readonly Verb[] = ['create', 'list', 'update'];

/** The same work through the MCP server of Backlog.md, which also stores tasks as Markdown files. */
export const backlogPeer: Figure = {
  name: 'backlog',
  title: `create, list and update over MCP beside Backlog.md ${version}`,
  peersOnly: true,
  measure: async (bench) => {
    const sizes = bench.quick ? [50] : [200, 1000, 5000];
    const calls = bench.quick ? { own: 10, peers: 3 } : { own: 150, peers: 15 };
    const command = join(await bench.peers.install('backlog.md', version), 'node_modules', '.bin', 'backlog');
    const times = new Map<number, { planner: Times; peer: Times }>();
    for (const size of sizes) {
      bench.say(`${size} tasks`);
      times.set(size, {
        peer: await peer(bench, command, size, calls.peers),
        planner: await planner(bench, size, calls.own),
      });
    }
    const rows: Row[] = [];
    for (const [size, { planner: own, peer: theirs }] of times) {
      for (const verb of verbs) {
        rows.push(
          compare(
            measured(`${verb} at ${size} tasks`, 'ms', [own[verb]]),
            measured('Backlog.md', 'ms', [theirs[verb]]),
            size === sizes[0] ? { atMost: 0.1 } : undefined,
          ),
        );
      }
    }
    return [...rows, ...flatness(times)];
  },
};

/** How much slower the largest is than the smallest. Differences below half a millisecond are noise of the transport. */
function flatness(times: ReadonlyMap<number, { planner: Times }>): Row[] {
  const all = [...times.values()];
  return verbs.map((verb) => {
    const slower = (all.at(-1)!.planner[verb] + 0.5) / (all[0]!.planner[verb] + 0.5);
    return attain(measured(`${verb}: largest ÷ smallest`, '×', [slower]), { atMost: 1.5 });
  });
}

async function planner(bench: Bench, size: number, calls: number): Promise<Times> {
  const service = await startService(bench.scratch(`planner-${size}`));
  const { projectId, taskIds } = await seed(service, 'Garden', { tasks: size, descriptionBytes });
  const client = await McpClient.connect(service.url);
  try {
    return await timesOf(calls, {
      create: (i) =>
        client.get('create_task', {
          project_id: projectId,
          label: `Another bed ${i}`,
          description: textOf(descriptionBytes, i),
        }),
      list: () => client.get('list_tasks', { project_id: projectId }),
      update: (i) => client.get('update_task', { task_id: taskIds[i % size]!, status: 'in_progress' }),
    });
  } finally {
    await client.close();
    await service.stop();
  }
}

async function peer(bench: Bench, command: string, size: number, calls: number): Promise<Times> {
  const directory = bench.scratch(`backlog-${size}`);
  await run('git', ['init', '-q'], { cwd: directory });
  await run(command, ['init', 'Garden', '--defaults', '--integration-mode', 'mcp'], { cwd: directory });
  mkdirSync(join(directory, 'backlog', 'tasks'), { recursive: true });
  for (let i = 1; i <= size; i++)
    writeFileSync(join(directory, 'backlog', 'tasks', `task-${i} - Prepare-bed-${i}.md`), backlogTask(i));
  const client = new Client({ name: 'planner-bench', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: ['mcp', 'start'], cwd: directory, stderr: 'ignore' }));
  const call = async (name: string, input: Record<string, unknown>): Promise<void> => {
    const { isError, content } = await client.callTool({ name, arguments: input });
    if (isError === true) throw new Error(`Backlog.md's ${name} failed: ${JSON.stringify(content).slice(0, 300)}`);
  };
  try {
    return await timesOf(calls, {
      create: (i) => call('task_create', { title: `Another bed ${i}`, description: textOf(descriptionBytes, i) }),
      list: () => call('task_list', {}),
      update: (i) => call('task_edit', { id: `task-${i + 1}`, status: 'In Progress' }),
    });
  } finally {
    await client.close();
  }
}

/** A task in the format of Backlog.md. */
function backlogTask(number: number): string {
  return `---
id: TASK-${number}
title: Prepare bed ${number}
status: To Do
assignee: []
created_date: '2026-01-01 12:00'
labels: []
dependencies: []
ordinal: ${number}000
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
${textOf(descriptionBytes, number)}
<!-- SECTION:DESCRIPTION:END -->
`;
}

/** The first third of the calls is warm-up: caches fill and code is compiled. */
async function timesOf(calls: number, work: Readonly<Record<Verb, (i: number) => Promise<unknown>>>): Promise<Times> {
  const times: Record<Verb, number[]> = { create: [], list: [], update: [] };
  for (let i = 0; i < calls; i++) {
    for (const verb of verbs) {
      const ms = await timed(() => work[verb](i));
      if (i >= calls / 3) times[verb].push(ms);
    }
  }
  return { create: median(times.create), list: median(times.list), update: median(times.update) };
}
