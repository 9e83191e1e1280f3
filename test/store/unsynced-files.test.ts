import { expect } from 'chai';
import { UnsyncedFiles } from '../../src/store/files/checkpoint/unsynced-files.ts';

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
});
