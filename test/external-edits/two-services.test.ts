import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runProgram } from '../../src/cli/program.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { openPlanner } from '../../src/main/service.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { isSuspended } from '../../src/store/files/lock/lock-holder.ts';
import type { LockHolder } from '../../src/store/files/lock/lock-holder.ts';
import { shellTestMs } from '../cli/planner.ts';
import { startService } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { asServed, TestService } from '../support/service.ts';
import { FileEditor } from './external-edits.ts';
import { type Line, programBeside, writersOf } from './program-beside.ts';

describe('Two services over one root', function () {
  this.timeout(shellTestMs);
  let running: ServerProcess[] = [];
  // Before the scratch directory's own hook, which removes the files.
  afterEach(async () => {
    await Promise.all(running.map((service) => service.kill()));
    running = [];
  });
  const scratch = scratchDirectory();

  async function refusal(attempt: Promise<unknown>): Promise<string> {
    const thrown: unknown = await attempt.then(
      () => new Error('It was not refused.'),
      (error: unknown) => error,
    );
    expect(thrown).to.be.instanceOf(PlannerError).with.property('code', 'conflict');
    return (thrown as PlannerError).message;
  }

  it('are impossible: the second one exits and names the holder and the remedy, also for a suspended one; a killed one leaves the root free [A.root.message, A.root.stopped, A.lock.free]', async () => {
    const directory = scratch.path;
    const first = await startService(directory);
    running.push(first);
    const rest = new RestClient(first.url);
    const { body: project } = await rest.post('/projects', { name: 'Garden' });
    const { pid, url } = first;
    const refused = await refusal(TestService.start({ ...asServed, directory }));
    expect(refused).to.contain(`process ${pid} on`).and.to.contain(url).and.to.contain(`kill ${pid}`);

    process.kill(pid, 'SIGSTOP');
    const root = join(directory, '.planner');
    const note = JSON.parse(readFileSync(join(root, 'local/lock.json'), 'utf8')) as LockHolder;
    while (!isSuspended(nodeDisk, note)) await setTimeout(5);
    const stopped = await refusal(TestService.start({ ...asServed, directory }));
    // A command gets no answer, and does not open the root while another process holds it.
    const open = (): Promise<never> =>
      openPlanner({ root, owner: 'Ada', defaultProject: undefined, log: () => undefined }) as Promise<never>;
    const errors: string[] = [];
    const command = { ...programBeside(directory).parts, openStore: open };
    expect(await runProgram(command, ['task', 'add', 'Dig'], (line) => errors.push(line))).to.equal(1);
    for (const message of [stopped, ...errors])
      expect(message).to.contain('suspended').and.to.contain(`kill -CONT ${pid}`);
    process.kill(pid, 'SIGCONT');
    expect((await rest.get(`/projects/${project.id}`)).status).to.equal(200);

    await first.kill();
    expect(existsSync(join(root, 'local/lock.json'))).to.equal(true);
    const next = await TestService.start({ ...asServed, directory });
    expect((await next.rest.get(`/projects/${project.id}`)).body.name).to.equal('Garden');
    await next.stop();
  });

  it('are distinguished even if address and pid are those of the note: a command never mistakes another service for its own [A.root.identity]', async () => {
    // Another root's service at the address that the note names, with the pid of the note, as in another container.
    const other = await TestService.start(asServed);
    try {
      const local = join(scratch.path, '.planner/local');
      const note = {
        host: 'container',
        pid: process.pid,
        address: other.url,
        started_at: '',
        beat: '',
        instance: 'mine',
      };
      mkdirSync(local, { recursive: true });
      writeFileSync(join(local, 'server.json'), JSON.stringify({ url: other.url, pid: process.pid }));
      writeFileSync(join(local, 'lock.json'), JSON.stringify({ ...note, beat: '2026-01-01T00:00:00.000Z' }));
      const open = (): never => {
        throw new Error('opens the files of its own root');
      };
      const parts = { ...programBeside(scratch.path).parts, openStore: open };
      const failure = await runProgram(parts, ['call', 'create_project', '{"name":"Lost"}'], () => undefined).catch(
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(Error).with.property('message', 'opens the files of its own root');
      expect((await other.rest.get('/projects')).body.projects).to.deep.equal([]);
    } finally {
      await other.stop();
    }
  });
});

describe('A service whose root another process takes over', () => {
  let editor: FileEditor;
  beforeEach(async () => {
    editor = await FileEditor.start();
  });
  afterEach(() => editor.stop());

  const note = (): string => join(editor.service.root, 'local/lock.json');

  /** Tries to make tasks until the service takes none any more; answers the acknowledged ones, and the refusal. */
  async function untilRefused(): Promise<{ readonly labels: string[]; readonly message: string }> {
    const labels: string[] = [];
    for (;;) {
      const label = `Task ${labels.length}`;
      const { status, body } = await editor.service.rest.post(`/projects/${editor.project}/tasks`, { label });
      if (status === 503) return { labels, message: body.message };
      expect(status).to.equal(201);
      labels.push(label);
    }
  }

  async function untilInFiles(labels: readonly string[]): Promise<void> {
    await editor.until(() =>
      expect(editor.recordsInFiles().map(({ fields }) => fields['label'])).to.have.members(labels),
    );
  }

  it('rejects changes, writes its acknowledged changes to the files, continues to read, and leaves the other its notes [A.root.lost]', async () => {
    const mine = JSON.parse(readFileSync(note(), 'utf8')) as LockHolder;
    const theirs = {
      ...mine,
      host: 'far',
      pid: 77,
      boot: 'another',
      instance: 'theirs',
      address: 'http://10.0.0.7:4321',
    };
    writeFileSync(note(), JSON.stringify(theirs));
    const { labels, message } = await untilRefused();
    expect(message).to.contain('process 77 on far, http://10.0.0.7:4321');
    await untilInFiles(labels);
    expect((await editor.tasks()).map(({ label }) => label)).to.have.members(labels);
    expect((await editor.service.rest.get('/ready')).status).to.equal(503);
    expect(editor.service.store.status().problems.map(({ kind }) => kind)).to.deep.equal(['root_lost']);
    // The other service's changes are served, because they arrive as files.
    writeFileSync(editor.path('tasks/theirs.md'), '---\nlabel: Theirs\n---\n');
    await editor.until(async () => expect((await editor.tasks()).map(({ label }) => label)).to.include('Theirs'));
    // The other machine is gone for good: it is taken over once its beat is old, or its note removed.
    rmSync(note());
    await editor.service.restart();
    expect((await editor.tasks()).map(({ label }) => label)).to.have.members([...labels, 'Theirs']);
    expect((await editor.service.rest.post(`/projects/${editor.project}/tasks`, { label: 'Again' })).status).to.equal(
      201,
    );
  });

  /** Moves `local/` away and locks a new one, in another process; undefined if the service was faster. */
  async function takeLocal(attempt: number): Promise<ChildProcess | undefined> {
    const local = dirname(note());
    const other = `
      import { RootLock } from ${JSON.stringify(join(import.meta.dirname, '../../src/store/files/lock/lock.ts'))};
      import { nodeDisk } from ${JSON.stringify(join(import.meta.dirname, '../../src/store/files/disk/disk.ts'))};
      import { renameSync } from 'node:fs';
      renameSync(${JSON.stringify(local)}, ${JSON.stringify(`${local} gone ${attempt}`)});
      try {
        RootLock.acquire({ disk: nodeDisk, directory: ${JSON.stringify(local)} });
      } catch (error) {
        if (error.code !== 'conflict') throw error;
        process.exit(3);
      }
      process.stdout.write('held');
      process.stdin.once('data', () => process.exit());
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', other], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [chunk] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    if (String(chunk) === 'held') return child;
    expect(chunk).to.equal(3);
    return undefined;
  }

  it('does the same if local/ was removed and another process was faster to lock it [A.root.lost, A.edit.local-gone]', async () => {
    let child: ChildProcess | undefined;
    const before: string[] = [];
    for (let attempt = 1; child === undefined; attempt++) {
      // The faster service goes on, and nothing is lost.
      await editor.settled();
      before.push(`Before ${attempt}`);
      const { status } = await editor.service.rest.post(`/projects/${editor.project}/tasks`, { label: before.at(-1)! });
      expect(status).to.equal(201);
      child = await takeLocal(attempt);
    }
    try {
      const { labels, message } = await untilRefused();
      // Between its lock and its note the holder has no name yet.
      expect(message).to.match(new RegExp(`process ${child.pid} on|has not identified itself yet`));
      await untilInFiles([...before, ...labels]);
    } finally {
      child.stdin!.write('end');
      await once(child, 'exit');
    }
    await editor.service.restart();
    await editor.settled();
  });
});

describe('Commands next to a running service', function () {
  this.timeout(shellTestMs);

  it('go through it: none writes a file of the plan, and every command is covered here [A.root.commands, D11.either]', async () => {
    const service = await TestService.start(asServed);
    try {
      const project = await service.project('Garden');
      const { parts } = programBeside(service.directory);
      const lines = await writersOf(parts, { service, project });
      const run = async ({ argv, input = '', succeeds = false }: Line): Promise<void> => {
        const errors: string[] = [];
        const own = { ...parts, input: () => Promise.resolve(input) };
        process.exitCode = undefined;
        const code = await runProgram(own, argv, (line) => errors.push(line));
        process.exitCode = undefined;
        if (succeeds) expect(code, `${argv.join(' ')}: ${errors.join(' ')}`).to.equal(0);
      };
      for (const line of lines) if (line.succeeds === true) await run(line);
      await service.store.flush();
      const { tasks } = (await service.rest.get(`/projects/${project}/tasks`)).body as {
        tasks: { label: string; status: string }[];
      };
      expect(tasks.map(({ label, status }) => `${label} ${status}`)).to.have.members(['Dug done', 'Water todo']);
      for (const line of lines) if (line.succeeds !== true) await run(line);
      await service.store.flush();
      expect(service.store.check()).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });
});
