import { expect } from 'chai';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultyDisk } from '../support/faulty-disk.ts';
import { makePageProject, openPageStore, type PageStore, putScreen, type Screen } from '../support/page-store.ts';
import { fileNamed, projectDirectory, rescanTwice, tree, write } from '../support/plan-store.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { rarely } from '../support/rarely.ts';

describe('HTML files of records', () => {
  let store: PageStore;
  afterEach(() => store.close());
  const scratch = scratchDirectory();
  let project: string;
  let directory: string;

  beforeEach(async () => {
    store = await openPageStore(scratch.path);
    project = await makePageProject(store);
    await store.flush();
    directory = projectDirectory(scratch.path);
  });

  const get = (id: string): Promise<Screen | undefined> => store.read(project, (view) => view.get('artifact', id));
  const pages = (): string[] => Object.keys(tree(directory)).filter((path) => path.startsWith('artifacts/'));

  const look = (): Promise<void> => rescanTwice(store);

  it('move from .html to .md and back with the kind, one file a record [A.format.html, A.format.rename]', async () => {
    const { id } = await putScreen(store, project, { title: 'Login page', content: '<p>Hi</p>\n' });
    await store.flush();
    expect(pages()).to.deep.equal([`artifacts/login-page.${id}.html`]);
    expect(readFileSync(fileNamed(directory, id), 'utf8')).to.match(/^<!-- planner \{"id": .*\} -->\n<p>Hi<\/p>\n\n$/);
    await putScreen(store, project, { id, kind: 'markdown' });
    await store.flush();
    expect(pages()).to.deep.equal([`artifacts/login-page.${id}.md`]);
    expect(readFileSync(fileNamed(directory, id), 'utf8')).to.match(/^---\nid: .*\n---\n<p>Hi<\/p>\n\n$/s);
    await putScreen(store, project, { id, kind: 'html', title: 'Sign in' });
    await store.flush();
    expect(pages()).to.deep.equal([`artifacts/sign-in.${id}.html`]);
    expect(store.check()).to.deep.equal([]);
    await store.close();
    store = await openPageStore(scratch.path);
    expect(await get(id)).to.deep.include({ kind: 'html', title: 'Sign in', content: '<p>Hi</p>\n' });
  });

  it('keep a name that a person gave, except its extension [A.format.rename]', async () => {
    const { id } = await putScreen(store, project, { title: 'Login', content: '<p>' });
    await store.flush();
    renameSync(fileNamed(directory, id), join(directory, 'artifacts/mine.html'));
    await look();
    expect((await get(id))?.title).to.equal('Login');
    await putScreen(store, project, { id, kind: 'markdown', title: 'Other' });
    await store.flush();
    expect(pages()).to.deep.equal(['artifacts/mine.md']);
    expect(store.check()).to.deep.equal([]);
  });

  it('are adopted when they are added, without a byte changed, and identified by their path [A.format.no-id, A.format.path-remembers]', async () => {
    const page = '<!doctype html>\n<title>A &amp; B</title>\n<p>dropped</p>\n';
    write(join(directory, 'artifacts/report.html'), page);
    await look();
    const found = await store.read(project, (view) => [...view.list('artifact')]);
    expect(found.map(({ title, kind, content }) => [title, kind, content])).to.deep.equal([
      ['A & B', 'html', page.slice(0, -1)],
    ]);
    await store.flush();
    expect(readFileSync(join(directory, 'artifacts/report.html'), 'utf8')).to.equal(page);
    const { id } = await putScreen(store, project, { id: found[0]!.id, title: 'Renamed' });
    await store.flush();
    const file = fileNamed(directory, 'report');
    expect(readFileSync(file, 'utf8')).to.match(new RegExp(`^<!-- planner \\{"id": "${id}".*-->\\n<!doctype`));
    // A tool that rewrites the page drops the line.
    writeFileSync(file, '<p>new</p>');
    await look();
    expect(await get(id)).to.deep.include({ title: 'Renamed', kind: 'html', content: '<p>new</p>' });
  });

  it("are merged with a person's concurrent save, and not overwritten while they are unreadable [A.edit.merge, A.edit.never-over]", async () => {
    const { id } = await putScreen(store, project, { title: 'Login', content: '<p>one</p>\n<p>two</p>' });
    await store.flush();
    const file = fileNamed(directory, id);
    await putScreen(store, project, { id, title: 'Sign in' });
    writeFileSync(file, readFileSync(file, 'utf8').replace('one', 'ONE'));
    await store.flush();
    await look();
    await store.flush();
    expect(await get(id)).to.deep.include({ title: 'Sign in', content: '<p>ONE</p>\n<p>two</p>' });
    const now = fileNamed(directory, id);
    const good = readFileSync(now, 'utf8');
    writeFileSync(now, good.replace('"title"', 'title'));
    await look();
    expect((await get(id))?.title).to.equal('Sign in');
    expect(store.check().map(({ kind, line }) => [kind, line])).to.deep.equal([['unreadable', 1]]);
    writeFileSync(now, good);
    await look();
    expect(store.check()).to.deep.equal([]);
  });

  rarely('are one file after a crash at any call of a change of kind [A.crash.calls]', async function () {
    this.timeout(60_000);
    const { id } = await putScreen(store, project, { title: 'Login', content: '<p>' });
    await store.close();
    const before = tree(directory);
    for (let at = 1; ; at++) {
      for (const path of Object.keys(tree(directory)))
        if (!(path in before)) renameSync(join(directory, path), join(scratch.path, 'gone'));
      for (const [path, content] of Object.entries(before)) write(join(directory, path), content);
      const disk = faultyDisk();
      store = await openPageStore(scratch.path, { disk });
      disk.arm({ at, kind: 'stop' });
      let acknowledged = false;
      try {
        await putScreen(store, project, { id, kind: 'markdown', title: 'Other' });
        acknowledged = true;
        await store.flush();
        await store.close();
      } catch {
        store.abandon();
      }
      disk.closeAll();
      const { fired } = disk;
      store = await openPageStore(scratch.path);
      await store.flush();
      expect(pages(), `died at call ${at}`).to.have.length(1);
      const record = await get(id);
      expect(
        existsSync(join(directory, `artifacts/${record?.kind === 'html' ? `login.${id}.html` : `other.${id}.md`}`)),
      ).to.equal(true);
      if (acknowledged) expect(record?.kind).to.equal('markdown');
      expect(store.check()).to.deep.equal([]);
      await store.close();
      if (!fired) break;
    }
    store = await openPageStore(scratch.path);
  });
});
