import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { freePort, startServe, startService } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { restCaller, toolCaller } from './callers.ts';
import type { Stage } from './callers.ts';
import { Gate } from './gate.ts';
import { gitBeside, gitWork } from './git-work.ts';
import { editFiles } from './external-edits.ts';
import { Ledger } from './ledger.ts';
import { Latencies } from './measures.ts';
import { measureMachine } from './yardstick.ts';

/** The result of a soak. */
export interface SoakFigures {
  readonly calls: number;
  readonly changes: number;
  readonly edits: number;
  readonly gitCommands: number;
}

/** Watches the service while the load runs; the load ends when it resolves. */
export type Watch = (stage: Stage, service: { readonly pid: number; readonly inspector: number }) => Promise<void>;

/**
 * Serves a directory in a process of its own, in a repository, with callers of both transports, external edits and git
 * operations, for as long as `watch` takes. Then doctor must find nothing, and everything acknowledged must be there,
 * before and after a restart.
 */
export async function soak(random: Random, directory: string, watch: Watch): Promise<SoakFigures> {
  const inspector = await freePort();
  const service = await startServe(directory, { flags: [`--inspect=127.0.0.1:${inspector}`] });
  let again: ServerProcess | undefined;
  const gate = new Gate();
  try {
    const rest = new RestClient(service.url);
    const [project, branched] = [await newProject(rest, 'Steady'), await newProject(rest, 'Branched')];
    await rest.post('/flush');
    const [ledger, latencies] = [new Ledger(), new Latencies()];
    const stage: Stage = { url: service.url, project, gate, ledger, latencies };
    await prepareGit(directory, directoryOf(directory, project));
    const own = (): Random => new Random(random.integer(0, 2 ** 31));
    const editing = editFiles(stage, own(), join(directory, '.planner', 'projects', directoryOf(directory, project)));
    const branching = gitWork(stage, own(), { directory, branched });
    const all = Promise.all([
      ...[restCaller(stage, own(), 'ann'), restCaller(stage, own(), 'ben')],
      ...[toolCaller(stage, own(), 'cat'), toolCaller(stage, own(), 'dan')],
      ...[editing, branching, measureMachine(stage)],
    ]);
    await Promise.race([watch(stage, { pid: service.pid, inspector }), failing(all)]);
    gate.end();
    await all;
    const [edits, git] = [await editing, await branching];

    await rest.post('/flush');
    const { problems } = (await rest.get('/doctor')).body as { problems: unknown[] };
    expect(problems, 'what doctor finds').to.deep.equal([]);
    await expectEverything(ledger, service.url, branched, git.made);
    expect(await service.stop()).to.equal(0);
    again = await startService(directory);
    await expectEverything(ledger, again.url, branched, git.made);
    return { calls: latencies.count, changes: ledger.acknowledged, edits, gitCommands: git.commands };
  } finally {
    // A caller that continues after a failure would keep the process alive.
    gate.end();
    await service.kill();
    await again?.kill();
  }
}

async function newProject(rest: RestClient, name: string): Promise<string> {
  return (await rest.post('/projects', { name })).body.id as string;
}

function directoryOf(root: string, project: string): string {
  const projects = join(root, '.planner', 'projects');
  return readdirSync(projects).find((name) =>
    readFileSync(join(projects, name, 'project.json'), 'utf8').includes(project),
  )!;
}

/**
 * A repository that does not track the steady project: acknowledged changes there must stay, whatever is checked out.
 */
async function prepareGit(directory: string, steady: string): Promise<void> {
  await gitBeside(directory, 'init', '--quiet', '--initial-branch=main');
  appendFileSync(join(directory, '.git', 'info', 'exclude'), `.planner/projects/${steady}/\n`);
  writeFileSync(join(directory, 'README.md'), 'A garden.\n');
  await gitBeside(directory, 'add', '--all');
  await gitBeside(directory, 'commit', '--quiet', '--message', 'The beginning');
}

/** Fails as soon as one of the actors does. */
function failing(all: Promise<unknown>): Promise<never> {
  return all.then(
    () => Promise.reject(new Error('The load ended before its time.')),
    (error: unknown) => Promise.reject(error as Error),
  );
}

async function expectEverything(ledger: Ledger, url: string, branched: string, made: readonly string[]): Promise<void> {
  const faults = await ledger.faults(url);
  expect(faults, faults.slice(0, 20).join('\n')).to.deep.equal([]);
  const { tasks } = (await new RestClient(url).get(`/projects/${branched}/tasks`)).body as { tasks: { id: string }[] };
  expect(tasks.map(({ id }) => id)).to.have.members(made);
}
