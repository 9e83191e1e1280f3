import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { atOnce } from '../../src/base/slices.ts';
import { Engine } from '../../src/store/files/engine.ts';
import type { Project } from '../../src/store/files/project/project.ts';
import { openStore, optionsOf, storeWithProject, type TestStore, write } from '../support/plan-store.ts';

describe('Files without an id that one git command replaced', () => {
  let store: TestStore;
  let directory: string;
  let engine: Engine;
  const scratch = storeWithProject(
    () => store,
    (plan) => ({ store, directory } = plan),
  );

  const at = (path: string): string => join(directory, path);

  /** Rescans these paths alone, as if no event had named the others yet. */
  function look(project: Project, ...paths: readonly string[]): void {
    engine.edits.apply(project, atOnce(engine.reconciler.reconcileSliced(project, paths)));
  }

  function ids({ index }: Project): Record<string, string> {
    const items = [...index.table('task').values()] as unknown as { readonly title: string; readonly id: string }[];
    return Object.fromEntries(items.map(({ title, id }) => [title, id]));
  }

  it('keep their records if the first event names one of them alone [A.format.no-id-rename]', async () => {
    await store.close();
    engine = await Engine.open(optionsOf(scratch.path));
    try {
      const project = engine.projects.ordered()[0]!;
      write(at('tasks/dig.md'), 'Dig the beds.\n');
      write(at('tasks/sow.md'), 'Sow.\n');
      look(project, 'tasks/dig.md', 'tasks/sow.md');
      const before = ids(project);
      expect(Object.keys(before).sort()).to.deep.equal(['dig', 'sow']);
      rmSync(at('tasks/dig.md'));
      rmSync(at('tasks/sow.md'));
      write(at('tasks/trench.md'), 'Dig the beds.\n');
      write(at('tasks/dig.md'), 'Sow.\n');
      look(project, 'tasks/dig.md');
      expect(ids(project)).to.include({ trench: before['dig'], dig: before['sow'] });
    } finally {
      await engine.close();
      store = await openStore(scratch.path);
    }
  });

  it('keep their records whichever of their events arrive first [A.format.no-id-rename]', async () => {
    await store.close();
    engine = await Engine.open(optionsOf(scratch.path));
    try {
      const project = engine.projects.ordered()[0]!;
      const names = ['trench', 'dig', 'sow'];
      const parts = names.flatMap((one) => [[one], names.filter((other) => other !== one)]);
      for (const [at, first] of parts.entries()) {
        const pathOf = (name: string): string => `tasks/${name}-${at}.md`;
        const checkOut = (bed: string, seed: string): void => {
          for (const name of names) rmSync(join(directory, pathOf(name)), { force: true });
          write(join(directory, pathOf(bed)), `Dig the bed ${at}.\n`);
          write(join(directory, pathOf(seed)), `Sow ${at}.\n`);
        };
        const idOf = (name: string): string | undefined => ids(project)[`${name}-${at}`];
        checkOut('dig', 'sow');
        look(project, ...names.map(pathOf));
        const [bed, seed] = [idOf('dig'), idOf('sow')];
        expect(bed).to.match(/^tsk_/);
        // The changes of `git mv dig trench` and `git mv sow dig`, there and back.
        for (const [bedName, seedName] of [
          ['trench', 'dig'],
          ['dig', 'sow'],
        ] as const) {
          checkOut(bedName, seedName);
          look(project, ...first.map(pathOf));
          look(project, ...names.filter((name) => !first.includes(name)).map(pathOf));
          expect([idOf(bedName), idOf(seedName)], `${first.join()} first`).to.deep.equal([bed, seed]);
        }
      }
    } finally {
      await engine.close();
      store = await openStore(scratch.path);
    }
  });
});
