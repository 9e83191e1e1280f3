import { expect } from 'chai';
import { chmodSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from '../src/cli/login/open-browser.ts';
import {
  execProgram,
  execProgramSync,
  findProgram,
  programEnvironment,
  startProgram,
} from '../src/platform/programs.ts';
import { scratchDirectory } from './support/scratch.ts';
import { repository } from './support/server-process.ts';

describe('A program that is started by name', () => {
  const scratch = scratchDirectory();
  const at = (path: string): string => join(scratch.path, path);

  /** A program that prints where it is. */
  function put(path: string, mode = 0o755): string {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), `#!/bin/sh\necho ${path}\n`);
    chmodSync(at(path), mode);
    return at(path);
  }

  it('is the first executable file in the absolute entries of PATH [A.hostile.programs]', () => {
    put('one/git', 0o644);
    mkdirSync(at('two/git'), { recursive: true });
    const git = put('three/git');
    mkdirSync(at('four'));
    symlinkSync(git, at('four/git'));
    const path = (...names: string[]): NodeJS.ProcessEnv => ({ PATH: names.map(at).join(':') });
    expect(findProgram('git', path('nothing', 'one', 'two', 'three', 'four'))).to.equal(git);
    expect(findProgram('git', path('four', 'three'))).to.equal(at('four/git'));
    expect(findProgram('git', path('one', 'two'))).to.equal(undefined);
    expect(findProgram(git, { PATH: '' })).to.equal(git);
    expect(findProgram('sh', {})).to.be.oneOf(['/usr/bin/sh', '/bin/sh']);
  });

  it('is never looked up in its own directory [A.hostile.programs]', async () => {
    for (const path of ['repository/git', 'repository/node_modules/.bin/git', 'repository/.planner/git']) put(path);
    put('git');
    const options = { cwd: at('repository'), input: '', timeout: 10_000, maxBuffer: 1000 };
    for (const entry of ['', '.', './', '..', 'node_modules/.bin', './node_modules/.bin', '.planner', '~', ':', '::']) {
      const env = { PATH: `${entry}:${at('nothing')}:${entry}` };
      for (const name of ['git', './git', '../git', '.planner/git', 'node_modules/.bin/git']) {
        const { error, stdout, stderr } = await execProgram(name, [], { ...options, env });
        expect(error, `${name} by ${entry}`).to.include({ code: 'ENOENT' });
        expect(error?.message).to.equal(`${name} was not found in the absolute directories of PATH`);
        expect([stdout, stderr].join('')).to.equal('');
        for (const start of [execProgramSync, startProgram])
          expect(() => start(name, [], { cwd: options.cwd, env })).to.throw(/was not found in the absolute/);
      }
      put('bin/git');
      const found = await execProgram('git', [], { ...options, env: { PATH: `${env.PATH}:${at('bin')}` } });
      expect([found.error, found.stdout.toString()]).to.deep.equal([null, 'bin/git\n']);
    }
  });

  it('is an .exe or .com in a PATH of Windows, and never one of a current directory [A.hostile.programs]', () => {
    const find = (name: string, path: string, files: readonly string[], variable = 'Path'): string | undefined =>
      findProgram(name, { [variable]: path }, { platform: 'win32', isProgram: (file) => files.includes(file) });
    const git = 'C:\\Program Files\\Git\\cmd\\git.exe';
    const path = 'C:\\Windows;"C:\\Program Files\\Git\\cmd";D:\\bin';
    for (const variable of ['Path', 'PATH', 'path']) expect(find('git', path, [git], variable)).to.equal(git);
    expect(find('git.exe', path, [git])).to.equal(git);
    expect(find('git', path, ['D:\\bin\\git.com', 'D:\\bin\\git.exe'])).to.equal('D:\\bin\\git.com');
    expect(find('git', '\\\\server\\share\\bin', ['\\\\server\\share\\bin\\git.exe'])).to.match(/git\.exe$/);
    expect(find(git, '', [git])).to.equal(git);
    // They cannot be started without a shell.
    expect(find('git', path, ['C:\\Windows\\git', 'C:\\Windows\\git.cmd', 'C:\\Windows\\git.bat'])).to.equal(undefined);
    const anywhere = (name: string, entry: string): string | undefined =>
      findProgram(name, { Path: entry }, { platform: 'win32', isProgram: () => true });
    for (const entry of [
      '',
      '.',
      '..',
      ';',
      'bin',
      '.\\bin',
      '\\tools',
      '/tools',
      'C:',
      'C:bin',
      '"."',
      '" "',
      '"\\a"',
    ])
      expect(anywhere('git', entry), entry).to.equal(undefined);
    for (const name of ['.\\git', '..\\git', 'bin\\git', 'bin/git', '\\git', '/git', 'C:git'])
      expect(anywhere(name, 'C:\\Windows'), name).to.equal(undefined);
    expect(findProgram('git', {}, { platform: 'win32', isProgram: () => true })).to.equal(undefined);
  });

  it('is no browser in the home directory [A.hostile.programs]', async () => {
    const { PATH: path } = process.env;
    for (const name of ['xdg-open', 'open', 'browser']) put(`home/${name}`);
    process.env['PATH'] = `.::${at('nothing')}`;
    try {
      for (const browser of [undefined, 'browser', './browser'])
        expect(await openBrowser('http://127.0.0.1/', { browser, homeDirectory: at('home') })).to.equal(false);
      const browser = put('bin/browser');
      expect(await openBrowser('http://127.0.0.1/', { browser, homeDirectory: at('home') })).to.equal(true);
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('is listed in docs/explanation/security.md, by the code that starts it [A.hostile.programs]', () => {
    const text = readFileSync(join(repository, 'docs/explanation/security.md'), 'utf8');
    const [, section = ''] = /\n### Programs that Planner starts\n(.*?)\n## /s.exec(text) ?? [];
    const listed = [...section.matchAll(/by `(src\/[^`]+)`/g)].map(([, path]) => path);
    const starting = globSync('src/**/*.ts', { cwd: repository })
      .filter((path) => /from '[./]+platform\/programs\.ts'/.test(readFileSync(join(repository, path), 'utf8')))
      .filter((path) => !path.startsWith('src/binary/'));
    expect(listed).to.have.members(starting);
  });

  it('looks up no program in its directory on Windows [A.hostile.programs]', () => {
    expect(programEnvironment({ A: 'b' }, 'win32')).to.deep.equal({ A: 'b', NoDefaultCurrentDirectoryInExePath: '1' });
    expect(programEnvironment({ A: 'b' }, 'linux')).to.deep.equal({ A: 'b' });
  });
});
