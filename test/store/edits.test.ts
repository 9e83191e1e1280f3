import { expect } from 'chai';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { deletionGraceMs } from '../../src/store/files/life/path-life.ts';
import type { Problem } from '../../src/store/index.ts';
import { describeItems, faultsOf, ItemFold } from '../support/item-events.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  change,
  clock,
  fileNamed,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  read,
  remove,
  rescanTwice,
  storeWithProject,
  type TestStore,
  tree,
  write,
} from '../support/plan-store.ts';
import { rarely } from '../support/rarely.ts';

describe('external edits', () => {
  let store: TestStore;
  let project: string;
  let directory: string;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, project, directory } = plan),
  );

  const look = (): Promise<void> => rescanTwice(store);

  function edit(id: string, from: string | RegExp, to: string): void {
    const path = fileNamed(directory, id);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(from, to);
    expect(after).not.to.equal(before);
    writeFileSync(path, after);
  }

  it('are served, get a revision by author file in local history, and leave the directory unchanged [A.edit.no-write-back]', async () => {
    const item = await newItem(store, project, { title: 'Before' });
    await store.flush();
    edit(item.id, 'title: Before', 'title: "After"   # mine');
    const found = tree(directory);
    await look();
    expect((await read(store, project, 'task', item.id))?.title).to.equal('After');
    await store.flush();
    expect(tree(directory)).to.deep.equal(found);
    const [revision] = await store.read(project, (view) => view.revisions(item.id));
    expect(revision).to.deep.include({ author: 'file', fields: ['title'], before: { title: 'Before' } });
    expect(Object.keys(tree(join(scratch.path, '.planner/local/history')))).to.have.length(1);
    expect(store.check()).to.deep.equal([]);
  });

  it('that move records from file to file, one after the other, delete none of them [A.feed.external, A.edit.back]', async () => {
    await store.close();
    const manual = new ManualClock(systemClock.now());
    store = await openStore(scratch.path, { describe: describeItems, clock: manual });
    const fold = new ItemFold();
    const last = await newItem(store, project, { title: 'Last' });
    const [first, next] = [
      await newItem(store, project, { title: 'B' }),
      await newItem(store, project, { title: 'A' }),
    ];
    await store.flush();
    expect(await faultsOf(store, project, fold)).to.deep.equal([]);
    const paths = [first, next, last].map(({ id }) => fileNamed(directory, id));
    const [firstText, nextText, lastText] = paths.map((path) => readFileSync(path, 'utf8'));
    await store.update(project, meta, (tx) => tx.remove('task', last.id));
    await store.flush();
    expect(await faultsOf(store, project, fold)).to.deep.equal([]);
    writeFileSync(paths[0]!, lastText!);
    await store.rescan();
    manual.sleep(2 * deletionGraceMs);
    // This file is read before the first one, whose grace period is over.
    writeFileSync(paths[1]!, firstText!);
    await store.rescan();
    write(join(directory, 'tasks/new.md'), nextText!);
    for (let i = 0; i < 2; i++) await store.rescan();
    await store.flush();
    expect(await faultsOf(store, project, fold)).to.deep.equal([]);
    expect([...fold.deleted].filter((id) => id !== last.id)).to.deep.equal([]);
    const [inFirst, inNext, inNew] = await Promise.all(
      [last, first, next].map(({ id }) => store.read(project, (view) => view.pathOf(id) ?? 'none')),
    );
    expect(paths[0]).to.include(inFirst);
    expect(paths[1]).to.include(inNext);
    expect(inNew).to.match(/\/tasks\/new\.md$/);
    expect(store.check()).to.deep.equal([]);
  });

  it('made while no service runs are found at the next opening', async () => {
    const item = await newItem(store, project, { title: 'Before' });
    await store.flush();
    await store.close();
    edit(item.id, 'Before', 'After');
    store = await openStore(scratch.path);
    expect((await read(store, project, 'task', item.id))?.title).to.equal('After');
    const [revision] = await store.read(project, (view) => view.revisions(item.id));
    expect(revision).to.deep.include({ author: 'file', before: { title: 'Before' } });
  });

  it('keep comments, quoting, order and unknown keys when the service changes a field afterwards [A.format.keeps]', async () => {
    const item = await newItem(store, project, { title: 'One', owner: 'me' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    const text = `---\r\n# mine\r\ntitle:   'One'\r\nid: ${item.id} # do not touch\r\nestimate: 3\r\nstatus: todo\r\ncreated_at: ${item.created_at}\r\nowner: "me"\r\n---\r\nBody\r\n`;
    writeFileSync(path, text);
    await look();
    await change(store, project, 'task', item.id, { status: 'done' });
    await store.flush();
    expect(readFileSync(path, 'utf8')).to.equal(text.replace('status: todo', 'status: done'));
  });

  it('to another field than the pending change are both kept [A.write.look]', async () => {
    const item = await newItem(store, project, { title: 'One', text: 'a\nb\nc\n' });
    await store.flush();
    const changed = change(store, project, 'task', item.id, { status: 'done', text: 'a\nb\nC\n' });
    edit(item.id, 'title: One', 'title: Two');
    edit(item.id, '---\na\n', '---\nA\n');
    await changed;
    await store.flush();
    expect(await read(store, project, 'task', item.id)).to.deep.include({
      status: 'done',
      title: 'Two',
      text: 'A\nb\nC\n',
    });
    expect(readFileSync(fileNamed(directory, item.id), 'utf8'))
      .to.contain('status: done')
      .and.to.contain('title: Two')
      .and.to.contain('A\nb\nC\n');
    expect(store.check()).to.deep.equal([]);
  });

  it('win over a pending change of the same field, whose value becomes a revision and a notice [A.edit.file-wins]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await store.flush();
    const changed = change(store, project, 'task', item.id, { title: 'Ours' });
    edit(item.id, 'title: One', 'title: Theirs');
    await changed;
    await store.flush();
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Theirs');
    const revisions = await store.read(project, (view) => view.revisions(item.id));
    expect(revisions.some(({ before, author }) => before['title'] === 'Ours' && author === 'system')).to.equal(true);
    expect(await store.read(project, (view) => view.problems.map(({ kind }) => kind))).to.deep.equal(['overridden']);
  });

  rarely('are merged a hundred times with a change at the same moment, neither lost [A.edit.both]', async () => {
    const item = await newItem(store, project, { title: 'One', text: '' });
    await store.flush();
    const lines: string[] = [];
    for (let i = 0; i < 100; i++) {
      const path = fileNamed(directory, item.id);
      const changed = change(store, project, 'task', item.id, { owner: `owner ${i}` });
      lines.push(`line ${i}`);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/---\n(?:line[^]*)?$/, `---\n${lines.join('\n')}\n`));
      await changed;
      if (i % 3 === 0) await store.rescan();
      await store.flush();
      const now = await read(store, project, 'task', item.id);
      expect(now?.owner).to.equal(`owner ${i}`);
      expect(now?.text.split('\n')).to.deep.equal(lines);
    }
  });

  it('that make a file unreadable leave the last good version served, listed, and changes to it rejected [A.edit.unreadable]', async () => {
    const item = await newItem(store, project, { title: 'Good' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    const good = readFileSync(path, 'utf8');
    writeFileSync(path, good.replace('title: Good', '<<<<<<< ours\ntitle: A\n=======\ntitle: B\n>>>>>>> theirs'));
    const broken = readFileSync(path, 'utf8');
    await look();
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Good');
    const [problem] = await store.read(project, (view) => view.problems);
    expect(problem).to.deep.include({ kind: 'unreadable', id: item.id, line: 5 });
    expect(problem?.path).to.equal(path.slice(scratch.path.length + 1));
    const refused = await change(store, project, 'task', item.id, { status: 'done' }).catch((error: unknown) => error);
    expect(refused).to.deep.include({ code: 'conflict' });
    await store.close();
    store = await openStore(scratch.path);
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Good');
    expect(readFileSync(path, 'utf8')).to.equal(broken);
    writeFileSync(path, good.replace('Good', 'Better'));
    await look();
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Better');
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
  });

  it('that were incomplete when they were read do not cause later changes to be rejected [A.edit.unreadable, A.edit.both]', async () => {
    const item = await newItem(store, project, { title: 'Good' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    const good = readFileSync(path, 'utf8');
    writeFileSync(path, good.slice(0, 40));
    await look();
    expect(await store.read(project, (view) => view.problems)).to.have.length(1);
    writeFileSync(path, good.replace('Good', 'Better'));
    await change(store, project, 'task', item.id, { status: 'done' });
    expect(await read(store, project, 'task', item.id)).to.include({ title: 'Better', status: 'done' });
    await store.flush();
    expect(readFileSync(path, 'utf8'))
      .to.match(/^status: done$/m)
      .and.match(/^title: Better$/m);
    expect(store.check()).to.deep.equal([]);
  });

  it('with broken YAML or rule violations are served without, and noted with line and field [A.edit.foreign]', async () => {
    write(join(directory, 'tasks/broken.md'), '---\ntitle: [1, 2\nstatus: todo\n---\n');
    write(join(directory, 'tasks/blank.md'), '---\ntitle: ""\n---\n');
    await look();
    const problems = await store.read(project, (view) => view.problems);
    expect(problems.map(({ path }) => path.split('/').at(-1))).to.deep.equal(['blank.md', 'broken.md']);
    expect(problems[0]).to.deep.include({ kind: 'ignored_value', severity: 'note', line: 2 });
    expect(problems[0]?.reason).to.contain('title');
    expect(problems[1]).to.deep.include({ kind: 'ignored_value', severity: 'note', line: 3 });
    const served = await store.read(project, (view) => [...view.list('task')]);
    expect(served.map(({ title }) => title).sort()).to.deep.equal(['blank', 'broken']);
  });

  it('that remove a file remove the record after the grace period [A.edit.gone]', async () => {
    const item = await newItem(store, project);
    await store.flush();
    remove(fileNamed(directory, item.id));
    await store.rescan();
    expect(await read(store, project, 'task', item.id)).not.to.equal(undefined);
    await look();
    expect(await read(store, project, 'task', item.id)).to.equal(undefined);
    const [revision] = await store.read(project, (view) => view.revisions(item.id));
    expect(revision?.fields).to.deep.equal(['deleted']);
  });

  it('that remove a file which was missing before, and there again since, begin another grace period [A.edit.gone]', async () => {
    const item = await newItem(store, project, { title: 'Own' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    const text = readFileSync(path, 'utf8');
    remove(path);
    await store.rescan();
    writeFileSync(path, text);
    await store.rescan();
    remove(path);
    clock.skip(90);
    await store.rescan();
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Own');
    clock.skip(90);
    await store.rescan();
    expect(await read(store, project, 'task', item.id)).to.equal(undefined);
  });

  it('that remove a file with a pending change keep the change as a revision [A.edit.gone]', async () => {
    const item = await newItem(store, project);
    await store.flush();
    const changed = change(store, project, 'task', item.id, { title: 'Pending' });
    remove(fileNamed(directory, item.id));
    await changed;
    await look();
    await store.flush();
    expect(await read(store, project, 'task', item.id)).to.equal(undefined);
    const revisions = await store.read(project, (view) => view.revisions(item.id));
    expect(revisions.some(({ before }) => before['title'] === 'Pending')).to.equal(true);
  });

  it('add a record by a new file without an id, named as its file [A.format.no-id, A.format.title]', async () => {
    const path = join(directory, 'tasks/idea.md');
    write(path, '# A good idea\n\nSome words.\n');
    await look();
    const [dropped] = await store.read(project, (view) => [...view.list('task')]);
    expect(dropped).to.deep.include({ title: 'idea', status: 'todo', text: '# A good idea\n\nSome words.' });
    await store.flush();
    expect(readFileSync(path, 'utf8')).to.equal('# A good idea\n\nSome words.\n');
    const id = dropped?.id ?? '';
    await newItem(store, project, { title: 'Refers', links: [{ to: id, id: undefined as never, type: 'task' }] });
    await store.flush();
    expect(readFileSync(path, 'utf8'))
      .to.contain(`id: ${id}\n`)
      .and.to.match(/# A good idea\n\nSome words\.\n$/);
    await store.close();
    store = await openStore(scratch.path);
    expect((await read(store, project, 'task', id))?.title).to.equal('idea');
  });

  it("by a tool that drops the front matter keep the record's identity [A.format.path-remembers]", async () => {
    const item = await newItem(store, project, { title: 'Kept', status: 'doing', owner: 'me' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    writeFileSync(path, 'Only a body.\n');
    await look();
    expect(await read(store, project, 'task', item.id)).to.deep.include({
      title: 'Kept',
      status: 'doing',
      owner: 'me',
      text: 'Only a body.',
    });
    await change(store, project, 'task', item.id, { status: 'done' });
    await store.flush();
    expect(readFileSync(path, 'utf8'))
      .to.contain(`id: ${item.id}\n`)
      .and.to.contain('title: Kept\n')
      .and.to.match(/---\nOnly a body\.\n$/);
  });

  it('that bring a file without front matter back to a former path keep the present values [A.format.path-remembers]', async () => {
    const item = await newItem(store, project, { title: 'Kept', owner: 'me' });
    await store.flush();
    const [path, elsewhere] = [join(directory, 'tasks/mine.md'), join(directory, 'tasks/elsewhere.md')];
    renameSync(fileNamed(directory, item.id), path);
    await look();
    renameSync(path, elsewhere);
    await look();
    await change(store, project, 'task', item.id, { owner: 'you' });
    await store.flush();
    rmSync(elsewhere);
    writeFileSync(path, 'Only a body.\n');
    await look();
    expect(await read(store, project, 'task', item.id)).to.deep.include({ owner: 'you', text: 'Only a body.' });
  });

  it('that empty a file count only after the grace period [A.format.empty]', async () => {
    const item = await newItem(store, project, { title: 'Kept', text: 'body' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    writeFileSync(path, '');
    await look();
    expect((await read(store, project, 'task', item.id))?.text).to.equal('body');
    // Its time counts for nothing: programs set it, and the wall clock may have been set since.
    const past = new Date(statSync(path).mtimeMs - 5000);
    utimesSync(path, past, past);
    await look();
    expect((await read(store, project, 'task', item.id))?.text).to.equal('body');
    clock.skip(2000);
    await look();
    expect((await read(store, project, 'task', item.id))?.text).to.equal('');
  });

  it('that rename and move files keep the records', async () => {
    const folder = await newFolder(store, project, { name: 'Old' });
    const page = await newPage(store, project, { title: 'Page', folder_id: folder.id });
    const item = await newItem(store, project);
    await store.flush();
    renameSync(fileNamed(directory, item.id), join(directory, 'tasks/mine.md'));
    renameSync(join(directory, 'documents/Old'), join(directory, 'documents/New'));
    await look();
    expect(await store.read(project, (view) => view.count('task'))).to.equal(1);
    expect((await read(store, project, 'folder', folder.id))?.name).to.equal('New');
    expect((await read(store, project, 'document', page.id))?.folder_id).to.equal(folder.id);
    await change(store, project, 'task', item.id, { title: 'Another title' });
    await store.flush();
    expect(Object.keys(tree(join(directory, 'tasks')))).to.deep.equal(['mine.md']);
    expect(store.check()).to.deep.equal([]);
  });

  it('of directories add and remove folders [A.format.folder]', async () => {
    mkdirSync(join(directory, 'documents/Made/Deep'), { recursive: true });
    write(join(directory, 'documents/Made/Deep/note.md'), 'Text\n');
    await look();
    const folders = await store.read(project, (view) => [...view.list('folder')].map(({ name }) => name).sort());
    expect(folders).to.deep.equal(['Deep', 'Made']);
    const [page] = await store.read(project, (view) => [...view.list('document')]);
    const deep = await store.read(project, (view) => [...view.list('folder')].find(({ name }) => name === 'Deep'));
    expect(page).to.deep.include({ title: 'note', folder_id: deep?.id });
    remove(join(directory, 'documents/Made'));
    await look();
    expect(await store.read(project, (view) => [view.count('folder'), view.count('document')])).to.deep.equal([0, 0]);
  });

  it('that copy a file are a listed problem with one fixed reading [A.edit.two-ids]', async () => {
    const item = await newItem(store, project, { title: 'One' });
    await store.flush();
    const path = fileNamed(directory, item.id);
    write(join(directory, 'tasks/copy.md'), readFileSync(path, 'utf8').replace('title: One', 'title: Copy'));
    await look();
    expect((await read(store, project, 'task', item.id))?.title).to.equal('One');
    const problems = await store.read(project, (view) => view.problems);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.deep.include({ kind: 'duplicate_id', id: item.id });
    expect(problems[0]?.path).to.match(/tasks\/copy\.md$/);
    remove(path);
    await look();
    expect((await read(store, project, 'task', item.id))?.title).to.equal('Copy');
    expect(await store.read(project, (view) => view.problems)).to.deep.equal([]);
  });

  it('arrive while the service is running, a directory of files as one transaction [A.edit.live, A.edit.one-transaction]', async () => {
    await store.close();
    store = await openStore(scratch.path, { watch: true });
    await store.watching();
    const version = await store.read(project, (view) => view.version('task'));
    for (let i = 0; i < 50; i++) write(join(directory, `tasks/item-${i}.md`), `---\ntitle: Item ${i}\n---\n`);
    for (let tries = 0; tries < 200; tries++) {
      if ((await store.read(project, (view) => view.count('task'))) === 50) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await store.read(project, (view) => view.count('task'))).to.equal(50);
    expect((await store.read(project, (view) => view.since('task', version)))?.ids.size).to.equal(50);
    const item = await newItem(store, project, { title: 'Own' });
    await store.flush();
    const own = await store.read(project, (view) => view.version('task'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await store.read(project, (view) => view.version('task'))).to.equal(own);
    expect(await store.read(project, (view) => view.revisions(item.id))).to.deep.equal([]);
  });

  it('that remove and restore the target of a link keep the link [A.edit.gone]', async () => {
    const target = await newItem(store, project, { title: 'Target' });
    const source = await newItem(store, project, {
      title: 'Source',
      links: [{ to: target.id, id: undefined as never, type: 'task' }],
    });
    await store.flush();
    const path = fileNamed(directory, target.id);
    const content = readFileSync(path, 'utf8');
    remove(path);
    await look();
    expect((await read(store, project, 'task', source.id))?.links).to.have.length(1);
    expect(readFileSync(fileNamed(directory, source.id), 'utf8')).to.contain(target.id);
    writeFileSync(path, content);
    await look();
    expect(await store.read(project, (view) => view.incoming(target.id))).to.have.length(1);
    expect(store.check()).to.deep.equal([]);
  });

  it('that name an edge twice make one edge, nothing written back [A.format.link-once, A.format.link-id]', async () => {
    const target = await newItem(store, project, { title: 'Target' });
    await store.flush();
    const path = join(directory, 'tasks/source.md');
    const text = `---\ntitle: Source\nlinks:\n  - {to: ${target.id}, label: l}\n  - {to: ${target.id}, label: l}\n  - ${target.id}\n---\n`;
    write(path, text);
    await look();
    const incoming = await store.read(project, (view) => view.incoming(target.id));
    expect(incoming.map(({ link }) => link.label ?? '').sort()).to.deep.equal(['', 'l']);
    expect(new Set(incoming.map(({ link }) => link.id)).size).to.equal(2);
    await store.flush();
    expect(readFileSync(path, 'utf8')).to.equal(text);
    expect(store.check()).to.deep.equal([]);
  });

  it('are said to have changed problems if they have, the own writes of the service are not [A.edit.echo, A.feed.service]', async () => {
    let count = 0;
    store.onServiceNames((names) => void (count += names.has('problems') ? 1 : 0));
    const isSaidOf = async (work: () => unknown): Promise<boolean> => {
      const before = count;
      await work();
      await look();
      // Problems are compared for a share of the time only.
      clock.skip(60_000);
      await store.rescan();
      await setImmediate();
      return count > before;
    };
    const { id } = await newItem(store, project, { title: 'Before' });
    expect(await isSaidOf(() => store.flush()), 'own write').to.equal(false);
    expect(await isSaidOf(() => edit(id, 'Before', 'After')), 'edit').to.equal(false);
    expect(await isSaidOf(() => edit(id, 'title:', '<<<<<<< a\ntitle:')), 'unreadable').to.equal(true);
    expect(await isSaidOf(() => undefined), 'still unreadable').to.equal(false);
    expect(await isSaidOf(() => edit(id, '<<<<<<< a\n', '')), 'repaired').to.equal(true);
    const copy = join(directory, 'tasks/copy.md');
    expect(await isSaidOf(() => cpSync(fileNamed(directory, id), copy)), 'second file').to.equal(true);
    expect(await isSaidOf(() => remove(copy)), 'one file').to.equal(true);
  });

  it('never reach outside: files below a link are not read [A.trust.links, A.trust.root]', async () => {
    const { symlinkSync } = await import('node:fs');
    write(join(scratch.path, 'secret.md'), '---\ntitle: Secret\n---\n');
    mkdirSync(join(directory, 'tasks'), { recursive: true });
    symlinkSync(join(scratch.path, 'secret.md'), join(directory, 'tasks/link.md'));
    symlinkSync(scratch.path, join(directory, 'documents'));
    await look();
    expect(await store.read(project, (view) => [view.count('task'), view.count('document')])).to.deep.equal([0, 0]);
    const page = await store.update(project, meta, (tx) =>
      tx.put('document', {
        id: tx.newId('document'),
        created_at: tx.now,
        title: 'P',
        status: null,
        folder_id: null,
        body: '',
        links: [],
      }),
    );
    const problems = (): Promise<readonly Problem[]> => store.read(project, (view) => view.problems);
    await store.flush();
    expect((await problems()).map(({ kind }) => kind)).to.deep.equal(['parked']);
    expect(
      Object.keys(tree(scratch.path)).some((path) => path.includes(page.id.slice(-4)) && !path.includes('.planner')),
    ).to.equal(false);
  });
});
