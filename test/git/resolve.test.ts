import { expect } from 'chai';
import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Shell, shellTestMs } from '../cli/planner.ts';
import { initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Clone } from './clone.ts';

describe('Path conflicts that git leaves unmerged', function () {
  this.timeout(shellTestMs);
  let clone: Clone;
  // Before the scratch directory's own hook, which removes the files.
  afterEach(() => clone.service.stop());
  const scratch = scratchDirectory();
  let shell: Shell;
  let project: string;
  let folder: string;
  let page: string;

  const post = (path: string, body: object): Promise<string> => clone.post(project, path, body);
  const patch = (path: string, body: object): Promise<void> => clone.patch(path, body);

  async function document(id: string): Promise<Record<string, unknown>> {
    return (await clone.service.rest.get(`/documents/${id}`)).body as Record<string, unknown>;
  }

  async function concluded(): Promise<void> {
    clone.git('commit', '--quiet', '--no-edit');
    await clone.settle();
    expect(clone.service.store.check()).to.deep.equal([]);
    expect(clone.git('status', '--porcelain')).to.equal('');
  }

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
    clone = new Clone(shell.directory, 'Ada');
    await clone.start();
    await clone.register();
    project = await clone.service.project('Plan');
    folder = await post('folders', { name: 'Folder' });
    page = await post('documents', { title: 'Page', body: 'One\nTwo\nThree\n' });
  });

  it('are resolved by one command: a renamed document in the folder that it was moved to [A.git.resolve]', async () => {
    await clone.apart(
      () => patch(`/documents/${page}`, { folder_id: folder }),
      () => patch(`/documents/${page}`, { title: 'The page', body: 'One\nTwo\nThree\nFour\n' }),
    );
    expect(clone.merge('other')).to.have.length(3);
    const { settled, left } = await shell.json(['resolve']);
    expect(left).to.deep.equal([]);
    expect(settled).to.have.length(1);
    expect(settled[0].id).to.equal(page);
    expect(settled[0].path).to.match(/^\.planner\/projects\/plan-\w+\/documents\/Folder\/The page\.\w{4}\.md$/);
    expect(clone.unmerged()).to.deep.equal([]);
    await concluded();
    expect(await document(page)).to.include({ title: 'The page', folder_id: folder, body: 'One\nTwo\nThree\nFour\n' });
    expect(await shell.ok(['resolve'])).to.equal(
      'No file of the plan is unmerged: if a merge or rebase is under way, run git commit or git rebase --continue.\n',
    );
  });

  it('include a document added to a renamed folder, and a folder renamed and moved with its content [A.git.resolve]', async () => {
    const above = await post('folders', { name: 'Above' });
    const inside = await post('documents', { title: 'Inside', body: 'In\n', folder_id: folder });
    let late = '';
    await clone.apart(
      async () => {
        await patch(`/folders/${folder}`, { name: 'Renamed' });
      },
      async () => {
        late = await post('documents', { title: 'Late', body: 'Late\n', folder_id: folder });
        await patch(`/folders/${folder}`, { parent_folder_id: above });
      },
    );
    expect(clone.merge('other')).not.to.deep.equal([]);
    const { left } = await shell.json(['resolve']);
    expect(left).to.deep.equal([]);
    expect(clone.unmerged()).to.deep.equal([]);
    await concluded();
    for (const id of [inside, late]) expect(await document(id)).to.include({ folder_id: folder });
    const { body } = await clone.service.rest.get(`/projects/${project}/documents`);
    expect(body.folders).to.have.length(1);
    expect(body.folders[0].folders).to.have.length(1);
    expect(body.folders[0].folders[0]).to.include({ id: folder, name: 'Renamed' });
  });

  it('include a document that both sides moved, which is in one of the two folders [A.git.resolve]', async () => {
    const [first, second] = [await post('folders', { name: 'First' }), await post('folders', { name: 'Second' })];
    const beside = await post('documents', { title: 'Beside', body: 'Beside\n', folder_id: second });
    await clone.apart(
      () => patch(`/documents/${page}`, { folder_id: first }),
      () => patch(`/documents/${page}`, { folder_id: second }),
    );
    clone.merge('other');
    expect((await shell.json(['resolve'])).left).to.deep.equal([]);
    await concluded();
    expect((await document(page))['folder_id']).to.be.oneOf([first, second]);
    expect(await document(beside)).to.include({ folder_id: second });
  });

  it('keep conflicting contents between markers at the resolved path [A.git.resolve]', async () => {
    await clone.apart(
      () => patch(`/documents/${page}`, { folder_id: folder, status: 'draft' }),
      () => patch(`/documents/${page}`, { title: 'The page', status: 'final' }),
    );
    clone.merge('other');
    const { code, output } = await shell.run(['resolve', '--json']);
    expect(code).to.equal(1);
    const { settled, left } = JSON.parse(output) as { settled: unknown[]; left: { paths: string[]; reason: string }[] };
    expect(settled).to.deep.equal([]);
    expect(left[0]!.reason).to.include('choose between the markers');
    const [path] = left[0]!.paths;
    expect(clone.unmerged()).to.deep.equal([{ path, stages: [1, 2, 3] }]);
    const file = join(clone.directory, path!);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/<{7}.*\n([^]*)={7}\n[^]*>{7}.*\n/, '$1'));
    clone.git('add', '--', path!);
    await concluded();
    expect(await document(page)).to.include({ title: 'The page', folder_id: folder, status: 'final' });
  });

  it('that a person must decide, or has edited, are left unchanged and reported [A.git.resolve]', async () => {
    const gone = await post('documents', { title: 'Gone', body: 'Gone\n' });
    const other = await post('documents', { title: 'Other', body: 'Other\n' });
    await clone.apart(
      async () => {
        await patch(`/documents/${gone}`, { body: 'Changed\n' });
        await patch(`/documents/${other}`, { folder_id: folder });
      },
      async () => {
        await clone.service.rest.delete(`/documents/${gone}`);
        await patch(`/documents/${other}`, { title: 'Another' });
      },
    );
    const before = clone.merge('other');
    const mine = join(clone.directory, before.find(({ path }) => path.includes('/Another.'))!.path);
    writeFileSync(mine, `${readFileSync(mine, 'utf8')}Mine\n`);
    const tree = clone.git('status', '--porcelain', '--untracked-files=all');
    const { code, output } = await shell.run(['resolve']);
    expect(code).to.equal(1);
    expect(output).to.match(/one side changed it and the other deleted it/);
    expect(output).to.match(/Another\.\w{4}\.md was changed since the merge/);
    expect(clone.unmerged()).to.deep.equal(before);
    expect(clone.git('status', '--porcelain', '--untracked-files=all')).to.equal(tree);
    expect(readFileSync(mine, 'utf8').endsWith('Mine\n')).to.equal(true);
    clone.git('merge', '--abort');
    await clone.settle();
  });

  it('never write outside of the root through a symbolic link that replaced a folder [A.git.resolve, A.hostile.links]', async () => {
    await clone.apart(
      () => patch(`/documents/${page}`, { folder_id: folder }),
      () => patch(`/documents/${page}`, { title: 'The page' }),
    );
    const unmerged = clone.merge('other');
    const inFolder = unmerged.find(({ path }) => path.includes('/Folder/'))!.path;
    const directory = join(clone.directory, inFolder, '..');
    const outside = join(scratch.path, 'outside');
    renameSync(directory, outside);
    symlinkSync(outside, directory);
    const { code, output } = await shell.run(['resolve']);
    expect(code).to.equal(1);
    expect(output).to.include('whose folder cannot be made');
    expect(existsSync(join(outside, inFolder.split('/').at(-1)!))).to.equal(true);
    clone.git('merge', '--abort');
  });
});
