import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, initRepository } from '../support/git.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import {
  change,
  fileNamed,
  makeProject,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  projectDirectory,
  read,
  remove,
  type TestStore,
  tree,
} from '../support/plan-store.ts';
import { diskDirectory } from '../support/memory.ts';
import { rarely } from '../support/rarely.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('In a git repository', function () {
  this.timeout(120_000);
  let store: TestStore;
  // Before the scratch directory's own hook, which removes the files.
  afterEach(() => store.close());
  const scratch = scratchDirectory(diskDirectory());
  let project: string;

  /** Threads are slow to start: they are for what git does while files are written. */
  async function open(writer: 'thread' | 'inline' = 'inline'): Promise<TestStore> {
    const opened = await openStore(scratch.path, { watch: true, writer, rescanIntervalMs: 3000 });
    await opened.watching();
    return opened;
  }

  function commit(message: string, directory = scratch.path): void {
    git(directory, 'add', '-A');
    git(directory, 'commit', '--quiet', '-m', message);
  }

  function status(directory = scratch.path): string {
    return git(directory, 'status', '--porcelain');
  }

  async function eventually(check: () => Promise<boolean> | boolean, what: string): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const seen = await store.read(project, (view) => ({
      tasks: view.count('task'),
      done: view.countBy('task', 'status', 'done'),
    }));
    expect.fail(`never came true: ${what} (${JSON.stringify(seen)}, ${JSON.stringify(store.status())})`);
  }

  const makeItems = (count: number): Promise<readonly string[]> =>
    store.update(project, meta, (tx) =>
      Array.from(
        { length: count },
        (_, i) =>
          tx.put('task', {
            id: tx.newId('task'),
            created_at: tx.now,
            title: `Item ${i}`,
            status: 'todo',
            owner: null,
            text: '',
            tags: [],
            links: [],
          }).id,
      ),
    );

  beforeEach(async () => {
    initRepository(scratch.path);
    writeFileSync(join(scratch.path, 'README.md'), 'A repository\n');
    store = await open();
    project = await makeProject(store);
    await store.watching();
  });

  rarely(
    'a checkout of a thousand changed files and back is read, and leaves the tree clean [A.edit.burst, A.edit.back]',
    async () => {
      const ids = await makeItems(1000);
      await store.flush();
      commit('plan');
      git(scratch.path, 'switch', '--quiet', '-c', 'other');
      const directory = projectDirectory(scratch.path);
      for (const [path, content] of Object.entries(tree(join(directory, 'tasks'))))
        writeFileSync(join(directory, 'tasks', path), content.replace('status: todo', 'status: done'));
      remove(fileNamed(directory, ids[0] ?? ''));
      commit('all done');
      const done = async (): Promise<number> => store.read(project, (view) => view.countBy('task', 'status', 'done'));
      await eventually(async () => (await done()) === 999, 'all done');
      git(scratch.path, 'switch', '--quiet', 'main');
      await eventually(
        async () => (await done()) === 0 && (await store.read(project, (view) => view.count('task'))) === 1000,
        'none done',
      );
      git(scratch.path, 'switch', '--quiet', 'other');
      await eventually(
        async () => (await done()) === 999 && (await store.read(project, (view) => view.count('task'))) === 999,
        'all done again',
      );
      await store.flush();
      expect(status()).to.equal('');
      expect(store.check()).to.deep.equal([]);
    },
  );

  it('changes of a git command are read when it has finished, as one change [A.edit.burst]', async () => {
    const items = [await newItem(store, project), await newItem(store, project)];
    await store.flush();
    const titles = (): Promise<unknown[]> =>
      Promise.all(items.map(async ({ id }) => (await read(store, project, 'task', id))?.title));
    const lock = join(scratch.path, '.git/index.lock');
    writeFileSync(lock, '');
    try {
      for (const { id } of items) {
        const path = fileNamed(projectDirectory(scratch.path), id);
        writeFileSync(path, readFileSync(path, 'utf8').replace('An item', 'Of the other branch'));
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(await titles()).to.deep.equal(['An item', 'An item']);
      }
    } finally {
      rmSync(lock);
    }
    await eventually(async () => (await titles())[0] !== 'An item', 'the command has ended');
    expect(await titles()).to.deep.equal(['Of the other branch', 'Of the other branch']);
  });

  for (const [rescan, options] of Object.entries({
    'a periodic rescan': { watch: false, rescanIntervalMs: 20 },
    'the rescan of an edit that was noticed': { watch: 'events' },
  } as const))
    it(`changes of a git command that starts during ${rescan} are read when it has finished, as one change [A.edit.burst]`, async () => {
      const items = [await newItem(store, project), await newItem(store, project)];
      await store.flush();
      await store.close();
      const [first, second] = items.map(({ id }) => fileNamed(projectDirectory(scratch.path), id)) as [string, string];
      const replaceTitle = (path: string, title: string): void =>
        writeFileSync(path, readFileSync(path, 'utf8').replace(/An item|Edited/, title));
      const lock = join(scratch.path, '.git/index.lock');
      let starts = false;
      const startGit = (path: string): void => {
        if (!starts || path !== first) return;
        starts = false;
        writeFileSync(lock, '');
        replaceTitle(first, 'Of the other branch');
      };
      const disk = hookedDisk({ stat: startGit, read: startGit });
      store = await openStore(scratch.path, { disk, writer: 'inline', ...options });
      await store.watching();
      const titles = (): Promise<unknown[]> =>
        Promise.all(items.map(async ({ id }) => (await read(store, project, 'task', id))?.title));
      starts = true;
      replaceTitle(first, 'Edited');
      await eventually(() => existsSync(lock), 'the command has started');
      for (let i = 0; i < 20; i++) {
        expect(await titles()).to.deep.equal(['An item', 'An item']);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      replaceTitle(second, 'Of the other branch');
      rmSync(lock);
      await eventually(async () => (await titles())[0] !== 'An item', 'the command has ended');
      expect(await titles()).to.deep.equal(['Of the other branch', 'Of the other branch']);
    });

  it('changes acknowledged during a checkout of hundreds of files are kept [A.git.checkout]', async () => {
    await store.close();
    store = await open('thread');
    const ids = await makeItems(300);
    await store.flush();
    commit('plan');
    git(scratch.path, 'switch', '--quiet', '-c', 'other');
    const directory = projectDirectory(scratch.path);
    for (const [path, content] of Object.entries(tree(join(directory, 'tasks'))))
      writeFileSync(join(directory, 'tasks', path), `${content}\nMore.\n`);
    commit('more text');
    await store.rescan();
    const child = spawn('git', ['switch', '--quiet', 'main'], { cwd: scratch.path, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const changed: string[] = [];
    for (let i = 0; child.exitCode === null && i < 300; i += 3) {
      const id = ids[i] ?? '';
      await change(store, project, 'task', id, { owner: 'me' });
      changed.push(id);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await ended;
    expect(changed.length).to.be.greaterThan(0);
    await store.flush();
    await eventually(async () => {
      await store.rescan();
      await store.flush();
      const items = await Promise.all(changed.map((id) => read(store, project, 'task', id)));
      return items.every((item) => item?.owner === 'me' && item.text === '');
    }, 'owner kept and text as on main');
    const files = Object.entries(tree(join(directory, 'tasks')));
    for (const id of changed) expect(files.find(([path]) => path.includes(id))?.[1]).to.contain('owner: me');
    expect(store.check()).to.deep.equal([]);
  });

  it('two pulls, a stash and its pop, and a rebase over six commits succeed while the service runs [A.git.commands]', async () => {
    const item = await newItem(store, project, { title: 'Shared' });
    await newPage(store, project, { title: 'Page', body: 'one\ntwo\nthree\n' });
    await store.flush();
    commit('plan');
    const clone = join(scratch.path, '..', `${scratch.path.split('/').at(-1)}-clone`);
    try {
      git(scratch.path, 'clone', '--quiet', scratch.path, clone);
      const theirs = join(clone, '.planner/projects');
      for (const round of [1, 2]) {
        const path = fileNamed(theirs, item.id);
        writeFileSync(path, readFileSync(path, 'utf8').replace(/title: .*/, `title: Round ${round}`));
        commit(`round ${round}`, clone);
        git(scratch.path, 'pull', '--quiet', '--no-edit', clone, 'main');
        await eventually(
          async () => (await read(store, project, 'task', item.id))?.title === `Round ${round}`,
          `round ${round}`,
        );
        await store.flush();
        expect(status()).to.equal('');
      }
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
    await change(store, project, 'task', item.id, { status: 'done' });
    await store.flush();
    git(scratch.path, 'stash', '--quiet', '--include-untracked');
    await eventually(async () => (await read(store, project, 'task', item.id))?.status === 'todo', 'stashed');
    git(scratch.path, 'stash', 'pop', '--quiet');
    await eventually(async () => (await read(store, project, 'task', item.id))?.status === 'done', 'popped');
    await store.flush();
    commit('done');
    for (let i = 0; i < 6; i++) {
      await change(store, project, 'task', item.id, { owner: `owner ${i}` });
      await store.flush();
      commit(`owner ${i}`);
    }
    git(scratch.path, 'rebase', '--quiet', '--exec', 'sleep 0.1', 'HEAD~6');
    await store.flush();
    expect(status()).to.equal('');
    expect((await read(store, project, 'task', item.id))?.owner).to.equal('owner 5');
    expect(store.check()).to.deep.equal([]);
  });

  it('two branches that each add, change and use equal names merge without a conflict, and the service serves the union [A.git.merge, A.format.names]', async () => {
    const ids = await makeItems(40);
    await store.flush();
    commit('plan');
    const work = async (branch: string, from: number): Promise<void> => {
      git(scratch.path, 'switch', '--quiet', '-c', branch, 'main');
      await store.rescan();
      await eventually(
        async () => (await store.read(project, (view) => view.count('task'))) === 40,
        'back on the base',
      );
      for (let i = 0; i < 20; i++) await newItem(store, project, { title: `New ${i}` });
      for (const id of ids.slice(from, from + 20)) await change(store, project, 'task', id, { status: 'done' });
      const folder = await newFolder(store, project, { name: 'Same folder' });
      await newPage(store, project, { title: 'Same title', folder_id: folder.id });
      await makeProject(store, 'Same project');
      await store.flush();
      commit(branch);
    };
    await work('one', 0);
    await work('two', 20);
    git(scratch.path, 'merge', '--quiet', '--no-edit', 'one');
    await eventually(async () => (await store.read(project, (view) => view.count('task'))) === 80, 'the union');
    await eventually(
      async () => (await store.read(project, (view) => view.countBy('task', 'status', 'done'))) === 40,
      'both sides done',
    );
    await eventually(async () => (await store.read(project, (view) => view.count('document'))) === 2, 'both documents');
    expect(await store.read(project, (view) => [...view.list('document')].map(({ title }) => title))).to.deep.equal([
      'Same title',
      'Same title',
    ]);
    expect(await store.read(project, (view) => view.count('folder'))).to.equal(1);
    await eventually(() => store.projects().length === 3, 'both projects');
    await store.flush();
    expect(status()).to.equal('');
    expect(store.check()).to.deep.equal([]);
  });

  it('no file is written while a merge has conflicts, and all of them afterwards [A.write.git]', async () => {
    const item = await newItem(store, project, { title: 'Item' });
    await store.flush();
    commit('plan');
    git(scratch.path, 'switch', '--quiet', '-c', 'other');
    writeFileSync(join(scratch.path, 'README.md'), 'Theirs\n');
    commit('theirs');
    git(scratch.path, 'switch', '--quiet', 'main');
    writeFileSync(join(scratch.path, 'README.md'), 'Ours\n');
    commit('ours');
    expect(() => git(scratch.path, 'merge', '--quiet', 'other')).to.throw();
    await change(store, project, 'task', item.id, { status: 'done' });
    expect(await store.flush().catch((error: Error) => error.message)).to.include('Git is in a merge (MERGE_HEAD)');
    expect(readFileSync(fileNamed(projectDirectory(scratch.path), item.id), 'utf8')).to.contain('status: todo');
    expect((await read(store, project, 'task', item.id))?.status).to.equal('done');
    expect(store.status().git).to.contain('merge');
    git(scratch.path, 'merge', '--abort');
    await store.flush();
    expect(readFileSync(fileNamed(projectDirectory(scratch.path), item.id), 'utf8')).to.contain('status: done');
  });

  it('a deleted local/ is created again under the running service, without data loss [A.edit.local-gone]', async () => {
    const item = await newItem(store, project, { title: 'Item' });
    await store.flush();
    commit('plan');
    await change(store, project, 'task', item.id, { status: 'done' });
    git(scratch.path, 'clean', '--quiet', '-fdx');
    await eventually(() => existsSync(join(scratch.path, '.planner/local/lock')), 'local made anew');
    await change(store, project, 'task', item.id, { owner: 'me' });
    await store.flush();
    expect(readFileSync(fileNamed(projectDirectory(scratch.path), item.id), 'utf8'))
      .to.contain('status: done')
      .and.to.contain('owner: me');
    await eventually(() => Object.keys(tree(join(scratch.path, '.planner/local/journal'))).length > 0, 'a journal');
    const copy = join(scratch.path, 'copy');
    cpSync(join(scratch.path, '.planner'), join(copy, '.planner'), { recursive: true });
    rmSync(join(copy, '.planner/local/lock.json'), { force: true });
    const other = await openStore(copy);
    expect(await read(other, project, 'task', item.id)).to.deep.include({ status: 'done', owner: 'me' });
    await other.close();
  });
});
