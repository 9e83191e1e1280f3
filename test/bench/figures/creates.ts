import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Request } from 'autocannon';
import { type ServerProcess, startService } from '../../support/server-process.ts';
import { startYardstick } from '../yardstick.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { countFiles, lastChange, projectDirectory, readAll, until } from '../files.ts';
import { HttpClient } from '../http-client.ts';
import { load } from '../load.ts';
import { alternate, attain, compare, measured, median } from '../measure.ts';
import { textOf } from '../plans.ts';
import { atRest, residentBytes, watchMemory } from '../process-usage.ts';

const run = promisify(execFile);
const renameLoop = fileURLToPath(new URL('../yardsticks/rename-loop.ts', import.meta.url));
const descriptionBytes = 400;

/** What one round of the product gave. */
interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Files written per second once the load had ended; where hardly any were left then, from the first create until the last file. */
  readonly filesPerSecond: number;
  /** From the end of the load until the last file was there. */
  readonly behindMs: number;
  readonly behind: number;
  readonly renamesPerSecond: number;
  readonly peakBytes: number;
  /** What the process may take: what it took when idle, and twice 3 kB and its file's bytes for each task. */
  readonly allowedBytes: number;
}

/**
 * Journal, buffers and requests under way: what memory may grow by whatever the number of tasks. Of what the tasks take twice is allowed at
 * the peak, for V8 collects when its heap has grown by as much as lives; what they take afterwards is the figure `memory`.
 */
const workingBytes = 192e6;

/** Durable creates over REST, the writing of their files, and the memory meanwhile. */
export const creates: Figure = {
  name: 'creates',
  title: 'Durable task creates over REST, 64 connections, each acknowledged after fdatasync',
  measure: async (bench) => {
    const seconds = bench.quick ? 1 : 10;
    const { driver, module } = await bench.peers.sqlite();
    const results = await alternate<'bare' | 'sqlite' | 'planner', Round | number>(bench.quick ? 1 : 3, {
      bare: () => yardstick('no-store', seconds),
      sqlite: (round) => yardstick('sqlite', seconds, join(bench.scratch(`sqlite-${round}`), 'tasks.db'), module),
      planner: (round) => product(bench, bench.scratch(`creates-${round}`), seconds),
    });
    return rows(results.planner as Round[], results.bare as number[], results.sqlite as number[], driver);
  },
};

function rows(rounds: readonly Round[], bare: readonly number[], sqlite: readonly number[], driver: string): Row[] {
  const perSecond = measured(
    'durable creates',
    '/s',
    rounds.map((round) => round.perSecond),
  );
  const excess = measured(
    'memory at its peak, above twice what the tasks may take',
    'MB',
    rounds.map((round) => (round.peakBytes - round.allowedBytes) / 1e6),
  );
  return [
    compare(
      perSecond,
      measured('the same Express app without a store', '/s', bare),
      { atLeast: 0.5 },
      { p99_ms: median(rounds.map((round) => round.p99Ms)) },
    ),
    compare(perSecond, measured(`Express + ${driver}, WAL, synchronous=FULL`, '/s', sqlite), { atLeast: 2 }),
    fileRow(rounds),
    attain(excess, { atMost: workingBytes / 1e6 }, undefined, {
      peak_mb: Math.round(median(rounds.map((round) => round.peakBytes)) / 1e6),
    }),
  ];
}

/** Files that are written while they are made leave nothing to measure afterwards: then it is enough that nothing was left behind. */
function fileRow(rounds: readonly Round[]): Row {
  const product = measured(
    'files written',
    '/s',
    rounds.map((round) => round.filesPerSecond),
  );
  const yardstick = measured(
    'bare temporary file + rename, the same bytes',
    '/s',
    rounds.map((round) => round.renamesPerSecond),
  );
  const behindMs = Math.round(median(rounds.map((round) => round.behindMs)));
  const row = compare(product, yardstick, undefined, {
    files_left_after_load: median(rounds.map((round) => round.behind)),
    left_for_ms: behindMs,
  });
  return {
    ...row,
    target: { text: '≥ 0.7 ×, or less than 1 s behind', reached: row.ratio! >= 0.7 || behindMs < 1000 },
  };
}

async function yardstick(name: string, seconds: number, ...rest: string[]): Promise<number> {
  const child = await startYardstick(name, ...rest);
  try {
    await load(child.url, requests('prj_bench000000000001'), { seconds: seconds / 4 });
    return (await load(child.url, requests('prj_bench000000000001'), { seconds })).perSecond;
  } finally {
    await child.stop();
  }
}

async function product(bench: Bench, root: string, seconds: number): Promise<Round> {
  const child = await startService(root);
  try {
    const round = await underLoad(child, root, seconds);
    // Once it has synced its files, and before it gives its memory back: the loop finds the machine as the writing of the files found it.
    await atRest(child.pid);
    const tasks = join(projectDirectory(root), 'tasks');
    const { stdout } = await run(process.execPath, [renameLoop, tasks, bench.scratch(`renames-${child.pid}`)]);
    return { ...round, renamesPerSecond: Number(stdout) };
  } finally {
    await child.stop();
  }
}

async function underLoad(
  child: ServerProcess,
  root: string,
  seconds: number,
): Promise<Omit<Round, 'renamesPerSecond'>> {
  const idle = residentBytes(child.pid).now;
  const client = new HttpClient(child.url);
  const { id } = await client.json<{ id: string }>('POST', '/projects', { name: 'Garden' });
  const path = requests(id);
  const warm = await load(child.url, path, { seconds: seconds / 4 });
  const tasks = join(projectDirectory(root), 'tasks');
  await until(() => countFiles(tasks) >= warm.answered, 'the files of the first creates');
  const before = countFiles(tasks);
  const memory = watchMemory(child.pid);
  const began = Date.now();
  const { perSecond, answered, p99Ms } = await load(child.url, path, { seconds });
  const ended = Date.now();
  // autocannon does not count what it cut off at the end: those tasks exist too.
  const behind = before + answered - countFiles(tasks);
  // Nothing came while the directory was listed: what it lacks is written from now on.
  const listed = Date.now();
  // The service is asked: while a directory of so many files is listed, nothing can be renamed into it. The files say when the last one came.
  const isWritten = async (): Promise<boolean> =>
    (await client.json<{ pending: number }>('GET', '/ready')).pending === 0 && countFiles(tasks) >= before + answered;
  await until(isWritten, 'the files of all creates', 100, 600_000);
  client.close();
  const written = lastChange(tasks);
  const peakBytes = memory.stop();
  const files = readAll(tasks);
  const bytes = files.reduce((sum, file) => sum + file.length, 0);
  return {
    perSecond,
    p99Ms,
    filesPerSecond:
      behind > answered / 20 ? behind / ((written - listed) / 1000) : answered / ((written - began) / 1000),
    behind: Math.max(0, behind),
    behindMs: written - ended,
    peakBytes,
    allowedBytes: idle + 2 * (files.length * 3000 + bytes),
  };
}

/** As many different tasks as there are connections. */
function requests(projectId: string): Request[] {
  return Array.from({ length: 64 }, (_, i) => ({
    method: 'POST',
    path: `/api/v1/projects/${projectId}/tasks`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      label: `Prepare bed ${i} for the winter`,
      description: textOf(descriptionBytes, i),
      priority: 'high',
    }),
  }));
}
