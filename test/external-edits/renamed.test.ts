import { expect } from 'chai';
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Hands } from './external-edits.ts';

/** How long after the renaming the next change comes: before and after the service knows what became of the write, and of the renaming. */
const delaysMs = Array.from({ length: 24 }, (_, i) => (i * 7) % 45);

describe('A file that is renamed by hand in the moment in which it was written', () => {
  let hands: Hands;
  beforeEach(async () => void (hands = await Hands.start()));
  afterEach(() => hands.stop());

  /** Empty where a file moved while the directories were read. */
  function said(): ReturnType<Hands['said']> {
    try {
      return hands.said();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** The file that says this value, as soon as it does: the service has not heard from its writing thread then. */
  async function written(id: string, field: string, value: string): Promise<string> {
    const end = performance.now() + 10_000;
    while (performance.now() < end) {
      const file = said().find(({ fields }) => fields['id'] === id);
      if (file?.fields[field] === value) return hands.path(file.path);
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`No file came to say ${value}.`);
  }

  /** Both values are acknowledged and the second one stays, in the file too; nobody is told of a disagreement. */
  async function round(
    url: string,
    id: string,
    field: string,
    i: number,
    rename: (path: string) => void,
  ): Promise<void> {
    expect((await hands.service.rest.patch(url, { [field]: `first ${i}` })).status).to.equal(200);
    rename(await written(id, field, `first ${i}`));
    await new Promise((resolve) => setTimeout(resolve, delaysMs[i]));
    expect((await hands.service.rest.patch(url, { [field]: `second ${i}` })).status).to.equal(200);
    await written(id, field, `second ${i}`);
    expect((await hands.service.rest.get(url)).body).to.include({ [field]: `second ${i}` });
    expect(await hands.problems()).to.deep.equal([]);
  }

  it('takes the next change of its record all the same [A.edit.both, A.edit.overtaken]', async () => {
    const { id } = await hands.task({ label: 'Sow' });
    for (const i of delaysMs.keys())
      await round(`/tasks/${id}`, id, 'assignee', i, (path) => renameSync(path, join(dirname(path), `mine ${i}.md`)));
    await hands.settled();
  });

  it('and so does a document whose folder is renamed [A.edit.both, A.edit.overtaken]', async () => {
    const { body } = await hands.service.rest.post(`/projects/${hands.project}/folders`, { name: 'Beds' });
    const { id } = await hands.document({ title: 'Sow', body: 'Text', folder_id: body.id });
    for (const i of delaysMs.keys())
      await round(`/documents/${id}`, id, 'title', i, (path) =>
        renameSync(dirname(path), join(dirname(path), `../beds ${i}`)),
      );
    await hands.settled();
  });
});
