import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('Changes at the command line', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['connect']);
    await shell.ok(['task', 'add', 'Take payments', '--description', 'Cards first.\n\nNo cash.']);
  });

  it('is listed newest first, of all records or one, and shown and taken back by the ends of ids', async () => {
    await shell.ok(['note', 'add', 'Fees']);
    await shell.ok(['note', 'set', 'fees', '--body', 'None.']);
    await shell.ok(['task', 'set', 'payments', '--description', 'Cards first.\n\nThen cash.', '--priority', 'high']);
    const log = await shell.ok(['log']);
    expect(log).to.match(
      /^\S{4} {2}\S+ \S+ {2}human:\S.*? {2}task Take payments: .*description.*\n\S.* note Fees: body\n/,
    );
    const [revision = ''] = (await shell.ok(['log', 'payments', '--limit', '1'])).split(' ');
    expect(log.startsWith(`${revision}  `)).to.equal(true);
    const shown = await shell.ok(['show', revision]);
    expect(shown)
      .to.include('task Take payments\n')
      .and.include('priority: none → high\n')
      .and.match(/description:\n@@.*@@\n Cards first\.\n \n-No cash\.\n\+Then cash\./)
      .and.not.include('No newline');
    expect(await shell.ok(['show', 'payments'])).to.include('Then cash.');
    expect(await shell.ok(['show', 'fees'])).to.equal('None.\n');
    expect(await shell.ok(['show', 'General'])).to.match(/^name +General$/m);
    expect(await shell.ok(['restore', revision])).to.include('Restored: the task Take payments, as it was before');
    expect((await shell.json(['task', 'payments'])).task).to.include({ priority: null });
    expect(await shell.ok(['log', '--author', 'agent'])).to.equal('No changes.\n');
    expect(await shell.refused(1, ['show', 'no such'])).to.include('There is no record "no such"');
  });

  it('is taken back and done again by undo, the last one or one of the events [D13.undo, D13.undo-people]', async () => {
    const status = async (): Promise<string> => (await shell.json(['task', 'payments'])).task.status as string;
    await shell.ok(['task', 'set', 'payments', '--status', 'backlog', '--priority', 'high']);
    await shell.ok(['note', 'add', 'Fees']);
    const { events } = await shell.json(['events', '--types', 'task']);
    const { cursor } = (events as { cursor: string }[]).at(-1)!;
    const taken = await shell.ok(['undo']);
    expect(taken).to.match(
      /^Taken back: note Fees, created\nIt was changed by human:\S.* planner undo \S+ redoes it\.\n$/,
    );
    expect((await shell.json(['note'])).notes).to.deep.equal([]);
    await shell.ok(['undo', /undo (\S+) redoes/.exec(taken)![1]!]);
    expect((await shell.json(['note'])).notes).to.have.length(1);
    expect(await shell.ok(['undo', cursor])).to.match(/^Taken back: .*status.* of task Take payments\n/);
    expect(await status()).to.equal('todo');
    const { undone } = await shell.json(['undo']);
    expect(undone.changes).to.have.length(1);
    expect(await status()).to.equal('backlog');
    await shell.ok(['task', 'set', 'payments', '--status', 'done']);
    expect(await shell.refused(1, ['undo', cursor])).to.match(
      /human:\S.* changed status of task "Take payments" since/,
    );
    expect(await shell.refused(2, ['undo', '4n0c'])).to.include('"4n0c" names no change that is still kept');
  });

  it('is brought back if it was deleted, by name, with everything that was deleted with it', async () => {
    await shell.ok(['comment', 'payments', 'Which cards?']);
    await shell.ok(['task', 'rm', 'payments']);
    await shell.ok(['task', 'set', (await shell.json(['task', 'add', 'Sow', '--tag', 'till'])).task.id, '--due', '']);
    await shell.ok(['tag', 'rm', 'till']);
    expect(await shell.ok(['log', '--limit', '3'])).to.include('task Take payments: deleted');
    const trash = (await shell.ok(['trash'])).trimEnd().split('\n');
    expect(trash).to.have.length(2);
    expect(trash[0]).to.match(/^\S{4} {2}.* {2}tag {2}till {2}\(by human:/);
    expect(await shell.ok(['restore', 'pay'])).to.equal('Restored: the task Take payments.\n');
    expect(await shell.ok(['comment', 'payments'])).to.include('Which cards?');
    expect(await shell.ok(['restore', trash[0]!.split(' ')[0]!])).to.equal('Restored: the tag till.\n');
    expect((await shell.json(['task', 'list', '--tag', 'till'])).tasks).to.have.length(1);
    expect(await shell.ok(['trash'])).to.match(/^The trash is empty\.\n.* is in planner log: planner restore /);
    expect(await shell.refused(1, ['restore', 'pay']))
      .to.include('planner trash lists what was deleted')
      .and.include('is in planner log: planner restore');
  });

  it('include the deletion of a project, which doctor and the trash list, and which is restored', async () => {
    const { projects } = await shell.json(['projects']);
    const { id, name } = projects[0];
    const service = await TestService.start({ directory: shell.directory });
    try {
      expect((await service.rest.delete(`/projects/${id}`)).status).to.equal(204);
    } finally {
      await service.stop();
    }
    expect((await shell.run(['doctor'])).output).to.include(`planner restore ${id}`);
    expect(await shell.refused(1, ['task', 'list'])).to.include('planner trash');
    expect(await shell.ok(['trash'])).to.match(new RegExp(`^\\S{4} {2}\\S+ \\S+ {2}project {2}${name}\n$`));
    expect(await shell.ok(['restore', name]))
      .to.include(`Restored: the project ${name}.`)
      .and.include('planner connect');
    expect(await shell.ok(['task', 'list'])).to.include('Take payments');
    expect(await shell.ok(['trash'])).to.include('The trash is empty.\n');
  });

  it('is in git if it was the directory of the project, of which the trash says so', async () => {
    initRepository(shell.directory);
    git(shell.directory, 'add', '.');
    git(shell.directory, 'commit', '-qm', 'Plan');
    rmSync(join(shell.directory, '.planner/projects'), { recursive: true });
    const way = 'git checkout -- .planner/projects';
    expect(await shell.refused(1, ['task', 'list'])).to.include(way);
    expect(await shell.ok(['trash']))
      .to.include('The trash is empty.')
      .and.include(way);
    expect(await shell.refused(1, ['restore', 'pay'])).to.include(way);
    expect((await shell.run(['doctor'])).output).to.include(way);
    git(shell.directory, ...way.split(' ').slice(1));
    expect(await shell.ok(['task', 'list'])).to.include('Take payments');
  });
});
