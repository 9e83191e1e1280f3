import { expect } from 'chai';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hookedDisk } from '../support/hooked-disk.ts';
import { makeProject, newItem, openStore, projectDirectory, type TestStore } from '../support/plan-store.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('A directory whose project.json is being written', () => {
  const scratch = scratchDirectory();
  let store: TestStore;
  afterEach(() => store.close());

  for (const [what, part] of [
    ['is empty', 0],
    ['ends in the middle', 40],
  ] as const)
    it(`is served once the file is complete, if the file ${what} when it is read [A.project.listed]`, async () => {
      store = await openStore(scratch.path);
      const project = await makeProject(store);
      await newItem(store, project);
      await store.close();
      const directory = projectDirectory(scratch.path);
      const [path, away] = [join(directory, 'project.json'), join(scratch.path, 'away')];
      const whole = readFileSync(path, 'utf8');
      renameSync(directory, away);
      rmSync(join(scratch.path, '.planner/local'), { recursive: true });
      let isRead = false;
      const note = (read: string): void => void (isRead ||= read === path);
      const complete = (looked: string): void => {
        if (isRead && looked === path && readFileSync(path, 'utf8') !== whole) writeFileSync(path, whole);
      };
      store = await openStore(scratch.path, { disk: hookedDisk({ read: note, readIfExists: note, stat: complete }) });
      renameSync(away, directory);
      writeFileSync(path, whole.slice(0, part));
      await store.rescan();
      expect(isRead).to.equal(true);
      await store.rescan();
      expect(await store.read(project, (view) => view.count('task'))).to.equal(1);
      expect(store.status().problems).to.deep.equal([]);
    });
});
