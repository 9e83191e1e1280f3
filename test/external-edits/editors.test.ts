import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { reached } from '../support/reached.ts';
import { asServed } from '../support/service.ts';
import { editors, vimIs } from './editors.ts';
import { FileEditor } from './external-edits.ts';

describe('Editors', () => {
  let editor: FileEditor;
  before(async () => {
    editor = await FileEditor.start(asServed);
  });
  after(() => editor.stop());

  for (const [name, save] of Object.entries(editors)) {
    it(`${name}: a save is served exactly, and nothing else becomes a record [A.hands.editors, A.edit.live]`, async () => {
      const task = await editor.task({ label: 'Dig', description: 'Deep.\n\nDeeper: ä, 🌱.' });
      const other = await editor.document({ title: 'Guide', body: 'See above.' });
      for (const [from, to] of [
        ['label: Dig', 'label: Sow # by hand'],
        ['Deep.', 'Flat.'],
      ] as const) {
        const before = editor.read(task.path);
        expect(before).to.contain(from);
        await save(editor.path(task.path), (text) => text.replace(from, to));
        expect(editor.read(task.path)).to.equal(before.replace(from, to));
        await editor.settled([], editor.bytes());
      }
      const known = { tasks: (await editor.tasks()).length, documents: (await editor.documents()).length };
      const left = editor.read(task.path);
      const { body } = await editor.service.rest.patch(`/tasks/${task.id}`, { status: 'done' });
      expect(body).to.include({ label: 'Sow', status: 'done' });
      await editor.service.store.flush();
      // The service changed one line of it, and no other file.
      expect(editor.read(task.path)).to.equal(left.replace('status: todo', 'status: done'));
      await editor.settled();
      expect({ tasks: (await editor.tasks()).length, documents: (await editor.documents()).length }).to.deep.equal(
        known,
      );
      expect(editor.read(other.path)).to.contain('See above.');
    });
  }

  it('sed -i over every file is one change of each, and undone by its reverse [A.hands.editors, A.edit.one-transaction]', async () => {
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        editor.service.rest.post(`/projects/${editor.project}/tasks`, { label: `Row ${i}` }),
      ),
    );
    await editor.service.store.flush();
    const paths = made.map(({ body }) => editor.path(editor.pathOf(body.id as string)));
    const before = editor.bytes();
    const revisions = (): Promise<readonly number[]> =>
      editor.service.store.read(editor.project, (view) =>
        made.map(({ body }) => view.revisions(body.id as string).length),
      );
    expect(new Set(await revisions())).to.deep.equal(new Set([0]));
    execFileSync('sed', ['-i', 's/^label: Row /label: Bed /', ...paths]);
    await editor.settled([], editor.bytes());
    expect((await editor.tasks()).filter(({ label }) => label?.startsWith('Bed '))).to.have.length(40);
    expect(new Set(await revisions())).to.deep.equal(new Set([1]));
    execFileSync('sed', ['-i', 's/^label: Bed /label: Row /', ...paths]);
    await editor.settled([], before);
  });

  it('a save between two changes of the service loses neither [A.hands.editors, A.edit.both]', async () => {
    const { id, path } = await editor.task({ label: 'Race', description: '' });
    for (let i = 0; i < 10; i++) {
      const answers = [editor.service.rest.patch(`/tasks/${id}`, { assignee: `ada ${i}` })];
      writeFileSync(
        editor.path(path),
        readFileSync(editor.path(path), 'utf8').replace(/label: .*/, `label: Race ${i}`),
      );
      answers.push(editor.service.rest.patch(`/tasks/${id}`, { due_date: `2026-03-0${(i % 9) + 1}` }));
      await Promise.all(answers);
      await editor.until(async () => {
        const { body } = await editor.service.rest.get(`/tasks/${id}`);
        expect(body).to.include({ label: `Race ${i}`, assignee: `ada ${i}`, due_date: `2026-03-0${(i % 9) + 1}` });
      });
      await editor.service.store.flush();
      await editor.settled();
    }
  });

  after(() => reached('ways of saving', `${Object.keys(editors).length} (${vimIs})`));
});
