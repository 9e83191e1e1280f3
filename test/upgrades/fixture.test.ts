import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { currentFormat } from '../../src/store/files/disk/format.ts';
import { migrations } from '../../src/store/files/disk/migration.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService, watched } from '../support/service.ts';
import { differences, hashes, laterFieldsOfRuns, layOut, movedTasks, readEverything, unreported } from './fixture.ts';

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));

interface Expected {
  readonly projects: readonly { readonly id: string }[];
}

/** The names of the files that an upgrade changes, makes or removes. */
const changedByUpgrade: Readonly<Record<string, readonly string[]>> = {
  'format-1': ['config.json', '.folder.json', '.folder.json', '.folders.json'],
};

for (const name of readdirSync(fixtures)) {
  describe(`A plan that was written as ${name}`, () => {
    const scratch = scratchDirectory();
    const fixture = join(fixtures, name);
    const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as Expected;

    it('opens and shows the same content as then, without changing a byte but by an upgrade [A.upgrade.fixture, D7.run-fields, A.rank.age]', async () => {
      layOut(fixture, scratch.path);
      const root = join(scratch.path, '.planner');
      let before = hashes(root);
      for (const opening of ['first', 'from the index cache']) {
        const service = await TestService.start({ ...watched, directory: scratch.path });
        try {
          await service.store.watching();
          const shown = await readEverything(service);
          expect(differences(expected, shown), opening).to.deep.equal([]);
          expect(laterFieldsOfRuns(shown)).to.deep.equal([unreported]);
          expect(movedTasks(shown)).to.deep.equal([]);
          await service.store.rescan();
          await service.store.flush();
        } finally {
          await service.stop();
        }
        if (name !== `format-${currentFormat(migrations)}` && opening === 'first') {
          const upgraded = hashes(root);
          const all = [...new Set([...before.keys(), ...upgraded.keys()])];
          const paths = all.filter((path) => upgraded.get(path) !== before.get(path));
          expect(paths.map((path) => basename(path))).to.have.members(changedByUpgrade[name]!);
          before = upgraded;
        }
        expect([...hashes(root)], opening).to.deep.equal([...before]);
      }
    });

    it('is usable: each revision is restored, records change, each keeps one file [A.upgrade.fixture]', async () => {
      layOut(fixture, scratch.path);
      const service = await TestService.start({ ...watched, directory: scratch.path });
      try {
        for (const { id } of expected.projects) {
          const { revisions } = (await service.rest.get(`/projects/${id}/revisions`)).body as {
            revisions: { id: string }[];
          };
          expect(revisions).not.to.deep.equal([]);
          for (const revision of revisions)
            expect((await service.rest.post(`/revisions/${revision.id}/restore`)).status).to.be.oneOf([200, 201]);
          const { tasks } = (await service.rest.get(`/projects/${id}/tasks`)).body as { tasks: { id: string }[] };
          for (const task of tasks)
            expect((await service.rest.patch(`/tasks/${task.id}`, { label: `Later ${task.id}` })).status).to.equal(200);
          await service.store.flush();
          const shown = (await service.rest.get(`/projects/${id}/tasks`)).body.tasks as { label: string }[];
          expect(shown.map(({ label }) => label)).to.have.members(tasks.map((task) => `Later ${task.id}`));
        }
        expect((await service.rest.get('/doctor')).body.problems).to.deep.equal([]);
      } finally {
        await service.stop();
      }
    });
  });
}
