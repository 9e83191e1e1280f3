import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git as run, gitStatus as statusOf, isOutsideRepository } from '../../src/cli/git/git.ts';
import type { GitArguments, GitResult } from '../../src/cli/git/git.ts';
import { Traps } from '../hostile/traps.ts';
import { git, gitStatus, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';

describe('git as the service calls it', function () {
  this.timeout(60_000);
  const scratch = scratchDirectory();
  const variables = { ...process.env };
  const at = (path: string): string => join(scratch.path, path);

  beforeEach(() => {
    mkdirSync(at('repository'));
    initRepository(at('repository'));
  });
  afterEach(() => {
    for (const name of ['PATH', 'HOME', 'LC_ALL', 'GIT_CONFIG_GLOBAL']) {
      if (variables[name] === undefined) delete process.env[name];
      else process.env[name] = variables[name];
    }
  });

  /** Puts a program named git in front of the real one, which `$GIT` is. */
  function wrapGit(script: string): void {
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8', env: variables }).trim();
    mkdirSync(at('bin'), { recursive: true });
    writeFileSync(at('bin/git'), `#!/bin/sh\nGIT='${real}'\n${script}\n`);
    chmodSync(at('bin/git'), 0o755);
    process.env['PATH'] = `${at('bin')}:${variables['PATH']}`;
  }

  function write(path: string, content: string): void {
    writeFileSync(join(at('repository'), path), content);
  }

  describe('inside a repository whose settings name commands', () => {
    let traps: Traps;
    beforeEach(() => {
      traps = new Traps(at('traps'));
      write('a.txt', 'a\n');
      git(at('repository'), 'add', 'a.txt');
      writeFileSync(at('repository/.git/config'), traps.config(['repositoryformatversion = 1', 'bare = false']));
    });

    it('starts no file system monitor, no hook and no filter [A.hostile.git]', async () => {
      writeFileSync(at('repository/.git/info/attributes'), '*.x filter=x\n');
      write('b.x', 'b\n');
      expect(await run(at('repository'), ['ls-files', '-m'])).to.include({ ok: true, output: '' });
      expect(await run(at('repository'), ['update-index', '--add', 'b.x'])).to.include({ ok: true, output: '' });
      expect(traps.sprung).to.deep.equal([]);
      const bare = ['core.fsmonitor=false', 'filter.x.process=', 'filter.x.clean='].flatMap((one) => ['-c', one]);
      for (const [words, trap] of [
        [['ls-files', '-m'], 'fsmonitor-included'],
        [['-c', 'core.fsmonitor=false', 'add', '--renormalize', 'b.x'], 'filter-process'],
        [[...bare, 'update-index', '--force-remove', 'a.txt'], 'post-index-change'],
      ] as const) {
        traps.reset();
        gitStatus(at('repository'), ...words);
        expect(traps.sprung, `git itself runs none by ${words.join(' ')}`).to.include(trap);
      }
    });

    it('starts no filter, even if it is required or has an unusual name [A.hostile.git]', async () => {
      const path = at('repository/.git/config');
      const trap = join(at('traps'), 'filter-clean');
      const named = ['a=b.c', 'd e'].map((name) => `[filter "${name}"]\n\tclean = ${trap} %f.x\n\trequired = true\n`);
      writeFileSync(path, readFileSync(path, 'utf8') + named.join(''));
      writeFileSync(at('repository/.git/info/attributes'), '*.a filter=a=b.c\n*.x filter=x\n');
      const names = ['one.a', 'two.x'];
      for (const name of names) write(name, 'As it is\n');
      expect(await run(at('repository'), ['update-index', '--add', ...names])).to.include({ ok: true, output: '' });
      expect(traps.sprung).to.deep.equal([]);
      expect(await run(at('repository'), ['cat-file', 'blob', ':one.a'])).to.include({ output: 'As it is' });
      gitStatus(at('repository'), '-c', 'core.fsmonitor=false', 'add', '--renormalize', 'one.a');
      expect(traps.sprung, 'git itself runs none').to.include('filter-clean');
    });

    it('starts no process that would fetch a missing object, and allows no transport [A.hostile.git]', async () => {
      const blob = git(at('repository'), '-c', 'core.fsmonitor=false', 'rev-parse', ':a.txt').trim();
      rmSync(at(`repository/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`));
      // Git reads where its trace goes from the settings of the user alone.
      mkdirSync(at('home'));
      writeFileSync(at('home/.gitconfig'), `[trace2]\n\tnormalTarget = ${at('trace')}\n`);
      process.env['HOME'] = at('home');
      delete process.env['GIT_CONFIG_GLOBAL'];
      const read: GitArguments = ['cat-file', 'blob', blob];
      expect(await run(at('repository'), read)).to.include({ ok: false, code: 128 });
      expect(readFileSync(at('trace'), 'utf8'))
        .to.match(/ start .*cat-file/)
        .and.not.include('child_start');
      // As git before 2.39.4 does, which does not know the variable.
      wrapGit('unset GIT_NO_LAZY_FETCH; exec "$GIT" "$@"');
      expect((await run(at('repository'), read)).output).to.match(/transport 'ext' not allowed/);
      expect(traps.sprung).to.deep.equal([]);
      gitStatus(at('repository'), '-c', 'core.fsmonitor=false', ...read);
      expect(traps.sprung, 'git itself runs none').to.include('fetch');
    });
  });

  it('has no transport and no transport program in its settings, whatever the repository configures [A.hostile.git]', async () => {
    const settings = {
      'core.sshCommand': 'false',
      'core.gitProxy': '',
      'core.askPass': '',
      'credential.helper': '',
      'protocol.allow': 'never',
    };
    for (const [name, value] of Object.entries(settings)) {
      git(at('repository'), 'config', name, 'sh');
      expect(await run(at('repository'), ['config', '--get', name]), name).to.include({ ok: true, output: value });
    }
  });

  it('does not mistake a directory that is shaped like a bare repository for the repository [A.hostile.git]', async () => {
    git(scratch.path, 'init', '--quiet', '--bare', 'repository/bare');
    expect(git(at('repository/bare'), 'rev-parse', '--git-dir')).to.equal('.\n');
    const { ok, output } = await run(at('repository/bare'), ['rev-parse', '--git-dir']);
    expect(ok).to.equal(false);
    expect(output).to.match(/cannot use bare repository/);
  });

  it('matches names literally, unless the pathspec has magic', async () => {
    for (const name of ['[ab]', 'a', 'b']) write(name, '');
    git(at('repository'), 'add', '.');
    const list = async (pathspec: string, options = {}): Promise<string> =>
      (await run(at('repository'), ['ls-files', '--', pathspec], options)).output;
    expect(await list('[ab]')).to.equal('[ab]');
    expect(await list(':(glob)[ab]', { magicPathspecs: true })).to.equal('[ab]\na\nb');
    for (const [pathspec, status] of [
      ['[ab]', 0],
      ['[ba]', 1],
    ] as const)
      expect(statusOf(at('repository'), ['ls-files', '--error-unmatch', '--', pathspec]), pathspec).to.equal(status);
    // The one that refuses the option.
    writeFileSync(at('repository/.gitignore'), 'a\n');
    expect(await run(at('repository'), ['check-ignore', '--no-index', 'a'])).to.include({ ok: true, output: 'a' });
  });

  it('uses a repository of another user only if git permits it [A.hostile.git]', async () => {
    if (process.getuid?.() !== 0) return console.log('      only root can give files away');
    execFileSync('chown', ['-R', '12345', at('repository')]);
    const prefix: GitArguments = ['rev-parse', '--show-prefix'];
    expect((await run(at('repository'), prefix)).output).to.match(/dubious ownership/);
    expect(await run(at('repository'), prefix, { anyOwner: true })).to.include({ ok: true, output: '' });
  });

  it('returns all bytes of a large object, and reads all of its input', async () => {
    const bytes = Buffer.alloc(3 * 1024 * 1024, 'ÿ\0\n');
    writeFileSync(at('repository/large'), bytes);
    git(at('repository'), 'add', 'large');
    const found = await run(at('repository'), ['cat-file', 'blob', ':large']);
    expect(found).to.include({ ok: true, code: 0 });
    expect(found.bytes.equals(bytes)).to.equal(true);
    const blob = git(at('repository'), 'rev-parse', ':large').trim();
    const names = Array.from({ length: 20_000 }, (_, i) => `name-${i}`);
    const input = names.map((name) => `100644 ${blob} 0\t${name}\0`).join('');
    expect(await run(at('repository'), ['update-index', '-z', '--index-info'], { input })).to.include({ ok: true });
    expect(git(at('repository'), 'ls-files', 'name-*').split('\n')).to.have.length(names.length + 1);
  });

  it('reports by its status why git failed: a negative result, closed input, a signal, a missing program', async () => {
    const blob: GitArguments = ['cat-file', 'blob', 'nothing'];
    expect(await run(at('repository'), blob)).to.deep.include({
      ...{ ok: false, code: 128, bytes: Buffer.alloc(0) },
      output: 'fatal: Not a valid object name nothing',
    });
    const input = 'x'.repeat(4 * 1024 * 1024);
    expect(await run(at('repository'), blob, { input })).to.include({ ok: false, code: 128 });
    expect(await run(at('repository'), ['config', '--get', 'not.there'])).to.include({ ok: false, code: 1 });
    wrapGit('exec sleep 600');
    expect(await run(at('repository'), blob, { msMax: 50 })).to.include({ ok: false, code: null });
    process.env['PATH'] = at('nothing');
    const output = 'git is not installed, or not in an absolute directory of PATH';
    expect(await run(at('repository'), blob)).to.include({ ok: false, code: 'ENOENT', output });
    expect(() => statusOf(at('repository'), blob)).to.throw('git was not found');
  });

  it('writes nothing to the index if the filters cannot be listed [A.hostile.git]', async () => {
    write('a', '');
    wrapGit('case "$*" in *get-regexp*) echo "it fails" >&2; exit 3;; esac\nexec "$GIT" "$@"');
    const ran = await run(at('repository'), ['update-index', '--add', 'a']);
    expect(ran).to.include({ ok: false, code: 3, output: 'it fails' });
    expect(existsSync(at('repository/.git/index'))).to.equal(false);
  });

  it('starts one process for a query, and a second one to write the index', async () => {
    wrapGit(`echo "$*" >> '${at('calls')}'\nexec "$GIT" "$@"`);
    await run(at('repository'), ['ls-files']);
    expect(readFileSync(at('calls'), 'utf8').trim().split('\n')).to.have.length(1);
    expect(await run(at('repository'), ['update-index', '--refresh'])).to.include({ ok: true });
    expect(readFileSync(at('calls'), 'utf8').trim().split('\n')).to.have.length(3);
  });

  it('distinguishes a directory outside of any repository from every other failure, in any language', async () => {
    mkdirSync(at('outside'));
    const prefix: GitArguments = ['rev-parse', '--show-prefix'];
    expect(isOutsideRepository(await run(at('outside'), prefix))).to.equal(true);
    expect(isOutsideRepository(await run(at('repository'), prefix))).to.equal(false);
    // No other language is installed everywhere.
    wrapGit('[ "$LC_ALL" = C ] || { echo "Schwerwiegend: kein Git-Repository" >&2; exit 128; }\nexec "$GIT" "$@"');
    process.env['LC_ALL'] = 'de_DE.UTF-8';
    expect(isOutsideRepository(await run(at('outside'), prefix))).to.equal(true);
    const message = 'fatal: not a git repository (or any of the parent directories): .git';
    const ran: GitResult = { ok: false, code: 128, bytes: Buffer.alloc(0), output: message };
    expect(isOutsideRepository({ ...ran, output: `warning: something\n${message}` })).to.equal(true);
    for (const other of [{ code: 1 }, { output: `error: ${message}` }, { output: 'fatal: not a git repository: /x' }])
      expect(isOutsideRepository({ ...ran, ...other }), JSON.stringify(other)).to.equal(false);
  });
});
