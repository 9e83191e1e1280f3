import { join } from 'node:path';
import { expect } from 'chai';
import { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { repository, startServer, startService } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { PlanClient } from './client.ts';
import type { Ground } from './client.ts';
import { check } from './linearizability.ts';
import { Recorder } from './recorder.ts';
import { explain, planModel } from './task-model.ts';
import type { PlanState } from './task-model.ts';

export interface HistoryOptions {
  readonly random: Random;
  /** A directory for the service's files. */
  readonly directory: string;
  /** How often the service is killed under load; after the last kill everything is read once more. */
  readonly kills: number;
  /** How long the clients work before a kill, at most. */
  readonly loadMsMax: number;
  /** How long a change is in the index before the journal gets it, in milliseconds; undefined for the disk as it is. */
  readonly lateMs?: number;
  readonly tasks?: number;
}

/** The result of a history. */
export interface HistoryFigures {
  readonly operations: number;
  /** Calls that were cut off, which may have happened or not. */
  readonly unknown: number;
}

/**
 * Lets clients work on one plan over both transports while the service is killed and restarted; then all their
 * observations must fit one order of events: claims, changes, compared changes, single reads, lists, deltas, exports,
 * next tasks, before and after each crash. A state that a response showed and a crash rolled back does not fit.
 */
export async function expectLinearizable(options: HistoryOptions): Promise<HistoryFigures> {
  const { random, kills, loadMsMax, tasks = 4 } = options;
  const recorder = new Recorder();
  const kinds = [
    ...(['REST', 'MCP', 'REST', 'MCP'] as const).map((transport) => ({ transport, readsOnly: false })),
    ...(['REST', 'MCP'] as const).map((transport) => ({ transport, readsOnly: true })),
  ];
  const clients = kinds.map((kind, i) => new PlanClient(i, new Random(random.integer(0, 2 ** 31)), recorder, kind));
  let service = await start(options);
  try {
    const { ground, initial } = await plant(service, tasks);
    for (let kill = 0; kill < kills; kill++) {
      const working = Promise.all(clients.map((client) => client.run(service.url, ground)));
      await Promise.all([working, soon(random.integer(loadMsMax / 4, loadMsMax)).then(() => service.kill())]);
      recorder.ended();
      service = await start(options);
    }
    await Promise.all(clients.map((client) => client.run(service.url, ground, 20)));
    const { operations } = recorder;
    expect(recorder.refused, 'calls that could not be carried out').to.equal(0);
    const verdict = check(planModel(initial), operations);
    if (!verdict.linearizable) expect.fail(`seed ${random.seed}: ${explain(verdict)}`);
    const unknown = operations.filter(({ what }) => 'answer' in what && what.answer === 'unknown').length;
    return { operations: operations.length, unknown };
  } finally {
    await service.kill();
  }
}

function start({ directory, lateMs }: HistoryOptions): Promise<ServerProcess> {
  if (lateMs === undefined) return startService(directory);
  const program = join(repository, 'test/concurrency/late-service.ts');
  return startServer((port) => [program, directory, String(port), String(lateMs)]);
}

async function plant(service: ServerProcess, count: number): Promise<{ ground: Ground; initial: PlanState }> {
  const rest = new RestClient(service.url);
  const { id: project } = (await rest.post('/projects', { name: 'Watched' })).body as { id: string };
  const initial = new Map<string, { label: string; status: string; assignee: null }>();
  for (let i = 0; i < count; i++) {
    const { status, body } = await rest.post(`/projects/${project}/tasks`, { label: `task ${i}` });
    expect(status).to.equal(201);
    initial.set(body.id as string, { label: `task ${i}`, status: 'todo', assignee: null });
  }
  return { ground: { project, tasks: [...initial.keys()] }, initial };
}

function soon(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
