import { expect } from 'chai';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('Other records than tasks at the command line', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['connect']);
    await shell.ok(['task', 'add', 'Take payments', '--description', 'Cards first.']);
  });

  it('have comments, from an argument or standard input, which are listed as they were written', async () => {
    expect(await shell.ok(['comment', 'payments', 'Which **cards**?'])).to.include('Commented on Take payments.');
    await shell.ok(['comment', 'payments', '-'], { input: 'All of them.\n' });
    const listed = await shell.ok(['comment', 'payments']);
    expect(listed).to.match(/Which \*\*cards\*\*\?\n.*\n {4}All of them\./);
    const [{ id }] = (await shell.json(['comment', 'payments'])).comments;
    await shell.ok(['call', 'resolve_comment', JSON.stringify({ comment_id: id })]);
    expect(await shell.ok(['comment', 'payments'])).not.to.include('cards');
    expect(await shell.ok(['comment', 'payments', '--all']))
      .to.include('cards')
      .and.include('(resolved)');
    expect(await shell.refused(1, ['comment', 'General', 'No'])).to.include('task or document or note or artifact');
  });

  it('are listed, shown, added, changed and deleted by parts of their titles: notes, documents and artifacts', async () => {
    await shell.ok(['note', 'add', 'Ask the bank', '--body', '-'], { input: '# Fees\n' });
    expect(await shell.ok(['note', 'list'])).to.match(/^[0-9a-z]{4} {2}Ask the bank\n$/);
    expect(await shell.ok(['note', 'bank'])).to.equal('# Fees\n');
    await shell.ok(['note', 'set', 'bank', '--title', 'Asked', '--body', 'Done.']);
    expect(await shell.ok(['note', 'show', 'asked'])).to.equal('Done.\n');
    expect(await shell.refused(2, ['note', 'set', 'asked'])).to.include('--title or --body');
    await shell.ok(['artifact', 'add', 'Flow', '--kind', 'html', '--content', '<p>Pay</p>']);
    expect(await shell.ok(['artifact', 'list'])).to.match(/^[0-9a-z]{4} {2}Flow {2}\(html\)\n$/);
    expect(await shell.ok(['artifact', 'flow'])).to.equal('<p>Pay</p>\n');
    await shell.ok(['doc', 'add', 'Decision 7', '--body', 'Cards.']);
    const [short = ''] = (await shell.ok(['doc', 'list'])).split(' ');
    expect(await shell.ok(['doc', short])).to.equal('Cards.\n');
    await shell.refused(1, ['doc', 'rm', 'decision', 'no such']);
    for (const group of ['note', 'artifact', 'doc']) {
      const [row = ''] = (await shell.ok([group, 'list'])).split(' ');
      expect(await shell.ok([group, 'rm', row])).to.include('Deleted: ');
      expect(await shell.ok([group, 'list'])).to.match(/^No .*s\.\n$/);
    }
  });

  it('have tags that are added, renamed and deleted, and proposed if a name is misspelled', async () => {
    await shell.ok(['task', 'set', 'payments', '--add-tag', 'checkout']);
    expect(await shell.ok(['tag', 'add', 'spring', '--color', '#00ff00'])).to.equal('spring  #00ff00\n');
    expect(await shell.ok(['tag', 'rename', 'checkout', 'till'])).to.equal('till\n');
    expect(await shell.ok(['tag'])).to.equal('spring  #00ff00\ntill\n');
    expect(await shell.ok(['task', 'list', '--tag', 'till'])).to.include('Take payments');
    expect(await shell.refused(1, ['tag', 'rm', 'sprign', 'till'])).to.include('Did you mean "spring"?');
    expect(await shell.ok(['tag', 'rm', 'spring', 'till'])).to.include('Deleted: till');
    expect(await shell.ok(['tag', 'list'])).to.equal('No tags.\n');
  });

  it('have files, which a comment shows, and links that are listed and revoked by their ends', async () => {
    writeFileSync(join(shell.directory, 'till.png'), Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64'));
    writeFileSync(join(shell.directory, 'prices.csv'), 'a,b\n');
    expect(await shell.ok(['attach', 'till.png', '--to', 'payments'])).to.match(
      /!\[till\.png\]\(\/api\/v1\/files\/fil_/,
    );
    expect(await shell.ok(['comment', 'payments'])).to.include('![till.png](');
    expect(await shell.ok(['attach', 'prices.csv'])).to.match(/^fil_\w+\n\[prices\.csv\]\(/);
    expect(await shell.refused(1, ['attach', 'no.png'])).to.include('There is no file');
    expect(await shell.refused(1, ['attach', '.'])).to.include('name the file itself');
    const link = await shell.json(['share', 'create', 'payments', '--expires', '2d']);
    expect(link.url).to.include('/s/');
    const [short = ''] = (await shell.ok(['share'])).split(' ');
    expect(link.id).to.match(new RegExp(`.${short}$`));
    await shell.ok(['share', 'revoke', short]);
    expect(await shell.ok(['share'])).to.include('revoked');
  });

  it('come from standard input and go to standard output for a dash: tasks, exports and imports', async () => {
    await shell.ok(['task', 'add', '-', '--priority', 'high'], { input: 'Sow\n\nIn rows.\nDeep.\n' });
    const { task } = await shell.json(['task', 'sow']);
    expect(task).to.include({ label: 'Sow', description: 'In rows.\nDeep.', priority: 'high' });
    const twice = ['task', 'add', '-', '--description', 'Rows'];
    expect(await shell.refused(2, twice, { input: 'Sow' })).to.include('omit --description');
    const exported = await shell.ok(['export', '-o', '-']);
    expect(readdirSync(shell.directory)).not.to.include('-');
    const { project } = await shell.json(['import', '-'], { input: exported });
    expect(await shell.ok(['task', 'list', '--project', project.id]))
      .to.include('Take payments')
      .and.include('Sow');
    const checklist = ['import', '-', '--from', 'markdown', '--into', project.id];
    expect(await shell.ok(checklist, { input: '# Spring\n\n- [ ] Rake\n' })).to.include('1 task');
  });

  it('are searched, of every kind, with their texts, and named by words that commands take', async () => {
    await shell.ok(['note', 'add', 'Ask the bank', '--body', 'What do cards cost?']);
    await shell.ok(['comment', 'bank', 'Some cards are dear.']);
    const found = await shell.ok(['search', 'cards']);
    expect(found).to.match(/^[0-9a-z]{4} {2}task +Take payments\n {4}Cards first\.\n/);
    expect(found).to.match(/note +Ask the bank\n {4}What do cards cost\?\n/);
    const [, onNote = ''] = /^([0-9a-z]{4}) {2}comment +Ask the bank\n {4}Some cards/m.exec(found) ?? [];
    expect(await shell.ok(['note', onNote])).to.include('cost');
    expect(await shell.ok(['search', 'zebra'])).to.equal('Nothing found.\n');
  });
});
