import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '../support/command.ts';
import { git, gitStatus, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Clone } from './clone.ts';

describe('Merging branches of a plan', function () {
  this.timeout(120_000);
  let clone: Clone;
  // Before the scratch directory's own hook, which removes the files.
  afterEach(() => clone.service.stop());
  const scratch = scratchDirectory();
  let project: string;

  const post = (path: string, body: object): Promise<string> => clone.post(project, path, body);
  const patch = (path: string, body: object): Promise<void> => clone.patch(path, body);

  beforeEach(async () => {
    initRepository(scratch.path);
    clone = new Clone(scratch.path, 'Ada');
    await clone.start();
    await clone.register();
    project = await clone.service.project('Plan');
  });

  it('keeps the changes of both sides to a record, and follows renamed files [A.git.driver, A.git.renamed]', async () => {
    const task = await post('tasks', { label: 'Pay', description: 'One\n\nTwo', tags: ['a'] });
    const page = await post('documents', { title: 'Page', body: 'One\nTwo\nThree\n' });
    const sheet = await post('artifacts', { title: 'Sheet', kind: 'html', content: '<p>one</p>\n<p>two</p>\n' });
    const folder = await post('folders', { name: 'Folder' });
    await clone.apart(
      async () => {
        await patch(`/tasks/${task}`, {
          label: 'Pay the bill',
          status: 'done',
          tags: ['a', 'b'],
          description: 'ONE\n\nTwo',
        });
        await patch(`/documents/${page}`, { folder_id: folder, title: 'The page' });
        await patch(`/artifacts/${sheet}`, { title: 'The sheet' });
        await clone.service.rest.put(`/projects/${project}/canvas`, { layout: { zoom: 2 } });
      },
      async () => {
        await patch(`/tasks/${task}`, { assignee: 'ada', tags: ['c'], description: 'One\n\nTWO' });
        await patch(`/documents/${page}`, { body: 'One\nTwo\nThree\nFour\n', status: 'draft' });
        await patch(`/artifacts/${sheet}`, { content: '<p>one</p>\n<p>TWO</p>\n' });
        await clone.service.rest.put(`/projects/${project}/canvas`, { layout: { open: ['x'] } });
      },
    );
    expect(clone.merge('other')).to.deep.equal([]);
    await clone.settle();
    const { rest } = clone.service;
    const { tags, ...merged } = (await rest.get(`/tasks/${task}`)).body as { tags: { name: string }[] };
    expect(merged).to.deep.include({
      label: 'Pay the bill',
      status: 'done',
      assignee: 'ada',
      description: 'ONE\n\nTWO',
    });
    expect(tags.map(({ name }) => name)).to.have.members(['b', 'c']);
    expect((await rest.get(`/documents/${page}`)).body).to.deep.include({
      ...{ title: 'The page', folder_id: folder, status: 'draft', body: 'One\nTwo\nThree\nFour\n' },
    });
    expect((await rest.get(`/artifacts/${sheet}`)).body).to.deep.include({
      ...{ title: 'The sheet', content: '<p>one</p>\n<p>TWO</p>\n' },
    });
    expect((await rest.get(`/projects/${project}/canvas`)).body.layout).to.deep.equal({ zoom: 2, open: ['x'] });
    expect(clone.service.store.check()).to.deep.equal([]);
    expect(clone.git('status', '--porcelain')).to.equal('');
  });

  it('writes conflict markers; the service lists file and line until a person resolves them [A.git.markers, A.git.problem, A.git.history]', async () => {
    const task = await post('tasks', { label: 'Pay', description: 'One\n' });
    await clone.apart(
      () => patch(`/tasks/${task}`, { status: 'in_progress', priority: 'high' }),
      () => patch(`/tasks/${task}`, { status: 'done', assignee: 'ada' }),
    );
    const [unmerged] = clone.merge('other');
    expect(unmerged!.stages).to.deep.equal([1, 2, 3]);
    const file = join(clone.directory, unmerged!.path);
    const text = readFileSync(file, 'utf8');
    expect(
      text.startsWith('---\n<<<<<<< ours\nstatus: done\n=======\nstatus: in_progress\n>>>>>>> theirs\nid: '),
    ).to.equal(true);
    expect(text.match(/^[<=>]{7}/gm)).to.have.length(3);
    await clone.service.store.rescan();
    const { rest } = clone.service;
    const problems = (await rest.get(`/projects/${project}/problems`)).body.problems as {
      path: string;
      line: number;
    }[];
    expect(problems.find(({ path }) => path === unmerged!.path)).to.deep.include({ line: 2, kind: 'unreadable' });
    expect((await rest.get(`/tasks/${task}`)).body).to.deep.include({ status: 'done' });
    expect((await rest.patch(`/tasks/${task}`, { label: 'x' })).status).to.equal(409);
    writeFileSync(file, text.replace(/<{7}[^]*={7}\n(.*\n)>{7}.*\n/, '$1'));
    clone.git('commit', '--quiet', '-am', 'Merged');
    await clone.settle();
    expect((await rest.get(`/tasks/${task}`)).body).to.deep.include({
      status: 'in_progress',
      assignee: 'ada',
      priority: 'high',
    });
    expect((await rest.get(`/projects/${project}/problems`)).body.problems).to.deep.equal([]);
    const { revisions } = (await rest.get(`/projects/${project}/revisions?target_type=task&target_id=${task}`))
      .body as {
      revisions: { id: string; author: string; changed_fields: string[] }[];
    };
    expect(
      revisions.filter(({ author, changed_fields }) => author === 'human:Ada' && changed_fields.includes('status')),
    ).to.have.length(2);
    const values = await Promise.all(
      revisions.map(async ({ id }) => (await rest.get(`/revisions/${id}`)).body.snapshot.status as string),
    );
    expect(values).to.include('done');
  });

  it('keeps a revision of an overridden value on the machine that had it [A.git.history]', async () => {
    const task = await post('tasks', { label: 'Pay' });
    await clone.apart(
      () => patch(`/tasks/${task}`, { status: 'done' }),
      () => patch(`/tasks/${task}`, { status: 'in_progress' }),
    );
    // Merged in another clone, for the other side; here it is only pulled.
    const elsewhere = join(scratch.path, 'elsewhere');
    git(scratch.path, 'clone', '--quiet', '--branch', 'other', scratch.path, elsewhere);
    git(elsewhere, 'merge', '--quiet', '--no-edit', '-X', 'ours', 'origin/main');
    clone.git('pull', '--quiet', '--ff-only', elsewhere, 'other');
    await clone.settle();
    const { rest } = clone.service;
    expect((await rest.get(`/tasks/${task}`)).body.status).to.equal('done');
    const { revisions } = (await rest.get(`/projects/${project}/revisions?target_type=task&target_id=${task}`))
      .body as {
      revisions: { id: string }[];
    };
    const values = await Promise.all(
      revisions.map(async ({ id }) => (await rest.get(`/revisions/${id}`)).body.snapshot.status as string),
    );
    expect(values).to.include('in_progress');
  });

  it('merges what both branches created: one tag, one folder, both documents in it', async () => {
    const work = async (title: string): Promise<void> => {
      const folder = await post('folders', { name: 'Same' });
      await post('documents', { title, body: title, folder_id: folder });
      await post('tasks', { label: title, tags: ['same'] });
    };
    await clone.apart(
      async () => {
        await work('There');
        const { tags } = (await clone.service.rest.get(`/projects/${project}/tags`)).body as { tags: { id: string }[] };
        await patch(`/tags/${tags[0]!.id}`, { color: '#ff0000' });
      },
      () => work('Here'),
    );
    expect(clone.merge('other')).to.deep.equal([]);
    await clone.settle();
    const { body } = await clone.service.rest.get(`/projects/${project}/documents`);
    expect(body.folders).to.have.length(1);
    expect(body.folders[0].documents.map(({ title }: { title: string }) => title)).to.have.members(['Here', 'There']);
    const { tags } = (await clone.service.rest.get(`/projects/${project}/tags`)).body;
    expect(tags).to.have.length(1);
    expect(tags[0].color).to.equal('#ff0000');
  });

  it('picks commits onto other branches although their history continues [A.git.picked]', async () => {
    const task = await post('tasks', { label: 'Pay' });
    await clone.commit('base');
    clone.git('switch', '--quiet', '-c', 'other');
    for (const status of ['in_progress', 'done']) {
      await patch(`/tasks/${task}`, { status });
      await patch(`/tasks/${task}`, { priority: status === 'done' ? 'low' : 'high' });
      await clone.commit(status);
    }
    await patch(`/tasks/${task}`, { assignee: 'ada' });
    await clone.commit('assignee');
    clone.git('switch', '--quiet', 'main');
    clone.git('cherry-pick', 'other');
    await clone.settle();
    expect((await clone.service.rest.get(`/tasks/${task}`)).body).to.deep.include({ status: 'todo', assignee: 'ada' });
    expect(clone.git('status', '--porcelain')).to.equal('');
    expect(clone.service.store.check()).to.deep.equal([]);
  });
});

describe('planner merge-driver', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();

  async function merge(
    path: string,
    versions: readonly (string | Buffer)[],
  ): Promise<{ code: number | null; text: string; errors: string }> {
    const names = ['base', 'ours', 'theirs'];
    versions.forEach((text, i) => writeFileSync(join(scratch.path, names[i]!), text));
    const { code, errors } = await runProcess(['merge-driver', ...names, path], { cwd: scratch.path });
    return { code, errors, text: readFileSync(join(scratch.path, 'ours'), 'utf8') };
  }

  it('merges files that are not records like git merges text [A.git.other-files]', async () => {
    const text = 'a\nb\nc\nd\ne\n';
    expect(await merge('notes.txt', [text, text.replace('a', 'A'), text.replace('e', 'E')])).to.deep.include({
      ...{ code: 0, text: 'A\nb\nc\nd\nE\n' },
    });
    expect(await merge('notes.txt', [text, text.replace('a', 'A'), text.replace('a', 'X')])).to.deep.include({
      ...{ code: 1, text: '<<<<<<< ours\nA\n=======\nX\n>>>>>>> theirs\nb\nc\nd\ne\n' },
    });
    const broken = '---\nstatus: [todo\nid: tsk_1\n---\n';
    const path = '.planner/projects/plan-abc123/tasks/a.tsk_1.md';
    expect((await merge(path, [broken, `${broken}x\n`, `${broken}y\n`])).text).to.contain(
      '<<<<<<< ours\nx\n=======\ny\n',
    );
  });

  it('keeps ours unchanged if it cannot merge, and git keeps both sides [A.git.driver-fails]', async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    expect(await merge('picture.bin', [bytes, 'ours', bytes])).to.deep.include({ text: 'ours' });
    expect((await merge('picture.bin', [bytes, Buffer.from([0, 1]), Buffer.from([0, 2])])).code).to.be.greaterThan(0);
    writeFileSync(join(scratch.path, 'ours'), 'ours\n');
    const { code, errors } = await runProcess(['merge-driver', 'none', 'ours', 'theirs', 'a.md'], {
      cwd: scratch.path,
    });
    expect(code).to.equal(2);
    expect(errors).to.contain('a.md was not merged');
    expect(readFileSync(join(scratch.path, 'ours'), 'utf8')).to.equal('ours\n');
    // In a merge: the file is unmerged, all three versions are in git's index.
    const directory = join(scratch.path, 'repository');
    git(scratch.path, 'init', '--quiet', '--initial-branch=main', directory);
    git(directory, 'config', 'merge.planner.driver', 'exit 2');
    writeFileSync(join(directory, '.gitattributes'), '*.md merge=planner\n');
    const commit = (text: string): void => {
      writeFileSync(join(directory, 'a.md'), text);
      git(directory, 'add', '-A');
      git(directory, 'commit', '--quiet', '-m', text);
    };
    commit('base\n');
    git(directory, 'switch', '--quiet', '-c', 'other');
    commit('theirs\n');
    git(directory, 'switch', '--quiet', 'main');
    commit('ours\n');
    expect(gitStatus(directory, 'merge', '--quiet', 'other')).to.equal(1);
    expect(git(directory, 'show', ':2:a.md') + git(directory, 'show', ':3:a.md')).to.equal('ours\ntheirs\n');
    expect(readFileSync(join(directory, 'a.md'), 'utf8')).to.equal('ours\n');
  });

  it('reports its usage if it is called with other arguments', async () => {
    const { code, errors } = await runProcess(['merge-driver', 'a'], { cwd: scratch.path });
    expect(code).to.equal(2);
    expect(errors).to.contain('missing required argument');
  });
});
