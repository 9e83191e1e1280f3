import { expect } from 'chai';
import { boardLines } from '../../src/cli/records/board-lines.ts';
import { rendered } from '../../src/cli/terminal/style.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner board', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  it('shows tasks in columns by status, cards by priority, within 80 columns, and all of them as JSON', async () => {
    const shell = new Shell(scratch.path);
    await shell.ok(['connect']);
    expect(await shell.ok(['board'])).to.equal('No tasks.\n');
    for (const [label, ...options] of [
      ['Low', '--priority', 'low'],
      ['Take payments with every card that people have', '--priority', 'urgent', '--due', '2027-01-31'],
      ['Idea', '--status', 'backlog'],
      ['Raw', '--status', 'scope'],
      ['Now', '--status', 'in_progress', '--assignee', 'Grace'],
    ] as const)
      await shell.ok(['task', 'add', label, ...options]);
    for (let at = 0; at < 10; at++) await shell.ok(['task', 'add', `Done ${at}`, '--status', 'done']);
    const board = await shell.ok(['board']);
    const lines = board.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).to.be.at.most(80);
    expect(lines[0]).to.match(/^Backlog \(1\) +Scope \(1\) +To do \(2\)$/);
    expect(board).to.include('In progress (1)').and.include('@Grace').and.include('urgent 2027-01-31');
    expect(board.indexOf('Take payments')).to.be.lessThan(board.indexOf(' Low'));
    expect(board).to.include('Done (10)').and.include('2 more (--all)');
    expect(await shell.ok(['board', '--all'])).not.to.include('more');
    const { columns } = await shell.json(['board']);
    expect(
      columns.map(({ status, tasks }: { status: string; tasks: unknown[] }) => [status, tasks.length]),
    ).to.deep.equal([
      ['backlog', 1],
      ['scope', 1],
      ['todo', 2],
      ['in_progress', 1],
      ['done', 10],
    ]);
  });

  it('is in the order in which planner task move puts tasks, and so are the list and next [A.rank.cli]', async () => {
    const shell = new Shell(scratch.path);
    await shell.ok(['connect']);
    for (const label of ['Ant', 'Bee', 'Cat', 'Dog']) await shell.ok(['task', 'add', label]);
    expect(await shell.ok(['task', 'move', 'Dog', 'Ant', '--first'])).to.match(/Dog\n.*Ant\n$/);
    await shell.ok(['task', 'move', 'Cat', '--above', 'Bee']);
    expect(await shell.ok(['log'])).to.match(/^ +\S+ \S+ {2}human:\S.* {2}task Cat: moved\n.* {2}task Dog: moved\n$/);
    expect(await shell.ok(['log', 'Bee'])).to.not.include('moved');
    const { tasks } = await shell.json(['task', 'list', '--sort', 'rank']);
    expect((tasks as { label: string }[]).map(({ label }) => label)).to.deep.equal(['Dog', 'Ant', 'Cat', 'Bee']);
    expect(await shell.ok(['board'])).to.match(/Dog[^]*Ant[^]*Cat[^]*Bee/);
    expect((await shell.json(['next'])).next.next_task.label).to.equal('Dog');
    expect(await shell.refused(2, ['task', 'move', 'Cat', '--first', '--last'])).to.include('Name one place');
  });

  it('puts as many columns side by side as fit, breaks long words and counts wide letters twice', () => {
    const column = (title: string): Parameters<typeof boardLines>[0][number] => ({
      title,
      cards: [
        {
          title: 'x1y2 漢字漢字漢字漢字漢字漢字 wordthatistoolongforthiscolumn and more and more words',
          beside: 'high',
        },
      ],
      more: 0,
    });
    const columns = ['A', 'B', 'C', 'D', 'E'].map(column);
    const drawn = (of: typeof columns, width: number): readonly string[] =>
      boardLines(of, width).map((line) => rendered(line, false));
    const heads = (width: number): string[] =>
      drawn(columns, width)
        .filter((line) => /^[A-E]/.test(line))
        .map((line) => line.replaceAll(' ', ''));
    expect(heads(160)).to.deep.equal(['ABCDE']);
    expect(heads(80)).to.deep.equal(['ABC', 'DE']);
    expect(heads(40)).to.deep.equal(['AB', 'CD', 'E']);
    expect(heads(10)).to.deep.equal(['A', 'B', 'C', 'D', 'E']);
    const wide = drawn(columns.slice(0, 1), 20);
    expect(wide.find((line) => line.includes('漢'))).to.equal('漢字漢字漢字漢字漢字');
    expect(wide.at(-1)).to.equal('  high');
    expect(wide.some((line) => line.endsWith('…'))).to.equal(true);
    expect(boardLines([], 80)).to.deep.equal([]);
  });
});
