import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Figure, Row } from '../figure.ts';
import { projectDirectory } from '../files.ts';
import { HttpClient } from '../http-client.ts';
import { alternate, compare, measured } from '../measure.ts';
import { seed, textOf } from '../plans.ts';
import { atRest, processorMs, residentBytes } from '../process-usage.ts';
import { startService } from '../service.ts';

/** What a start and memory cost by the past changes of a plan, and by the number of projects. */
export const past: Figure = {
  name: 'past',
  title: 'Starts and memory by past changes, and by projects',
  measure: async (bench) => [...(await pastRows(bench)), ...(await projectRows(bench))],
};

/** Segments of history have about this size. */
const segmentBytes = 256 * 1024;

/** An id of a revision: the code of its project, then a number in the digits of ids. */
function revisionId(code: string, number: number): string {
  const digits = number.toString(32).replace(/[i-v]/g, (digit) => 'jkmnpqrstvwxyz'['ijklmnopqrstuv'.indexOf(digit)]!);
  return `rev_${code}${digits.padStart(10, '0')}`;
}

/** Gives the tasks of a project past changes, as segments of its history. */
function writePast(directory: string, taskIds: readonly string[], changes: number): void {
  const code = directory.slice(-6);
  const begin = Date.parse('2026-01-01T00:00:00.000Z');
  let [lines, bytes, segments] = ['', 0, 0];
  for (let number = 0; number < changes; number++) {
    const at = new Date(begin + number * 60_000).toISOString();
    const line = JSON.stringify({
      ...{ at, id: revisionId(code, number), target: taskIds[(number * 7919) % taskIds.length], target_type: 'task' },
      ...{ author: number % 2 === 0 ? 'agent:robo' : 'human:owner', fields: ['status'] },
      ...{ before: { status: number % 3 === 0 ? 'todo' : 'done' }, after: number.toString(16).padStart(16, '0') },
    });
    lines += `${line}\n`;
    bytes += line.length + 1;
    if (bytes < segmentBytes && number < changes - 1) continue;
    const month = join(directory, 'history', at.slice(0, 7));
    mkdirSync(month, { recursive: true });
    writeFileSync(join(month, `past${segments++}.jsonl`), lines);
    [lines, bytes] = ['', 0];
  }
}

/** A plan in a root, whose index has been made by a first start. */
async function plan(bench: Bench, name: string, tasks: number, changes: number): Promise<string> {
  const root = bench.scratch(name);
  const first = await startService(root);
  const { taskIds } = await seed(first, 'Garden', { tasks });
  await first.stop();
  writePast(projectDirectory(root), taskIds, changes);
  // Segments that changed a moment ago are not left to the index yet.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  await (await startService(root)).stop();
  return root;
}

interface Start {
  readonly ms: number;
  readonly processorMs: number;
  readonly megabytes: number;
}

async function started(root: string): Promise<Start> {
  const service = await startService(root);
  const used = processorMs(service.pid);
  await atRest(service.pid);
  const megabytes = residentBytes(service.pid).now / 1e6;
  await service.stop();
  return { ms: service.startedMs, processorMs: used, megabytes };
}

const roundsOf = (bench: Bench): number => (bench.quick ? 1 : 7);

const of = (starts: readonly Start[], member: keyof Start): number[] => starts.map((start) => start[member]);

async function pastRows(bench: Bench): Promise<readonly Row[]> {
  const [tasks, changes] = bench.quick ? [20, 4000] : [200, 200_000];
  const roots = {
    without: await plan(bench, 'without-past', tasks, 0),
    with: await plan(bench, 'past', tasks, changes),
  };
  bench.say('starts with a past');
  const starts = await alternate(roundsOf(bench), {
    without: () => started(roots.without),
    with: () => started(roots.with),
  });
  const what = `serve, ${tasks} tasks with ${changes} past changes`;
  return [
    compare(
      measured(what, 'ms', of(starts.with, 'ms')),
      measured('the same without past changes', 'ms', of(starts.without, 'ms')),
      { atMost: 1.2 },
    ),
    compare(
      measured(`${what}, memory at rest`, 'MB', of(starts.with, 'megabytes')),
      measured('the same without past changes', 'MB', of(starts.without, 'megabytes')),
      { atMost: 1.2 },
    ),
  ];
}

/** A root of so many projects with so many tasks each. */
async function projects(bench: Bench, name: string, count: number, tasks: number): Promise<string> {
  const root = bench.scratch(name);
  const service = await startService(root);
  const client = new HttpClient(service.url);
  for (let number = 0; number < count; number++) {
    const rows = Array.from({ length: tasks }, (_, row) => ({
      ...{ id: `t-${row}`, label: `Task ${row}`, description: textOf(300, row) },
    }));
    const body = { format: 'planner-export-v1', project: { name: `Garden ${number}` }, tasks: rows };
    await client.json('POST', '/projects/import', body);
  }
  client.close();
  await service.stop();
  return root;
}

async function projectRows(bench: Bench): Promise<readonly Row[]> {
  const [count, tasks] = bench.quick ? [10, 5] : [1000, 5];
  const roots = {
    one: await projects(bench, 'one-project', 1, count * tasks),
    many: await projects(bench, 'many-projects', count, tasks),
  };
  bench.say('starts with many projects');
  const starts = await alternate(roundsOf(bench), { one: () => started(roots.one), many: () => started(roots.many) });
  return [
    compare(
      measured(`serve, ${count} projects of ${tasks} tasks`, 'ms', of(starts.many, 'ms')),
      measured(`serve, one project of ${count * tasks} tasks`, 'ms', of(starts.one, 'ms')),
      { atMost: 2 },
      { processor_ms: Math.round(of(starts.many, 'processorMs').toSorted((a, b) => a - b)[starts.many.length >> 1]!) },
    ),
  ];
}
