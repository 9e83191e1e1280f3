import { expect } from 'chai';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner dep', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['connect']);
    for (const label of ['Dig', 'Sow', 'Pick']) await shell.ok(['task', 'add', label]);
  });

  it('orders tasks by their labels, lists the order and draws it as a tree', async () => {
    expect(await shell.ok(['dep'])).to.include('No task waits');
    await shell.ok(['dep', 'add', 'sow', '--after', 'dig', '--before', 'pick']);
    await shell.ok(['dep', 'add', 'pick', '--after', 'dig']);
    expect(await shell.ok(['dep', 'list'])).to.match(
      /Pick\n {4}after \S+ {2}todo {2}Dig\n {4}after \S+ {2}todo {2}Sow/,
    );
    expect((await shell.ok(['dep', 'tree'])).replaceAll(/\b[0-9a-z]{4,}(?= {2}todo)/g, 'id')).to.equal(
      ['id  todo  Pick', '├─ id  todo  Dig', '└─ id  todo  Sow', '   └─ id  todo  Dig', ''].join('\n'),
    );
    expect(await shell.ok(['dep', 'cycles'])).to.include('No cycles.');
    await shell.refused(2, ['dep', 'add', 'sow']);
  });

  it('removes the edges that order two tasks, and keeps the ones that only relate them', async () => {
    await shell.ok(['dep', 'add', 'sow', '--after', 'dig']);
    const edge = { from_type: 'task', from_id: 'sow', to_type: 'task', to_id: 'dig' };
    for (const label of ['relates', 'depends_on'])
      await shell.ok(['call', 'create_edge', JSON.stringify({ ...edge, label })]);
    expect(await shell.refused(1, ['dep', 'rm', 'dig', '--after', 'sow'])).to.include('does not wait for "Sow"');
    expect((await shell.json(['dep', 'rm', 'sow', '--after', 'dig'])).deleted).to.have.length(2);
    expect(await shell.ok(['dep', 'list'])).to.include('No task waits');
    const { edges } = await shell.json(['call', 'list_edges']);
    expect(edges.map(({ label }: { label: string }) => label)).to.deep.equal(['relates']);
  });

  it('names the tasks of a cycle when it is closed, in the problems and where it prevents work', async () => {
    await shell.ok(['dep', 'add', 'sow', '--after', 'dig']);
    const shown = /"Dig" → "Sow" → "Dig"|"Sow" → "Dig" → "Sow"/;
    expect(await shell.ok(['dep', 'add', 'dig', '--after', 'sow'])).to.match(shown);
    const cycles = await shell.run(['dep', 'cycles']);
    expect(cycles.code).to.equal(1);
    expect(cycles.output).to.include('Dig').and.include('Sow').and.not.include('Pick');
    const doctor = await shell.run(['doctor']);
    expect(doctor.code).to.equal(1);
    expect(doctor.output).to.include('dependency_cycle').and.match(shown);
    expect(await shell.refused(1, ['call', 'invoke_goal', '{"goal_id": "general"}'])).to.match(shown);
    expect(await shell.ok(['task', 'add', 'Water', '--after', 'sow', '--before', 'dig'])).to.include('closes a cycle');
    await shell.ok(['task', 'rm', 'water']);
    await shell.ok(['done', 'dig', '--force']);
    expect(await shell.ok(['doctor'])).to.include('No problems');
  });
});
