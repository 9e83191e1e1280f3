import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { reached } from '../support/reached.ts';
import { editors, vimIs } from './editors.ts';
import { Hands } from './external-edits.ts';

describe('Editors', () => {
  let hands: Hands;
  before(async () => {
    hands = await Hands.start();
  });
  after(() => hands.stop());

  for (const [name, save] of Object.entries(editors)) {
    it(`${name}: what is saved is served, to the letter, and nothing else becomes a record [A.hands.editors, A.edit.live]`, async () => {
      const task = await hands.task({ label: 'Dig', description: 'Deep.\n\nDeeper: ä, 🌱.' });
      const other = await hands.document({ title: 'Guide', body: 'See above.' });
      for (const [from, to] of [
        ['label: Dig', 'label: Sow # by hand'],
        ['Deep.', 'Flat.'],
      ] as const) {
        const before = hands.read(task.path);
        expect(before).to.contain(from);
        await save(hands.path(task.path), (text) => text.replace(from, to));
        expect(hands.read(task.path)).to.equal(before.replace(from, to));
        await hands.settled([], hands.bytes());
      }
      const known = { tasks: (await hands.tasks()).length, documents: (await hands.documents()).length };
      const left = hands.read(task.path);
      const { body } = await hands.service.rest.patch(`/tasks/${task.id}`, { status: 'done' });
      expect(body).to.include({ label: 'Sow', status: 'done' });
      await hands.service.store.flush();
      // The service changed one line of it, and no other file.
      expect(hands.read(task.path)).to.equal(left.replace('status: todo', 'status: done'));
      await hands.settled();
      expect({ tasks: (await hands.tasks()).length, documents: (await hands.documents()).length }).to.deep.equal(known);
      expect(hands.read(other.path)).to.contain('See above.');
    });
  }

  it('sed -i over every file at once is one change that is served, and undone by its reverse [A.hands.editors, A.edit.one-transaction]', async () => {
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        hands.service.rest.post(`/projects/${hands.project}/tasks`, { label: `Row ${i}` }),
      ),
    );
    await hands.service.store.flush();
    const paths = made.map(({ body }) => hands.path(hands.pathOf(body.id as string)));
    const before = hands.bytes();
    const version = await hands.service.store.read(hands.project, (view) => view.version('task'));
    execFileSync('sed', ['-i', 's/^label: Row /label: Bed /', ...paths]);
    await hands.settled([], hands.bytes());
    expect((await hands.tasks()).filter(({ label }) => label?.startsWith('Bed '))).to.have.length(40);
    expect(await hands.service.store.read(hands.project, (view) => view.version('task'))).to.equal(version + 40);
    execFileSync('sed', ['-i', 's/^label: Bed /label: Row /', ...paths]);
    await hands.settled([], before);
  });

  it('a save between two others of the service loses neither [A.hands.editors, A.edit.both]', async () => {
    const { id, path } = await hands.task({ label: 'Race', description: '' });
    for (let i = 0; i < 10; i++) {
      const answers = [hands.service.rest.patch(`/tasks/${id}`, { assignee: `ada ${i}` })];
      writeFileSync(hands.path(path), readFileSync(hands.path(path), 'utf8').replace(/label: .*/, `label: Race ${i}`));
      answers.push(hands.service.rest.patch(`/tasks/${id}`, { due_date: `2026-03-0${(i % 9) + 1}` }));
      await Promise.all(answers);
      await hands.until(async () => {
        const { body } = await hands.service.rest.get(`/tasks/${id}`);
        expect(body).to.include({ label: `Race ${i}`, assignee: `ada ${i}`, due_date: `2026-03-0${(i % 9) + 1}` });
      });
      await hands.service.store.flush();
      await hands.settled();
    }
  });

  after(() => reached('ways of saving', `${Object.keys(editors).length} (${vimIs})`));
});
