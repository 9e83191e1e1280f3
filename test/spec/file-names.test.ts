import { expect } from 'chai';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restTransport } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { watched, TestService } from '../support/service.ts';

interface Problem {
  readonly path: string;
  readonly kind: string;
  readonly reason: string;
  readonly remedy: string;
}

/** `caf\xe9`: é in Latin-1. */
const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9]);

/** A path with this name in a directory. */
const named = (directory: string, name: Buffer, ending = ''): Buffer =>
  Buffer.concat([Buffer.from(`${directory}/`), name, Buffer.from(ending)]);

describe('Names of files', function () {
  let service: TestService;
  let files: PlanFiles;
  let project_id: string;
  beforeEach(async () => {
    service = await TestService.start(watched);
    project_id = await service.project();
    files = await PlanFiles.of(service);
  });
  afterEach(() => service.stop());

  const problems = async (): Promise<readonly Problem[]> =>
    (await restTransport(service).call('list_problems', { project_id })).problems as Problem[];
  /** Waits for these problems: by paths inside the project, each with a reason and a remedy. */
  const listed = (expected: readonly (readonly [kind: string, path: string])[]): Promise<void> =>
    files.until(async () => {
      const found = await problems();
      expect(found.map(({ kind, path }) => [kind, path])).to.deep.equal(
        expected.map(([kind, path]) => [kind, files.shown(path)]),
      );
      for (const { reason, remedy } of found)
        for (const text of [reason, remedy]) expect(text).to.be.a('string').and.not.equal('');
    });
  const labels = async (): Promise<string[]> =>
    (await restTransport(service).call('list_tasks', { project_id })).tasks.map(
      ({ label }: { label: string }) => label,
    );

  it('that are not UTF-8 are listed with their bytes until they are renamed [A.names.listed]', async function () {
    // Other systems refuse such names.
    if (process.platform !== 'linux') return this.skip();
    for (const directory of ['tasks', 'documents']) mkdirSync(join(files.directory, directory), { recursive: true });
    const task = named(join(files.directory, 'tasks'), latin, '.md');
    const folder = named(join(files.directory, 'documents'), latin);
    writeFileSync(task, 'Text\n');
    mkdirSync(folder);
    writeFileSync(Buffer.concat([folder, Buffer.from('/a.md')]), 'Text\n');
    // The character that Node returns for such bytes is valid in a name.
    files.write('tasks/\ufffd.md', 'Text\n');
    await listed([
      ['invalid_name', 'documents/caf\\xe9'],
      ['invalid_name', 'tasks/caf\\xe9.md'],
    ]);
    await files.until(async () => expect(await labels()).to.deep.equal(['\ufffd']));
    expect((await service.rest.get('/doctor')).body.problems).to.have.length(2);
    await service.restart();
    await listed([
      ['invalid_name', 'documents/caf\\xe9'],
      ['invalid_name', 'tasks/caf\\xe9.md'],
    ]);
    renameSync(task, join(files.directory, 'tasks/café.md'));
    await listed([['invalid_name', 'documents/caf\\xe9']]);
    await files.until(async () => expect(await labels()).to.have.members(['\ufffd', 'café']));
    rmSync(join(files.directory, 'documents'), { recursive: true });
    await listed([]);
  });

  it('of project directories that are not UTF-8 are listed with the projects [A.names.listed]', async function () {
    if (process.platform !== 'linux') return this.skip();
    const directory = named(join(service.root, 'projects'), latin);
    mkdirSync(directory);
    const found = async (): Promise<readonly Problem[]> => (await service.rest.get('/projects')).body.problems ?? [];
    await files.until(async () =>
      expect((await found()).map(({ kind, path }) => [kind, path])).to.deep.equal([
        ['invalid_name', '.planner/projects/caf\\xe9'],
      ]),
    );
    renameSync(directory, join(service.root, 'projects/café'));
    await files.until(async () => expect(await found()).to.deep.equal([]));
  });

  it('that differ in normalisation alone are listed, records, folders and projects [A.names.listed]', async function () {
    const [composed, decomposed] = [`é`.normalize('NFC'), `é`.normalize('NFD')];
    const record = (id: string): string => `---\nid: ${id}\n---\n`;
    files.write(`tasks/${decomposed}.md`, record('a'));
    // A file system that takes the two for one has no twins.
    if (existsSync(join(files.directory, `tasks/${composed}.md`))) return this.skip();
    await listed([]);
    files.write(`tasks/${composed}.md`, record('b'));
    files.write(`documents/${composed}/x.md`, record('c'));
    files.write(`documents/${decomposed}/x.md`, record('d'));
    await listed([
      ['same_name', `documents/${decomposed}`],
      ['same_name', `tasks/${decomposed}.md`],
    ]);
    expect((await problems())[1]!.reason).to.include(files.shown(`tasks/${composed}.md`));
    expect(await labels()).to.have.length(2);
    // Without an id in them, two such files derive one id: they are listed once.
    files.write(`notes/${decomposed}.md`, 'One');
    files.write(`notes/${composed}.md`, 'Two');
    await files.until(async () => expect(await problems()).to.have.length(3));
    const [note] = (await problems()).filter(({ path }) => path.includes('/notes/'));
    expect(note).to.include({ kind: 'duplicate_id' });
    expect(note!.reason).to.include(files.shown('notes/')).and.to.include('differ in their Unicode normalisation');
    rmSync(join(files.directory, 'notes'), { recursive: true });
    await files.until(async () => expect(await problems()).to.have.length(2));
    for (const name of [composed, decomposed]) mkdirSync(join(service.root, 'projects', name));
    await service.store.rescan();
    const root = (): Promise<readonly Problem[]> =>
      service.rest.get('/doctor').then(({ body }) => body.problems.filter(({ path }: Problem) => !path.includes('-')));
    expect((await root()).map(({ kind }) => kind)).to.deep.equal(['same_name']);
    rmSync(join(service.root, 'projects', composed), { recursive: true });
    expect(await root()).to.deep.equal([]);
    files.rename(`tasks/${composed}.md`, 'tasks/e.md');
    await listed([['same_name', `documents/${decomposed}`]]);
    files.remove(`documents/${decomposed}`);
    await listed([]);
  });
});
