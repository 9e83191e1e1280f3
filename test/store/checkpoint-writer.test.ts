import { expect } from 'chai';
import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { CheckpointJob, CheckpointResult, FileJob } from '../../src/store/files/checkpoint/checkpoint-job.ts';
import { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createRenderer } from '../support/renderer.ts';
import { scratchDirectory } from '../support/scratch.ts';

const sha256 = (text: string): string => hash('sha256', text, 'hex');

describe('CheckpointWriter', () => {
  const scratch = scratchDirectory();
  const root = (): string => join(scratch.path, '.planner');
  const at = (...names: string[]): string => join(root(), 'projects/p', ...names);
  const ends = (from: string, to: string) => ({ from: at(from), to: at(to), rows: rows() });
  const rows = () => ({ file: at('documents/.folders.json'), set: new Map<string, never>(), drop: [] });
  const text = (...names: string[]): string => readFileSync(at(...names), 'utf8');
  const temporary = (): string[] =>
    existsSync(join(root(), 'local/tmp')) ? readdirSync(join(root(), 'local/tmp')) : [];

  beforeEach(() => mkdirSync(at('tasks'), { recursive: true }));

  function put(name: string, content: string): void {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }

  function job(name: string, expected: string | null, bytes: string | null, more: Partial<FileJob> = {}): FileJob {
    const known = expected === null ? null : { sha256: sha256(expected) };
    return { key: name, kind: 'file', path: at(name), expect: known, bytes, ...more } as FileJob;
  }

  /** Calls of the disk take no time: after a slow rename, a file is read instead of relying on its stat. */
  function run(jobs: readonly CheckpointJob[], disk: Disk = nodeDisk): readonly CheckpointResult[] {
    const clock = new ManualClock();
    return new CheckpointWriter({ disk, root: root(), clock, renderer: createRenderer('new') }).run(jobs).results;
  }

  const theirs = (result: CheckpointResult | undefined): string | null =>
    result && 'bytes' in result && result.bytes ? Buffer.from(result.bytes).toString() : null;

  describe('writing', () => {
    it('creates a new file with its parent directories and returns the result', () => {
      const [result] = run([job('documents/One/Two/title.md', null, 'Größe\n')]);
      expect(text('documents/One/Two/title.md')).to.equal('Größe\n');
      const path = at('documents/One/Two/title.md');
      expect(result).to.deep.equal({
        key: 'documents/One/Two/title.md',
        status: 'ok',
        stat: nodeDisk.stat(path),
        sha256: sha256('Größe\n'),
        emitsEvent: true,
      });
      expect(temporary()).to.deep.equal([]);
    });

    it('replaces a file with the expected content, keeping its permissions [A.write.checkpoint]', () => {
      put('tasks/a.md', 'old');
      chmodSync(at('tasks/a.md'), 0o600);
      const [result] = run([job('tasks/a.md', 'old', 'new')]);
      expect(result).to.include({ status: 'ok', sha256: sha256('new') });
      expect(text('tasks/a.md')).to.equal('new');
      expect(statSync(at('tasks/a.md')).mode & 0o777).to.equal(0o600);
    });

    it('leaves a file with unexpected content unchanged, and returns the content', () => {
      put('tasks/a.md', 'edited');
      put('tasks/b.md', 'unexpected');
      const results = run([
        job('tasks/a.md', 'old', 'new'),
        job('tasks/b.md', null, 'new'),
        job('tasks/c.md', 'old', 'new'),
      ]);
      expect(results.map(({ status }) => status)).to.deep.equal(['changed', 'changed', 'changed']);
      expect(results.map(theirs)).to.deep.equal(['edited', 'unexpected', null]);
      expect([text('tasks/a.md'), text('tasks/b.md'), existsSync(at('tasks/c.md'))]).to.deep.equal([
        'edited',
        'unexpected',
        false,
      ]);
      expect(temporary()).to.deep.equal([]);
    });

    it('does not touch a file that already has the new content', () => {
      put('tasks/a.md', 'new');
      const before = statSync(at('tasks/a.md'));
      expect(run([job('tasks/a.md', 'old', 'new')])[0]).to.include({ status: 'ok', sha256: sha256('new') });
      expect(statSync(at('tasks/a.md'))).to.deep.include({ ino: before.ino, mtimeMs: before.mtimeMs });
    });

    it('sets the requested mtime', () => {
      const mtimeMs = Date.parse('2026-02-03T04:05:06.000Z');
      const [result] = run([job('tasks/a.md', null, 'new', { mtimeMs })]);
      expect(statSync(at('tasks/a.md')).mtimeMs).to.equal(mtimeMs);
      expect(result?.status === 'ok' && result.stat?.mtimeMs).to.equal(mtimeMs);
    });

    it('renders from the existing file, and only if it has the expected content', () => {
      put('tasks/a.md', 'mine\nold');
      put('tasks/b.md', 'edited');
      const render = { shape: 'task', code: 'abc123', id: 'tsk_1', fields: { label: 'A' } };
      const rendered = (name: string, expected: string | null): FileJob => ({
        ...job(name, expected, null),
        bytes: undefined,
        render,
      });
      const results = run([
        rendered('tasks/a.md', 'mine\nold'),
        rendered('tasks/b.md', 'old'),
        rendered('tasks/c.md', null),
      ]);
      expect(results.map(({ status }) => status)).to.deep.equal(['ok', 'changed', 'ok']);
      expect(text('tasks/a.md')).to.equal('mine\ntsk_1: {"label":"A"}\n');
      expect(text('tasks/b.md')).to.equal('edited');
      expect(text('tasks/c.md')).to.equal('new\ntsk_1: {"label":"A"}\n');
    });

    it('follows no symbolic link and writes nothing outside of its root', () => {
      const outside = join(scratch.path, 'outside');
      mkdirSync(join(outside, 'In'), { recursive: true });
      writeFileSync(join(outside, 'a.md'), 'old');
      symlinkSync(join(outside, 'a.md'), at('tasks/a.md'));
      symlinkSync(outside, at('documents'));
      const results = run([
        job('tasks/a.md', 'old', 'new'),
        job('documents/b.md', null, 'new'),
        job('documents/a.md', 'old', 'new'),
        job('documents/a.md', 'old', null),
        job('tasks/moved.md', 'old', 'old', { from: at('documents/a.md') }),
        {
          key: 's',
          kind: 'append',
          path: at('documents/a.md'),
          expect: nodeDisk.stat(join(outside, 'a.md'))!,
          bytes: 'x',
        },
        { key: 'd', kind: 'moveDirectory', from: at('documents/In'), to: at('In'), rows: rows() },
        { key: 'r', kind: 'removeDirectoryIfEmpty', path: at('documents/In'), rows: rows() },
        job('../../../outside/c.md', null, 'new'),
        job('tasks/good.md', null, 'new'),
      ]);
      expect(results.map(({ status }) => status)).to.deep.equal([...Array<string>(9).fill('failed'), 'ok']);
      expect(readdirSync(outside)).to.deep.equal(['In', 'a.md']);
      expect(readFileSync(join(outside, 'a.md'), 'utf8')).to.equal('old');
      expect(lstatSync(at('tasks/a.md')).isSymbolicLink()).to.equal(true);
    });

    it('lets a job fail on its own', () => {
      mkdirSync(at('tasks/a.md'));
      const results = run([job('tasks/a.md', null, 'new'), job('tasks/b.md', null, 'new')]);
      expect(results[0]).to.include({ key: 'tasks/a.md', status: 'failed', code: 'EINVAL' });
      expect(results[1]?.status).to.equal('ok');
    });

    it('removes temporary files of writers that have ended', () => {
      mkdirSync(join(root(), 'local/tmp'), { recursive: true });
      writeFileSync(join(root(), 'local/tmp', '.1-77.tmp'), 'half');
      run([]);
      expect(temporary()).to.deep.equal([]);
    });
  });

  describe("during other programs' saves", () => {
    it('finds a save into the old file between check and rename [A.write.look-back]', () => {
      put('tasks/a.md', 'old');
      put('tasks/b.md', 'old');
      const disk = hookedDisk({ rename: (_from, to) => to === at('tasks/a.md') && writeFileSync(to, 'theirs') });
      const results = run([job('tasks/a.md', 'old', 'new'), job('tasks/b.md', 'old', 'new')], disk);
      expect(results[0]).to.include({ key: 'tasks/a.md', status: 'raced', sha256: sha256('new') });
      expect(theirs(results[0])).to.equal('theirs');
      expect(results[1]?.status).to.equal('ok');
      expect(text('tasks/a.md')).to.equal('new');
    });

    it('waits for the end of a save that has only truncated the file yet', () => {
      put('tasks/a.md', 'old');
      let looks = 0;
      let old = -1;
      const disk = hookedDisk({
        rename: (_from, to) => {
          old = nodeDisk.open(to, 'r+');
          truncateSync(to, 0);
        },
        readAll: () => ++looks === 3 && nodeDisk.write(old, Buffer.from('theirs')),
      });
      const [result] = run([job('tasks/a.md', 'old', 'new')], disk);
      nodeDisk.close(old);
      expect(result?.status).to.equal('raced');
      expect(theirs(result)).to.equal('theirs');
    });

    it('leaves a save by rename while the new content was being written unchanged', () => {
      put('tasks/a.md', 'old');
      const disk = hookedDisk({
        write: () => {
          writeFileSync(at('theirs'), 'them');
          renameSync(at('theirs'), at('tasks/a.md'));
        },
      });
      const [result] = run([job('tasks/a.md', 'old', 'new')], disk);
      expect(result?.status).to.equal('changed');
      expect(theirs(result)).to.equal('them');
      expect(text('tasks/a.md')).to.equal('them');
      expect(temporary()).to.deep.equal([]);
    });

    it('finds a save into a file that is being removed', () => {
      put('tasks/a.md', 'old');
      const disk = hookedDisk({ remove: (path) => writeFileSync(path, 'theirs') });
      const [result] = run([job('tasks/a.md', 'old', null)], disk);
      expect(result?.status).to.equal('raced');
      expect(theirs(result)).to.equal('theirs');
    });

    it('does not report a save after the rename as its own write', () => {
      put('tasks/a.md', 'old');
      let renamed = false;
      const disk = hookedDisk({
        rename: () => void (renamed = true),
        statOpen: () => renamed && writeFileSync(at('tasks/a.md'), 'theirs, later'),
      });
      const [result] = run([job('tasks/a.md', 'old', 'new')], disk);
      expect(result?.status === 'ok' && result.stat?.size).to.equal(3);
      expect(statSync(at('tasks/a.md')).size).to.equal(13);
    });

    it('verifies more files than it holds open at a time', () => {
      const names = Array.from({ length: 600 }, (_, index) => `tasks/${index}.md`);
      for (const name of names) put(name, 'old');
      const disk = hookedDisk({ rename: (_from, to) => to.endsWith('55.md') && writeFileSync(to, `saved ${to}`) });
      const results = run(
        names.map((name) => job(name, 'old', 'new')),
        disk,
      );
      for (const [index, name] of names.entries()) {
        const raced = name.endsWith('55.md');
        expect(results[index]).to.include({ key: name, status: raced ? 'raced' : 'ok' });
        if (raced) expect(theirs(results[index])).to.equal(`saved ${at(name)}`);
      }
    });
  });

  describe('moving and removing', () => {
    it('renames a file with unchanged content', () => {
      put('documents/a.md', 'same');
      const { ino } = statSync(at('documents/a.md'));
      const [result] = run([job('documents/In/b.md', 'same', 'same', { from: at('documents/a.md') })]);
      expect(result).to.include({ status: 'ok', sha256: sha256('same') });
      expect(statSync(at('documents/In/b.md')).ino).to.equal(ino);
      expect(existsSync(at('documents/a.md'))).to.equal(false);
    });

    it('renames the file, then replaces its content, if the content changes', () => {
      put('documents/a.md', 'old');
      const [result] = run([job('documents/b.md', 'old', 'new', { from: at('documents/a.md') })]);
      expect(result).to.include({ status: 'ok', sha256: sha256('new') });
      expect([text('documents/b.md'), existsSync(at('documents/a.md'))]).to.deep.equal(['new', false]);
    });

    it('moves nothing over another file, and no file with unexpected content', () => {
      put('documents/a.md', 'old');
      put('documents/b.md', 'other');
      put('documents/c.md', 'edited');
      const results = run([
        job('documents/b.md', 'old', 'new', { from: at('documents/a.md') }),
        job('documents/d.md', 'old', 'new', { from: at('documents/c.md') }),
        job('documents/e.md', 'old', 'new', { from: at('documents/gone.md') }),
      ]);
      expect(results.map((result) => [result.status, 'path' in result && result.path, theirs(result)])).to.deep.equal([
        ['changed', at('documents/b.md'), 'other'],
        ['changed', at('documents/c.md'), 'edited'],
        ['changed', at('documents/gone.md'), null],
      ]);
      expect(readdirSync(at('documents'))).to.deep.equal(['a.md', 'b.md', 'c.md']);
    });

    it('completes a move that a crash interrupted', () => {
      put('documents/a.md', 'old');
      put('documents/b.md', 'new');
      const move = job('documents/b.md', 'old', 'new', { from: at('documents/a.md') });
      expect(run([move])[0]?.status).to.equal('ok');
      expect(readdirSync(at('documents'))).to.deep.equal(['b.md']);
      expect(run([move])[0], 'and does nothing the second time').to.include({ status: 'ok', sha256: sha256('new') });
    });

    it('removes a file with the expected content, and accepts a missing one as removed', () => {
      put('tasks/a.md', 'old');
      put('tasks/b.md', 'edited');
      const results = run([
        job('tasks/a.md', 'old', null),
        job('tasks/b.md', 'old', null),
        job('tasks/c.md', 'old', null),
      ]);
      expect(results.map(({ status }) => status)).to.deep.equal(['ok', 'changed', 'ok']);
      expect(readdirSync(at('tasks'))).to.deep.equal(['b.md']);
    });

    it('moves a directory with its content, unless the target exists', () => {
      put('documents/One/a.md', 'a');
      put('documents/Two/b.md', 'b');
      mkdirSync(at('documents/Empty'));
      const move = (key: string, to: string): CheckpointJob => ({ key, kind: 'moveDirectory', ...ends(key, to) });
      expect(run([move('documents/One', 'documents/Two')])[0]).to.include({ status: 'failed', code: 'ENOTEMPTY' });
      expect(run([move('documents/One', 'documents/Empty')])[0]?.status).to.equal('ok');
      expect(run([move('documents/Empty', 'documents/Deep/In')])[0]?.status).to.equal('ok');
      expect(text('documents/Deep/In/a.md')).to.equal('a');
      expect(run([move('documents/Empty', 'documents/Deep/In')])[0]?.status, 'done already').to.equal('ok');
      expect(run([move('documents/Gone', 'documents/Nowhere')])[0]?.status).to.equal('changed');
    });

    it('removes a directory only if it is empty', () => {
      put('documents/One/a.md', 'a');
      mkdirSync(at('documents/Two'));
      const of = (key: string) => ({ key, path: at(key), rows: rows() });
      const remove = (key: string): CheckpointJob => ({ kind: 'removeDirectoryIfEmpty', ...of(key) });
      const results = run(['One', 'Two', 'Gone'].map((name) => remove(`documents/${name}`)));
      expect(results.map(({ status }) => status)).to.deep.equal(['ok', 'ok', 'ok']);
      expect(readdirSync(at('documents'))).to.deep.equal(['One']);
    });
  });

  describe('appending', () => {
    const append = (left: { ino: number; size: number }, bytes: string): CheckpointJob => {
      return { key: 'segment', kind: 'append', path: at('history/s.jsonl'), expect: left, bytes };
    };

    it('continues in a file that is unchanged since the last append', () => {
      put('history/s.jsonl', 'one\n');
      const [result] = run([append(nodeDisk.stat(at('history/s.jsonl'))!, 'two\n')]);
      expect(text('history/s.jsonl')).to.equal('one\ntwo\n');
      expect(result?.status === 'ok' && result.stat).to.deep.equal(nodeDisk.stat(at('history/s.jsonl')));
    });

    it('appends nothing to a file that grew, was replaced or is missing', () => {
      put('history/s.jsonl', 'one\n');
      const left = nodeDisk.stat(at('history/s.jsonl'))!;
      expect(run([append({ ...left, size: left.size - 1 }, 'two\n')])[0]?.status).to.equal('changed');
      writeFileSync(at('other'), 'one\n');
      renameSync(at('other'), at('history/s.jsonl'));
      expect(run([append(left, 'two\n')])[0]?.status).to.equal('changed');
      expect(text('history/s.jsonl')).to.equal('one\n');
      rmSync(at('history/s.jsonl'));
      expect(run([append(left, 'two\n')])[0]?.status).to.equal('changed');
    });

    it('truncates a partial line when the disk is full', () => {
      put('history/s.jsonl', 'one\n');
      const disk = faultyDisk({ fault: { at: 2, kind: 'short' } });
      const [result] = run([append(nodeDisk.stat(at('history/s.jsonl'))!, 'two\n')], disk);
      expect(disk.fired).to.equal(true);
      expect(result).to.include({ status: 'failed', code: 'ENOSPC' });
      expect(text('history/s.jsonl')).to.equal('one\n');
    });
  });

  describe('with git', () => {
    const lock = (): string => join(scratch.path, '.git/index.lock');
    beforeEach(() => {
      mkdirSync(join(scratch.path, '.git'));
      writeFileSync(join(scratch.path, '.git/HEAD'), 'ref: refs/heads/main\n');
    });

    it('changes nothing during a git operation', () => {
      put('tasks/a.md', 'old');
      put('history/s.jsonl', 'one\n');
      writeFileSync(lock(), '');
      const jobs: CheckpointJob[] = [
        job('tasks/a.md', 'old', 'new'),
        job('tasks/b.md', null, 'new'),
        job('tasks/a.md', 'old', null),
        {
          key: 's',
          kind: 'append',
          path: at('history/s.jsonl'),
          expect: nodeDisk.stat(at('history/s.jsonl'))!,
          bytes: 'two\n',
        },
        { key: 'd', kind: 'moveDirectory', from: at('tasks'), to: at('moved'), rows: rows() },
      ];
      const writer = new CheckpointWriter({ disk: nodeDisk, root: root() });
      const { results, gitChanged } = writer.run(jobs);
      expect(new Set(results.map(({ status }) => status))).to.deep.equal(new Set(['git']));
      expect(gitChanged).to.equal(true);
      expect([text('tasks/a.md'), text('history/s.jsonl')]).to.deep.equal(['old', 'one\n']);
      rmSync(lock());
      expect(writer.run([jobs[0]!])).to.deep.include({ gitChanged: false });
      expect(text('tasks/a.md')).to.equal('new');
    });

    it('stops when a git operation begins, and reports that the batch overlapped with it', () => {
      const disk = hookedDisk({ rename: (_from, to) => to === at('tasks/b.md') && writeFileSync(lock(), '') });
      const writer = new CheckpointWriter({ disk, root: root() });
      const { results, gitChanged } = writer.run(
        ['a', 'b', 'c', 'd'].map((name) => job(`tasks/${name}.md`, null, 'new')),
      );
      expect(results.map(({ status }) => status)).to.deep.equal(['ok', 'ok', 'git', 'git']);
      expect(gitChanged).to.equal(true);
      expect(readdirSync(at('tasks'))).to.deep.equal(['a.md', 'b.md']);
      expect(temporary()).to.deep.equal([]);
    });

    it('detects a git operation that began and ended during a batch', () => {
      const disk = hookedDisk({ rename: () => writeFileSync(join(scratch.path, '.git/index'), 'new index') });
      const writer = new CheckpointWriter({ disk, root: root() });
      expect(writer.run([job('tasks/a.md', null, 'new')])).to.deep.include({ gitChanged: true });
    });

    it('detects a repository that was created after it started', () => {
      rmSync(join(scratch.path, '.git'), { recursive: true });
      const writer = new CheckpointWriter({ disk: nodeDisk, root: root() });
      expect(writer.run([job('tasks/a.md', null, 'new')]).results[0]?.status).to.equal('ok');
      mkdirSync(join(scratch.path, '.git'));
      writeFileSync(join(scratch.path, '.git/HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(lock(), '');
      expect(writer.run([job('tasks/b.md', null, 'new')]).results[0]?.status).to.equal('git');
    });
  });

  describe('on a failing disk', () => {
    /** No other writer saves here: a clock that leaps skips the wait before a rename is verified. */
    let leaps = 0;
    const clock = { ...systemClock, monotonic: () => (leaps += 1000) };
    const runWithoutWait = (disk: Disk): readonly CheckpointResult[] =>
      new CheckpointWriter({ disk, root: root(), clock }).run(jobs()).results;

    const before = {
      'tasks/a.md': 'old a',
      'tasks/gone.md': 'old gone',
      'documents/x.md': 'old x',
      'documents/y.md': 'same',
    };
    const jobs = (): CheckpointJob[] => [
      job('tasks/a.md', 'old a', 'new a'),
      job('notes/deep/b.md', null, 'new b'),
      job('tasks/gone.md', 'old gone', null),
      job('documents/z.md', 'old x', 'new x', { from: at('documents/x.md') }),
      job('documents/In/y.md', 'same', 'same', { from: at('documents/y.md') }),
    ];
    const after = {
      'tasks/a.md': 'new a',
      'notes/deep/b.md': 'new b',
      'documents/z.md': 'new x',
      'documents/In/y.md': 'same',
    };

    function files(): Record<string, string> {
      const paths = readdirSync(at(), { recursive: true, encoding: 'utf8' }).filter((path) =>
        statSync(at(path)).isFile(),
      );
      return Object.fromEntries(paths.sort().map((path) => [path, text(path)]));
    }

    const faults = [{ kind: 'error', code: 'EIO' }, { kind: 'short' }, { kind: 'stop', torn: 'half' }] as const;
    for (const fault of faults) {
      it(`keeps every file complete, old or new, whichever call fails (${fault.kind}), and completes after a retry`, () => {
        let fired = true;
        for (let call = 1; fired; call++) {
          rmSync(root(), { recursive: true });
          mkdirSync(at('tasks'), { recursive: true });
          for (const [name, content] of Object.entries(before)) put(name, content);
          const disk = faultyDisk({ fault: { ...fault, at: call }, countReads: true });
          try {
            runWithoutWait(disk);
          } catch {
            // Where the disk fails outside of a job, the batch as a whole is refused.
          }
          fired = disk.fired;
          disk.closeAll();

          // The state of a file whose content changes when it moves: renamed, not replaced yet.
          const between = [['documents/z.md', 'old x']];
          const known = new Set([...Object.entries(before), ...Object.entries(after), ...between].map(String));
          const now = Object.entries(files());
          expect(
            now.filter((file) => !known.has(String(file))),
            `call ${call}`,
          ).to.deep.equal([]);
          for (const names of [
            ['tasks/a.md'],
            ['documents/x.md', 'documents/z.md'],
            ['documents/y.md', 'documents/In/y.md'],
          ])
            expect(
              names.some((name) => existsSync(at(name))),
              `call ${call}: ${names.join()}`,
            ).to.equal(true);

          const again = runWithoutWait(nodeDisk);
          expect(
            again.map(({ status }) => status),
            `call ${call}`,
          ).to.deep.equal(['ok', 'ok', 'ok', 'ok', 'ok']);
          expect(files()).to.deep.equal(after);
        }
      });
    }
  });

  describe('syncing', () => {
    it('syncs the given files and every directory in which something changed', () => {
      const synced: string[] = [];
      const disk = hookedDisk({ syncDirectory: (path) => synced.push(path) });
      put('documents/old/x.md', 'old');
      const writer = new CheckpointWriter({ disk, root: root() });
      const move = job('documents/new/x.md', 'old', 'more', { from: at('documents/old/x.md') });
      writer.run([job('tasks/a.md', null, 'new'), move]);
      expect(writer.sync([at('tasks/a.md'), at('documents/new/x.md'), at('tasks/gone.md')])).to.deep.equal([]);
      expect(synced).to.include.members([at('tasks'), at('documents'), at('documents/old'), at('documents/new')]);
      synced.length = 0;
      writer.sync([]);
      expect(synced).to.deep.equal([]);
    });

    it('returns unsynced files, and retries directories', () => {
      const disk = faultyDisk();
      const writer = new CheckpointWriter({ disk, root: root() });
      writer.run([job('tasks/a.md', null, 'new'), job('tasks/b.md', null, 'new')]);
      disk.arm({ at: 1, kind: 'error', code: 'EIO' });
      expect(writer.sync([at('tasks/a.md'), at('tasks/b.md')]).map(({ path, code }) => [path, code])).to.deep.equal([
        [at('tasks/a.md'), 'EIO'],
      ]);
      writer.run([job('tasks/c.md', null, 'new')]);
      disk.arm({ at: 1, kind: 'error', code: 'EIO' });
      expect(writer.sync([]).map(({ path }) => path)).to.deep.equal([at('tasks')]);
      expect(writer.sync([])).to.deep.equal([]);
    });
  });
});
