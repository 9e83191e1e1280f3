import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import type { Migration } from '../../src/store/files/disk/migration.ts';
import { RootLayout } from '../../src/store/files/disk/root-layout.ts';
import { upgradeRoot } from '../../src/store/files/root/upgrade.ts';
import { Random } from '../support/random.ts';
import { git, initRepository } from '../support/git.ts';
import { reached } from '../support/reached.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { crashes } from './crashes.ts';
import { differences, filesBelow, hashes, layOut, readEverything } from './fixture.ts';
import { steps } from './steps.ts';

const fixture = fileURLToPath(new URL('fixtures/format-1', import.meta.url));

describe('Upgrading a root', () => {
  const scratch = scratchDirectory();
  const root = (...names: readonly string[]): string => join(scratch.path, '.planner', ...names);
  const config = (): unknown => JSON.parse(readFileSync(root('config.json'), 'utf8'));

  async function refusal(migrations: readonly Migration[] = []): Promise<string> {
    try {
      await (await TestService.start({ directory: scratch.path, migrations })).stop();
    } catch (error) {
      return (error as Error).message;
    }
    return expect.fail('It was opened.');
  }

  it('rejects a newer format before it writes anything, and reports who wrote it and what to install [A.upgrade.newer]', async () => {
    cpSync(join(fixture, 'planner'), root(), { recursive: true });
    writeFileSync(root('config.json'), '{"format": 7, "planner": "9.9.0"}');
    rmSync(root('.gitignore'));
    const before = filesBelow(root());
    const message = await refusal();
    for (const part of ['format 7', 'up to 1', 'Install Planner 9.9.0 or a newer one from npm', 'Nothing was changed'])
      expect(message).to.contain(part);
    expect(filesBelow(root())).to.deep.equal(before);
    writeFileSync(root('config.json'), '{"format": 7}');
    expect(await refusal()).to.contain('a newer Planner');
  });

  it('rejects an invalid format [A.upgrade.newer]', async () => {
    for (const format of ['1', 0, 1.5, null]) {
      mkdirSync(root(), { recursive: true });
      writeFileSync(root('config.json'), JSON.stringify({ format }));
      expect(await refusal()).to.contain(`has format ${JSON.stringify(format)}`);
    }
  });

  it('treats files without a format as the first one [A.upgrade.first]', async () => {
    layOut(fixture, scratch.path);
    writeFileSync(root('config.json'), '{"private": []}\n');
    await (await TestService.start({ directory: scratch.path, migrations: [] })).stop();
    expect(readFileSync(root('config.json'), 'utf8')).to.equal('{"private": []}\n');
    rmSync(root('config.json'));
    const service = await TestService.start({ directory: scratch.path, migrations: steps });
    expect((await service.rest.get('/doctor')).body.upgraded[0]).to.contain('Format 1 became 3');
    await service.stop();
  });

  it('creates a new root in the newest format [A.upgrade.first]', async () => {
    await (await TestService.start({ directory: scratch.path, migrations: steps })).stop();
    expect(config()).to.deep.equal({ format: 3, planner: '9.3.0' });
    expect(existsSync(root('local', 'backup'))).to.equal(false);
  });

  it('upgrades an older format step by step, keeps the old files, and reports it in the log and in doctor [A.upgrade.older, A.upgrade.backup]', async () => {
    layOut(fixture, scratch.path);
    const before = hashes(root());
    const originals = new Map([...before.keys()].map((path) => [path, readFileSync(root(path))]));
    const service = await TestService.start({ directory: scratch.path, migrations: steps });
    try {
      const { projects } = (await service.rest.get('/projects')).body as { projects: { id: string }[] };
      const { tasks } = (await service.rest.get(`/projects/${projects[0]!.id}/tasks`)).body as {
        tasks: { label: string }[];
      };
      expect(tasks.map(({ label }) => label)).to.include('DIG');
      expect(config()).to.deep.equal({
        ...(JSON.parse(originals.get('config.json')!.toString()) as object),
        format: 3,
        planner: '9.3.0',
      });
      expect(JSON.parse(readFileSync(root('labels', 'all.json'), 'utf8'))).to.include('DIG');
      const { problems, upgraded } = (await service.rest.get('/doctor')).body as {
        problems: unknown[];
        upgraded: string[];
      };
      expect(problems).to.deep.equal([]);
      expect(upgraded).to.have.length(1);
      const backup = /original files are in \.planner\/(\S+)\/files/.exec(upgraded[0]!)![1]!;
      expect(JSON.stringify(service.log)).to.contain('Upgrading this root from format 1 to 3').and.to.contain(backup);
      const note = JSON.parse(readFileSync(root(backup, 'upgrade.json'), 'utf8')) as object;
      expect(note).to.deep.include({
        from: 1,
        to: 3,
        what: steps.map(({ what }) => what),
        created: ['labels/all.json'],
        edited: [],
      });
      const changed = [...before].filter(([path, hash]) => hashes(root()).get(path) !== hash).map(([path]) => path);
      expect(filesBelow(root(backup, 'files'))).to.deep.equal(changed.sort());
      for (const path of changed) expect(readFileSync(root(backup, 'files', path))).to.deep.equal(originals.get(path));
      expect(existsSync(root('local', 'upgrade'))).to.equal(false);
    } finally {
      await service.stop();
    }
    const after = hashes(root());
    await (await TestService.start({ directory: scratch.path, migrations: steps })).stop();
    expect([...hashes(root())], 'a second opening changes nothing').to.deep.equal([...after]);
  });

  it('can be reverted with the backup [A.upgrade.backup]', async () => {
    layOut(fixture, scratch.path);
    const before = hashes(root());
    const service = await TestService.start({ directory: scratch.path, migrations: steps });
    const backup = /original files are in \.planner\/(\S+)\/files/.exec(
      (await service.rest.get('/doctor')).body.upgraded[0] as string,
    )![1]!;
    await service.stop();
    expect(await refusal(), 'the older Planner').to.contain('Planner 9.3.0');
    cpSync(root(backup, 'files'), root(), { recursive: true, preserveTimestamps: true });
    const { created } = JSON.parse(readFileSync(root(backup, 'upgrade.json'), 'utf8')) as { created: string[] };
    for (const path of created) rmSync(root(path));
    expect([...hashes(root())]).to.deep.equal([...before]);
    const older = await TestService.start({ directory: scratch.path });
    try {
      const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as Record<string, unknown>;
      expect(differences(expected, { ...(await readEverything(older)), doctor: expected['doctor'] })).to.deep.equal([]);
    } finally {
      await older.stop();
    }
  });

  it('waits for git, and for changes that are only in the journal [A.upgrade.rest]', async () => {
    initRepository(scratch.path);
    layOut(fixture, scratch.path);
    git(scratch.path, 'add', '--all');
    git(scratch.path, 'commit', '--quiet', '--message', 'Plan');
    const before = hashes(root());
    writeFileSync(join(scratch.path, '.git', 'index.lock'), '');
    expect(await refusal(steps))
      .to.contain('a command of git')
      .and.to.contain('Nothing was changed');
    rmSync(join(scratch.path, '.git', 'index.lock'));
    const service = await TestService.start({
      directory: scratch.path,
      writer: 'inline',
      watch: false,
      migrations: [],
    });
    const { projects } = (await service.rest.get('/projects')).body as { projects: { id: string }[] };
    await service.rest.post(`/projects/${projects[0]!.id}/notes`, { title: 'Not in its file yet' });
    service.store.abandon();
    await service.stop();
    expect(await refusal(steps))
      .to.contain('in its journal')
      .and.to.contain('Start that version again');
    expect([...hashes(root())].filter(([path]) => before.has(path))).to.deep.equal([...before]);
    await (await TestService.start({ directory: scratch.path, migrations: [] })).stop();
    await (await TestService.start({ directory: scratch.path, migrations: steps })).stop();
    expect(config()).to.deep.include({ format: 3 });
  });

  it('is complete or not begun after a crash at any call of the disk, and the next opening completes it [A.upgrade.crash]', () => {
    const random = Random.announced('upgrade');
    const count = crashes(root(), steps, () => random.chance(0.1));
    reached('kill points in an upgrade', `${count} (seed ${random.seed})`);
  });

  it('keeps edits made while it was interrupted, and reports prepared files that are missing [A.upgrade.crash]', () => {
    const log: string[] = [];
    const parts = {
      layout: new RootLayout(root()),
      clock: systemClock,
      migrations: steps,
      log: (line: string) => void log.push(line),
    };
    const interrupted = (): void => {
      rmSync(root(), { recursive: true, force: true });
      layOut(fixture, scratch.path);
      mkdirSync(root('local', 'tmp'));
      let planned = false;
      const disk: Disk = {
        ...nodeDisk,
        rename: (from, to) => {
          if (planned) throw new Error('The machine is off.');
          nodeDisk.rename(from, to);
          planned = to.endsWith('/plan.json');
        },
      };
      expect(() => upgradeRoot({ ...parts, disk })).to.throw('The machine is off.');
    };
    interrupted();
    const [task] = filesBelow(root('projects')).filter((path) => path.includes('/tasks/dig.'));
    writeFileSync(root('projects', task!), 'Edited by a person.\n');
    upgradeRoot({ ...parts, disk: nodeDisk });
    const edited = log.find((line) => line.includes('was edited'));
    const kept = /edited version is in \.planner\/(\S+)\/edited/.exec(edited ?? '')![1]!;
    expect(readFileSync(root(kept, 'edited', 'projects', task!), 'utf8')).to.equal('Edited by a person.\n');
    expect(readFileSync(root('projects', task!), 'utf8')).to.contain('label: DIG');
    interrupted();
    writeFileSync(root('local', 'upgrade', '0'), 'Something else');
    expect(() => upgradeRoot({ ...parts, disk: nodeDisk })).to.throw(/was interrupted.*Copy everything in/);
  });

  it('writes nothing outside the root, whatever plan came with a repository [A.upgrade.hostile]', () => {
    layOut(fixture, scratch.path);
    mkdirSync(root('local', 'upgrade'));
    mkdirSync(join(scratch.path, 'outside'));
    symlinkSync(join(scratch.path, 'outside'), root('projects', 'link'));
    writeFileSync(root('local', 'upgrade', '0'), 'Bad');
    for (const path of ['../outside/a', 'projects/../../outside/a', '/tmp/a', 'projects/link/a', 'projects/link']) {
      const file = { path, staged: '0', before: null, after: sha256('Bad'), mtimeMs: null };
      const upgrade = { from: 1, to: 2, at: '', what: [], backup: 'local/backup/1-x', created: [], edited: [] };
      writeFileSync(root('local', 'upgrade', 'plan.json'), JSON.stringify({ upgrade, files: [file] }));
      const parts = { layout: new RootLayout(root()), clock: systemClock, migrations: steps, log: () => undefined };
      expect(() => upgradeRoot({ ...parts, disk: nodeDisk }), path).to.throw('cannot be upgraded');
    }
    expect(filesBelow(join(scratch.path, 'outside'))).to.deep.equal([]);
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
