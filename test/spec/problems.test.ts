import { expect } from 'chai';
import { type Transport, mcpTransport, restTransport } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { watched, TestService } from '../support/service.ts';

interface Problem {
  readonly path: string;
  readonly kind: string;
  readonly severity?: string;
  readonly reason: string;
  readonly line?: number;
  readonly id?: string;
  readonly remedy?: string;
}

const markers = '<<<<<<< HEAD\nlabel: Ours\n=======\nlabel: Theirs\n>>>>>>> branch';

describe('Problems of files', () => {
  let service: TestService;
  let files: PlanFiles;
  let project_id: string;
  let rest: Transport;
  beforeEach(async () => {
    service = await TestService.start(watched);
    project_id = await service.project();
    files = await PlanFiles.of(service);
    rest = restTransport(service);
  });
  afterEach(() => service.stop());

  const problems = async (): Promise<Problem[]> =>
    (await rest.call('list_problems', { project_id })).problems as Problem[];
  const task = async (label: string): Promise<string> =>
    (await rest.call('create_task', { project_id, label })).id as string;
  const listed = (paths: readonly string[]): Promise<void> =>
    files.until(async () =>
      expect((await problems()).map(({ path }) => path)).to.deep.equal(paths.map((path) => files.shown(path))),
    );

  it('note unknown keys that are like known ones, and no others [A.edit.like-keys]', async () => {
    const id = await task('Ours');
    const own = await files.pathOf(id);
    const project = 'project.json';
    files.write('tasks/typo.md', '---\nlabel: Typo\nstaus: done\ndueDate: 2026-01-02\nlabels: [a]\nestimate: 3\n---\n');
    files.write(project, files.read(project).replace('"name"', '"folder-path": "src",\n  "name"'));
    files.write('artifacts/page.html', '<!-- planner {"titel": "Page"} -->\n<p>Hello</p>\n');
    files.write(own, files.read(own).replace('status: todo', 'status: todo\nStatus: done'));
    await files.until(async () =>
      expect((await problems()).map(({ path, line, reason }) => `${path}:${line}: ${reason}`)).to.deep.equal([
        `${files.shown('artifacts/page.html')}:1: titel is unknown; did you mean title?`,
        `${files.shown('project.json')}:3: folder-path is unknown; did you mean folder_path?`,
        `${files.shown('tasks/typo.md')}:3: staus is unknown; did you mean status?`,
        `${files.shown('tasks/typo.md')}:4: dueDate is unknown; did you mean due_date?`,
      ]),
    );
    expect(new Set((await problems()).map(({ severity }) => severity))).to.deep.equal(new Set(['note']));
    // A field is changed without them.
    const typo = (await rest.call('list_tasks', { project_id })).tasks.find(
      (one: { label: string }) => one.label === 'Typo',
    );
    await rest.call('update_task', { task_id: typo.id, priority: 'high' });
    await service.store.flush();
    expect(files.read('tasks/typo.md')).to.include('staus: done\ndueDate: 2026-01-02\nlabels: [a]');
  });

  it('are listed with path, line, kind and reason, until they are repaired [A.problems]', async () => {
    expect((await service.rest.get(`/projects/${project_id}/problems`)).body.problems).to.deep.equal([]);
    const id = await task('Ours');
    const path = await files.edit(id, 'label: Ours', markers);
    const good = files.read(path).replace(markers, 'label: Both');
    await listed([path]);
    const [problem] = await problems();
    expect(problem).to.include({
      kind: 'unreadable',
      id,
      line: files.read(path).split('\n').indexOf('<<<<<<< HEAD') + 1,
    });
    expect(problem!.reason).to.match(/marker/i);
    expect(problem!.remedy).to.be.a('string').and.not.equal('');
    expect((await rest.call('get_project', { project_id })).summary.problems).to.equal(1);
    files.write(path, good);
    await listed([]);
    expect(await rest.call('get_task', { task_id: id })).to.include({ label: 'Both' });
    expect((await rest.call('get_project', { project_id })).summary.problems).to.equal(0);
  });

  it('name files whose paths can be requested [S.web.file-path]', async () => {
    const id = await task('Dig');
    const path = `/projects/${project_id}/records/${id}/file`;
    const written = files.shown(await files.pathOf(id));
    const { body } = await service.rest.get(path);
    expect(body.path).to.equal(written);
    expect((await service.rest.get(`/projects/${project_id}/records/tsk_none/file`)).status).to.equal(404);
  });

  it('are distinguished by kind and severity, each with its line [A.edit.foreign]', async () => {
    const wrong: Record<string, [string, string, number]> = {
      'tags/e.json': ['{"name": "e",,}', 'unreadable', 1],
      'tasks/a-merge.md': [`---\n${markers}\n---\n`, 'unreadable', 2],
      'tasks/b-yaml.md': ['---\nlabel: [\n---\n', 'ignored_value', 2],
      'tasks/c-type.md': ['---\nlabel: x\nposition: here\n---\n', 'ignored_value', 3],
      'tasks/d-status.md': ['---\nlabel: x\nstatus: dnoe\n---\n', 'ignored_value', 3],
      'tasks/e-open.md': ['---\nlabel: x\n', 'ignored_value', 1],
      'tasks/f-script.md': ['---js\nrequire("fs")\n---\n', 'ignored_value', 1],
    };
    for (const [path, [text]] of Object.entries(wrong)) files.write(path, text);
    await listed(Object.keys(wrong));
    const found = await problems();
    for (const { path, kind, severity, reason, id, line, remedy } of found) {
      const [, expected, place] = wrong[path.slice(files.shown('x').length - 1)]!;
      expect([kind, line], path).to.deep.equal([expected, place]);
      expect(severity, path).to.equal(expected === 'unreadable' ? undefined : 'note');
      for (const text of [reason, remedy])
        expect(text, path)
          .to.be.a('string')
          .and.not.match(/\bat .+:\d+:\d+|undefined/);
      expect(id, path).to.be.a('string');
    }
    expect(found.find(({ path }) => path.endsWith('d-status.md'))!.reason).to.match(/status .*scope/);
    // Notes do not count: their files are served.
    expect((await rest.call('get_project', { project_id })).summary.problems).to.equal(2);
    const { tasks } = await rest.call('list_tasks', { project_id });
    expect(tasks.map(({ label }: { label: string }) => label).sort()).to.deep.equal([
      ...['b-yaml', 'e-open', 'f-script', 'x', 'x'],
    ]);
  });

  it('are served to pollers and page by page', async () => {
    for (const name of ['b', 'a', 'c']) files.write(`tasks/${name}.md`, `---\n${markers}\n---\n`);
    await listed(['tasks/a.md', 'tasks/b.md', 'tasks/c.md']);
    const path = `/projects/${project_id}/problems`;
    const all = await service.rest.get(path);
    const etag = all.headers.get('etag')!;
    expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(304);
    const first = await service.rest.get(`${path}?limit=2`);
    const rest2 = await service.rest.get(`${path}?limit=2&cursor=${first.body.next_cursor}`);
    expect([...first.body.problems, ...rest2.body.problems]).to.deep.equal(all.body.problems);
    expect(rest2.body.next_cursor).to.equal(undefined);
    files.remove('tasks/b.md');
    await listed(['tasks/a.md', 'tasks/c.md']);
    expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(200);
  });

  it('of one id in two files name the copy, and the original is served', async () => {
    const id = await task('Original');
    const path = await files.pathOf(id);
    files.write('tasks/copy.md', files.read(path).replace('label: Original', 'label: Copy'));
    await listed(['tasks/copy.md']);
    expect((await problems())[0]).to.include({ kind: 'duplicate_id', id });
    expect(await rest.call('get_task', { task_id: id })).to.include({ label: 'Original' });
  });

  it('survive a restart, and are the same in the command line', async () => {
    const id = await task('Ours');
    const path = await files.edit(id, 'label: Ours', markers);
    await listed([path]);
    const before = await problems();
    await service.restart();
    rest = restTransport(service);
    expect(await problems()).to.deep.equal(before);
    expect(await rest.call('get_task', { task_id: id }), 'the last good version').to.include({ label: 'Ours' });
    expect((await service.rest.get('/doctor')).body.problems).to.deep.equal(before);
  });

  it('prevent the service from overwriting the file: changes return conflict with path and line [D2.conflict-file]', async () => {
    const id = await task('Ours');
    const folder_id = (await rest.call('create_folder', { project_id, name: 'Notes' })).id as string;
    const other = await task('Other');
    const document_id = (await rest.call('create_document', { project_id, title: 'Soil', body: 'x' })).id as string;
    const path = await files.edit(id, 'label: Ours', markers);
    const page = await files.edit(document_id, 'title: Soil', '<<<<<<< a\ntitle: A\n=======\ntitle: B\n>>>>>>> b');
    await listed([page, path]);
    const broken = files.read(path);
    const line = (await problems()).find((one) => one.id === id)!.line!;
    const expected = { error: 'conflict', id, path: files.shown(path), line };
    for (const transport of [rest, mcpTransport(service, await service.mcp())]) {
      expect(await transport.refusal('update_task', { task_id: id, status: 'done' })).to.include(expected);
      expect(await transport.refusal('claim_task', { task_id: id, agent_ref: 'a' })).to.include(expected);
      const edge = { project_id, from_type: 'task', from_id: id, to_type: 'task', to_id: other };
      expect(await transport.refusal('create_edge', edge)).to.include(expected);
      const moved = await transport.call('move_documents', { project_id, document_ids: [document_id], folder_id });
      expect(moved.failed[0]).to.include({ document_id, error: 'conflict' });
      expect(moved.failed[0].message).to.include(files.shown(page));
    }
    const refused = await service.rest.patch(`/tasks/${id}`, { status: 'done' });
    expect([refused.status, refused.body.path]).to.deep.equal([409, files.shown(path)]);
    expect((await service.rest.delete(`/tasks/${id}`)).status).to.equal(409);
    expect(await rest.call('get_task', { task_id: id })).to.include({ label: 'Ours', status: 'todo' });
    await service.store.flush();
    expect(files.read(path)).to.equal(broken);
  });

  it('that block writing a folder do not block its documents: these are served, and written with the folder [A.write.parked]', async () => {
    files.write('documents/Notes', 'A file where the directory of the folder is to be.');
    const folder_id = (await rest.call('create_folder', { project_id, name: 'Notes' })).id as string;
    const inner = (await rest.call('create_folder', { project_id, name: 'In', parent_folder_id: folder_id }))
      .id as string;
    const input = { project_id, title: 'Soil', body: 'Loam', folder_id: inner };
    const document_id = (await rest.call('create_document', input)).id as string;
    await service.store.flush();
    const [problem, ...others] = await problems();
    expect([problem!.kind, problem!.id, others]).to.deep.equal(['parked', folder_id, []]);
    expect(await rest.call('get_document', { document_id })).to.include({ body: 'Loam', folder_id: inner });
    const refused = await rest.refusal('update_document', { document_id, body: 'Clay' });
    expect(refused).to.include({ error: 'conflict', path: problem!.path });
    await service.restart();
    rest = restTransport(service);
    expect(await rest.call('get_document', { document_id })).to.include({ body: 'Loam', folder_id: inner });
    files.remove('documents/Notes');
    await files.until(async () => expect(await problems()).to.deep.equal([]));
    await service.store.flush();
    expect(await files.pathOf(document_id)).to.match(/^documents\/Notes\/In\/Soil\./);
  });

  it('belong to one project, or do not exist', async () => {
    const other = (await service.rest.post('/projects', { name: 'Other' })).body.id as string;
    expect((await service.rest.get(`/projects/${other}/problems`)).body.problems).to.deep.equal([]);
    expect((await service.rest.get('/projects/prj_none/problems')).status).to.equal(404);
  });
});
