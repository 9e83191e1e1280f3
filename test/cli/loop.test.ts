import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('The working loop at the command line', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['connect']);
  });

  it('takes the first task of all active goals by priority, due date and age, and names its goal', async () => {
    for (const name of ['Cook mode', 'Sharing']) await shell.ok(['goal', 'add', name, '--sign-off']);
    await shell.ok(['task', 'add', 'Timers', '--goal', 'cook']);
    await shell.ok(['task', 'add', 'Links', '--goal', 'sharing', '--priority', 'high', '--due', '2027-03-01']);
    await shell.ok(['task', 'add', 'Mails', '--goal', 'cook', '--priority', 'high', '--due', '2027-02-01']);
    await shell.ok(['task', 'add', 'Later', '--goal', 'cook', '--priority', 'urgent', '--after', 'timers']);
    expect(await shell.ok(['next']))
      .to.include('Mails')
      .and.include('Of the goal "Cook mode"');
    const claimed: string[] = [];
    for (let at = 0; at < 3; at++) claimed.push((await shell.json(['claim', '--as', 'ann'])).task.label as string);
    expect(claimed).to.deep.equal(['Mails', 'Links', 'Timers']);
    const none = await shell.run(['claim', '--as', 'ann', '--json']);
    expect(JSON.parse(none.output).next).to.deep.include({ reason: 'all_blocked', blocked_total: 1 });
  });

  it('says why a task cannot be claimed, and refuses to finish tasks of others and waiting ones', async () => {
    await shell.ok(['task', 'add', 'Dig']);
    await shell.ok(['task', 'add', 'Sow', '--after', 'dig']);
    expect((await shell.run(['claim', 'sow'])).output).to.include('waits for Dig (todo)');
    expect(await shell.refused(1, ['done', 'sow'])).to.include('Sow waits for Dig (todo)');
    await shell.ok(['start', 'dig', '--as', 'bob']);
    expect((await shell.run(['start', 'dig', '--as', 'ann'])).output).to.include('bob has it');
    expect(await shell.refused(1, ['done', 'dig', '--as', 'ann'])).to.include('bob has it');
    expect(await shell.refused(1, ['release', 'dig', '--as', 'ann'])).to.include('bob has it');
    await shell.ok(['release', 'dig', '--as', 'bob']);
    const { task } = await shell.json(['task', 'show', 'dig']);
    expect([task.status, task.assignee]).to.deep.equal(['todo', null]);
    expect(await shell.refused(1, ['release', 'dig'])).to.include('is todo');
    expect((await shell.run(['done', 'dig', 'sow', '--json'])).code).to.equal(0);
    expect((await shell.run(['claim', 'dig'])).output).to.include('its status is done');
    await shell.ok(['task', 'add', 'Pick', '--after', 'sow']);
    await shell.ok(['task', 'add', 'Eat', '--after', 'pick']);
    expect(await shell.ok(['done', 'eat', '--force'])).to.include('is done: Eat');
  });

  it('shows the current work, and reviews finished work', async () => {
    expect(await shell.ok(['status'])).to.include('Nothing is in progress');
    for (const label of ['Dig', 'Sow']) await shell.ok(['task', 'add', label]);
    await shell.ok(['task', 'add', 'Idea', '--status', 'scope']);
    await shell.ok(['done', 'dig', 'sow']);
    await shell.ok(['task', 'add', 'Pick']);
    await shell.ok(['start', 'pick', '--as', 'ann']);
    const status = await shell.json(['status']);
    const labels = (list: { label: string }[]): string[] => list.map(({ label }) => label);
    expect(labels(status.in_progress)).to.deep.equal(['Pick']);
    expect(labels(status.to_review)).to.deep.equal(['Dig', 'Sow']);
    expect(await shell.ok(['inbox']))
      .to.include('Idea')
      .and.not.include('Pick');
    await shell.ok(['approve', 'dig', '--ref', 'run 7']);
    await shell.refused(2, ['send-back', 'sow']);
    expect(await shell.refused(1, ['approve', 'pick'])).to.include('only a task that is done');
    await shell.ok(['send-back', 'sow', '--because', 'Too deep.']);
    expect(await shell.ok(['task', 'show', 'sow'])).to.match(/todo[^]*\*\*Sent back:\*\* Too deep\./);
    expect(await shell.ok(['review'])).to.include('Nothing waits for review.');
  });

  it('answers a run that asks, where its agent reads it', async () => {
    await shell.ok(['task', 'add', 'Prices']);
    await shell.ok(['start', 'prices', '--as', 'robo']);
    const start = JSON.stringify({ label: 'Nightly', agent_ref: 'robo' });
    const { run } = await shell.json(['call', 'start_agent_run', start]);
    const question = JSON.stringify({ run_id: run.id, message: 'Euros or dollars?' });
    await shell.ok(['call', 'record_agent_progress', question]);
    expect(await shell.ok(['review'])).to.include('Nightly: Euros or dollars?');
    expect(await shell.ok(['status'])).to.include('Waiting for an answer (1)');
    expect(await shell.ok(['answer', 'nightly', 'Euros.'])).to.include('commented on Prices');
    expect(await shell.ok(['task', 'show', 'prices'])).to.include('**Answer:** Euros.');
    expect(await shell.ok(['review'])).to.include('Nothing waits for review.');
    await shell.refused(1, ['answer', 'nightly', 'Again.']);
    const asks = { run_id: run.id, awaiting: { question: 'Which tax', choices: ['7 %', '19 %'] } };
    await shell.ok(['call', 'update_agent_run', JSON.stringify(asks)]);
    expect(await shell.ok(['review'])).to.include('Nightly: Which tax (7 % / 19 %)');
    await shell.ok(['answer', 'nightly', '7 %']);
    await shell.ok(['events', '--types', 'run.asks,run.answered', '--exec', 'cat >> said']);
    const said = readFileSync(join(shell.directory, 'said'), 'utf8').replaceAll('}{', '}\n{').trim().split('\n');
    expect(said.map((line) => (JSON.parse(line) as { changes: object[] }).changes[1])).to.deep.equal([
      ...[undefined, { field: 'answer', to: 'Euros.' }],
      ...[
        { field: 'choices', to: ['7 %', '19 %'] },
        { field: 'answer', to: '7 %' },
      ],
    ]);
  });
});
