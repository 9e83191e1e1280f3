import { expect } from 'chai';
import { UnsyncedFiles } from '../../src/store/files/checkpoint/unsynced-files.ts';
import type { Project } from '../../src/store/files/project/project.ts';

describe('Files that are not synced yet [A.crash.power-cut]', () => {
  const paths = (files: UnsyncedFiles): string[] => [...files.take().paths];

  it('move with a directory, and so does the directory itself', () => {
    const files = new UnsyncedFiles('/projects');
    for (const path of ['/projects/a', '/projects/a/b', '/projects/ab']) files.add(path);
    files.move('/projects/a', '/projects/c');
    expect(paths(files)).to.have.members(['/projects/c', '/projects/c/b', '/projects/ab']);
  });

  it('are forgotten below a directory, and once they are taken', () => {
    const files = new UnsyncedFiles('/projects');
    for (const path of ['/projects/a/b', '/projects/ab']) files.add(path);
    files.forgetBelow('/projects/a');
    expect(paths(files)).to.deep.equal(['/projects/ab']);
    expect(paths(files)).to.deep.equal([]);
  });

  it('get their present names a few at a time, however many records were written [A.loop.turns]', () => {
    let found = 0;
    const served = (id: string): unknown => ({ path: `renamed/${id}.md`, sha256: 'of the file', found: found++ });
    const project = { directory: 'p', files: { served } } as unknown as Project;
    const files = new UnsyncedFiles('/projects');
    for (let i = 0; i < 1000; i++) files.add(`/projects/p/${i}.md`, { project, id: String(i) });
    const taken = files.take();
    const steps = files.addPresentNames(taken);
    let most = found;
    for (let before = 0, done: boolean | undefined; done !== true; before = found) {
      ({ done } = steps.next());
      most = Math.max(most, found - before);
    }
    expect(found).to.equal(1000);
    expect(most).to.be.at.most(32);
    expect([...taken.paths]).to.include.members([
      '/projects/p/999.md',
      '/projects/p/renamed/999.md',
      '/projects/p/renamed',
    ]);
  });
});
