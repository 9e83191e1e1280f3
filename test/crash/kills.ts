import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { type ServerProcess, startService } from '../support/server-process.ts';
import { lastLine, Ledger, type TaskState } from './ledger.ts';
import { BackgroundLoad } from './background-load.ts';
import { Follower } from './follower.ts';
import { Writer } from './writer.ts';

const writerCount = 8;

type Shown = (TaskState & { readonly id: string })[];

/** The shared body of a few kills and of many. */
export function describeKills(rounds: number): void {
  describe('kill -9 of the serving process at random moments under load', () => {
    const scratch = scratchDirectory();

    it('loses no acknowledged task, upload, import or external edit, adds nothing, tears no file, and reports every change once [A.crash.kill, A.crash.debris, A.feed.durable]', async function () {
      this.timeout(rounds * 30_000 + 60_000);
      const random = Random.announced('kill');
      const ledger = new Ledger();
      const writers = Array.from(
        { length: writerCount },
        (_, i) => new Writer(ledger, new Random(random.integer(0, 2 ** 31)), `writer ${i}`),
      );
      let service = await startService(scratch.path);
      try {
        const { id: projectId } = (await new RestClient(service.url).post('/projects', { name: 'Killed' })).body as {
          id: string;
        };
        const background = new BackgroundLoad(new Random(random.integer(0, 2 ** 31)), scratch.path, projectId);
        const follower = new Follower(projectId);
        for (let round = 1; round <= rounds; round++) {
          const where = `seed ${random.seed}, round ${round}`;
          await killUnderLoad(service, writers, [background, follower], projectId, random.integer(20, 600));
          expectWholeFiles(scratch.path);
          service = await startService(scratch.path);
          const shown = await tasksOf(service, projectId);
          expect(ledger.faults(shown), where).to.deep.equal([]);
          expect(await background.faults(service.url), where).to.deep.equal([]);
          expect(await problemsOf(service, projectId), where).to.deep.equal([]);
          await follower.expectTasks(service.url, shown, where);
          ledger.settle(shown);
        }
        reached('processes killed under load', rounds);
        reached('events followed across kills', follower.count);
        expect(await service.stop()).to.equal(0);
        expectFilesToSay(scratch.path, ledger);
        expectNoneTemporary(scratch.path);
      } finally {
        await service.kill();
      }
    });
  });
}

async function killUnderLoad(
  service: ServerProcess,
  writers: readonly Writer[],
  beside: readonly { run(url: string): Promise<void> }[],
  projectId: string,
  afterMs: number,
): Promise<void> {
  const working = Promise.all([
    ...writers.map((writer) => writer.run(service.url, projectId)),
    ...beside.map((one) => one.run(service.url)),
  ]);
  const killing = new Promise((resolve) => setTimeout(resolve, afterMs)).then(() => service.kill());
  await Promise.all([working, killing]);
}

async function tasksOf(service: ServerProcess, projectId: string): Promise<Shown> {
  const answer = await new RestClient(service.url).get(`/projects/${projectId}/tasks`);
  expect(answer.status).to.equal(200);
  return (answer.body as { tasks: Shown }).tasks;
}

async function problemsOf(service: ServerProcess, projectId: string): Promise<unknown[]> {
  const answer = await new RestClient(service.url).get(`/projects/${projectId}/problems`);
  expect(answer.status).to.equal(200);
  return (answer.body as { problems: unknown[] }).problems;
}

/** The texts of all task files by name. */
function taskFiles(root: string): Map<string, string> {
  const projects = join(root, '.planner', 'projects');
  const texts = new Map<string, string>();
  for (const project of readdirSync(projects)) {
    const tasks = join(projects, project, 'tasks');
    for (const name of namesIn(tasks)) texts.set(name, readFileSync(join(tasks, name), 'utf8'));
  }
  return texts;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** At any moment, including the moment of a kill, a file at its path is complete. */
function expectWholeFiles(root: string): void {
  for (const [name, text] of taskFiles(root)) {
    expect(text, name).to.match(/^---\n[^]*\n---\n/);
    expect(text.endsWith(`${lastLine}\n`), `${name} ends as it was sent`).to.equal(true);
  }
}

/** After a clean stop the files alone contain everything. */
function expectFilesToSay(root: string, ledger: Ledger): void {
  const files = taskFiles(root);
  const expected = [...ledger.entries].filter(([, { acknowledged }]) => acknowledged !== undefined);
  expect(files.size).to.equal(expected.length);
  const texts = [...files.values()];
  for (const [id, { acknowledged }] of expected) {
    const text = texts.find((each) => each.includes(`\nid: ${id}\n`));
    expect(text, `the file of ${id}`)
      .to.include(`\nlabel: ${acknowledged!.label}\n`)
      .and.to.include(acknowledged!.description);
  }
}

/** Torn files of killed processes are removed when the root is opened again. */
function expectNoneTemporary(root: string): void {
  const names = readdirSync(join(root, '.planner'), { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.endsWith('.tmp'))).to.deep.equal([]);
}
