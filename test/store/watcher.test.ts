import { expect } from 'chai';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { DirectoryWatch } from '../../src/store/files/edits/directory-watch.ts';
import { ThreadWatch, type WatchEvents } from '../../src/store/files/edits/watch-port.ts';
import { Watcher, type WatcherDeps } from '../../src/store/files/edits/watcher.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { diskDirectory } from '../support/memory.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { rarely } from '../support/rarely.ts';

/** Directories inside a project that may hold records, and to what depth. */
const depths = new Map([
  ['tasks', 1],
  ['notes.md', 1],
  ...Array.from({ length: 60 }, (_, i) => [`notes-${i}`, 1] as const),
]);

for (const place of ['a worker thread', 'the calling thread']) {
  describe(`The watcher, in ${place}`, () => {
    const scratch = scratchDirectory(diskDirectory());
    const at = (...parts: string[]): string => join(scratch.path, 'projects', ...parts);
    const changed = new Set<string>();
    const statPaths: string[] = [];
    let watcher: Watcher;

    async function watching(parts: Partial<WatcherDeps> = {}, clock: Clock = systemClock): Promise<void> {
      const directory = at();
      watcher = new Watcher({
        clock,
        open: (listener) => {
          const disk = hookedDisk({ stat: (path) => void statPaths.push(path) });
          const inline = { directory, depths, disk, clock, ...listener };
          return Promise.resolve(
            place === 'a worker thread'
              ? new ThreadWatch({ directory, depths }, clock, listener)
              : new DirectoryWatch(inline),
          );
        },
        onChanges: (paths) => paths.forEach((path) => changed.add(path)),
        countEvents: () => false,
        isGitRunning: () => false,
        onOverflow: () => undefined,
        onWatchLost: () => Promise.resolve(),
        onWatchFailed: (error) => {
          throw error;
        },
        ...parts,
      });
      await watcher.start();
      changed.clear();
      statPaths.length = 0;
    }

    async function isReported(path: string, timeoutMs = 20_000): Promise<boolean> {
      const end = performance.now() + timeoutMs;
      while (!changed.has(path) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
      return changed.has(path);
    }

    /** Once a lost watch has been recreated. Edits that were made before that are not repeated by the watch. */
    async function expectEditsReported(directories: readonly string[]): Promise<void> {
      const end = performance.now() + 40_000;
      let missing = directories;
      for (let edit = 0; missing.length > 0 && performance.now() < end; edit++) {
        await wait(500);
        for (const path of missing) writeFileSync(at(path, 'edited.md'), `Sow ${edit}\n`);
        await wait(500);
        missing = missing.filter((path) => !changed.has(`${path}/edited.md`));
      }
      expect(missing).to.deep.equal([]);
    }

    beforeEach(() => mkdirSync(at('garden', 'tasks'), { recursive: true }));
    afterEach(() => watcher.stop());

    it('makes no system call for an event of a file: a checkout emits thousands in one turn [A.loop.events]', async () => {
      await watching();
      const names = ['a.md', 'b.md'];
      // Equal events in a row are one: the files take turns.
      for (let round = 0; round < 200; round++)
        for (const name of names) writeFileSync(at('garden', 'tasks', name), 'x');
      for (const name of names) expect(await isReported(`garden/tasks/${name}`)).to.equal(true);
      await wait(300);
      expect(statPaths.filter((path) => path === at('garden', 'tasks', 'a.md')).length).to.be.below(21);
    });

    it('watches a directory that is named like a record file [A.hands.directories]', async () => {
      const renewed = new Promise<void>((resolve) => {
        void watching({ onWatchLost: () => Promise.resolve(resolve(watcher.rewatch())) }).then(() =>
          mkdirSync(at('garden', 'notes.md')),
        );
      });
      await renewed;
      writeFileSync(at('garden', 'notes.md', 'a.md'), 'Dig\n');
      expect(await isReported('garden/notes.md/a.md')).to.equal(true);
      changed.clear();
      rmSync(at('garden', 'notes.md'), { recursive: true });
      expect(await isReported('garden/notes.md')).to.equal(true);
    });

    it('leaves events of files that are being written to the writer, once its watch works [A.edit.hints, A.edit.echo]', async () => {
      const left: string[] = [];
      await watching({ countEvents: (path) => path.includes('own') && left.push(path) > 0 });
      const write = (name: string): void => writeFileSync(at('garden', 'tasks', name), 'Dig\n');
      // The watch of a new directory may not emit events yet, so the first one is always checked, even for an own write.
      write('own 1.md');
      expect(await isReported('garden/tasks/own 1.md')).to.equal(true);
      write('own 2.md');
      write('other.md');
      expect(await isReported('garden/tasks/other.md')).to.equal(true);
      expect(changed).not.to.include('garden/tasks/own 2.md');
      expect(left).to.include('garden/tasks/own 2.md');
    });

    it('neither watches nor scans directories that can contain no records [A.hostile.junk]', async () => {
      mkdirSync(at('garden', 'junk.d', 'deep'), { recursive: true });
      await watching();
      writeFileSync(at('garden', 'tasks', 'junk-1.tmp'), 'x');
      mkdirSync(at('garden', 'junk-2.d'));
      writeFileSync(at('garden', 'junk.d', 'deep', 'first.md'), 'Dig\n');
      writeFileSync(at('garden', 'junk.d', 'first.md'), 'Dig\n');
      writeFileSync(at('garden', 'tasks', 'last.md'), 'Dig\n');
      expect(await isReported('garden/tasks/last.md')).to.equal(true);
      // All events come in one order.
      expect([...changed].filter((path) => path.endsWith('first.md'))).to.deep.equal([]);
      expect(statPaths.filter((path) => path.includes('junk'))).to.deep.equal([]);
    });

    it('reports edits in directories that were created, removed and created again before they were read [A.hands.directories]', async () => {
      await watching({ onWatchLost: () => watcher.rewatch() });
      const names = Array.from({ length: 60 }, (_, i) => `notes-${i}`);
      const make = (name: string): void => {
        mkdirSync(at('garden', name));
        writeFileSync(at('garden', name, 'a.md'), 'Dig\n');
      };
      await Promise.all(
        names.map(async (name, i) => {
          make(name);
          await wait(30 + i / 2);
          rmSync(at('garden', name), { recursive: true });
          await wait(150);
          make(name);
        }),
      );
      await expectEditsReported(names.map((name) => `garden/${name}`));
    });

    it('reports edits in a project that was removed while the watch was being recreated, and created again [A.hands.directories]', async () => {
      await watching({ onWatchLost: () => watcher.rewatch() });
      const names = Array.from({ length: 60 }, (_, i) => `notes-${i}`);
      const makeProject = (): void => {
        for (const name of names) {
          mkdirSync(at('garden', name), { recursive: true });
          writeFileSync(at('garden', name, 'a.md'), 'Dig\n');
        }
      };
      makeProject();
      await wait(100);
      const renewed = watcher.rewatch();
      await wait(2);
      rmSync(at('garden'), { recursive: true });
      await renewed;
      await wait(150);
      makeProject();
      await expectEditsReported(names.map((name) => `garden/${name}`));
    });

    it('reports edits in directories that were removed and created again within milliseconds [A.hands.directories]', async () => {
      const delays = Array.from({ length: 12 }, (_, i) => i);
      const names = Array.from({ length: 6 }, (_, i) => `notes-${i}`);
      const makeIn = (project: string): void => {
        for (const name of names) {
          mkdirSync(at(project, name), { recursive: true });
          writeFileSync(at(project, name, 'a.md'), 'Dig\n');
        }
      };
      delays.forEach((delay) => makeIn(`plot-${delay}`));
      let passedMs = 0;
      const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs };
      await watching({ onWatchLost: () => watcher.rewatch() }, place === 'a worker thread' ? systemClock : clock);
      // All directories are old now; after a watch was lost they are not, as far as the next one knows.
      passedMs = 5500;
      if (place === 'a worker thread') await wait(passedMs);
      for (const delay of delays) {
        for (const name of names) rmSync(at(`plot-${delay}`, name), { recursive: true });
        const end = performance.now() + delay;
        while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve));
        makeIn(`plot-${delay}`);
        await wait(20);
      }
      await expectEditsReported(delays.flatMap((delay) => names.map((name) => `plot-${delay}/${name}`)));
    });
  });
}

describe('The thread that watches', () => {
  const scratch = scratchDirectory(diskDirectory());
  const at = (...parts: string[]): string => join(scratch.path, 'projects', ...parts);
  let reports: WatchEvents[];
  let failures: Error[];
  let watch: ThreadWatch;

  beforeEach(async () => {
    mkdirSync(at('garden', 'tasks'), { recursive: true });
    [reports, failures] = [[], []];
    watch = new ThreadWatch({ directory: at(), depths }, systemClock, {
      onEvents: (events) => void reports.push(events),
      onOverflow: () => undefined,
      onWatchLost: () => undefined,
      onWatchFailed: (error) => failures.push(error),
    });
    await watch.start();
    // The first event of a directory never counts.
    writeFileSync(at('garden', 'tasks', 'first.md'), 'x');
    while (reports.length === 0) await wait(5);
    await wait(50);
    reports.length = 0;
  });
  afterEach(() => watch.close());

  rarely(
    'reports a path once, with the number of its events, however many arrive while requests are served [A.loop.events]',
    async () => {
      const names = Array.from({ length: 1100 }, (_, i) => `${i}.md`);
      for (let round = 0; round < 2; round++) {
        for (const name of names) {
          writeFileSync(at('garden', `${name}~`), 'Dig\n');
          renameSync(at('garden', `${name}~`), at('garden', 'tasks', name));
        }
      }
      const counts = new Map<string, number>();
      const expected = (): boolean => names.every((name) => counts.get(`garden/tasks/${name}`) === 2);
      while (!expected()) {
        await watch.settle();
        for (const { counted } of reports.splice(0)) {
          expect(counted.size).to.be.at.most(1000);
          for (const [path, events] of counted) counts.set(path, (counts.get(path) ?? 0) + events);
        }
      }
    },
  );

  it('has reported all queued events of the system once it has settled [A.edit.hints]', async () => {
    for (let round = 0; round < 20; round++) {
      writeFileSync(at('garden', 'tasks', `${round}.md`), 'Dig\n');
      await watch.settle();
      const paths = reports.flatMap(({ counted }) => [...counted.keys()]);
      expect(paths).to.include(`garden/tasks/${round}.md`);
    }
  });

  it('lets nothing wait for it once it has ended, and reports that it failed [A.hands.watches]', async () => {
    const broken = new ThreadWatch({ directory: at(), depths: undefined as never }, systemClock, {
      onEvents: () => undefined,
      onOverflow: () => undefined,
      onWatchLost: () => undefined,
      onWatchFailed: (error) => failures.push(error),
    });
    await Promise.all([broken.start(), broken.settle()]);
    while (failures.length === 0) await wait(5);
    await Promise.all([broken.restart(), broken.settle(), broken.close()]);
    expect(failures).to.have.length(1);
  });
});

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
