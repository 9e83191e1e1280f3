import { expect } from 'chai';
import { WorkingCopies } from './working-copies.ts';

/** Interrupts a synchronisation at every so many steps, from `first` on, until one is whole. */
export function describeInterrupted(first: number, every: number): void {
  describe('A synchronisation that is interrupted', () => {
    it('is completed by the next one, wherever it was: nothing is lost, and nothing doubled [A.nodes.sync]', async () => {
      const copies = await WorkingCopies.start(1);
      const { hosted, project } = copies;
      const copy = copies.all[0]!;
      const { files } = copy;
      try {
        let isWhole = false;
        for (let steps = first; !isWhole; steps += every) {
          const { body: task } = await hosted.post(`/projects/${project}/tasks`, {
            label: `Dig ${steps}`,
            description: 'One.\n\nTwo.\n',
          });
          const { body: gone } = await hosted.post(`/projects/${project}/notes`, { title: `Gone ${steps}` });
          await copy.sync();
          await hosted.patch(`/tasks/${task.id}`, { label: `There ${steps}`, description: 'One there.\n\nTwo.\n' });
          await files.patch(`/tasks/${task.id}`, { label: `Here ${steps}`, description: 'One.\n\nTwo here.\n' });
          await hosted.delete(`/notes/${gone.id}`);
          await files.post(`/projects/${project}/notes`, { title: `Note ${steps}` });
          for (const side of [files, hosted])
            await side.post(`/projects/${project}/files`, {
              filename: 'a.txt',
              mime: 'text/plain',
              content_base64: Buffer.from(`${side.url} ${steps}`).toString('base64'),
            });
          isWhole = (await copy.sync(steps)) !== undefined;
          await copy.sync();
          const text = await copy.requireEqual();
          const { tasks, notes, revisions } = JSON.parse(text);
          const merged = tasks.find(({ id }: { id: string }) => id === task.id);
          expect(merged).to.deep.include({ label: `Here ${steps}`, description: 'One there.\n\nTwo here.\n' });
          const kept = revisions.filter(
            ({ target, author }: Record<string, string>) => target === task.id && author === 'system',
          );
          expect(
            kept.map(({ before }: { before: object }) => before),
            `step ${steps}`,
          ).to.deep.equal([{ label: `There ${steps}` }]);
          const named = notes.filter(({ title }: { title: string }) => title.endsWith(` ${steps}`));
          expect(named.map(({ title }: { title: string }) => title)).to.deep.equal([`Note ${steps}`]);
          expect(await copy.sync()).to.deep.include({ came: 0, went: 0 });
        }
      } finally {
        await copies.stop();
      }
    }).timeout(60_000);
  });
}
