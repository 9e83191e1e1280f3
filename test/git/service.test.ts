import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../support/git.ts';
import { fileNamed } from '../support/plan-store.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Clone } from './clone.ts';

describe('Git next to a running service', function () {
  this.timeout(120_000);
  const clones: Clone[] = [];
  let clone: Clone;
  afterEach(async () => {
    await Promise.all(clones.splice(0).map(({ service }) => service.stop()));
  });
  const scratch = scratchDirectory();
  let project: string;
  let task: string;

  async function started(directory: string, owner: string): Promise<Clone> {
    const made = new Clone(directory, owner);
    await made.start();
    clones.push(made);
    return made;
  }

  async function eventually(check: () => Promise<boolean> | boolean, what: string): Promise<void> {
    for (let tries = 0; tries < 1000; tries++) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect.fail(`never came true: ${what}`);
  }

  async function patch(body: object, at = clone): Promise<void> {
    const answer = await at.service.rest.patch(`/tasks/${task}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
  }

  async function shows(fields: object, at = clone): Promise<void> {
    await eventually(async () => {
      const { body } = await at.service.rest.get(`/tasks/${task}`);
      return Object.entries(fields).every(([name, value]) => body[name] === value);
    }, JSON.stringify(fields));
  }

  function expectClean(at = clone): void {
    expect(at.git('status', '--porcelain')).to.equal('');
    expect(at.service.store.check()).to.deep.equal([]);
  }

  beforeEach(async () => {
    const directory = join(scratch.path, 'repository');
    git(scratch.path, 'init', '--quiet', '--initial-branch=main', directory);
    clone = await started(directory, 'Ada');
    await clone.register();
    project = await clone.service.project('Plan');
    task = (await clone.service.rest.post(`/projects/${project}/tasks`, { label: 'Pay', description: 'One\n' })).body
      .id as string;
    await clone.commit('base');
  });

  it('has a clean tree while the service is idle and serves reads, and after a checkout and back [A.git.idle]', async () => {
    clone.git('switch', '--quiet', '-c', 'other');
    await patch({ status: 'done' });
    await clone.commit('done');
    const file = fileNamed(join(clone.root, 'projects'), task);
    for (const [branch, status] of [
      ['main', 'todo'],
      ['other', 'done'],
      ['main', 'todo'],
    ] as const) {
      clone.git('switch', '--quiet', branch);
      await shows({ status });
      const { mtimeMs } = statSync(file);
      await clone.service.rest.get(`/projects/${project}/tasks`);
      await clone.settle();
      expectClean();
      expect(statSync(file).mtimeMs).to.equal(mtimeMs);
    }
  });

  it('rebases, with a command after each commit too, and restores stashed work [A.git.rebase]', async () => {
    clone.git('switch', '--quiet', '-c', 'other');
    for (const priority of ['low', 'medium', 'high', 'urgent']) {
      await patch({ priority });
      await clone.commit(priority);
    }
    clone.git('switch', '--quiet', 'main');
    await shows({ priority: null });
    await patch({ kind: 'decision', assignee: 'ada' });
    await clone.commit('main');
    clone.git('switch', '--quiet', 'other');
    clone.git('rebase', '--quiet', '--exec', 'sleep 0.1', 'main');
    await shows({ priority: 'urgent', kind: 'decision', assignee: 'ada' });
    await clone.settle();
    expectClean();
    await patch({ status: 'done' });
    await clone.settle();
    clone.git('stash', '--quiet', '--include-untracked');
    await shows({ status: 'todo' });
    await patch({ label: 'Pay it' });
    await clone.commit('label');
    clone.git('stash', 'pop', '--quiet');
    await shows({ status: 'done', label: 'Pay it' });
    await clone.settle();
    expect(clone.service.store.check()).to.deep.equal([]);
  });

  it('has a service in each linked worktree, and merges one into the other [A.git.worktree]', async () => {
    const directory = join(scratch.path, 'worktree');
    clone.git('worktree', 'add', '--quiet', '-b', 'other', directory);
    const other = await started(directory, 'Bob');
    await patch({ status: 'done' }, other);
    await patch({ assignee: 'ada' });
    await other.commit('other');
    await clone.commit('main');
    expect(clone.merge('other')).to.deep.equal([]);
    await shows({ status: 'done', assignee: 'ada' });
    await clone.settle();
    expectClean();
    expectClean(other);
    // A git operation in one worktree does not block the other.
    writeFileSync(join(clone.directory, '.git/index.lock'), '');
    await patch({ label: 'There' }, other);
    await other.service.store.flush();
    expect(readFileSync(fileNamed(join(other.root, 'projects'), task), 'utf8')).to.contain('label: There');
    rmSync(join(clone.directory, '.git/index.lock'));
  });

  it('serves a shallow clone, which pulls and is pulled from [A.git.shallow]', async () => {
    await patch({ status: 'in_progress' });
    await clone.commit('second');
    const directory = join(scratch.path, 'shallow');
    git(scratch.path, 'clone', '--quiet', '--depth', '1', `file://${clone.directory}`, directory);
    const shallow = await started(directory, 'Bob');
    await shallow.register();
    await shows({ status: 'in_progress' }, shallow);
    const { body } = await shallow.service.rest.get(
      `/projects/${project}/revisions?target_type=task&target_id=${task}`,
    );
    expect(body.revisions).to.have.length(1);
    await patch({ status: 'done' }, shallow);
    await shallow.commit('shallow');
    await patch({ assignee: 'ada' });
    await clone.commit('deep');
    shallow.git('pull', '--quiet', '--no-edit', '--no-rebase', 'origin', 'main');
    await shows({ status: 'done', assignee: 'ada' }, shallow);
    clone.git('pull', '--quiet', '--no-edit', directory, 'main');
    await shows({ status: 'done', assignee: 'ada' });
    await Promise.all([clone.settle(), shallow.settle()]);
    expectClean();
    expectClean(shallow);
  });

  it('keeps every byte if git converts line endings [A.git.autocrlf]', async () => {
    const description = 'One\r\nTwo\nThree\r\n';
    await patch({ description });
    await clone.commit('mixed');
    for (const autocrlf of ['true', 'input']) {
      const directory = join(scratch.path, autocrlf);
      git(
        scratch.path,
        'clone',
        '--quiet',
        '-c',
        `core.autocrlf=${autocrlf}`,
        '-c',
        'core.eol=crlf',
        clone.directory,
        directory,
      );
      const other = await started(directory, 'Bob');
      await shows({ description }, other);
      expectClean(other);
      await patch({ status: autocrlf === 'true' ? 'done' : 'backlog' }, other);
      await other.commit('other');
      clone.git('pull', '--quiet', '--no-edit', directory, 'main');
      await shows({ description, status: autocrlf === 'true' ? 'done' : 'backlog' });
      await clone.commit('pulled');
    }
    expectClean();
  });

  it('may delete all ignored files, and the service continues [A.git.clean]', async () => {
    await patch({ status: 'done' });
    clone.git('clean', '--quiet', '-fdx');
    await patch({ assignee: 'ada' });
    await eventually(() => existsSync(join(clone.root, 'local/lock')), 'local made anew');
    await clone.commit('after');
    expect(readFileSync(fileNamed(join(clone.root, 'projects'), task), 'utf8'))
      .to.contain('status: done')
      .and.to.contain('assignee: ada');
    expectClean();
    await clone.service.restart();
    await shows({ status: 'done', assignee: 'ada' });
  });

  it('checks out under a stream of changes: each is kept, or in a revision if the checkout changed the same record [A.git.writing]', async () => {
    const made = Array.from({ length: 10 }, async (_, i) => {
      const { body } = await clone.service.rest.post(`/projects/${project}/tasks`, { label: `Task ${i}` });
      return body.id as string;
    });
    const ids = await Promise.all(made);
    await clone.commit('tasks');
    clone.git('switch', '--quiet', '-c', 'other');
    for (const id of ids) await clone.service.rest.patch(`/tasks/${id}`, { priority: 'high' });
    await clone.commit('high');
    const acknowledged = new Map<string, string>();
    const state = { done: false };
    const writing = (async () => {
      for (let i = 0; !state.done; i++) {
        const [id, assignee] = [ids[i % ids.length]!, `agent-${i}`];
        const { status } = await clone.service.rest.patch(`/tasks/${id}`, { assignee });
        if (status === 200) acknowledged.set(id, assignee);
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
    })();
    let switched = 0;
    for (let i = 0; i < 4; i++) {
      const child = spawn('git', ['switch', '--quiet', '--merge', i % 2 === 0 ? 'main' : 'other'], {
        cwd: clone.directory,
        stdio: 'ignore',
      });
      const [code] = (await once(child, 'exit')) as [number];
      if (code === 0) switched++;
    }
    state.done = true;
    await writing;
    await clone.settle();
    expect(switched).to.be.greaterThan(0);
    expect(acknowledged.size).to.be.greaterThan(0);
    // At the same position git's version wins; the overridden value is kept as a revision.
    for (const [id, assignee] of acknowledged) {
      const { rest } = clone.service;
      if ((await rest.get(`/tasks/${id}`)).body.assignee === assignee) continue;
      const { revisions } = (await rest.get(`/projects/${project}/revisions?target_type=task&target_id=${id}`))
        .body as {
        revisions: { id: string }[];
      };
      const snapshots = await Promise.all(
        revisions.map(async (one) => (await rest.get(`/revisions/${one.id}`)).body.snapshot.assignee as string),
      );
      expect(snapshots, id).to.include(assignee);
    }
    await clone.settle();
    expect(clone.problems()).to.deep.equal([]);
  });
});
