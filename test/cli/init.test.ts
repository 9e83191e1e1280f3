import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner init', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(() => {
    shell = new Shell(scratch.path);
  });

  it('creates a .planner with the configuration that git needs, and reports it [D11.commands]', async () => {
    initRepository(shell.directory);
    const output = await shell.ok(['init']);
    for (const name of ['config.json', '.gitignore', '.gitattributes', 'projects'])
      expect(output).to.include(`${name}: created`);
    expect(output).to.include('There is no project yet. Next: planner connect makes one');
    const root = join(shell.directory, '.planner');
    expect(JSON.parse(readFileSync(join(root, 'config.json'), 'utf8'))).to.deep.equal({ format: 2, planner: '0.2.0' });
    writeFileSync(join(root, 'token'), 'x');
    writeFileSync(join(root, 'local/x'), 'x');
    git(shell.directory, 'add', '.');
    expect(git(shell.directory, 'diff', '--cached', '--name-only').trim().split('\n')).to.deep.equal([
      '.planner/.gitattributes',
      '.planner/.gitignore',
      '.planner/config.json',
    ]);
  });

  it('changes nothing the second time, and restores missing files', async () => {
    await shell.ok(['init']);
    expect((await shell.json(['init'])).done).to.deep.equal([]);
    await shell.ok(['call', 'create_project', '{"name": "Shop"}']);
    expect(await shell.ok(['init']))
      .to.include('binds this repository to a project')
      .and.not.include('no project yet');
    const ignore = join(shell.directory, '.planner/.gitignore');
    writeFileSync(ignore, '# mine\n');
    expect(await shell.ok(['init'])).to.include('.gitignore got token, local/');
    expect(readFileSync(ignore, 'utf8')).to.equal('# mine\ntoken\nlocal/\n');
  });

  it('creates it in the directory of --root, and mentions one above', async () => {
    await shell.ok(['init']);
    const below = join(shell.directory, 'packages/web');
    mkdirSync(below, { recursive: true });
    expect(await shell.ok(['init'], { cwd: below })).to.include(
      `${join(shell.directory, '.planner')} in a parent directory is no longer used`,
    );
    const elsewhere = join(scratch.path, 'elsewhere');
    mkdirSync(elsewhere);
    await shell.ok(['--root', elsewhere, 'init']);
    expect(existsSync(join(elsewhere, '.planner/config.json'))).to.equal(true);
  });
});
