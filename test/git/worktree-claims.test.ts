import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, initRepository } from '../support/git.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from '../cli/planner.ts';

interface ClaimsFile {
  readonly claims: readonly { readonly task: string; readonly worktree: string; readonly expires_at: string | null }[];
}

describe('Claims of worktrees with plans of their own', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let main: string;
  let linked: string;
  let tasks: readonly string[];

  /** A committed plan with two tasks, and a linked worktree with a copy of it on the branch `linked`. */
  async function planInTwoWorktrees(settings: object = { worktrees: 'own' }): Promise<void> {
    initRepository(main);
    await shell.ok(['init']);
    const { scaffold } = await shell.json([
      'call',
      'scaffold_project_from_plan',
      JSON.stringify({ name: 'Shop', tasks: ['a', 'b'].map((key) => ({ key, label: key })) }),
    ]);
    tasks = [scaffold.key_to_id.a, scaffold.key_to_id.b];
    const config = join(main, '.planner/config.json');
    writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), ...settings }));
    await shell.ok(['flush']);
    git(main, 'add', '.planner');
    git(main, 'commit', '--quiet', '--message', 'plan');
    git(main, 'worktree', 'add', '--quiet', linked);
  }

  function file(): ClaimsFile {
    return JSON.parse(readFileSync(join(main, '.git/planner/claims.json'), 'utf8')) as ClaimsFile;
  }

  function held(): readonly string[] {
    return file().claims.map(({ task }) => task);
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async function claim(cwd: string, as: string, ...more: readonly string[]): Promise<any> {
    const { output, errors } = await shell.run(['claim', ...more, '--as', as, '--json'], { cwd });
    expect(errors).to.equal('');
    return JSON.parse(output);
  }

  beforeEach(() => {
    shell = new Shell(scratch.path);
    main = shell.directory;
    linked = join(scratch.path, 'linked');
  });

  it('are rejected with the worktree and the branch if another worktree has claimed the task; next skips it [A.git.own-claims]', async () => {
    await planInTwoWorktrees();
    const [a, b] = tasks as [string, string];
    expect((await claim(linked, 'Ada')).task.id).to.equal(a);
    const refused = await shell.run(['claim', a, '--as', 'Bob']);
    expect(refused.code).to.equal(1);
    expect(refused.output).to.equal(`a is not available: Ada has it in the worktree ${linked} (branch linked).\n`);
    expect(await claim(main, 'Bob', a)).to.deep.equal({
      ...{ claimed: false, reason: 'taken_or_not_actionable', assignee: 'Ada', worktree: linked, branch: 'linked' },
    });
    expect((await shell.json(['next'])).next.next_task.id).to.equal(b);
    expect((await claim(main, 'Bob')).task.id).to.equal(b);
    // No task is left, here or there.
    for (const cwd of [main, linked]) {
      const none = await shell.run(['next', '--json'], { cwd });
      expect(JSON.parse(none.output).next).to.include({ next_task: null, reason: 'no_todo_tasks' });
    }
    // An agent renews its claim, and the name alone gives no right to the claim of another worktree.
    expect(await claim(linked, 'Ada', a)).to.include({ claimed: true });
    expect(await claim(main, 'Ada', a)).to.include({ claimed: false, worktree: linked });
    git(linked, 'switch', '--quiet', '--create', 'renamed');
    expect(await claim(main, 'Ada', a)).to.include({ branch: 'renamed' });
  });

  it('end with the task, with their lease, and with a worktree that is removed [A.git.own-claims]', async () => {
    await planInTwoWorktrees();
    const [a, b] = tasks as [string, string];
    await claim(linked, 'Ada', a);
    await claim(linked, 'Ada', b, '--lease', '900');
    expect(held()).to.have.members([a, b]);
    await shell.ok(['task', 'set', a, '--status', 'todo'], { cwd: linked });
    expect(held()).to.deep.equal([b]);
    expect(await claim(main, 'Bob', a)).to.include({ claimed: true });
    await shell.ok(['done', a, '--as', 'Bob']);
    expect(held()).to.deep.equal([b]);
    // A lease ends when it expires, whatever became of its worktree.
    await claim(linked, 'Ada', b, '--lease', '1');
    git(main, 'worktree', 'remove', '--force', linked);
    while ((await claim(main, 'Bob', b)).claimed !== true) await new Promise((resolve) => setTimeout(resolve, 100));
    await shell.ok(['done', b, '--as', 'Bob']);
    // A claim without a lease could be given up in its worktree only.
    git(main, 'worktree', 'add', '--quiet', linked);
    await claim(linked, 'Ada', a);
    await shell.ok(['task', 'set', a, '--status', 'todo']);
    expect(await claim(main, 'Bob', a)).to.include({ claimed: false, worktree: linked });
    git(main, 'worktree', 'remove', '--force', linked);
    expect(await claim(main, 'Bob', a)).to.include({ claimed: true });
    expect(file().claims.map(({ worktree }) => worktree)).to.deep.equal([main]);
  });

  it('are renewed for all worktrees, and are not renewed once another worktree took the task [A.git.own-claims]', async () => {
    await planInTwoWorktrees();
    const [a] = tasks as [string, string];
    const update = (label: string): readonly string[] => [
      'call',
      'update_task',
      JSON.stringify({ task_id: a, agent_ref: 'Ada', label }),
    ];
    await claim(linked, 'Ada', a, '--lease', '900');
    const expiry = (): string | null | undefined => file().claims.find(({ task }) => task === a)?.expires_at;
    const first = expiry();
    await shell.ok(update('x'), { cwd: linked });
    expect(Date.parse(expiry()!)).to.be.greaterThan(Date.parse(first!));
    await claim(linked, 'Ada', a, '--lease', '1');
    while ((await claim(main, 'Bob', a)).claimed !== true) await new Promise((resolve) => setTimeout(resolve, 100));
    const refused = await claim(linked, 'Ada', a);
    expect(refused).to.include({ claimed: false, assignee: 'Bob', worktree: main, branch: 'main' });
    expect((await shell.json(update('y'), { cwd: linked })).task.lease_expires_at).to.equal(null);
    expect(file().claims.map(({ worktree }) => worktree)).to.deep.equal([main]);
  });

  it('are exclusive between a shared plan and worktrees that use their own by --own [A.git.own-claims]', async () => {
    await planInTwoWorktrees({});
    const [a, b] = tasks as [string, string];
    await claim(main, 'Bob', a, '--lease', '900');
    expect(existsSync(join(main, '.git/planner'))).to.equal(false);
    await claim(linked, 'Ada', b, '--own');
    // Leases from before the file existed are published by the first command afterwards.
    expect(await claim(main, 'Bob', b)).to.include({ claimed: false, worktree: linked });
    expect(await claim(linked, 'Ada', a, '--own')).to.include({ claimed: false, worktree: main });
  });

  it('are rejected, and nothing is changed, if the file cannot be used [A.git.own-claims]', async () => {
    await planInTwoWorktrees();
    const [a] = tasks as [string, string];
    const directory = join(main, '.git/planner');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'claims.json'), '{');
    expect(await shell.refused(1, ['claim', a]))
      .to.include('claims.json cannot be read')
      .and.include('Correct or remove');
    writeFileSync(join(directory, 'claims.json'), '{"claims": [1, {"task": "x"}, null], "other": 1}');
    expect(await claim(main, 'Ada', a)).to.include({ claimed: true });
    rmSync(directory, { recursive: true });
    symlinkSync(scratch.path, directory);
    expect(await shell.refused(1, ['next'])).to.include('is a symbolic link');
  });

  it('are kept by services, which notice edited files and deleted projects [A.git.own-claims]', async () => {
    await planInTwoWorktrees();
    const [a, b] = tasks as [string, string];
    const services = [main, linked].map(
      (cwd) => new InProcessCommand(['serve', '--port', '0'], shell.options({ cwd })),
    );
    try {
      for (const service of services) await service.firstLine();
      expect(await claim(main, 'Ada', a)).to.include({ claimed: true });
      expect(await claim(linked, 'Bob', a)).to.include({ claimed: false, worktree: main });
      expect(await claim(linked, 'Bob')).to.include({ claimed: true });
      expect(await claim(main, 'Ada', b)).to.include({ claimed: false, worktree: linked });
      await shell.ok(['flush']);
      // A checkout takes the claim back.
      git(main, 'checkout', '--quiet', '--', '.planner/projects');
      while (held().includes(a)) await shell.run(['next']);
      const project = (await shell.json(['call', 'list_projects'], { cwd: linked })).projects[0].id;
      const { url } = (await shell.json(['worktree'], { cwd: linked })).service;
      expect((await fetch(`${url}/api/v1/projects/${project}`, { method: 'DELETE' })).status).to.equal(204);
      expect(held()).to.deep.equal([]);
    } finally {
      await Promise.all(services.map((service) => service.stop()));
    }
  });
});
