import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Shell, shellTestMs } from '../cli/planner.ts';
import { git, gitStatus, initRepository } from '../support/git.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { rarely } from '../support/rarely.ts';
import { scratchDirectory } from '../support/scratch.ts';

interface ListedTask {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly assignee: string | null;
}

describe('A main worktree that switches branches under a service', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let main: string;
  let linked: string;
  let service: InProcessCommand;
  let ids: Readonly<Record<string, string>>;

  /** The tasks as a command in the linked worktree lists them: label to status and assignee. */
  async function listed(): Promise<Readonly<Record<string, string>>> {
    const { tasks } = (await shell.json(['task', 'list', '--all'], { cwd: linked })) as { tasks: ListedTask[] };
    const shown = tasks.map(({ label, status, assignee }) => [label, `${status} ${assignee ?? ''}`.trim()] as const);
    return Object.fromEntries(shown);
  }

  /** Waits until the commands of the linked worktree list exactly these tasks. */
  async function lists(expected: Readonly<Record<string, string>>): Promise<void> {
    let last = {};
    for (let tries = 0; tries < 400; tries++) {
      last = await listed();
      if (isDeepStrictEqual(last, expected)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(last).to.deep.equal(expected);
  }

  async function claim(cwd: string, as: string, label: string): Promise<boolean> {
    const { output, errors } = await shell.run(['claim', ids[label]!, '--as', as, '--json'], { cwd });
    expect(errors).to.satisfy((text: string) => text === '' || text.includes('which the worktrees'), errors);
    return (JSON.parse(output) as { claimed: boolean }).claimed;
  }

  async function commit(message: string): Promise<void> {
    await shell.ok(['flush']);
    git(main, 'add', '--all', '.planner');
    git(main, 'commit', '--quiet', '--message', message);
  }

  async function expectClean(): Promise<void> {
    await shell.ok(['flush']);
    expect(git(main, 'status', '--porcelain')).to.equal('');
    expect(git(linked, 'status', '--porcelain')).to.equal('');
    expect(await shell.problems()).to.deep.equal([]);
  }

  async function serve(): Promise<void> {
    service = new InProcessCommand(['serve', '--port', '0'], shell.options());
    await service.firstLine();
  }

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    main = shell.directory;
    linked = join(scratch.path, 'linked');
    initRepository(main);
    await shell.ok(['init']);
    const labels = ['Drop', 'Pay', 'Ship', ...Array.from({ length: 6 }, (_, i) => `Step ${i}`)];
    const plan = { name: 'Shop', tasks: labels.map((label) => ({ key: label, label })) };
    ids = (await shell.json(['call', 'scaffold_project_from_plan', JSON.stringify(plan)])).scaffold.key_to_id;
    await shell.ok(['flush']);
    git(main, 'add', '--all');
    git(main, 'commit', '--quiet', '--message', 'plan');
    git(main, 'worktree', 'add', '--quiet', linked);
    await serve();
  });
  afterEach(() => service.stop());

  it('gives the commands of linked worktrees the state of each branch, and claims made on it stay valid [A.git.switch]', async () => {
    const steps = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`Step ${i}`, 'todo']));
    git(main, 'switch', '--quiet', '--create', 'other');
    await shell.ok(['done', ids['Ship']!, '--as', 'Ada'], { cwd: linked });
    await shell.ok(['task', 'add', 'Refund'], { cwd: linked });
    const { url } = (await shell.json(['worktree'])).service;
    expect((await fetch(`${url}/api/v1/tasks/${ids['Drop']}`, { method: 'DELETE' })).status).to.equal(204);
    await commit('other');
    const other = { Pay: 'todo', Refund: 'todo', Ship: 'done', ...steps };
    await lists(other);

    // git takes along a claim that is not committed if its file is the same on both branches.
    expect(await claim(linked, 'Ada', 'Step 0')).to.equal(true);
    await shell.ok(['flush']);
    git(main, 'switch', '--quiet', 'main');
    // The state at the switch, before its edits are noticed.
    expect(await claim(linked, 'Ada', 'Step 1')).to.equal(true);
    const here = { Drop: 'todo', Pay: 'todo', Ship: 'todo', ...steps };
    await lists({ ...here, 'Step 0': 'in_progress Ada', 'Step 1': 'in_progress Ada' });
    for (const label of ['Step 0', 'Step 1']) expect(await claim(main, 'Bob', label), label).to.equal(false);
    expect(await claim(main, 'Bob', 'Ship')).to.equal(true);
    expect(await claim(linked, 'Ada', 'Ship')).to.equal(false);
    expect(await claim(linked, 'Ada', 'Drop')).to.equal(true);
    const claimed = { ...here, Drop: 'in_progress Ada', Ship: 'in_progress Bob' };
    const onMain = { ...claimed, 'Step 0': 'in_progress Ada', 'Step 1': 'in_progress Ada' };
    await shell.ok(['flush']);
    // git refuses to overwrite claims that are not committed.
    expect(gitStatus(main, 'switch', 'other')).to.equal(1);
    await lists(onMain);
    await commit('main');

    git(main, 'switch', '--quiet', 'other');
    await lists(other);
    await expectClean();
    expect(await claim(linked, 'Ada', 'Ship')).to.equal(false);
    expect(await claim(main, 'Bob', 'Step 0')).to.equal(true);
    expect(await claim(linked, 'Ada', 'Step 0')).to.equal(false);
    await commit('claimed');
    git(main, 'switch', '--quiet', 'main');
    await lists(onMain);
    expect(await claim(main, 'Bob', 'Step 0')).to.equal(false);
    await expectClean();
    git(main, 'switch', '--quiet', 'other');
    await lists({ ...other, 'Step 0': 'in_progress Bob' });
    await expectClean();
    await service.stop();
    await serve();
    await lists({ ...other, 'Step 0': 'in_progress Bob' });
    await expectClean();
  });

  rarely(
    'keeps each claim and each finished task while it switches between branches again and again [A.git.switch]',
    async () => {
      git(main, 'switch', '--quiet', '--create', 'other');
      await shell.ok(['task', 'set', ids['Drop']!, '--label', 'Dropped'], { cwd: linked });
      await shell.ok(['task', 'add', 'Refund'], { cwd: linked });
      await commit('other');
      const steps = Array.from({ length: 6 }, (_, i) => `Step ${i}`);
      const claims = new Map<string, string[]>();
      const agents = ['Ada', 'Bob'].map(async (name) => {
        for (const step of steps) {
          const cwd = name === 'Ada' ? linked : main;
          if (!(await claim(cwd, name, step))) continue;
          claims.set(step, [...(claims.get(step) ?? []), name]);
          await shell.ok(['done', ids[step]!, '--as', name], { cwd });
        }
      });
      const state = { working: true };
      const work = Promise.all(agents).finally(() => (state.working = false));
      let switched = 0;
      while (state.working || switched < 4) {
        const branch = switched % 2 === 0 ? 'main' : 'other';
        const child = spawn('git', ['switch', '--quiet', branch], { cwd: main, stdio: 'ignore' });
        const [code] = (await once(child, 'exit')) as [number];
        expect(code).to.equal(0);
        switched++;
        // The edits of one switch are noticed before the next one: the differing tasks belong to this branch.
        const label = branch === 'main' ? 'Drop' : 'Dropped';
        while ((await listed())[label] === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await work;
      for (const step of steps) expect(claims.get(step), step).to.have.length(1);
      const finished = Object.fromEntries(steps.map((step) => [step, `done ${claims.get(step)![0]!}`]));
      const open = { Pay: 'todo', Ship: 'todo', ...finished };
      for (const branch of ['main', 'other']) {
        await shell.ok(['flush']);
        git(main, 'switch', '--quiet', branch);
        await lists(branch === 'main' ? { Drop: 'todo', ...open } : { Dropped: 'todo', Refund: 'todo', ...open });
      }
      await commit('work');
      await expectClean();
    },
  );
});
