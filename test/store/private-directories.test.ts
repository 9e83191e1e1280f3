import { expect } from 'chai';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlanFiles } from '../support/plan-files.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

/** Files that are read or moved into the plan from here keep their mode; the directory above closes it. */
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

  it('is private: the journal, the history of external edits, the lock [A.trust.private]', async () => {
    await used();
    const names = entries().map(({ name }) => name);
    expect(names.join('\n'))
      .to.match(/^journal\/\d+\.log$/m)
      .and.to.match(/^history\/.*\.jsonl$/m)
      .and.to.match(/^lock$/m);
    expect(modeOf(local()).toString(8)).to.equal('700');
    expect(open()).to.deep.equal([]);
  });

  it('is made private if it was not, and the files of the plan stay unchanged [A.trust.private]', async () => {
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
});
