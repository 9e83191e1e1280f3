import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellTestMs } from '../cli/planner.ts';
import { git, initRepository } from '../support/git.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { HostedCopy } from './hosted-copy.ts';

postgresTests('planner sync', () => {
  const scratch = scratchDirectory();
  let cluster: PostgresCluster;
  let copy: HostedCopy;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    copy = await HostedCopy.start(cluster, scratch.path);
  });
  afterEach(() => copy.stop());

  const path = (rest: string): string => `/projects/${copy.project}/${rest}`;

  /** A task that both sides have. */
  async function commonTask(fields: object): Promise<string> {
    const { id } = await copy.there('POST', path('tasks'), fields);
    await copy.sync();
    return id as string;
  }

  it('exchanges additions, changes and removals in both directions [A.nodes.sync]', async () => {
    const [changed, removed, gone] = [
      await commonTask({ label: 'Dig' }),
      await commonTask({ label: 'Burn leaves' }),
      await commonTask({ label: 'Wait' }),
    ];
    await copy.there('PATCH', `/tasks/${changed}`, { priority: 'high', tags: ['soil'] });
    await copy.there('DELETE', `/tasks/${removed}`);
    const document = await copy.there('POST', path('documents'), {
      title: 'Guide',
      body: 'Text.\n',
      link_to: [changed],
    });
    await copy.here('create_note', { title: 'Idea', body: 'Apples.' });
    await copy.hereOf('update_task', { task_id: changed, label: 'Dig deep' });
    copy.remove('tasks/wait.');
    await copy.here('create_folder', { name: 'Plans' });
    const report = await copy.sync();
    expect(report).to.deep.include({ merged: [changed], overridden: [], kept: [], withheld: [], is_uncertain: false });
    // The tag, too.
    expect(report.came).to.equal(4);
    expect(report.went).to.equal(4);
    const { tasks, documents, notes, revisions } = JSON.parse(await copy.requireEqual());
    expect(tasks).to.have.length(1);
    expect(tasks[0]).to.deep.include({ id: changed, label: 'Dig deep', priority: 'high', tags: ['soil'] });
    expect(documents.map(({ id }: { id: string }) => id)).to.deep.equal([document.id]);
    expect(notes).to.have.length(1);
    const deleted = revisions.filter(({ fields }: { fields: string[] }) => fields.includes('deleted'));
    expect(deleted.map(({ target }: { target: string }) => target)).to.have.members([removed, gone]);
    expect(await copy.sync()).to.deep.include({ came: 0, went: 0 });
    expect(await copy.shell.ok(['sync'])).to.include('Nothing to exchange');
    expect(await copy.shell.problems()).to.deep.equal([]);
  }).timeout(shellTestMs);

  it('merges texts by their lines, and keeps overridden values [A.nodes.sync]', async () => {
    const task = await commonTask({ label: 'Dig', priority: 'low', description: 'First.\n\nSecond.\n\nThird.\n' });
    await copy.there('PATCH', `/tasks/${task}`, {
      priority: 'high',
      description: 'First there.\n\nSecond.\n\nThird.\n',
    });
    await copy.hereOf('update_task', {
      ...{ task_id: task, priority: 'medium', assignee: 'Ada' },
      description: 'First.\n\nSecond.\n\nThird here.\n',
    });
    const report = await copy.sync();
    expect(report.overridden).to.deep.equal([
      { id: task, collection: 'task', fields: ['priority'], is_restorable: true, values: { priority: 'high' } },
    ]);
    await copy.requireEqual();
    const merged = await copy.there('GET', `/tasks/${task}`);
    expect(merged).to.deep.include({ priority: 'medium', assignee: 'Ada' });
    expect(merged.description).to.equal('First there.\n\nSecond.\n\nThird here.\n');
    const { revisions } = await copy.there('GET', `${path('revisions')}?target_id=${task}&target_type=task`);
    const lost = revisions.find(({ author }: { author: string }) => author === 'system');
    await copy.there('POST', `/revisions/${lost.id}/restore`);
    expect((await copy.there('GET', `/tasks/${task}`)).priority).to.equal('high');
    await copy.sync();
    await copy.requireEqual();
    expect((await copy.hereOf('get_task', { task_id: task })).task.priority).to.equal('high');
    await copy.there('PATCH', `/tasks/${task}`, { priority: 'urgent' });
    await copy.hereOf('update_task', { task_id: task, priority: 'low' });
    expect(await copy.shell.ok(['sync']))
      .to.include(`${task} "Dig" (priority was "urgent")`)
      .and.include('planner restore');
  }).timeout(shellTestMs);

  it('lets a change win over a removal, and keeps needed records [A.nodes.sync]', async () => {
    const [here, there] = [await commonTask({ label: 'Here' }), await commonTask({ label: 'There' })];
    const commented = await commonTask({ label: 'Commented' });
    const folder = await copy.there('POST', path('folders'), { name: 'Plans' });
    const other = await copy.there('POST', path('folders'), { name: 'Other' });
    await copy.sync();
    copy.remove('tasks/here.');
    await copy.there('PATCH', `/tasks/${here}`, { label: 'Changed there' });
    await copy.there('DELETE', `/tasks/${there}`);
    await copy.hereOf('update_task', { task_id: there, label: 'Changed here' });
    copy.remove('tasks/commented.');
    await copy.there('POST', path('comments'), { target_type: 'task', target_id: commented, body: 'Why?' });
    await copy.there('DELETE', `/folders/${folder.id}`);
    await copy.here('create_document', { title: 'Filed here', body: '', folder_id: folder.id });
    copy.remove('documents/Other');
    await copy.there('POST', path('documents'), { title: 'Filed there', body: '', folder_id: other.id });
    const report = await copy.sync();
    expect(report.kept).to.have.members([here, there, commented, folder.id, other.id]);
    const { tasks, documents, comments } = JSON.parse(await copy.requireEqual());
    expect(tasks.map(({ label }: { label: string }) => label)).to.have.members([
      'Changed there',
      'Changed here',
      'Commented',
    ]);
    expect(comments).to.have.length(1);
    expect(documents.map(({ folder_id: id }: { folder_id: string }) => id)).to.have.members([folder.id, other.id]);
    expect(await copy.shell.problems()).to.deep.equal([]);
  }).timeout(shellTestMs);

  it('makes directories of folders that both sides moved or named alike [A.nodes.sync]', async () => {
    const [a, b] = [
      await copy.there('POST', path('folders'), { name: 'A' }),
      await copy.there('POST', path('folders'), { name: 'B' }),
    ];
    await copy.sync();
    await copy.there('PATCH', `/folders/${a.id}`, { parent_folder_id: b.id });
    await copy.hereOf('update_folder', { folder_id: b.id, parent_folder_id: a.id });
    await copy.there('POST', path('folders'), { name: 'Plans' });
    await copy.here('create_folder', { name: 'plans' });
    await copy.sync();
    const { folders } = JSON.parse(await copy.requireEqual());
    const named = new Map(
      folders.map((one: { name: string; parent_folder_id: string | null }) => [one.name, one.parent_folder_id]),
    );
    expect(named.get('A')).to.equal(b.id);
    expect(named.get('B')).to.equal(null);
    expect(folders).to.have.length(4);
    expect([...named.keys()].some((name) => /^plans 2$/i.test(name as string))).to.equal(true);
    expect(await copy.shell.problems()).to.deep.equal([]);
  }).timeout(shellTestMs);

  it('transfers the bytes of files before the records that name them [A.nodes.sync]', async () => {
    const bytes = (seed: number): Buffer => Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * seed) % 251));
    const upload = (content: Buffer): object => ({
      filename: 'bed.bin',
      mime: 'application/octet-stream',
      content_base64: content.toString('base64'),
    });
    const there = await copy.there('POST', path('files'), upload(bytes(7)));
    const { file_id: here } = await copy.here('attach_file', {
      filename: 'here.bin',
      content_base64: bytes(11).toString('base64'),
    });
    await copy.sync();
    await copy.requireEqual();
    for (const [id, content] of [
      [there.id, bytes(7)],
      [here, bytes(11)],
    ] as const) {
      const response = await fetch(`${copy.rest.url}/api/v1/files/${id}`);
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).to.equal(true);
    }
  }).timeout(shellTestMs);

  it('keeps text of a person in a file besides its record, names of others included [A.nodes.sync, A.format.links-by-name]', async () => {
    const task = await commonTask({ label: 'Dig', description: 'Deep.\n' });
    const first = await commonTask({ label: 'Sow' });
    await copy.sync();
    copy.edit('dig.', (text) =>
      text.replace('---\n', '---\n# What a person notes\nmine: 1\nafter: [sow]\n').replace('Deep.', 'Deeper.'),
    );
    await copy.there('PATCH', `/tasks/${task}`, { priority: 'high' });
    await copy.sync();
    expect((await copy.there('GET', `/tasks/${task}`)).waiting_on).to.deep.equal([first]);
    await copy.there('PATCH', `/tasks/${task}`, { assignee: 'robin' });
    await copy.sync();
    await copy.requireEqual();
    const text = readFileSync(copy.fileNamed('dig.'), 'utf8');
    expect(text).to.match(/^---\n# What a person notes\nmine: 1\nafter: \[sow\]\n/);
    expect(text).to.include('priority: high').and.to.include('Deeper.');
    expect((await copy.there('GET', `/tasks/${task}`)).description).to.include('Deeper.');
  }).timeout(shellTestMs);

  it('leaves a record alone whose file cannot be read [A.nodes.sync]', async () => {
    const task = await commonTask({ label: 'Dig' });
    const file = copy.fileNamed('dig.');
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace('label: Dig\n', '<<<<<<< ours\nlabel: Dig\n=======\nlabel: Sow\n>>>>>>> theirs\n'),
    );
    await copy.there('PATCH', `/tasks/${task}`, { priority: 'high' });
    const other = await copy.there('POST', path('tasks'), { label: 'Sow' });
    const report = await copy.sync();
    expect(report.withheld).to.deep.equal([task]);
    expect((await copy.there('GET', `/tasks/${task}`)).label).to.equal('Dig');
    expect((await copy.hereOf('get_task', { task_id: other.id })).task.label).to.equal('Sow');
    writeFileSync(file, text);
    await copy.sync();
    await copy.requireEqual();
    expect(readFileSync(file, 'utf8')).to.include('priority: high');
  }).timeout(shellTestMs);

  it('brings two working copies together over their hosted project [A.nodes.sync]', async () => {
    const task = await commonTask({ label: 'Dig', description: 'One.\n\nTwo.\n' });
    const second = join(scratch.path, 'second');
    await copy.shell.ok(['pull', copy.nodes.url(0), '--into', second]);
    await copy.hereOf('update_task', { task_id: task, description: 'One here.\n\nTwo.\n' });
    await copy.shell.ok([
      'call',
      'update_task',
      JSON.stringify({ task_id: task, description: 'One.\n\nTwo.\n\nThree.\n' }),
      '--root',
      second,
    ]);
    await copy.shell.ok([
      'call',
      'create_note',
      JSON.stringify({ project_id: copy.project, title: 'Second' }),
      '--root',
      second,
    ]);
    await copy.sync();
    await copy.shell.ok(['sync', second]);
    await copy.sync();
    const text = await copy.requireEqual();
    await copy.requireEqual(second);
    expect(JSON.parse(text).tasks[0].description).to.equal('One here.\n\nTwo.\n\nThree.\n');
    expect(JSON.parse(text).notes).to.have.length(1);
  }).timeout(shellTestMs);

  it('counts nothing as removed without its note of what both had, and begins again [A.nodes.sync]', async () => {
    await commonTask({ label: 'Dig' });
    await commonTask({ label: 'Burn leaves' });
    rmSync(join(copy.files, 'local/sync'), { recursive: true });
    copy.remove('tasks/burn-leaves.');
    await copy.here('create_note', { title: 'Idea' });
    await copy.sync();
    const { tasks, notes } = JSON.parse(await copy.requireEqual());
    expect([tasks.length, notes.length]).to.deep.equal([2, 1]);
    copy.remove('tasks/burn-leaves.');
    await copy.sync();
    expect(JSON.parse(await copy.requireEqual()).tasks).to.have.length(1);
  }).timeout(shellTestMs);

  it('works on one branch [A.nodes.sync]', async () => {
    const { directory } = copy.shell;
    initRepository(directory);
    writeFileSync(join(directory, 'README.md'), 'Garden\n');
    git(directory, 'add', 'README.md');
    git(directory, 'commit', '--quiet', '-m', 'Begin');
    await copy.sync();
    git(directory, 'checkout', '--quiet', '-b', 'spring');
    expect(await copy.shell.refused(1, ['sync']))
      .to.include('is on the branch spring')
      .and.to.include('on main');
    const config = join(copy.files, 'config.json');
    const settings = JSON.parse(readFileSync(config, 'utf8'));
    writeFileSync(config, JSON.stringify({ ...settings, remote: { ...settings.remote, branch: 'spring' } }));
    await copy.sync();
    git(directory, 'checkout', '--quiet', '--detach');
    expect(await copy.shell.refused(1, ['sync'])).to.include('detached HEAD');
  }).timeout(shellTestMs);

  it('names the step that has to come first [A.nodes.sync]', async () => {
    const config = join(copy.files, 'config.json');
    const { remote, ...rest } = JSON.parse(readFileSync(config, 'utf8'));
    const refusal = async (settings: object): Promise<string> => {
      writeFileSync(config, JSON.stringify(settings));
      return copy.shell.refused(1, ['sync']);
    };
    expect(await refusal(rest))
      .to.include('planner push')
      .and.to.include('planner pull');
    const other = { ...remote, project_id: 'prj_0000000000000000' };
    expect(await refusal({ ...rest, remote: other })).to.include('remote.project_id');
    expect(await refusal({ remote: other })).to.include('planner pull --into');
    expect(await refusal({ ...rest, remote: { ...remote, url: 'https://plan.example.org' } })).to.include(
      'planner login',
    );
    writeFileSync(config, JSON.stringify({ ...rest, remote }));
    await copy.there('DELETE', `/projects/${copy.project}`);
    expect(await copy.shell.refused(1, ['sync'])).to.include('planner push creates it again');
    expect(await copy.shell.refused(1, ['sync', join(scratch.path, 'nowhere')])).to.include('.planner');
  }).timeout(shellTestMs);
});
