import { expect } from 'chai';
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PeriodicRescan } from '../../src/store/files/edits/periodic-rescan.ts';
import { silentFileSystems } from '../../src/store/files/edits/watch-mode.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';
import { TestService, watched } from '../support/service.ts';
import type { TestServiceOptions } from '../support/service.ts';
import { until } from '../web/support/until.ts';
import { Shell, shellTestMs } from '../cli/planner.ts';
import { FileEditor } from './external-edits.ts';
import { inotifyWatches } from './inotify-watches.ts';
import { mountsRefused, SilentMount } from './silent-mount.ts';
import { problemsOf } from './watches.ts';
import { rarely } from '../support/rarely.ts';

/** A type of each kind, as Linux numbers them. */
const fuse = 0x6573_5546;
const ext4 = 0xef53;

describe('Polling for external edits', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let editor: FileEditor | undefined;
  afterEach(async () => {
    await editor?.stop();
    editor = undefined;
  });

  async function start(options: TestServiceOptions): Promise<FileEditor> {
    return (editor = await FileEditor.start(options));
  }

  it('finds edits, new files, renames, removals and new projects, without a watch [A.hands.polling]', async () => {
    const before = inotifyWatches();
    const files = await start({ watch: 'poll' });
    const { service } = files;
    const kept = await files.task({ label: 'Dig' });
    const removed = await files.task({ label: 'Gone' });
    const moved = await files.document({ title: 'Guide', body: 'One.' });
    await files.settled();

    writeFileSync(files.path(kept.path), files.read(kept.path).replace('label: Dig', 'label: Sow'));
    rmSync(files.path(removed.path));
    mkdirSync(files.path('documents/inside'), { recursive: true });
    renameSync(files.path(moved.path), files.path('documents/inside/renamed.md'));
    writeFileSync(files.path('documents/new.md'), '# New\n');
    await files.until(async () => {
      expect((await files.tasks()).map(({ label }) => label)).to.deep.equal(['Sow']);
      expect((await files.documents()).map(({ title }) => title)).to.have.members(['new', 'Guide']);
    });
    // The document was moved, and not removed and created again.
    const { body: document } = await service.rest.get(`/documents/${moved.id}`);
    expect(document).to.include({ title: 'Guide', body: 'One.' });
    expect(document.folder_id).to.be.a('string');
    await files.settled();

    // A directory is renamed, and another project is copied in.
    const other = await TestService.start();
    const orchard = await other.project('Orchard');
    const { body: tree } = await other.rest.post(`/projects/${orchard}/tasks`, { label: 'Plant' });
    await other.store.flush();
    const projects = join(service.root, 'projects');
    renameSync(files.directory, join(projects, 'renamed'));
    cpSync(join(other.root, 'projects'), projects, { recursive: true });
    await other.stop();
    await files.until(async () => expect((await service.rest.get(`/tasks/${tree.id}`)).body.label).to.equal('Plant'));
    writeFileSync(files.path(kept.path), files.read(kept.path).replace('label: Sow', 'label: Reap'));
    await files.until(async () => expect((await files.tasks()).map(({ label }) => label)).to.deep.equal(['Reap']));
    const copied = readdirSync(projects).find((name) => name !== 'renamed')!;
    rmSync(join(projects, copied), { recursive: true });
    await files.until(async () => expect((await service.rest.get(`/projects/${orchard}`)).status).to.equal(404));
    await files.settled();

    expect(inotifyWatches()).to.equal(before);
    expect((await service.rest.get('/ready')).body.watch).to.equal('poll');
    expect(await problemsOf(service.rest)).to.deep.equal([]);
    const entries = service.log.map((entry) => JSON.stringify(entry)).filter((entry) => entry.includes('polling'));
    expect(entries).to.have.length(1);
    expect(entries[0]).to.include('config.json sets watch');
  });

  it('compares each file by one stat, and reads none that is unchanged [A.hands.polling]', async () => {
    let stats: string[] = [];
    let reads: string[] = [];
    const passes: { stats: string[]; reads: string[] }[] = [];
    let projects = '';
    const isFile = (path: string): boolean => /\/documents\/\d+\.md$/.test(path);
    const disk: Disk = {
      ...nodeDisk,
      stat: (path) => {
        if (isFile(path)) stats.push(path);
        return nodeDisk.stat(path);
      },
      readSame: (path, stat) => {
        reads.push(path);
        return nodeDisk.readSame(path, stat);
      },
      list: (path) => {
        // Each pass begins with the search for new projects.
        if (path === projects) {
          passes.push({ stats, reads });
          [stats, reads] = [[], []];
        }
        return nodeDisk.list(path);
      },
    };
    const files = await start({ watch: 'poll', disk, writer: 'inline' });
    projects = join(files.service.root, 'projects');
    const count = 300;
    mkdirSync(files.path('documents'), { recursive: true });
    for (let i = 0; i < count; i++) writeFileSync(files.path(`documents/${i}.md`), `# Text ${i}\n`);
    await files.until(async () => expect(await files.documents()).to.have.length(count));
    await files.settled();
    const done = passes.length;
    // The pass that is in progress, and two whole ones.
    await files.until(() => expect(passes.length).to.be.at.least(done + 3));
    for (const pass of passes.slice(done + 1, done + 3)) {
      expect(pass.stats.toSorted()).to.deep.equal([...new Set(pass.stats)].sort());
      expect(pass.stats).to.have.length(count);
      expect(pass.reads).to.deep.equal([]);
    }
  });

  it('takes a tenth of the time at most, without counting one pass that took far longer [A.hands.polling]', async () => {
    const passMs = 200;
    // The process is suspended during the third one.
    const passes = [passMs, passMs, 60_000];
    const began: number[] = [];
    const clock = new ManualClock();
    const rescan = new PeriodicRescan({
      clock,
      rescanIntervalMs: 0,
      rescan: () => {
        const comparingMs = passes[began.push(clock.monotonic()) - 1] ?? 0;
        return Promise.resolve({ missed: 0, comparingMs });
      },
      problems: new Map(),
      log: () => undefined,
    });
    rescan.start({ polling: true });
    await clock.until(() => began.length > passes.length);
    rescan.stop();
    const pauses = began.slice(1).map((at, i) => at - began[i]!);
    expect(began[0]).to.equal(1000);
    expect(pauses).to.deep.equal(passes.map(() => 9 * passMs));
  });

  it('is chosen by the type of the file system, unless config.json chooses [A.hands.polling]', async () => {
    if (process.platform === 'linux') {
      expect(nodeDisk.fileSystemType('/proc')).to.equal(0x9fa0);
      expect(nodeDisk.fileSystemType(join(scratch.path, 'none'))).to.equal(undefined);
    } else expect(nodeDisk.fileSystemType(scratch.path)).to.equal(undefined);
    for (const [type, watch, expected] of [
      [fuse, true, 'poll'],
      [fuse, 'events', 'events'],
      [ext4, true, 'events'],
      [ext4, 'poll', 'poll'],
      [undefined, true, 'events'],
      [fuse, false, 'off'],
    ] as const) {
      const service = await TestService.start({
        ...watched,
        watch,
        disk: { ...nodeDisk, fileSystemType: () => type },
      });
      const { body } = await service.rest.get('/ready');
      const entries = service.log.filter((entry) => JSON.stringify(entry).includes('polling'));
      await service.stop();
      expect(body.watch, `${type} ${watch}`).to.equal(expected);
      expect(entries, `${type} ${watch}`).to.have.length(expected === 'poll' ? 1 : 0);
      if (type === fuse && expected === 'poll') expect(JSON.stringify(entries)).to.include('(FUSE)');
    }
  });

  it('is set by watch in config.json, which is events or poll [A.hands.polling]', async () => {
    const shell = new Shell(scratch.path);
    await shell.ok(['init']);
    const config = join(shell.directory, '.planner/config.json');
    const set = (watch: unknown): void =>
      writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), watch }));
    for (const watch of ['poll', 'events']) {
      set(watch);
      const service = new InProcessCommand(['serve', '--port', '0'], shell.options());
      const url = /at (http:\S+)/.exec(await service.firstLine())![1]!;
      const ready = (await (await fetch(`${url}/api/v1/ready`)).json()) as { watch: string };
      const { errors } = await service.stop();
      expect(ready.watch).to.equal(watch);
      expect(errors.includes('External edits are found by polling')).to.equal(watch === 'poll');
    }
    set('sometimes');
    expect(await shell.refused(1, ['serve', '--port', '0'])).to.include('must be "events" or "poll"');
  });

  rarely(
    'finds edits on a mount that reports no events for them; with events set, they are not noticed there [A.hands.polling]',
    async () => {
      const reason = mountsRefused(scratch.path);
      if (reason !== undefined) return console.log(`      skipped, no overlay can be mounted: ${reason}`);
      const mount = new SilentMount(scratch.path);
      let service = await mount.serve('events');
      try {
        const { rest } = service;
        const { body: project } = await rest.post('/projects', { name: 'Garden' });
        for (const label of ['Dig', 'Sow']) await rest.post(`/projects/${project.id}/tasks`, { label });
        await rest.post('/flush');
        const labels = async (): Promise<readonly string[]> =>
          (
            (await service.rest.get(`/projects/${project.id}/tasks`)).body.tasks as readonly {
              readonly label: string;
            }[]
          ).map(({ label }) => label);
        expect((await rest.get('/ready')).body.watch).to.equal('events');
        // A later edit through the mount is noticed before the first edit. A rescan, at the start or after a minute, may
        // find both.
        let isUnnoticed = false;
        for (let round = 1; round <= 10 && !isUnnoticed; round++) {
          mount.edit(mount.outside, /^label: Dig.*$/m, `label: Dig ${round}`);
          expect(mount.has(service.inside, `label: Dig ${round}`)).to.equal(true);
          mount.edit(service.inside, /^label: Sow.*$/m, `label: Sow ${round}`);
          await until(async () => (await labels()).includes(`Sow ${round}`));
          isUnnoticed = !(await labels()).includes(`Dig ${round}`);
        }
        expect(isUnnoticed).to.equal(true);
        await service.stop();
        service = await mount.serve('poll');
        expect((await service.rest.get('/ready')).body.watch).to.equal('poll');
        mount.edit(mount.outside, /^label: Dig.*$/m, 'label: Dig deeper');
        mount.edit(mount.outside, /^label: Sow.*$/m, 'label: Sow deeper');
        writeFileSync(join(mount.tasksIn(mount.outside), 'new.md'), '# New\n');
        await until(async () =>
          isDeepStrictEqual(new Set(await labels()), new Set(['Dig deeper', 'new', 'Sow deeper'])),
        );
        expect(service.errors()).to.include('External edits are found by polling');
      } finally {
        await service.stop();
      }
    },
  );

  it('is documented with every file system on which it is chosen [A.hands.polling]', () => {
    const text = readFileSync(join(repository, 'docs/reference/platforms.md'), 'utf8');
    for (const name of silentFileSystems.values()) expect(text).to.match(new RegExp(`\\b${name}\\b`));
  });
});
