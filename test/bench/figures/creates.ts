import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Request } from 'autocannon';
import type { ServerProcess } from '../../support/server-process.ts';
import { startService } from '../service.ts';
import { startYardstick } from '../yardstick.ts';
import type { Bench, Figure, Measured, Row } from '../figure.ts';
import { countFiles, lastChange, projectDirectory, readAll, until } from '../files.ts';
import { HttpClient } from '../http-client.ts';
import { load } from '../load.ts';
import { alternate, attain, compare, measured, median } from '../measure.ts';
import { agentHeaders, seed, textOf } from '../plans.ts';
import { atRest, residentBytes, watchMemory } from '../process-usage.ts';

const run = promisify(execFile);
const renameLoop = fileURLToPath(new URL('../yardsticks/rename-loop.ts', import.meta.url));
const descriptionBytes = 400;

/** The result of one round of the product. */
interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Files written per second after the load had ended; if hardly any remained, from the first create until the last file. */
  readonly filesPerSecond: number;
  /** From the end of the load until the last file was written. */
  readonly behindMs: number;
  readonly behind: number;
  readonly renamesPerSecond: number;
  readonly peakBytes: number;
  /** Memory limit of the process: its idle memory, and twice 3 kB plus the file size for each task. */
  readonly allowedBytes: number;
}

/**
 * Journal, buffers and requests in progress: the allowed growth of memory for any number of tasks. For the tasks themselves twice their size
 * is allowed at the peak, since V8 collects after its heap has doubled; the figure `memory` measures their size afterwards.
 */
const workingBytes = 192e6;

/** Durable creates over REST, the checkpoint of their files, and the memory during them. */
export const creates: Figure = {
  name: 'creates',
  title: 'Durable task creates over REST, 64 connections, each acknowledged after fdatasync',
  measure: async (bench) => {
    const seconds = bench.quick ? 1 : 10;
    const { driver, module } = await bench.peers.sqlite();
    const results = await alternate<'bare' | 'sqlite' | 'planner' | 'withKey', Round | number>(bench.quick ? 1 : 5, {
      bare: () => yardstick('no-store', seconds),
      sqlite: (round) => yardstick('sqlite', seconds, join(bench.scratch(`sqlite-${round}`), 'tasks.db'), module),
      planner: (round) => product(bench, bench.scratch(`creates-${round}`), seconds),
      withKey: (round) => withKey(bench.scratch(`with-key-${round}`), seconds),
    });
    const bare = measured('the same Express app without a store', '/s', results.bare as number[]);
    const ofAgent = measured('durable creates with the key of an agent', '/s', results.withKey as number[]);
    const sqlite = measured(`Express + ${driver}, WAL, synchronous=FULL`, '/s', results.sqlite as number[]);
    return [...rows(results.planner as Round[], bare, sqlite, seconds), compare(ofAgent, bare, { atLeast: 0.55 })];
  },
};

function rows(rounds: readonly Round[], bare: Measured, sqlite: Measured, seconds: number): Row[] {
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
    compare(perSecond, bare, { atLeast: 0.6 }, { p99_ms: median(rounds.map((round) => round.p99Ms)) }),
    compare(perSecond, sqlite, { atLeast: 2 }),
    fileRow(rounds, seconds),
    attain(excess, { atMost: workingBytes / 1e6 }, undefined, {
      peak_mb: Math.round(median(rounds.map((round) => round.peakBytes)) / 1e6),
    }),
  ];
}

/** If files are written during the load, nothing remains to be measured: then it is enough that no file is left. */
function fileRow(rounds: readonly Round[], seconds: number): Row {
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
    target: {
      text: '≥ 0.6 ×, or behind for less than a tenth of the load',
      reached: row.ratio! >= 0.6 || behindMs < seconds * 100,
    },
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
    // After it has synced its files, and before it releases memory: the loop runs on the machine in the same state.
    await atRest(child.pid);
    const tasks = join(projectDirectory(root), 'tasks');
    const { stdout } = await run(process.execPath, [renameLoop, tasks, bench.scratch(`renames-${child.pid}`)]);
    return { ...round, renamesPerSecond: Number(stdout) };
  } finally {
    await child.stop();
  }
}

/** Creates per second by an agent. */
async function withKey(root: string, seconds: number): Promise<number> {
  const child = await startService(root);
  try {
    const { projectId } = await seed(child, 'Garden', { tasks: 1 });
    const headers = await agentHeaders(child, projectId);
    const path = requests(projectId).map((request) => ({ ...request, headers: { ...request.headers, ...headers } }));
    await load(child.url, path, { seconds: seconds / 4 });
    return (await load(child.url, path, { seconds })).perSecond;
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
  // autocannon does not count requests that it aborted at the end: those tasks exist too.
  const behind = before + answered - countFiles(tasks);
  // No create arrived while the directory was listed: missing files are written from now on.
  const listed = Date.now();
  // Poll the service instead: listing a directory of so many files blocks renames into it. The files have the time of the last one.
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

/** As many different tasks as connections. */
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
