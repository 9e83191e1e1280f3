import { expect } from 'chai';
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestService } from '../support/service.ts';
import { FileEditor } from './external-edits.ts';

/** Files that were there before Planner, or that tools without Planner write, have no id. */
describe('A file without an id', () => {
  let editor: FileEditor;
  beforeEach(async () => void (editor = await FileEditor.start()));
  afterEach(() => editor.stop());

  function add(path: string, text: string): void {
    mkdirSync(join(editor.path(path), '..'), { recursive: true });
    writeFileSync(editor.path(path), text);
  }

  /** The ids of all tasks and documents by their names, once these are all. */
  async function ids(...names: readonly string[]): Promise<Record<string, string>> {
    return editor.until(async () => {
      const records = [...(await editor.tasks()), ...(await editor.documents())];
      const found = Object.fromEntries(records.map(({ id, label, title }) => [label ?? title, id]));
      expect(Object.keys(found).sort()).to.deep.equal([...names].sort());
      expect(new Set(Object.values(found)).size).to.equal(records.length);
      return found as Record<string, string>;
    });
  }

  async function comment(type: string, id: string, body: string): Promise<void> {
    const url = `/projects/${editor.project}/comments`;
    const { status, body: answer } = await editor.service.rest.post(url, { target_type: type, target_id: id, body });
    expect(status, JSON.stringify(answer)).to.equal(201);
  }

  async function comments(type: string, id: string): Promise<readonly string[]> {
    const url = `/projects/${editor.project}/comments?target_type=${type}&target_id=${id}`;
    const { body } = await editor.service.rest.get(url);
    return (body.comments as readonly { readonly body: string }[]).map((one) =>
      one.body.replace(/<[^>]*>/g, '').trim(),
    );
  }

  it('keeps comments, edges, history and fields of the service, wherever it is moved, over REST and MCP [A.format.by-path, A.format.no-id]', async () => {
    add('tasks/dig.md', 'Dig the beds.\n');
    add('documents/Old/guide.md', 'How to dig.\n');
    const { dig, guide } = await ids('dig', 'guide');
    writeFileSync(editor.path('tasks/dig.md'), 'Dig the beds deep.\n');
    await editor.until(async () =>
      expect((await editor.service.rest.get(`/tasks/${dig}`)).body.description).to.equal('Dig the beds deep.'),
    );
    // The comment is made while the file is moved: its id is written where it is by then.
    await comment('task', dig!, 'When?');
    renameSync(editor.path('tasks/dig.md'), editor.path('tasks/trench.md'));
    await ids('trench', 'guide');
    const mcp = await editor.service.mcp();
    const edge = await mcp.get('create_edge', {
      project_id: editor.project,
      from_type: 'document',
      from_id: guide,
      to_type: 'task',
      to_id: dig,
      label: 'documents',
    });
    renameSync(editor.path('documents/Old'), editor.path('documents/New'));
    await mcp.get('update_task', { task_id: dig, status: 'in_progress' });
    await editor.service.store.flush();
    renameSync(editor.path('tasks/trench.md'), editor.path('tasks/ditch.md'));
    renameSync(editor.path('documents/New/guide.md'), editor.path('documents/manual.md'));
    expect(await ids('ditch', 'manual')).to.deep.equal({ ditch: dig, manual: guide });
    const check = async (): Promise<void> => {
      expect(await comments('task', dig!)).to.deep.equal(['When?']);
      const task = (await editor.service.rest.get(`/tasks/${dig}`)).body;
      expect(task).to.include({ status: 'in_progress', label: 'ditch' });
      const canvas = (await editor.service.rest.get(`/projects/${editor.project}/edges`)).body;
      expect(canvas.edges).to.have.length(1);
      expect(JSON.stringify(edge)).to.contain((canvas.edges as readonly { id: string }[])[0]!.id);
      const url = `/projects/${editor.project}/revisions?target_type=task&target_id=${dig}`;
      const { revisions } = (await editor.service.rest.get(url)).body;
      const fields = (revisions as readonly { changed_fields: readonly string[] }[]).flatMap(
        (one) => one.changed_fields,
      );
      expect(fields).to.include.members(['description', 'status']);
    };
    await check();
    await editor.service.restart();
    expect(await ids('ditch', 'manual')).to.deep.equal({ ditch: dig, manual: guide });
    await check();
    await editor.settled();
  });

  it('gets its id when something refers to it, so that a clone finds the same record after a rename [A.format.no-id]', async () => {
    add('tasks/dig.md', 'Dig the beds.\n');
    add('tasks/sow.md', 'Sow.\n');
    const { dig, sow } = await ids('dig', 'sow');
    await comment('task', dig!, 'When?');
    await editor.service.store.flush();
    expect(editor.read('tasks/dig.md')).to.contain(`id: ${dig}\n`);
    expect(editor.read('tasks/sow.md')).to.equal('Sow.\n');
    renameSync(editor.path('tasks/dig.md'), editor.path('tasks/trench.md'));
    expect(await ids('trench', 'sow')).to.deep.equal({ trench: dig, sow });
    const clone = await TestService.start();
    try {
      const from = editor.service.root;
      const answered = await (async () => {
        await clone.restart({}, () => {
          rmSync(clone.root, { recursive: true });
          cpSync(from, clone.root, { recursive: true, filter: (path) => !path.startsWith(join(from, 'local')) });
        });
        return (await clone.rest.get(`/projects/${editor.project}/tasks`)).body.tasks as {
          id: string;
          label: string;
        }[];
      })();
      expect(Object.fromEntries(answered.map(({ id, label }) => [label, id]))).to.deep.equal({ trench: dig, sow });
    } finally {
      await clone.stop();
    }
  });
});
