import { expect } from 'chai';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('Records at the command line', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  const ids: Record<string, string> = {};

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['connect']);
    for (const label of ['Voice: next and back', 'Voice: timers', 'Take payments'])
      ids[label] = (await shell.json(['task', 'add', label])).task.id as string;
  });

  const labelOf = async (name: string): Promise<string> =>
    (await shell.json(['task', 'show', name])).task.label as string;

  it('are listed by the end of their ids, which every command takes [D11.names]', async () => {
    const rows = (await shell.ok(['task', 'list'])).trim().split('\n');
    expect(rows).to.have.length(3);
    for (const row of rows) {
      const [short = ''] = row.split(' ');
      expect(short).to.match(/^[0-9a-z]{4,10}$/);
      expect(row).to.include(await labelOf(short));
    }
  });

  it('are meant by a part of their label, in any letter case, and whole labels precede parts [D11.names]', async () => {
    expect(await labelOf('timers')).to.equal('Voice: timers');
    expect(await labelOf('PAYMENTS')).to.equal('Take payments');
    const { task } = await shell.json(['task', 'add', 'Timers']);
    expect((await shell.json(['task', 'show', 'timers'])).task.id).to.equal(task.id);
    await shell.ok(['task', 'rm', 'Timers']);
    // An artifact that is named after a task is not meant by a part of both names.
    await shell.ok(['artifact', 'add', 'Gate of Take payments', '--content', 'Green']);
    const targetOf = async (part: string): Promise<string> =>
      (await shell.json(['comment', part, 'Whole sums'])).comment.target_type as string;
    expect([await targetOf('payments'), await targetOf('gate of')]).to.deep.equal(['task', 'artifact']);
  });

  it('are listed if a part means several, and proposed if a name is misspelled [D11.names]', async () => {
    expect(await shell.refused(1, ['task', 'show', 'voice']))
      .to.include('can mean 2 records')
      .and.include(ids['Voice: timers'])
      .and.include('Voice: next and back');
    expect(await shell.refused(1, ['task', 'show', 'Take pamyents'])).to.include('Did you mean "Take payments"?');
    expect(await shell.refused(1, ['task', 'show', 'qqqq']))
      .to.include('There are "Voice: next and back", "Voice: timers", "Take payments".')
      .and.not.include('Did you mean');
    expect(await shell.refused(1, ['note', 'show', 'qqqq'])).to.match(
      /There is no note yet\. planner note add <title> adds one\.$/m,
    );
    expect(await shell.ok(['task', 'add', 'Take payments'])).to.include(
      `Note: ${ids['Take payments']} has the same label`,
    );
    expect(await shell.ok(['task', 'add', 'Take'])).not.to.include('Note');
    await shell.ok(['task', 'set', 'timers', '--add-tag', 'math']);
    for (const command of [['task', 'list'], ['next']])
      expect(await shell.refused(1, [...command, '--tag', 'mtah'])).to.include('Did you mean "math"?');
  });
});

describe('planner task', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['connect']);
  });

  const labels = async (...options: string[]): Promise<string[]> =>
    (await shell.json(['task', 'list', ...options])).tasks.map(({ label }: { label: string }) => label);

  it('puts a new task after and before others, and makes no task if one of them does not exist', async () => {
    await shell.ok(['task', 'add', 'Dig']);
    await shell.ok(['task', 'add', 'Pick']);
    expect(await shell.ok(['task', 'add', 'Sow', '--after', 'dig', '--before', 'pick'])).to.include('blocked');
    expect(await labels('--ready')).to.deep.equal(['Dig']);
    expect(await labels('--blocked')).to.have.members(['Sow', 'Pick']);
    const shown = await shell.ok(['task', 'show', 'sow']);
    expect(shown)
      .to.match(/Waits for {3}\S{4} {2}Dig {2}\(todo\)/)
      .and.to.match(/Before {6}\S{4} {2}Pick {2}\(todo\)/);
    await shell.ok(['done', 'dig']);
    expect(await shell.ok(['task', 'show', 'dig'])).to.match(/Before {6}\S{4} {2}Sow {2}\(todo\)/);
    expect(await shell.ok(['task', 'show', 'sow'])).to.match(/After {7}\S{4} {2}Dig {2}\(done\)/);
    await shell.refused(1, ['task', 'add', 'Water', '--after', 'nothing like it']);
    expect(await labels()).not.to.include('Water');
  });

  it('lists tasks in the order in which they matter, or as --sort says, and those with words in them', async () => {
    for (const [label, ...options] of [
      ['Later', '--status', 'backlog'],
      ['Low', '--priority', 'low', '--due', '1 Jan 2027'],
      ['Urgent', '--priority', 'urgent', '--description', 'The fence fell.'],
      ['Mine', '--assignee', 'Grace'],
    ] as const)
      await shell.ok(['task', 'add', label, ...options]);
    await shell.ok(['done', 'Mine', '--as', 'Grace']);
    expect(await labels()).to.deep.equal(['Urgent', 'Low', 'Later', 'Mine']);
    expect(await labels('--sort', 'due')).to.deep.equal(['Low', 'Urgent', 'Later', 'Mine']);
    expect(await labels('--sort', 'label')).to.deep.equal(['Later', 'Low', 'Mine', 'Urgent']);
    expect(await labels('--search', 'fence')).to.deep.equal(['Urgent']);
    expect(await labels('--assignee', 'Grace')).to.deep.equal(['Mine']);
    expect(await shell.ok(['task', 'list', '--assignee', 'Garce'])).to.equal('No tasks. Tasks here are of "Grace".\n');
    expect(await shell.refused(2, ['task', 'list', '--sort', 'size'])).to.include('status, priority, due');
  });

  it('changes several tasks in one call, adds and takes away tags, and changes none if one does not exist', async () => {
    await shell.ok(['task', 'add', 'Dig', '--tag', 'soil']);
    await shell.ok(['task', 'add', 'Sow']);
    const { tasks } = await shell.json(['task', 'set', 'dig', 'sow', '--add-tag', 'spring', '--priority', 'high']);
    expect(tasks.map(({ tags }: { tags: { name: string }[] }) => tags.map(({ name }) => name))).to.deep.equal([
      ['soil', 'spring'],
      ['spring'],
    ]);
    const { task } = await shell.json(['task', 'set', 'dig', '--remove-tag', 'soil']);
    expect(task.tags.map(({ name }: { name: string }) => name)).to.deep.equal(['spring']);
    expect(await shell.refused(2, ['task', 'set', 'dig', '--remove-tag', 'soil'])).to.include('its tags are spring');
    await shell.refused(1, ['task', 'set', 'dig', 'no such task', '--priority', 'low']);
    expect((await shell.json(['task', 'show', 'dig'])).task.priority).to.equal('high');
    expect(await shell.ok(['task', 'rm', 'dig', 'sow'])).to.include('Deleted: Dig');
    expect(await labels()).to.deep.equal([]);
  });

  it('shows all of a task: its goal, text, comments and last changes', async () => {
    const { task } = await shell.json(['task', 'add', 'Dig', '--description', 'Deep.']);
    const body = 'How **deep**?';
    await shell.ok(['call', 'add_comment', JSON.stringify({ target_type: 'task', target_id: task.id, body })]);
    await shell.ok(['task', 'set', 'dig', '--due', '2027-01-31']);
    const shown = await shell.ok(['task', 'dig']);
    for (const part of [task.id, 'Goal        General', 'due 2027-01-31', 'Deep.', body, 'due_date'])
      expect(shown).to.include(part);
  });
});
