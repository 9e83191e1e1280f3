import { expect } from 'chai';
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeDisk } from '../../src/store/disk.ts';
import { closeToOthers } from '../../src/store/private-local.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

/** What is read or moved into the plan from here keeps its mode; the directory above closes it. */
const closedByDirectory = /^(bytes|tmp|trash|backup|upgrade|texts)(\/|$)/;

describe('local/', () => {
  const scratch = scratchDirectory();
  let service: TestService | undefined;

  afterEach(() => service?.stop());

  const local = (): string => join(scratch.path, '.planner/local');
  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  /** Everything in `local/` by its path there. */
  function entries(): { readonly name: string; readonly path: string; readonly isDirectory: boolean }[] {
    return readdirSync(local(), { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { name: path.slice(local().length + 1), path, isDirectory: entry.isDirectory() };
    });
  }

  /** The entries that another user could read if the directory above let them. */
  const open = (): string[] =>
    entries()
      .filter(({ name }) => !closedByDirectory.test(name))
      .filter(
        ({ name, path, isDirectory }) => (modeOf(path) & 0o077) !== 0 && !(isDirectory && /^history(\/|$)/.test(name)),
      )
      .map(({ name, path }) => `${name} ${modeOf(path).toString(8)}`);

  /** A service with a journal, a revision of an edit by hand and a file; answers the path of the document. */
  async function used(): Promise<{ readonly document: string; readonly file: string }> {
    service = await TestService.start({ directory: scratch.path });
    const project = await service.project();
    const { body } = await service.rest.post(`/projects/${project}/documents`, { title: 'Mine', body: 'one' });
    const content_base64 = Buffer.from('bytes').toString('base64');
    const uploaded = await service.rest.post(`/projects/${project}/files`, {
      filename: 'a.txt',
      mime: 'text/plain',
      content_base64,
    });
    expect(uploaded.status).to.equal(201);
    await service.store.flush();
    const files = await PlanFiles.of(service);
    const document = join(files.directory, await files.pathOf(body.id as string));
    writeFileSync(document, files.read(await files.pathOf(body.id as string)).replace('one', 'two'));
    await service.store.rescan();
    await service.store.flush();
    const named = readdirSync(join(files.directory, 'files'), { recursive: true, encoding: 'utf8' });
    const file = join(
      files.directory,
      'files',
      named.find((name) => name.endsWith('.txt'))!,
    );
    return { document, file };
  }

  it('is for its user alone: the journal, the history of edits on disk, the lock [A.trust.private]', async () => {
    await used();
    const names = entries().map(({ name }) => name);
    expect(names.join('\n'))
      .to.match(/^journal\/\d+\.log$/m)
      .and.to.match(/^history\/.*\.jsonl$/m)
      .and.to.match(/^lock$/m);
    expect(modeOf(local()).toString(8)).to.equal('700');
    expect(open()).to.deep.equal([]);
  });

  it('is closed when it was left open, and the files of the plan stay as they are [A.trust.private]', async () => {
    const { document, file } = await used();
    const plan = [modeOf(document), modeOf(file)];
    expect(plan.map((mode) => mode & 0o044)).to.deep.equal([0o044, 0o044]);
    for (const { path, isDirectory } of entries()) chmodSync(path, isDirectory ? 0o755 : 0o644);
    chmodSync(local(), 0o755);
    await service!.restart();
    expect(modeOf(local()).toString(8)).to.equal('700');
    expect(open()).to.deep.equal([]);
    expect(
      entries().filter(({ name }) => name.startsWith('history/') && modeOf(join(local(), name)) & 0o077),
    ).to.deep.equal([]);
    expect([modeOf(document), modeOf(file)]).to.deep.equal(plan);
  });

  /** Files and directories that other users may read, by their paths and their modes afterwards. */
  const afterwards = {
    ...{ local: 0o700, 'local/lock': 0o600, 'local/journal': 0o700, 'local/journal/1.log': 0o600 },
    ...{ 'local/history': 0o700, 'local/history/abc': 0o700, 'local/history/abc/a.jsonl': 0o600 },
    ...{ 'local/tmp': 0o755, 'local/tmp/x': 0o644, outside: 0o755, 'outside/file': 0o644, 'outside/inner': 0o755 },
  };

  function makeOpen(): void {
    for (const [name, mode] of Object.entries(afterwards)) {
      const path = join(scratch.path, name);
      mkdirSync(mode >= 0o700 ? path : dirname(path), { recursive: true });
      if (mode < 0o700) writeFileSync(path, '');
      chmodSync(path, mode >= 0o700 ? 0o755 : 0o644);
    }
  }

  const modes = (): Record<string, number> =>
    Object.fromEntries(Object.keys(afterwards).map((name) => [name, modeOf(join(scratch.path, name))]));

  it('is closed with no link in it followed, and no directory but those of its texts [A.trust.private, A.hostile.links]', () => {
    makeOpen();
    for (const link of ['local/linked', 'local/history/linked', 'local/history/abc/linked', 'local/a-link'])
      symlinkSync(join(scratch.path, link === 'local/a-link' ? 'outside/file' : 'outside'), join(scratch.path, link));
    closeToOthers(nodeDisk, join(scratch.path, 'local'));
    expect(modes()).to.deep.equal(afterwards);
    expect(lstatSync(join(scratch.path, 'local/linked')).isSymbolicLink()).to.equal(true);
  });

  it('is closed with nothing done through a link in the place of its journal [A.hostile.links]', () => {
    makeOpen();
    const local = join(scratch.path, 'other');
    mkdirSync(local, { mode: 0o755 });
    symlinkSync(join(scratch.path, 'outside'), join(local, 'journal'));
    closeToOthers(nodeDisk, local);
    expect(modeOf(local)).to.equal(0o700);
    expect(modes()).to.include({ outside: 0o755, 'outside/file': 0o644, 'outside/inner': 0o755 });
  });

  it('is left as it is where it is closed, and where its files are of another user or not there [A.trust.private]', () => {
    makeOpen();
    chmodSync(join(scratch.path, 'local'), 0o700);
    closeToOthers(nodeDisk, join(scratch.path, 'local'));
    expect(modes()).to.include({ local: 0o700, 'local/lock': 0o644, 'local/journal': 0o755 });
    closeToOthers(nodeDisk, join(scratch.path, 'nothing'));
    for (const mode of [0o750, 0o705]) {
      chmodSync(join(scratch.path, 'local'), mode);
      const setMode = (path: string, wanted: number): void => {
        if (path.endsWith('.log')) throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
        nodeDisk.setMode(path, wanted);
      };
      closeToOthers({ ...nodeDisk, setMode }, join(scratch.path, 'local'));
      expect(modes()).to.include({ local: 0o700, 'local/lock': 0o600, 'local/journal': 0o700 });
      expect(modes()).to.include({ 'local/journal/1.log': 0o644 });
    }
  });
});
