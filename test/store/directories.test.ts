import { expect } from 'chai';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Directories } from '../../src/store/files/checkpoint/directories.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('The directories of written files', () => {
  const scratch = scratchDirectory();
  let synced: string[];
  let directories: Directories;
  const at = (path: string): string => join(scratch.path, path);

  beforeEach(() => {
    synced = [];
    const disk = { ...nodeDisk, syncDirectory: (path: string) => void synced.push(path) };
    directories = new Directories(disk, scratch.path);
  });

  it('have their names synced once, also if a former process or a person has made them [A.crash.power-cut]', () => {
    mkdirSync(at('documents/beds'), { recursive: true });
    directories.ensure(at('documents/beds/new'));
    directories.changed(at('documents/beds/new/soil.md'));
    expect(directories.sync()).to.deep.equal([]);
    expect(synced).to.have.members([scratch.path, at('documents'), at('documents/beds'), at('documents/beds/new')]);
    synced.length = 0;
    directories.changed(at('documents/beds/new/seeds.md'));
    directories.sync();
    expect(synced).to.deep.equal([at('documents/beds/new')]);
  });

  it('have their names synced again after they were moved', () => {
    directories.ensure(at('documents/beds'));
    directories.changed(at('documents/beds/soil.md'));
    directories.sync();
    synced.length = 0;
    directories.moved(at('documents/beds'), at('documents/fields'));
    directories.ensure(at('documents/beds'));
    directories.changed(at('documents/beds/soil.md'));
    directories.sync();
    expect(synced).to.have.members([at('documents'), at('documents/beds')]);
  });

  it('are synced under the names that a person gave them, also before a rescan finds those [A.crash.power-cut]', () => {
    const disk = {
      ...nodeDisk,
      syncDirectory: (path: string) => {
        synced.push(path);
        nodeDisk.syncDirectory(path);
      },
    };
    directories = new Directories(disk, scratch.path);
    directories.ensure(at('projects/plan/documents/beds/rows'));
    directories.changed(at('projects/plan/documents/beds/rows/soil.md'));
    renameSync(at('projects/plan/documents/beds'), at('projects/plan/beds'));
    expect(directories.sync()).to.deep.equal([]);
    expect(synced).to.include.members(
      ['', '/documents', '/beds', '/beds/rows'].map((path) => at(`projects/plan${path}`)),
    );
    synced.length = 0;
    directories.sync();
    expect(synced).to.deep.equal([]);
  });
});
