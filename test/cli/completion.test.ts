import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../../src/cli/program.ts';
import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';
import { leavesOf } from '../../src/reference/commands.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner completion', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  /** The completions of bash itself for lines; the last word of each is being typed. */
  async function offered(lines: readonly string[]): Promise<string[][]> {
    const shell = new Shell(scratch.path);
    const script = join(scratch.path, 'completion');
    writeFileSync(script, await shell.ok(['completion', 'bash']));
    const ask = `source "$1"; complete -p planner >/dev/null || exit 1; shift
for line in "$@"; do
  IFS=' ' read -ra COMP_WORDS <<< "$line"; [ "\${line: -1}" = ' ' ] && COMP_WORDS+=('')
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); COMPREPLY=(); _planner; echo "\${COMPREPLY[*]}"
done`;
    const output = execFileSync('bash', ['--norc', '-c', ask, 'bash', script, ...lines], { encoding: 'utf8' });
    return output
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' ').filter((word) => word !== ''));
  }

  it('offers the declared commands and options in bash, and nothing for the value of an option', async () => {
    const declared = await program({ version: '0' } as ProgramDeps);
    const visible = declared
      .createHelp()
      .visibleCommands(declared)
      .map((command) => command.name());
    const [all, task, part, options, value, behind] = await offered([
      'planner ',
      'planner task ',
      'planner ta',
      'planner task list --st',
      'planner task list --status ',
      'planner --root here task set x --add',
    ]);
    expect(all).to.include.members(visible).and.not.include('merge-driver');
    expect(task).to.include.members(['list', 'add', 'set', '--help']);
    expect(part).to.include('task').and.not.include('init');
    expect([options, value, behind]).to.deep.equal([['--status'], [], ['--add-tag']]);
    const script = await new Shell(scratch.path).ok(['completion', 'bash']);
    for (const { name, command } of leavesOf(declared).filter((leaf) => leaf.name !== 'merge-driver')) {
      const words = new RegExp(`'${name}'\\) words='([^']*)'`).exec(script)?.[1]?.split(' ');
      expect(words, name).to.include.members(command.options.map(({ long }) => long));
    }
  });

  it('prints scripts for zsh and fish with the same words, and names the shells that it knows', async () => {
    const shell = new Shell(scratch.path);
    expect(await shell.ok(['completion', 'zsh'])).to.match(/^#compdef planner\n[^]*'task list'\) words='[^']*--status/);
    const fish = await shell.ok(['completion', 'fish']);
    expect(fish).to.include("complete -c planner -n '__fish_use_subcommand' -f -a task -d '");
    expect(fish).to.match(/__fish_seen_subcommand_from task; and __fish_seen_subcommand_from list' -l status -r -d '/);
    expect(await shell.refused(2, ['completion', 'csh'])).to.include('bash, zsh, fish');
  });
});
