import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { adoptLocal, localSigner, requireOwnLocal } from '../../src/cli/machine/local-ownership.ts';
import type { LocalOwnershipOptions } from '../../src/cli/machine/local-ownership.ts';
import type { PlannerError } from '../../src/base/errors.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { FileStat } from '../../src/store/files/disk/disk.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';

/** File systems take timestamps from a coarser clock, which is slower than the system clock. */
const clockLagMs = 50;

describe('The ownership of local/', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  const variables = { ...process.env };

  afterEach(() => {
    for (const name of ['PATH', 'GIT_DIR', 'GIT_INDEX_FILE']) {
      if (variables[name] === undefined) delete process.env[name];
      else process.env[name] = variables[name];
    }
  });

  const at = (path: string): string => join(scratch.path, path);

  /** A user of this machine, whose secret is created by their first command. */
  function user(name: string): LocalOwnershipOptions {
    const homeDirectory = at(name);
    mkdirSync(homeDirectory, { recursive: true });
    return { disk: nodeDisk, homeDirectory, environment: () => ({ configHome: undefined }) };
  }

  /** A user who has used Planner before: a new `local/` cannot come from an earlier version. */
  async function oldUser(name = 'ada'): Promise<LocalOwnershipOptions> {
    const owner = user(name);
    makeLocal(at(`${name}-first/.planner`));
    localSigner(owner, at(`${name}-first/.planner`))();
    await setTimeout(clockLagMs);
    return owner;
  }

  function makeLocal(root: string): string {
    mkdirSync(join(root, 'local'), { recursive: true });
    writeFileSync(join(root, 'local/service'), '{"key": "of the author"}\n');
    return root;
  }

  async function refusal(owner: LocalOwnershipOptions, root: string): Promise<string> {
    return (await refused(owner, root)).message;
  }

  async function refused(owner: LocalOwnershipOptions, root: string): Promise<PlannerError> {
    try {
      await requireOwnLocal(owner, root);
    } catch (error) {
      expect(error).to.have.property('code', 'conflict');
      return error as PlannerError;
    }
    return expect.fail(`${root}/local was believed`);
  }

  /** An origin with every file of a directory committed, `local/` too, and a clone of it. */
  function cloned(directory: string, ...options: readonly string[]): string {
    initRepository(directory);
    git(directory, 'add', '--force', '--all');
    git(directory, 'commit', '--quiet', '-m', 'a plan');
    git(scratch.path, '-c', 'protocol.file.allow=always', 'clone', '--quiet', ...options, directory, at('clone'));
    return at('clone');
  }

  const signatures = (root: string): string => join(root, 'local/signatures.json');

  describe('is checked with git, which must report that it is not tracked', () => {
    it('if a directory of the repository is shaped like a bare repository [A.hostile.local]', async () => {
      const root = makeLocal(at('origin/plan/.planner'));
      for (const directory of ['objects', 'refs']) {
        mkdirSync(join(dirname(root), directory));
        writeFileSync(join(dirname(root), directory, 'kept'), '');
      }
      writeFileSync(join(dirname(root), 'HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(
        join(dirname(root), 'config'),
        '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n',
      );
      const clone = cloned(at('origin'));
      // Git uses it unless that is disabled.
      expect(git(join(clone, 'plan'), '-c', 'safe.bareRepository=all', 'ls-files')).to.equal('');
      expect(await refusal(user('ada'), join(clone, 'plan/.planner'))).to.match(/cannot use bare repository/);
    });

    it('if .planner is a submodule that tracks it [A.hostile.local]', async () => {
      makeLocal(at('plan'));
      initRepository(at('plan'));
      git(at('plan'), 'add', '--force', '--all');
      git(at('plan'), 'commit', '--quiet', '-m', 'a plan');
      mkdirSync(at('origin'));
      initRepository(at('origin'));
      git(at('origin'), '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', at('plan'), '.planner');
      const clone = cloned(at('origin'), '--recurse-submodules');
      expect(existsSync(join(clone, '.planner/local/service'))).to.equal(true);
      expect(await refusal(user('ada'), join(clone, '.planner'))).to.match(/git tracks local\/service/);
    });

    it('if local/ itself is a submodule [A.hostile.local]', async () => {
      mkdirSync(at('plan'));
      writeFileSync(at('plan/service'), '{}');
      initRepository(at('plan'));
      git(at('plan'), 'add', '--force', '--all');
      git(at('plan'), 'commit', '--quiet', '-m', 'a plan');
      mkdirSync(at('origin'));
      initRepository(at('origin'));
      git(
        at('origin'),
        '-c',
        'protocol.file.allow=always',
        'submodule',
        '--quiet',
        'add',
        at('plan'),
        '.planner/local',
      );
      const clone = cloned(at('origin'), '--recurse-submodules');
      expect(await refusal(user('ada'), join(clone, '.planner'))).to.match(/git tracks service/);
    });

    it('if the clone belongs to another user [A.hostile.local]', async () => {
      if (process.getuid?.() !== 0) return console.log('      only root can give files away');
      makeLocal(at('origin/.planner'));
      const clone = cloned(at('origin'));
      execFileSync('chown', ['-R', '12345', clone]);
      expect(() => git(clone, 'ls-files')).to.throw(/dubious ownership/);
      expect(await refusal(user('ada'), join(clone, '.planner'))).to.match(/git tracks \.planner\/local\/service/);
      // An untracked one is as valid in such a clone as in any other.
      git(clone, '-c', `safe.directory=${clone}`, 'rm', '-r', '--quiet', '--cached', '.planner/local');
      await requireOwnLocal(user('ada'), join(clone, '.planner'));
    });

    it('in any letter case [A.hostile.local]', async () => {
      makeLocal(at('origin/.planner'));
      renameSync(at('origin/.planner/local'), at('origin/.planner/LOCAL'));
      renameSync(at('origin/.planner'), at('origin/.Planner'));
      const clone = cloned(at('origin'));
      // Simulates a disk that ignores letter case.
      renameSync(join(clone, '.Planner'), join(clone, '.planner'));
      renameSync(join(clone, '.planner/LOCAL'), join(clone, '.planner/local'));
      expect(await refusal(user('ada'), join(clone, '.planner'))).to.match(/git tracks \.Planner\/LOCAL\/service/);
    });

    it('by literal names: no character of a directory is a pattern [A.hostile.local]', async () => {
      // A file of another plan: as a pattern, `a*` would match it.
      mkdirSync(at('origin/ab/.planner'), { recursive: true });
      writeFileSync(at('origin/ab/.planner/local'), '');
      const root = join(cloned(at('origin')), 'a*/.planner');
      await requireOwnLocal(user('ada'), makeLocal(root));
      git(at('clone'), '--literal-pathspecs', 'add', '--force', 'a*');
      expect(await refusal(user('ada'), root)).to.match(/git tracks a\*\/\.planner\/local/);
    });

    it('if git fails, is killed or times out, or finds its index broken [A.hostile.local]', async () => {
      const root = makeLocal(at('repository/.planner'));
      initRepository(at('repository'));
      await requireOwnLocal(user('ada'), root);
      for (const [script, reason] of [
        ['echo "fatal: something else" >&2; exit 128', /something else/],
        ['case "$*" in *ls-files*) exit 1;; *) echo;; esac', /cannot check whether/],
        ['kill -TERM $$', /timed out/],
      ] as const) {
        fakeGit(script);
        const { message, details } = await refused(user('ada'), root);
        expect(message, script).to.match(reason).and.include('remove .planner/local');
        expect(details).to.deep.equal({ path: '.planner/local' });
      }
      process.env['PATH'] = variables['PATH'];
      writeFileSync(at('repository/.git/index'), 'no index');
      expect(await refusal(user('ada'), root)).to.match(/bad signature|index file/);
    });

    it('in the repository around it, whatever git variables this process inherited [A.hostile.local]', async () => {
      makeLocal(at('origin/.planner'));
      const root = join(cloned(at('origin')), '.planner');
      mkdirSync(at('other'));
      initRepository(at('other'));
      process.env['GIT_DIR'] = at('other/.git');
      process.env['GIT_INDEX_FILE'] = at('other/.git/index');
      expect(await refusal(user('ada'), root)).to.match(/git tracks/);
    });

    it('and without git, rejects it inside a repository unless it is signed [A.hostile.local]', async () => {
      const root = makeLocal(at('repository/.planner'));
      const owner = await oldUser();
      process.env['PATH'] = at('nothing');
      mkdirSync(at('repository/.git'));
      const { message, details } = await refused(user('new'), root);
      expect(message)
        .to.match(/git, which could check this, is not installed/)
        .and.include(`the repository at ${at('repository/.git')},`)
        .and.include('planner adopt --yes');
      expect(details).to.deep.equal({ path: '.planner/local' });
      await adoptLocal(owner, root);
      await requireOwnLocal(owner, root);
      rmSync(at('repository/.git'), { recursive: true });
      await requireOwnLocal(user('new'), root);
    });
  });

  /** Puts a program named git first in the PATH. */
  function fakeGit(script: string): void {
    mkdirSync(at('bin'), { recursive: true });
    writeFileSync(at('bin/git'), `#!/bin/sh\n${script}\n`);
    chmodSync(at('bin/git'), 0o755);
    process.env['PATH'] = `${at('bin')}:${variables['PATH']}`;
  }

  describe("is proved by a signature with the user's secret", () => {
    it('when it is created, and again after it was removed under the running service [A.hostile.local-signed]', async () => {
      const owner = await oldUser();
      const root = at('repository/.planner');
      const service = await TestService.start({ directory: at('repository'), signLocal: localSigner(owner, root) });
      try {
        await service.project();
        await requireOwnLocal(owner, root);
        rmSync(join(root, 'local'), { recursive: true });
        while (!existsSync(signatures(root))) await setTimeout(10);
        await requireOwnLocal(owner, root);
      } finally {
        await service.stop();
      }
      await requireOwnLocal(owner, root);
    });

    it('whose secret is private to the user, outside of the root, and created once [A.hostile.local-signed]', async () => {
      const owner = await oldUser();
      const path = at('ada/.config/planner/machine-secret.json');
      expect(nodeDisk.stat(path)!.mode & 0o777).to.equal(0o600);
      const { secret } = JSON.parse(readFileSync(path, 'utf8')) as { secret: string };
      expect(Buffer.from(secret, 'base64url')).to.have.length(32);
      localSigner(owner, makeLocal(at('repository/.planner')))();
      expect(readFileSync(path, 'utf8')).to.include(secret);
      expect(readFileSync(signatures(at('repository/.planner')), 'utf8')).not.to.include(secret);
    });

    it('so that one from an archive is rejected, and adopted only on request [A.hostile.local-signed]', async () => {
      const owner = await oldUser();
      const root = makeLocal(at('repository/.planner'));
      const { message, details } = await refused(owner, root);
      expect(message)
        .to.match(/not created for you on this machine/)
        .and.include('planner adopt --yes');
      expect(details).to.deep.equal({ path: '.planner/local' });
      // Nor by the archive's own repository, which its author controls.
      initRepository(at('repository'));
      expect(await refusal(owner, root)).to.match(/not created for you on this machine/);
      await adoptLocal(owner, root);
      await requireOwnLocal(owner, root);
    });

    it('but one older than the secret is used and signed: it comes from a version that did not sign [A.hostile.local-signed]', async () => {
      const root = makeLocal(at('repository/.planner'));
      await setTimeout(clockLagMs);
      const owner = user('ada');
      await requireOwnLocal(owner, root);
      expect(existsSync(signatures(root))).to.equal(true);
      await setTimeout(clockLagMs);
      cpSync(at('repository'), at('copy'), { recursive: true });
      await requireOwnLocal(owner, root);
      expect(await refusal(owner, at('copy/.planner'))).to.match(/a copy, a backup/);
    });

    it('for its path: one that was moved is still valid, a copy is not, nor a signature copied elsewhere [A.hostile.local-signed]', async () => {
      const owner = await oldUser();
      const root = makeLocal(at('repository/.planner'));
      localSigner(owner, root)();
      renameSync(at('repository'), at('moved'));
      await requireOwnLocal(owner, at('moved/.planner'));
      const signed = readFileSync(signatures(at('moved/.planner')), 'utf8');
      expect(signed).to.include(at('moved/.planner'));
      // The directory is already signed for its path and is not written again.
      const { mtimeMs, ino } = nodeDisk.stat(signatures(at('moved/.planner')))!;
      await requireOwnLocal(owner, at('moved/.planner'));
      expect(nodeDisk.stat(signatures(at('moved/.planner')))).to.include({ mtimeMs, ino });
      // A backup that is restored there is accepted.
      cpSync(at('moved'), at('backup'), { recursive: true });
      rmSync(at('moved'), { recursive: true });
      cpSync(at('backup'), at('moved'), { recursive: true });
      await requireOwnLocal(owner, at('moved/.planner'));
      expect(await refusal(owner, at('backup/.planner'))).to.match(/not created for you/);
      const forged = JSON.parse(readFileSync(signatures(at('backup/.planner')), 'utf8')) as { signatures: object[] };
      forged.signatures = forged.signatures.map((one) => ({ ...one, root: at('backup/.planner') }));
      writeFileSync(signatures(at('backup/.planner')), JSON.stringify(forged));
      expect(await refusal(owner, at('backup/.planner'))).to.match(/not created for you/);
    });

    it('once it has content: an empty one is never rejected, and adopted automatically [A.hostile.local-signed]', async () => {
      const owner = await oldUser();
      const root = at('repository/.planner');
      await requireOwnLocal(owner, root);
      expect(existsSync(root)).to.equal(false);
      mkdirSync(join(root, 'local'), { recursive: true });
      // The leftover of a process that was killed while it created its first file.
      writeFileSync(join(root, 'local/.77-1.tmp'), '');
      fakeGit('echo "fatal: something else" >&2; exit 128');
      await requireOwnLocal(owner, root);
      expect(existsSync(signatures(root))).to.equal(false);
      await adoptLocal(owner, root);
      expect(existsSync(signatures(root))).to.equal(true);
    });

    it('unless the file system records that it is older than the secret, by birth time, else by change time [A.hostile.local-signed]', async () => {
      const { disk, ...rest } = await oldUser();
      const path = at('ada/.config/planner/machine-secret.json');
      const { created_at: made } = JSON.parse(readFileSync(path, 'utf8')) as { created_at: string };
      const createdMs = Date.parse(made);
      const root = makeLocal(at('repository/.planner'));
      const stamped = (times: Partial<FileStat>): LocalOwnershipOptions => {
        const stat = (of: string): FileStat | undefined => {
          const found = disk.stat(of);
          return found && of === join(root, 'local') ? { ...found, ...times } : found;
        };
        return { ...rest, disk: { ...disk, stat } };
      };
      for (const times of [
        { birthtimeMs: createdMs, ctimeMs: createdMs - 1 },
        { birthtimeMs: 0, ctimeMs: createdMs },
      ])
        expect(await refusal(stamped(times), root)).to.match(/not created for you/);
      for (const times of [
        { birthtimeMs: createdMs - 1, ctimeMs: createdMs },
        { birthtimeMs: 0, ctimeMs: createdMs - 1 },
      ]) {
        await requireOwnLocal(stamped(times), root);
        expect(existsSync(signatures(root)), JSON.stringify(times)).to.equal(true);
        rmSync(signatures(root));
      }
    });

    it('per user: adopting it does not remove the signatures of others [A.hostile.local-signed]', async () => {
      const [ada, bob] = [await oldUser('ada'), await oldUser('bob')];
      const root = makeLocal(at('repository/.planner'));
      localSigner(ada, root)();
      expect(await refusal(bob, root)).to.match(/or another user/);
      await adoptLocal(bob, root);
      await requireOwnLocal(bob, root);
      await requireOwnLocal(ada, root);
    });

    it('and only git decides if no secret can be stored [A.hostile.local-signed]', async () => {
      const owner = user('ada');
      writeFileSync(at('ada/.config'), 'a file in the place of the directory');
      const root = makeLocal(at('origin/.planner'));
      await requireOwnLocal(owner, root);
      localSigner(owner, root)();
      expect(existsSync(signatures(root))).to.equal(false);
      const thrown: unknown = await adoptLocal(owner, root).catch((error: unknown) => error);
      expect(thrown).to.have.property('code', 'unavailable');
      expect((thrown as Error).message).to.include('XDG_CONFIG_HOME');
      // A signature of another user cannot be verified.
      localSigner(await oldUser('bob'), root)();
      await requireOwnLocal(owner, root);
      expect(await refusal(owner, join(cloned(at('origin')), '.planner'))).to.match(/git tracks/);
    });

    it('and adopting does not help if git tracks it or it is a symbolic link [A.hostile.local-signed]', async () => {
      const owner = await oldUser();
      makeLocal(at('origin/.planner'));
      const root = join(cloned(at('origin')), '.planner');
      localSigner(owner, root)();
      expect(await refusal(owner, root)).to.match(/git tracks/);
      const thrown: unknown = await adoptLocal(owner, root).catch((error: unknown) => error);
      expect((thrown as Error).message).to.match(/git tracks/);
      mkdirSync(at('plain/.planner'), { recursive: true });
      symlinkSync(join(root, 'local'), at('plain/.planner/local'));
      expect(await refusal(owner, at('plain/.planner'))).to.match(/symbolic links are not followed/);
    });
  });
});
