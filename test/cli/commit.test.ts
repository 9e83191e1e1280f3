import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/cli/git/plan-message.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

describe('planner commit', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'ada@example.org'],
    ] as const)
      git(shell.directory, 'config', key, value);
    await shell.ok(['connect']);
  });
  const inGit = (...words: string[]): string => git(shell.directory, ...words);

  rarely('commits the files of the plan alone, with a message that names the changes', async () => {
    writeFileSync(join(shell.directory, 'staged'), 'x');
    inGit('add', 'staged');
    await shell.ok(['task', 'add', 'Dig']);
    inGit('config', 'user.useConfigOnly', 'true');
    inGit('config', '--unset', 'user.email');
    expect(await shell.refused(1, ['commit'])).to.include('commit-tree');
    expect(inGit('status', '--short', '--untracked-files=normal')).to.include('?? .planner/');
    inGit('config', 'user.email', 'ada@example.org');
    const first = await shell.ok(['commit']);
    expect(first).to.include('Plan: 1 task added; 1 goal added\n\nAdded: Dig');
    expect(first).to.include('git add .mcp.json AGENTS.md');
    expect(
      inGit('show', '--name-only', '--format=')
        .trim()
        .split('\n')
        .every((path) => path.startsWith('.planner/')),
    ).to.equal(true);
    expect(inGit('status', '--short', '--', '.planner', 'staged').trim()).to.equal('A  staged');
    expect(await shell.ok(['commit'])).to.include('Nothing of the plan has changed');
    await shell.ok(['done', 'Dig']);
    await shell.ok(['task', 'set', 'Dig', '--label', 'Dig deep']);
    await shell.ok(['task', 'add', 'Sow']);
    const { message, commit } = await shell.json(['commit']);
    expect(message).to.equal('Plan: 1 task done, 1 added\n\nDone: Dig deep\nAdded: Sow');
    expect(inGit('rev-parse', 'HEAD').trim()).to.equal(commit);
    expect(inGit('status', '--short', '--', '.planner', 'staged').trim()).to.equal('A  staged');
    expect(inGit('fsck', '--strict')).to.equal('');
    await shell.ok(['task', 'rm', 'sow']);
    expect(await shell.ok(['commit', '-m', 'No sowing'])).to.not.include('git add');
    expect(inGit('log', '-1', '--format=%B').trim()).to.equal('No sowing');
  });

  it('refuses in the middle of a merge, of a filtered or an ignored plan, and without a repository', async () => {
    await shell.ok(['task', 'add', 'Dig']);
    writeFileSync(join(shell.directory, '.git/MERGE_HEAD'), '');
    expect(await shell.refused(1, ['commit']))
      .to.include('in the middle of a merge')
      .and.include('planner resolve');
    rmSync(join(shell.directory, '.git/MERGE_HEAD'));
    writeFileSync(join(shell.directory, '.gitattributes'), '*.md filter=crypt\n');
    expect(await shell.refused(1, ['commit'])).to.include('has the filter crypt');
    writeFileSync(join(shell.directory, '.gitattributes'), '');
    writeFileSync(join(shell.directory, '.git/info/exclude'), '.planner\n');
    expect(await shell.refused(1, ['commit'])).to.include('git ignores');
    const outside = join(scratch.path, 'outside');
    mkdirSync(outside);
    await shell.ok(['init'], { cwd: outside });
    expect(await shell.refused(1, ['commit'], { cwd: outside })).to.include('is in no git repository');
  });

  it('counts records by the kind of their change, a renamed file as one, and keeps to a line', () => {
    const path = (kind: string, name: string): string => `projects/p/${kind}/${name}.md`;
    const text = (id: string, status: string): string => `---\nid: ${id}\nstatus: ${status}\nlabel: "L ${id}"\n---\n`;
    const files = [
      { path: path('tasks', 'old'), before: text('a', 'todo'), after: undefined },
      { path: path('tasks', 'new'), before: undefined, after: text('a', 'done') },
      { path: path('tasks', 'b'), before: text('b', 'todo'), after: text('b', 'in_progress') },
      { path: path('tasks', 'c'), before: text('c', 'done'), after: text('c', 'done') },
      { path: path('tasks', 'd'), before: text('d', 'done'), after: undefined },
      { path: path('documents', 'e'), before: 'x', after: 'y' },
      { path: 'config.json', before: '{}', after: '{ }' },
    ];
    expect(messageOf(files).split('\n')).to.deep.equal([
      'Plan: 1 task done, 1 started, 1 changed, 1 deleted; 1 document changed',
      '',
      'Done: L a',
    ]);
    expect(messageOf(files.slice(-1))).to.equal('Plan: settings changed');
    const unlabelled = [
      { path: path('tasks', 'Send the newsletter'), before: undefined, after: 'label: of the text\n' },
      { path: path('tasks', 'x'), before: undefined, after: '---\ntitle: "Of another tool"\n---\n' },
      { path: path('tasks', 'Dig.cdef'), before: '', after: '---\nid: tsk_0123456789abcdef\nstatus: done\n---\n' },
    ];
    expect(messageOf(unlabelled)).to.include('Done: Dig\nAdded: Send the newsletter\nAdded: Of another tool');
    const kinds = ['artifacts', 'documents', 'goals', 'notes', 'prototypes', 'submissions', 'views'];
    const many = kinds.map((kind) => ({ path: path(kind, 'x'), before: undefined, after: 'y' }));
    const [subject = ''] = messageOf(many).split('\n');
    expect(subject.length).to.be.at.most(72);
    expect(subject).to.match(/and more$/);
  });
});
