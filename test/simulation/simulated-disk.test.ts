import { expect } from 'chai';
import { mkdirSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { type Disk, errorCode, nodeDisk, openFlags } from '../../src/store/files/disk/disk.ts';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { FileSystem } from './disk/file-system.ts';
import { simulatedDisk } from './disk/simulated-disk.ts';

/** A disk with an empty directory, and how to make on it what no call of a disk makes. */
interface Place {
  readonly disk: Disk;
  readonly top: string;
  readonly link: (target: string, path: string) => void;
  /** Calls the listener with the names in a directory to which something happens. Returns the function that ends it. */
  readonly watch: (path: string, listener: (name: string) => void) => () => void;
}

function system(top: string): Place {
  return {
    disk: nodeDisk,
    top,
    link: (target, path) => symlinkSync(target, path),
    watch: (path, listener) => {
      const watcher = watch(path, (_event, name) => listener(String(name)));
      return () => watcher.close();
    },
  };
}

function simulated(): Place {
  let now = 1_700_000_000_000;
  const files = new FileSystem({ now: () => ++now, monotonic: () => now, reusesInode: () => false });
  files.makeDirectory('/top', 0o755);
  const disk = simulatedDisk(files, {
    before: () => undefined,
    later: async (_call, _path, steps) => {
      await Promise.resolve();
      return steps.map((step) => step()).at(-1)!;
    },
    monotonic: () => now,
    space: () => ({ freeBytes: 1, totalBytes: 2 }),
    bootId: () => 'boot',
    locks: new Set(),
  });
  const link: Place['link'] = (target, path) => files.makeLink(path, target);
  const watched: Place['watch'] = (path, listener) =>
    files.subscribe(({ directory, name }) => directory === files.lookUp(path) && listener(name));
  return { disk, top: '/top', link, watch: watched };
}

/** The result of a call, or the code of its error; buffers as text, without differences between disks. */
function outcome(call: () => unknown): unknown {
  try {
    return plain(call());
  } catch (error) {
    return `fails: ${errorCode(error)}`;
  }
}

function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || !('nlink' in value)) return value;
  const { kind, size, nlink, mode } = value as Record<string, unknown>;
  return kind === 'file' ? { kind, size, nlink, mode: Number(mode) & 0o777 } : { kind };
}

type Case = (place: Place, at: (name: string) => string) => unknown[];

function write(disk: Disk, path: string, text: string, flags: string | number = 'w'): void {
  const fd = disk.open(path, flags);
  disk.write(fd, Buffer.from(text));
  disk.close(fd);
}

/** Each runs on the system's disk and on the simulated one. */
const cases: Readonly<Record<string, Case>> = {
  'stats and lists': ({ disk, link }, at) => {
    write(disk, at('b'), 'text');
    disk.makeDirectory(at('a/c'));
    link(at('b'), at('link'));
    link('a', at('a link'));
    const names = ['b', 'a', 'link', 'none', 'b/none', 'a link/c', 'link/none'];
    return [
      ...names.map((name) => outcome(() => disk.stat(at(name)))),
      ...['', 'a', 'b', 'none', 'a link'].map((name) => outcome(() => disk.list(at(name)))),
      outcome(() => [...disk.entries(at('a'))]),
      outcome(() => disk.names(at('none'))),
    ];
  },
  reads: ({ disk, link }, at) => {
    write(disk, at('file'), 'some text');
    link(at('file'), at('link'));
    disk.makeDirectory(at('directory'));
    const stat = disk.stat(at('file'))!;
    return ['file', 'none', 'link', 'directory', 'file/none'].flatMap((name) => [
      outcome(() => disk.read(at(name))),
      outcome(() => disk.readIfExists(at(name))),
      outcome(() => disk.readRange(at(name), 5, 2)),
      outcome(() => disk.readSame(at(name), stat)),
    ]);
  },
  'opens with flags': ({ disk, link }, at) => {
    write(disk, at('file'), 'text');
    disk.makeDirectory(at('directory'));
    link(at('file'), at('link'));
    const flags = ['r', 'r+', 'w', 'wx', 'a', ...Object.values(openFlags)];
    return ['file', 'none', 'directory', 'link', 'no/file'].flatMap((name) =>
      flags.map((flag) =>
        outcome(() => {
          const fd = disk.open(at(name), flag);
          const { size } = disk.statOpen(fd);
          disk.close(fd);
          if (name === 'none') disk.remove(at(name));
          return disk.stat(at(name))?.kind === 'file' ? size : 'opened';
        }),
      ),
    );
  },
  'writes, appends and truncates': ({ disk }, at) => {
    write(disk, at('file'), 'one');
    write(disk, at('file'), ' two', 'a');
    const reading = disk.open(at('file'), openFlags.read);
    const changing = disk.open(at('file'), openFlags.change);
    const found = [
      outcome(() => disk.write(reading, Buffer.from('x'))),
      outcome(() => disk.truncate(reading, 1)),
      outcome(() => disk.truncate(changing, 5)),
      outcome(() => disk.readAll(reading)),
      outcome(() => disk.truncate(changing, 7)),
      outcome(() => disk.readAt(reading, 4, 10)),
      outcome(() => disk.close(reading)),
      outcome(() => disk.close(changing)),
      outcome(() => disk.readAll(changing)),
    ];
    return found;
  },
  'keeps an open file whose name is gone or goes to another': ({ disk }, at) => {
    write(disk, at('file'), 'old');
    write(disk, at('other'), 'new');
    const fd = disk.open(at('file'), openFlags.read);
    disk.rename(at('other'), at('file'));
    const found = [
      outcome(() => disk.readAll(fd)),
      outcome(() => disk.statOpen(fd)),
      outcome(() => disk.read(at('file'))),
    ];
    disk.remove(at('file'));
    disk.close(fd);
    return [...found, outcome(() => disk.stat(at('file')))];
  },
  renames: ({ disk, link }, at) => {
    for (const name of ['file', 'second']) write(disk, at(name), name);
    for (const name of ['full/inner', 'empty', 'directory']) disk.makeDirectory(at(name));
    link(at('file'), at('link'));
    const moves: readonly (readonly [from: string, to: string])[] = [
      ['none', 'file'],
      ['file', 'none/file'],
      ['file', 'second/file'],
      ['file', 'empty'],
      ['empty', 'file'],
      ['directory', 'full'],
      ['directory', 'empty'],
      ['full', 'full/inner/full'],
      ['full', 'full'],
      ['link', 'second'],
      ['file', 'file'],
      ['file', 'third'],
    ];
    return [
      ...moves.map(([from, to]) => outcome(() => disk.rename(at(from), at(to)))),
      outcome(() => disk.list(at(''))),
    ];
  },
  links: ({ disk, link }, at) => {
    write(disk, at('file'), 'text');
    disk.makeDirectory(at('directory'));
    link(at('file'), at('symbolic'));
    const found = [
      outcome(() => disk.link(at('file'), at('second'))),
      outcome(() => disk.link(at('file'), at('second'))),
      outcome(() => disk.link(at('none'), at('third'))),
      outcome(() => disk.link(at('directory'), at('third'))),
      outcome(() => disk.stat(at('second'))),
      outcome(() => disk.rename(at('file'), at('second'))),
      outcome(() => disk.list(at(''))),
    ];
    disk.remove(at('file'));
    return [...found, outcome(() => disk.stat(at('second')))];
  },
  'makes and removes directories': ({ disk, link }, at) => {
    write(disk, at('file'), 'text');
    disk.makeDirectory(at('a/b/c'));
    link(at('a'), at('link'));
    return [
      ...['a', 'file', 'file/d', 'link/d', 'a/b/c'].map((name) => outcome(() => disk.makeDirectory(at(name)))),
      ...['file', 'a', 'a/b/c', 'none', 'file/x', 'link'].map((name) =>
        outcome(() => disk.removeDirectoryIfEmpty(at(name))),
      ),
      ...['none', 'a', 'file/x'].map((name) => outcome(() => disk.remove(at(name)))),
      outcome(() => disk.removeTree(at('a'))),
      outcome(() => disk.removeTree(at('none'))),
      outcome(() => disk.list(at(''))),
    ];
  },
  'sets times and permissions': ({ disk, link }, at) => {
    write(disk, at('file'), 'text');
    link(at('file'), at('link'));
    disk.setTimes(at('file'), 1_600_000_000_000);
    disk.setMode(at('link'), 0o640);
    return [
      outcome(() => disk.stat(at('file'))?.mtimeMs),
      outcome(() => disk.stat(at('file'))),
      outcome(() => disk.setTimes(at('none'), 1)),
      outcome(() => disk.setMode(at('none'), 0o600)),
    ];
  },
  syncs: ({ disk }, at) => {
    write(disk, at('file'), 'text');
    const fd = disk.open(at('file'), openFlags.append);
    const found = [
      outcome(() => disk.sync(fd)),
      outcome(() => disk.dataSync(fd)),
      outcome(() => disk.syncDirectory(at(''))),
      outcome(() => disk.syncDirectory(at('none'))),
    ];
    disk.close(fd);
    return [...found, outcome(() => disk.sync(fd))];
  },
};

describe('The simulated disk', () => {
  const scratch = scratchDirectory();

  for (const [name, run] of Object.entries(cases))
    it(`${name} as the system's disk does`, () => {
      const real = `${scratch.path}/${name}`;
      mkdirSync(real);
      const [expected, found] = [system(real), simulated()].map((place) =>
        run(place, (path) => (path === '' ? place.top : `${place.top}/${path}`)),
      );
      expect(found).to.deep.equal(expected);
    });

  it('writes asynchronously as the system does', async () => {
    const texts: string[] = [];
    for (const { disk, top } of [system(scratch.path), simulated()]) {
      const fd = disk.open(`${top}/later`, 'w+');
      await disk.writeAsync(fd, Buffer.from('0123456789'));
      await disk.writeAtAsync(fd, Buffer.from('abc'), 2);
      await disk.dataSyncAsync(fd);
      await disk.syncDirectoryAsync(top);
      texts.push(disk.readAll(fd).toString());
      disk.close(fd);
    }
    expect(texts).to.deep.equal(['01abc56789', '01abc56789']);
    writeFileSync(`${scratch.path}/done`, '');
  });

  it('reports writes to an open file under its present name, as the system does', async () => {
    for (const { disk, top, watch: watched } of [system(scratch.path), simulated()]) {
      const [before, after] = [`${top}/before`, `${top}/after`];
      for (const directory of [before, after]) disk.makeDirectory(directory);
      const fd = disk.open(`${before}/file`, 'w');
      disk.rename(`${before}/file`, `${after}/renamed`);
      const reported = Promise.withResolvers<string>();
      const end = watched(after, reported.resolve);
      disk.write(fd, Buffer.from('text'));
      expect(await reported.promise).to.equal('renamed');
      end();
      disk.close(fd);
    }
  });

  it('has, once the removal of a directory is durable, what was moved out of it before', () => {
    for (const isSynced of [false, true]) {
      const files = new FileSystem({ now: () => 1, monotonic: () => 1, reusesInode: () => false });
      files.makeDirectory('/top/from/moved', 0o755);
      files.makeDirectory('/top/to', 0o755);
      files.names.syncAll();
      files.rename('/top/from/moved', '/top/to/moved');
      files.names.byPeople = true;
      files.removeTree('/top/from');
      if (isSynced) files.names.syncPeople();
      files.cut({ data: 'lost', names: 'lost' }, new Random(1));
      const paths = ['/top/from/moved', '/top/to/moved'].filter((path) => files.lookUp(path) !== undefined);
      expect(paths).to.deep.equal([isSynced ? '/top/to/moved' : '/top/from/moved']);
    }
  });
});
