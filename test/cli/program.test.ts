import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../../src/cli/program.ts';
import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';
import { leavesOf } from '../../src/reference/commands.ts';
import type { Leaf } from '../../src/reference/commands.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';
import { Shell, shellTestMs } from './planner.ts';

/** The program as it is declared; nothing of it is run. */
const declared = await program({ version: '0' } as ProgramDeps);

const leaves = leavesOf(declared);
const common = ['--root', '--own', '--database', '--json', '--quiet', '--no-color'];
const ownOptions = ({ command }: Leaf): string[] =>
  command.options
    .map(({ flags }) => flags.replace(/^-\w, /, ''))
    .filter((flags) => !common.includes(flags.split(' ')[0]!));

describe('The command line', function () {
  this.timeout(shellTestMs);
  it('takes --root, --json and the other common options after every command, and before it [D11.json]', async () => {
    for (const { name, command } of leaves) {
      const flags = command.options.map(({ long }) => long);
      expect(flags, name).to.include.members(common);
    }
    expect(declared.options.map(({ long }) => long)).to.include.members(common);
  });

  it('has help with examples for every command', async () => {
    const help: string[] = [];
    for (const { name, command } of leaves) {
      help.length = 0;
      command.configureOutput({ writeOut: (text) => help.push(text) });
      command.outputHelp();
      expect(help.join(''), name).to.match(/Examples:\n {2}\$ planner /);
      expect(command.description(), name).to.match(/^[a-z]+ .+/);
    }
  });

  it('matches the documentation, command by command and option by option', () => {
    const reference = readFileSync(join(repository, 'docs/reference/commands.md'), 'utf8');
    const rows = [...reference.matchAll(/^## `planner (.+)`\n([^]*?)(?=^##? )/gm)].map(([, usage, section = '']) => ({
      usage,
      options: [...section.matchAll(/^\| `(?:-\w, )?([^`]+)`/gm)].map(([, flags]) => flags),
    }));
    expect(rows).to.deep.equal(leaves.map((leaf) => ({ usage: leaf.usage, options: ownOptions(leaf) })));
  });
});

describe('The planner program', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(() => {
    shell = new Shell(scratch.path);
  });

  it('prints its help without arguments, and its version', async () => {
    const { code, output } = await shell.run([]);
    expect(code).to.equal(0);
    expect(output).to.include('Usage: planner').and.include('Exit codes: 0 success, 1 failure');
    expect(await shell.ok(['--help'])).to.equal(output);
    expect(await shell.ok(['--version'])).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it('exits 2 if the command line is invalid and 1 if the command fails', async () => {
    for (const argv of [
      ['nothing'],
      ['next', '--nothing'],
      ['done'],
      ['serve', '--port', 'web'],
      ['task', 'nothing', 'more'],
    ]) {
      expect((await shell.run(argv)).code, argv.join(' ')).to.equal(2);
    }
    expect(await shell.refused(1, ['next']))
      .to.include('There is no .planner in')
      .and.include('planner init');
    expect(await shell.refused(1, ['next', '--root', scratch.path])).to.include(`at ${join(scratch.path, '.planner')}`);
  });

  it('prints JSON on its output and errors as JSON on its error output with --json [D11.json]', async () => {
    const { code, output, errors } = await shell.run(['--json', 'next']);
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    expect(JSON.parse(errors)).to.include({ error: 'not_found' });
    for (const argv of [['done'], ['next', '--nothing'], ['nothing']]) {
      const usage = await shell.run([...argv, '--json']);
      expect(usage.code).to.equal(2);
      expect(JSON.parse(usage.errors)).to.include({ error: 'invalid_argument' });
    }
    await shell.ok(['init']);
    expect(JSON.parse(await shell.ok(['--json', 'flush', '--root', shell.directory]))).to.deep.equal({ flushed: true });
    expect(JSON.parse((await shell.run(['next', '--json'])).errors)).to.include({
      error: 'invalid_argument',
      field: '--project',
    });
  });

  it('says that a command does not exist, and which ones do [D11.messages]', async () => {
    await shell.ok(['connect']);
    expect(await shell.refused(1, ['task', 'lst']))
      .to.include('There is no task "lst"')
      .and.include('Nor is there a command planner task lst. There are: list, show, edit, add, set, rm, move.');
    expect(await shell.refused(1, ['task', 'show', 'lst'])).not.to.include('command');
    expect(await shell.refused(2, ['keys', 'lst'])).to.include(
      'There is no command planner keys lst. There are: list, create, revoke.',
    );
    expect(await shell.refused(2, ['keys', 'list', 'all'])).to.include('planner keys list does not take all');
    expect(await shell.refused(2, ['nothing'])).to.include("unknown command 'nothing'");
    for (const word of ['history', 'delete', 'set']) {
      const errors = await shell.refused(2, [word]);
      expect(errors, word).to.include('(It is planner ').and.not.include('Did you mean');
    }
    expect((await shell.run(['history', '--json'])).errors).to.include('It is planner log here.');
  });

  it('says how a command is used that is given too few or too many arguments, and which help there is not [D11.messages]', async () => {
    for (const argv of [
      ['dep', 'add', 'a', 'b'],
      ['dep', 'add'],
    ])
      expect(await shell.refused(2, argv)).to.include('Usage: planner dep add [options] <task>');
    expect(await shell.ok(['help', 'task', 'add'])).to.include('Usage: planner task add');
    expect(await shell.refused(2, ['help', 'nope'])).to.include("unknown command 'nope'");
  });

  it('describes a group of commands, if no command of it is named [D11.names]', async () => {
    await shell.ok(['connect']);
    const groups = declared.commands.filter(({ commands }) => commands.some((command) => command.name() === 'list'));
    expect(groups.length).to.be.at.least(9);
    for (const group of groups)
      expect(await shell.ok([group.name()]), group.name()).to.equal(await shell.ok([group.name(), 'list']));
  });

  it('shows examples only of commands that exist [D11.messages]', () => {
    const names = new Set(declared.commands.map((command) => command.name()));
    for (const { name, command } of leaves) {
      const help: string[] = [];
      command.configureOutput({ writeOut: (text) => help.push(text) });
      command.outputHelp();
      const examples = [...help.join('').matchAll(/^ {2}\$ (.+)$/gm)].map(([, line = '']) => line);
      for (const line of examples) expect(line, name).to.match(/^planner /);
      for (const line of examples)
        for (const [, called = ''] of line.matchAll(/(?:^|[|&;] *)planner ([a-z-]+)/g))
          expect([...names], line).to.include(called);
    }
  });

  it('never advises the command that was just run [D11.messages]', async () => {
    const advises = async (...argv: string[]): Promise<void> => {
      const { code, errors } = await shell.run(argv);
      expect(code, argv.join(' ')).not.to.equal(0);
      const words = argv.filter((word) => /^[a-z]+$/.test(word));
      expect(errors.toLowerCase(), argv.join(' ')).not.to.match(new RegExp(`planner ${words.join(' ')}\\b`));
    };
    await advises('next');
    await advises('connect', '--project', 'Nothing');
    await advises('login');
    await advises('login', 'http://127.0.0.1:9');
    await shell.ok(['init']);
    await advises('next');
    await advises('connect', '--create');
    await shell.ok(['call', 'create_project', '{"name": "One"}']);
    await shell.ok(['call', 'create_project', '{"name": "Two"}']);
    await advises('connect');
    await advises('call', 'list_goals');
    await advises('task', 'list');
  });
});
