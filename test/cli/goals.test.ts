import { expect } from 'chai';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner goal', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['connect']);
  });

  it('lists goals with their progress, and shows all of one', async () => {
    await shell.ok(['goal', 'add', 'Cook mode', '--gate', 'npm test', '--objective', 'Hands stay clean.']);
    for (const label of ['Timers', 'Voice']) await shell.ok(['task', 'add', label, '--goal', 'cook']);
    await shell.ok(['done', 'timers']);
    expect(await shell.ok(['goal'])).to.match(/^\S{4} {2}active {4}Cook mode {2}\(1 of 2 done\)$/m);
    const shown = await shell.ok(['goal', 'show', 'COOK']);
    for (const part of ['Gate        npm test', 'Hands stay clean.', '1 of 2 done', 'Timers', 'Voice'])
      expect(shown).to.include(part);
    const { goal } = await shell.json(['goal', 'show', 'cook']);
    expect(goal.cycle_tasks).to.have.length(2);
  });

  it('makes a goal current, whose tasks next then takes, pauses and resumes it', async () => {
    for (const name of ['Cook mode', 'Sharing']) {
      await shell.ok(['goal', 'add', name, '--sign-off']);
      await shell.ok(['task', 'add', `Plan ${name}`, '--goal', name]);
    }
    await shell.ok(['goal', 'use', 'sharing']);
    expect((await shell.json(['next'])).next.next_task.label).to.equal('Plan Sharing');
    await shell.ok(['goal', 'pause', 'sharing']);
    expect(await shell.refused(1, ['goal', 'use', 'sharing'])).to.include('Only an active goal');
    expect(await shell.ok(['goal', 'list', '--status', 'paused']))
      .to.include('Sharing')
      .and.not.include('Cook mode');
    await shell.ok(['goal', 'resume', 'sharing']);
    expect(await shell.ok(['goal', 'list', '--status', 'paused'])).to.include('No goals.');
  });

  it('completes a goal on the evidence of its surface, names the missing evidence, and proposes nothing that would pass', async () => {
    await shell.ok(['goal', 'add', 'Cook mode', '--gate', 'npm test']);
    await shell.ok(['goal', 'add', 'Launch', '--checklist', 'Prices are right', '--checklist', 'Legal has read it']);
    await shell.ok(['goal', 'add', 'Logo', '--sign-off']);
    await shell.ok(['task', 'add', 'Timers', '--goal', 'cook']);
    expect(await shell.refused(1, ['goal', 'done', 'cook']))
      .to.include('npm test')
      .and.include('--exit-code <the exit code>')
      .and.not.match(/exit.code\W+0/);
    expect(await shell.refused(1, ['goal', 'done', 'cook', '--exit-code', '0'])).to.match(/Timers \(\S{4}, todo\)/);
    expect(await shell.refused(2, ['goal', 'done', 'cook', '--detail', 'ok'])).to.include('--exit-code is missing');
    await shell.ok(['done', 'timers']);
    expect(await shell.refused(1, ['goal', 'done', 'cook', '--exit-code', '0', '--command', 'true'])).to.include(
      'must be the gate',
    );
    const red = await shell.run(['goal', 'done', 'cook', '--exit-code', '1', '--detail', '2 failing']);
    expect(red.code).to.equal(1);
    expect(red.output)
      .to.include('2 failing')
      .and.match(/planner task set \S{4} --status todo, planner goal resume/);
    expect((await shell.run(['next'])).output).to.include('The goal "Cook mode" is blocked');
    expect((await shell.run(['next', '--goal', 'cook'])).output)
      .to.include('planner inbox')
      .and.not.include('resume_goal');
    await shell.ok(['goal', 'done', 'cook', '--exit-code', '0', '--detail', '4 passing']);
    expect(await shell.ok(['goal', 'show', 'cook'])).to.match(/Verified .* green[\s\S]*4 passing/);

    expect(await shell.refused(1, ['goal', 'done', 'launch'])).to.include('Legal has read it');
    expect(await shell.refused(2, ['goal', 'done', 'launch', '--check', 'read it', '--check', 'e'])).to.include(
      'can mean 2',
    );
    // A part of the evidence changes nothing: it would be red.
    expect(await shell.refused(2, ['goal', 'done', 'launch', '--check', 'prices'])).to.include(
      'Not named: "Legal has read it"',
    );
    await shell.ok(['goal', 'done', 'launch', '--check', 'prices', '--check', 'read it']);
    expect(await shell.refused(1, ['goal', 'done', 'logo'])).to.include('--sign-off <the name of the approver>');
    expect(await shell.ok(['goal', 'done', 'logo', '--sign-off', 'Grace'])).to.include('is complete');
  });

  it('takes one way of verification, and one kind of evidence', async () => {
    const ways = ['--gate', 'npm test', '--sign-off'];
    expect(await shell.refused(2, ['goal', 'add', 'Cook mode', ...ways])).to.include('one of --gate');
    await shell.ok(['goal', 'add', 'Cook mode', '--gate', 'npm test']);
    const kinds = ['--exit-code', '0', '--sign-off', 'Grace'];
    expect(await shell.refused(2, ['goal', 'done', 'cook', ...kinds])).to.include('different');
  });
});
