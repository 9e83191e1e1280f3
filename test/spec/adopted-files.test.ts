import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Transport, restTransport } from '../support/both.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { watched, TestService } from '../support/service.ts';

type Row = Record<string, unknown> & { readonly id: string };

const fence = 'Intro\n\n```sh\n# install it\n```\n\n<!--\n# hidden\n-->\n\n## Later\n';

describe('Markdown files of other tools', () => {
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

  const rows = async (what: 'tasks' | 'documents' | 'notes'): Promise<Row[]> =>
    (await rest.call(`list_${what}`, { project_id, verbose: true }))[what] as Row[];
  const only = async (what: 'tasks' | 'documents' | 'notes'): Promise<Row> => {
    let row: Row | undefined;
    await files.until(async () => {
      const found = await rows(what);
      expect(found).to.have.length(1);
      [row] = found;
    });
    return row!;
  };
  const notes = async (): Promise<
    { line: number; reason: string; kind: string; severity?: string; remedy: string }[]
  > => (await service.rest.get(`/projects/${project_id}/problems`)).body.problems;
  /** Starts the service again from the files alone. */
  const reread = async (): Promise<void> => {
    await service.store.flush();
    await service.restart({}, () => rmSync(join(service.root, 'local/index-cache'), { force: true }));
    rest = restTransport(service);
  };

  it('are called as their file, and follow its name [A.format.title]', async () => {
    files.write('documents/Setup.md', fence);
    files.write('notes/Shiny new things.md', `---\nmood: good\n---\n${fence}`);
    files.write('tasks/Buy paint.md', `# Not this\n\n${fence}`);
    expect((await only('documents'))['title']).to.equal('Setup');
    expect((await only('notes'))['title']).to.equal('Shiny new things');
    const task = await only('tasks');
    expect(task['label']).to.equal('Buy paint');
    await rest.call('update_task', { task_id: task.id, status: 'done' });
    await service.store.flush();
    const written = files.read('tasks/Buy paint.md');
    expect(written)
      .to.match(/^status: done$/m)
      .and.not.match(/label|title/);
    expect(written.endsWith(`---\n# Not this\n\n${fence}`)).to.equal(true);
    files.rename('tasks/Buy paint.md', 'tasks/Buy green paint.md');
    await files.until(async () => expect((await only('tasks'))['label']).to.equal('Buy green paint'));
    expect((await only('tasks')).id).to.equal(task.id);
    await reread();
    expect(await only('tasks')).to.include({ id: task.id, label: 'Buy green paint', status: 'done' });
    expect(service.store.check()).to.deep.equal([]);
  });

  it('have a title of their own once it is set, and keep their name [A.format.title]', async () => {
    files.write('notes/Draft.md', 'Text\n');
    const { id } = await only('notes');
    await service.rest.patch(`/notes/${id}`, { title: 'Ready' });
    await service.store.flush();
    expect(files.read('notes/Draft.md')).to.match(/^title: Ready$/m);
    await service.rest.patch(`/notes/${id}`, { title: 'Draft' });
    await service.store.flush();
    expect(files.read('notes/Draft.md')).to.match(/^title: Draft$/m);
    files.rename('notes/Draft.md', 'notes/Old.md');
    await files.until(async () => expect((await only('notes'))['title']).to.equal('Draft'));
  });

  it('that are tasks may have a title instead of a label, which changes in its place [A.format.title]', async () => {
    const text = "---\ntitle: 'Fix the login' # from the tracker\ntype: bug\n---\nText\n";
    files.write('tasks/is-01k.md', text);
    const { id, label } = await only('tasks');
    expect(label).to.equal('Fix the login');
    await rest.call('update_task', { task_id: id, status: 'done' });
    await service.store.flush();
    expect(files.read('tasks/is-01k.md')).to.include("title: 'Fix the login' # from the tracker\ntype: bug\n");
    expect(files.read('tasks/is-01k.md')).not.to.include('label');
    await rest.call('update_task', { task_id: id, label: 'Fix it' });
    await service.store.flush();
    expect(files.read('tasks/is-01k.md')).to.include("title: 'Fix it' # from the tracker\n").and.not.include('label');
    await reread();
    expect(await only('tasks')).to.include({ id, label: 'Fix it', status: 'done' });
  });

  it('are served whatever their front matter has, which is kept and noted [A.edit.foreign]', async () => {
    const head =
      'title:\nstatus: [a]\ncreated_at: 2024-01-02\nlinks: "[[x]]"\ntags: a, b\npriority: P1\nkind: bug\nmade: {{date}}\nmine: yes\n';
    files.write('tasks/Odd.md', `---\n${head}---\nText\n`);
    const task = await only('tasks');
    expect(task).to.include({ label: 'Odd', status: 'todo', kind: 'build', description: 'Text' });
    expect(task['tags']).to.deep.equal([]);
    const found = await notes();
    expect(found.map(({ line }) => line)).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { kind, severity, reason } of found) {
      expect({ kind, severity }).to.deep.equal({ kind: 'ignored_value', severity: 'note' });
      expect(reason).not.to.match(/stringKeys|Implicit|undefined/);
    }
    await rest.call('update_task', { task_id: task.id, description: 'More', due_date: '2026-01-01' });
    await service.store.flush();
    const written = files.read('tasks/Odd.md');
    for (const line of head.trimEnd().split('\n')) expect(written.split('\n')).to.include(line);
    expect(
      written.split('\n').filter((line) => /^(?:status|created_at|links|tags|priority|kind):/.test(line)),
    ).to.have.length(6);
    expect((await notes()).map(({ line }) => written.split('\n')[line - 1])).to.deep.equal(
      head.split('\n').slice(0, 8),
    );
    await rest.call('update_task', { task_id: task.id, priority: 'high', status: 'done', tags: ['x'] });
    await service.store.flush();
    const now = files.read('tasks/Odd.md');
    expect(now)
      .to.match(/^priority: high$/m)
      .and.match(/^status: done$/m)
      .and.include('made: {{date}}\nmine: yes\n');
    expect(await notes()).to.have.length(5);
    await reread();
    expect(await only('tasks')).to.include({ id: task.id, label: 'Odd', status: 'done', priority: 'high' });
    expect(service.store.check().filter(({ severity }) => severity !== 'note')).to.deep.equal([]);
    expect((await rest.call('get_project', { project_id })).summary.problems).to.equal(0);
  });

  it('have the statuses and priorities of other tools until they have an id [A.edit.terms]', async () => {
    files.write('tasks/Dig.md', '---\nstatus: In Progress\npriority: High\n---\nText\n');
    const task = await only('tasks');
    expect(task).to.include({ status: 'in_progress', priority: 'high' });
    expect((await notes()).map(({ line, kind }) => [line, kind])).to.deep.equal([
      ...[[2, 'ignored_value'] as const, [3, 'ignored_value'] as const],
    ]);
    for (const { reason, remedy } of await notes()) expect(`${reason} ${remedy}`).to.match(/read as \S+ Nothing needs/);
    await rest.call('update_task', { task_id: task.id, assignee: 'ada' });
    await service.store.flush();
    expect(files.read('tasks/Dig.md')).to.match(/^status: in_progress\n[^]*^priority: high$/m);
    expect(await notes()).to.deep.equal([]);
    await reread();
    expect(await only('tasks')).to.include({ id: task.id, status: 'in_progress', priority: 'high', assignee: 'ada' });
  });

  it('keep the last value of a field whose new one is wrong [A.edit.foreign]', async () => {
    const { id } = (await rest.call('create_task', { project_id, label: 'Dig', status: 'in_progress' })) as Row;
    await files.edit(id, 'status: in_progress', 'status: dnoe');
    await files.until(async () => expect(await notes()).to.have.length(1));
    expect(await rest.call('get_task', { task_id: id })).to.include({ status: 'in_progress', label: 'Dig' });
    await rest.call('update_task', { task_id: id, label: 'Dig deep' });
    expect(files.read(await files.pathOf(id)))
      .to.match(/^status: dnoe$/m)
      .and.match(/^label: Dig deep$/m);
    await files.edit(id, 'status: dnoe', 'status: done');
    await files.until(async () => expect(await notes()).to.have.length(0));
    expect(await rest.call('get_task', { task_id: id })).to.include({ status: 'done' });
  });

  it('that are templates are documents with their text [A.edit.foreign]', async () => {
    const text = '---\ncreated: {{date}}\ntags: [daily]\n---\n# {{title}}\n';
    files.write('documents/Daily.md', text);
    const { id } = await only('documents');
    expect((await service.rest.get(`/documents/${id}`)).body).to.include({ title: 'Daily', body: '# {{title}}' });
    await service.rest.patch(`/documents/${id}`, { body: '# {{title}}\n\nMore' });
    await service.store.flush();
    expect(files.read('documents/Daily.md')).to.include('created: {{date}}\ntags: [daily]\n').and.include('\nMore');
    for (const open of ['---toml\na = 1\n---\nText\n', '---\ntitle: never closed\n\nText\n']) {
      files.write('documents/Daily.md', open);
      // A file that had its id is not taken for another file.
      await files.until(async () => expect((await notes())[0]!.kind).to.equal('unreadable'));
      files.write('notes/Fresh.md', open);
      expect((await only('notes'))['title']).to.equal('Fresh');
      files.remove('notes/Fresh.md');
      await files.until(async () => expect(await rows('notes')).to.deep.equal([]));
    }
  });

  it('keep the ids of their tool, by which they are found and linked [A.edit.foreign-id]', async () => {
    files.write('tasks/a.md', '---\nid: TASK-196.7\ntitle: First\n---\nText\n');
    files.write(
      'tasks/b.md',
      '---\nid: Задача 5\ntitle: Second\nlinks:\n  - {to: TASK-196.7, label: depends_on}\n---\n',
    );
    files.write('tasks/c.md', '---\nid: ../../etc\ntitle: Third\n---\n');
    await files.until(async () => expect(await rows('tasks')).to.have.length(3));
    expect(await notes()).to.deep.equal([]);
    const get = async (id: string): Promise<Row> => (await service.rest.get(`/tasks/${encodeURIComponent(id)}`)).body;
    expect(await get('TASK-196.7')).to.include({ label: 'First', blocked: false });
    expect(await get('Задача 5')).to.deep.include({ label: 'Second', blocked: true, waiting_on: ['TASK-196.7'] });
    for (const id of ['TASK-196.7', 'Задача 5', '../../etc'])
      await rest.call('update_task', { task_id: id, status: 'done' });
    await rest.call('create_edge', {
      ...{ project_id, from_type: 'task', from_id: '../../etc', to_type: 'task', to_id: 'TASK-196.7' },
    });
    const canvas = (await service.rest.get(`/projects/${project_id}/canvas`)).body;
    expect((await service.rest.put(`/projects/${project_id}/canvas`, canvas)).body).to.deep.equal(canvas);
    const chosen = { nodes: [{ id: 'TASK-7.1', label: 'New' }] };
    expect((await service.rest.put(`/projects/${project_id}/canvas`, chosen)).body).to.include({
      error: 'invalid_argument',
      field: 'nodes[0].id',
    });
    await service.store.flush();
    expect(files.read('tasks/a.md')).to.include('id: TASK-196.7\n').and.include('status: done\n');
    expect(files.read('tasks/b.md'))
      .to.include('id: Задача 5\n')
      .and.include('  - {to: TASK-196.7, label: depends_on}\n');
    expect(files.paths().filter((path) => path.startsWith('tasks/'))).to.deep.equal([
      'tasks/a.md',
      'tasks/b.md',
      'tasks/c.md',
    ]);
    files.rename('tasks/a.md', 'tasks/moved.md');
    await files.until(async () => expect(files.service.store.check()).to.deep.equal([]));
    expect(await get('TASK-196.7')).to.include({ label: 'First', status: 'done' });
    await reread();
    expect(await get('Задача 5')).to.include({ label: 'Second', status: 'done', blocked: false });
    expect(await notes()).to.deep.equal([]);
  });
});
