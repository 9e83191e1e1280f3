import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { BridgeProcess } from '../../support/bridge.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { startService } from '../service.ts';
import { BuiltCommands, type Run } from '../built-command.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import { firstProject, stopClean } from '../first-project.ts';
import { alternate, attain, compare, measured, median, timed } from '../measure.ts';
import { seed } from '../plans.ts';
import { atRest, processorMs, residentBytes } from '../process-usage.ts';
import { startYardstick } from '../yardstick.ts';

/**
 * The cost of starting: commands, a service, a window of `planner mcp`. All of them are the build, with its compiled
 * code cached.
 */
export const start: Figure = {
  name: 'start',
  title: 'Starts of the build: commands, serve, planner mcp',
  measure: async (bench) => {
    const commands = new BuiltCommands(bench.scratch('start'));
    return [
      ...(await commandRows(bench, commands)),
      ...(await serviceRows(bench)),
      ...(await windowRows(bench, commands)),
    ];
  },
};

/** Most of a round is the start of a process: eleven rounds take half a minute. */
const roundsOf = (bench: Bench): number => (bench.quick ? 1 : 11);

interface WrittenRoot {
  readonly directory: string;
  readonly projectId: string;
  readonly taskIds: readonly string[];
}

/** A root whose service has stopped. */
async function writtenRoot(bench: Bench, name: string, tasks: number, documents = 0): Promise<WrittenRoot> {
  const directory = bench.scratch(name);
  const service = await startService(directory);
  const seeded = await seed(service, 'Garden', { tasks, documents });
  await stopClean(service);
  return { directory, ...seeded };
}

async function commandRows(bench: Bench, commands: BuiltCommands): Promise<readonly Row[]> {
  const served = await writtenRoot(bench, 'served', bench.quick ? 200 : 10_000);
  const alone = await writtenRoot(bench, 'alone', bench.quick ? 200 : 1000);
  const service = await startService(served.directory);
  bench.say('commands');
  try {
    const contestants: Readonly<Record<string, (round: number) => Promise<Run>>> = {
      'node -e 0': () => commands.node(bench.scratch('node'), '-e', '0'),
      'planner --version': () => commands.planner(served.directory, '--version'),
      'planner --help': () => commands.planner(served.directory, '--help'),
      ...planCommands(commands, served, withService),
      ...planCommands(commands, alone, withoutService),
    };
    // The first run of each fills the cache of compiled code.
    for (const run of Object.values(contestants)) await run(0);
    const timedRuns = Object.entries(contestants).map(
      ([name, run]) => [name, (round: number) => run(round + 1)] as const,
    );
    const { 'node -e 0': node, ...results } = await alternate(roundsOf(bench), Object.fromEntries(timedRuns));
    return Object.entries(results).map(([name, runs]) => commandRow(name, runs, node!));
  } finally {
    await stopClean(service);
  }
}

const withService = ', with a service';
const withoutService = ', without a service';

/** The calls of agents in a loop. Each round claims another task that is to do and has no prerequisites. */
function planCommands(
  commands: BuiltCommands,
  { directory, projectId, taskIds }: WrittenRoot,
  how: string,
): Readonly<Record<string, (round: number) => Promise<Run>>> {
  const run = (...argv: readonly string[]): Promise<Run> => commands.planner(directory, ...argv);
  return {
    [`planner next${how}`]: () => run('next'),
    [`planner task list${how}`]: () => run('task', 'list'),
    [`planner claim${how}`]: (round) => run('claim', taskIds[10 * round]!),
    [`planner done${how}`]: (round) => run('done', taskIds[10 * round]!),
    [`planner call${how}`]: () => run('call', 'list_tags', JSON.stringify({ project_id: projectId })),
  };
}

function commandRow(name: string, runs: readonly Run[], node: readonly Run[]): Row {
  const isOfPlan = name.endsWith(withService) || name.endsWith(withoutService);
  const ms = (of: readonly Run[]): number[] => of.map((run) => run.ms);
  return compare(
    measured(name, 'ms', ms(runs)),
    measured('node -e 0', 'ms', ms(node)),
    { atMost: isOfPlan ? 4 : 2.7 },
    {
      processor_ms: Math.round(median(runs.map(({ processorMs }) => processorMs))),
      peak_mb: inMb(median(runs.map(({ peakBytes }) => peakBytes))),
      node_peak_mb: inMb(median(node.map(({ peakBytes }) => peakBytes))),
    },
  );
}

const inMb = (bytes: number): number => Math.round(bytes / 1e6);

async function serviceRows(bench: Bench): Promise<readonly Row[]> {
  const size = bench.quick ? { tasks: 200, documents: 20 } : { tasks: 10_000, documents: 1000 };
  const large = await writtenRoot(bench, 'large', size.tasks, size.documents);
  bench.say('services');
  const used = { express: [] as number[], empty: [] as number[], files: [] as number[], stopped: [] as number[] };
  let turn = 0;
  const results = await alternate(bench.quick ? 1 : 7, {
    express: () => firstProject(() => startYardstick('bare'), noting(used.express)),
    empty: () => firstProject(() => startService(bench.scratch(`empty-${turn++}`)), noting(used.empty)),
    files: () => {
      // Like after a clone: the files exist, the machine-local state does not.
      rmSync(join(large.directory, '.planner', 'local'), { recursive: true, force: true });
      return firstProject(() => startService(large.directory), noting(used.files));
    },
    resident: async () => {
      const service = await startService(bench.scratch(`empty-${turn++}`));
      const megabytes = await residentAtRest(service.pid);
      await stopClean(service);
      return megabytes;
    },
    stopped: () => firstProject(() => startService(large.directory), noting(used.stopped)),
  });
  const express = measured('bare Express', 'ms', results.express);
  const processor = (of: keyof typeof used): Row['also'] => ({
    processor_ms: Math.round(median(used[of])),
    express_processor_ms: Math.round(median(used.express)),
  });
  const what = `${size.tasks} tasks and ${size.documents} documents of 8 KB`;
  return [
    attain(
      measured('serve, empty root, to the first answered write', 'ms', results.empty),
      { atMost: 300 },
      express,
      processor('empty'),
    ),
    compare(measured(`serve, ${what}, files alone`, 'ms', results.files), express, { atMost: 4 }, processor('files')),
    attain(
      measured('the same after a clean stop', 'ms', results.stopped),
      { atMost: 600 },
      express,
      processor('stopped'),
    ),
    attain(measured('resident memory at rest, empty root', 'MB', results.resident), { atMost: 95 }),
  ];
}

/** Notes the processor time of all threads of a process since it started. */
const noting =
  (times: number[]) =>
  ({ pid }: ServerProcess): Promise<void> => {
    times.push(processorMs(pid));
    return Promise.resolve();
  };

/** The memory of a service that has started and has nothing to do. */
async function residentAtRest(pid: number): Promise<number> {
  await atRest(pid);
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  return residentBytes(pid).now / 1e6;
}

/** A service tidies up when it has had nothing to do for some seconds. */
const settleMs = 5000;

async function windowRows(bench: Bench, { environment }: BuiltCommands): Promise<readonly Row[]> {
  const root = await writtenRoot(bench, 'windows', bench.quick ? 50 : 1000);
  bench.say('windows');
  const opened = (round: number): Promise<number> => firstChange(root, environment, round);
  const results = await alternate(bench.quick ? 1 : 7, {
    node: () => timed(() => new BuiltCommands(bench.scratch('node')).node(root.directory, '-e', '0')),
    alone: opened,
    beside: async (round) => {
      const service = await startService(root.directory);
      const ms = await opened(round);
      await stopClean(service);
      return ms;
    },
  });
  const node = measured('node -e 0', 'ms', results.node);
  return [
    attain(
      measured('planner mcp, to the first answered write, no service running', 'ms', results.alone),
      { atMost: 600 },
      node,
    ),
    attain(measured('the same with a running service', 'ms', results.beside), { atMost: 300 }, node),
  ];
}

/** From the start of a window, as an agent's client starts it, until its first change is answered. */
async function firstChange(
  { directory, taskIds }: WrittenRoot,
  environment: Readonly<Record<string, string>>,
  round: number,
): Promise<number> {
  let window: BridgeProcess | undefined;
  const ms = await timed(async () => {
    window = await BridgeProcess.open({ cwd: directory, environment });
    await window.get('update_task', { task_id: taskIds[round]!, label: `Prepare bed ${performance.now()}` });
  });
  await window?.close();
  return ms;
}
