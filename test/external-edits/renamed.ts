import { expect } from 'chai';
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asServed } from '../support/service.ts';
import { FileEditor } from './external-edits.ts';

/** How long after the renaming the next change comes: before and after the service knows what became of the write, and of the renaming. */
const delayMs = (round: number): number => (round * 13) % 45;

/** So many renamings of a file, and of a folder. */
export function describeRenamed(rounds: number): void {
  describe('A file that is renamed while it is being written', function () {
    this.timeout(rounds * 4000 + 30_000);
    let editor: FileEditor;
    beforeEach(async () => void (editor = await FileEditor.start(asServed)));
    afterEach(() => editor.stop());

    /** Empty where a file moved while the directories were read. */
    function recordsInFiles(id: string): ReturnType<FileEditor['recordsInFiles']> {
      try {
        return editor.recordsInFiles(id);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    }

    /** The file with this value, as soon as it has it: the service has no result from its writer thread yet. */
    async function written(id: string, field: string, value: string): Promise<string> {
      const end = performance.now() + 10_000;
      while (performance.now() < end) {
        const file = recordsInFiles(id).find(({ fields }) => fields['id'] === id);
        if (file?.fields[field] === value) return editor.path(file.path);
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error(`No file came to say ${value}.`);
    }

    /** Both values are acknowledged and the second one stays, in the file too; no conflict is reported. */
    async function round(
      url: string,
      id: string,
      field: string,
      i: number,
      rename: (path: string) => void,
    ): Promise<void> {
      expect((await editor.service.rest.patch(url, { [field]: `first ${i}` })).status).to.equal(200);
      rename(await written(id, field, `first ${i}`));
      await new Promise((resolve) => setTimeout(resolve, delayMs(i)));
      expect((await editor.service.rest.patch(url, { [field]: `second ${i}` })).status).to.equal(200);
      await written(id, field, `second ${i}`);
      expect((await editor.service.rest.get(url)).body).to.include({ [field]: `second ${i}` });
      expect(await editor.problems()).to.deep.equal([]);
    }

    it('still receives the next change of its record [A.edit.both, A.edit.overtaken]', async () => {
      const { id } = await editor.task({ label: 'Sow' });
      for (let i = 0; i < rounds; i++)
        await round(`/tasks/${id}`, id, 'assignee', i, (path) => renameSync(path, join(dirname(path), `mine ${i}.md`)));
      await editor.settled();
    });

    it('and so does a document whose folder is renamed [A.edit.both, A.edit.overtaken]', async () => {
      const { body } = await editor.service.rest.post(`/projects/${editor.project}/folders`, { name: 'Beds' });
      const { id } = await editor.document({ title: 'Sow', body: 'Text', folder_id: body.id });
      for (let i = 0; i < rounds; i++)
        await round(`/documents/${id}`, id, 'title', i, (path) =>
          renameSync(dirname(path), join(dirname(path), `../beds ${i}`)),
        );
      await editor.settled();
    });
  });
}
