import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { linePrompt } from '../../src/cli/terminal/ask-line.ts';
import { withProgress } from '../../src/cli/terminal/with-progress.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('The command line at a terminal [A.terminal.output]', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  const terminal = { columns: 80, rows: 24 };
  let shell: Shell;
  beforeEach(async () => {
    shell = new Shell(scratch.path);
    await shell.ok(['init']);
    await shell.ok(['call', 'create_project', '{"name":"Shop"}']);
    await shell.ok(['task', 'add', 'Take \\u001b[31m payments', '--priority', 'urgent']);
  });

  it('has colours for status and priority, unless the person or the reader refuses them', async () => {
    const list = ['task', 'list'];
    const coloured = '\u001b[31murgent\u001b[39m';
    expect(await shell.ok(list, { terminal })).to.include(coloured);
    expect(await shell.ok(list, { environment: { FORCE_COLOR: '1' } })).to.include(coloured);
    for (const plain of [
      await shell.ok(list),
      await shell.ok([...list, '--no-color'], { terminal }),
      await shell.ok([...list, '--json'], { terminal }),
      await shell.ok(list, { terminal, environment: { NO_COLOR: '1' } }),
      await shell.ok(list, { terminal, environment: { TERM: 'dumb' } }),
      await shell.ok(list, { terminal, environment: { FORCE_COLOR: '0' } }),
    ])
      expect(plain).to.include('urgent').and.not.include('\u001b');
  });

  it('shows output that is longer than the terminal in the pager, and nothing else', async () => {
    const paged = join(shell.directory, 'paged');
    const low = { columns: 80, rows: 3 };
    const environment = { PAGER: 'cat > paged', NO_COLOR: '1' };
    await shell.ok(['task', 'add', 'Send invoices']);
    const whole = await shell.ok(['task', 'show', 'payments']);
    expect(await shell.ok(['task', 'show', 'payments'], { terminal: low, environment })).to.equal('');
    expect(readFileSync(paged, 'utf8')).to.equal(whole);
    for (const [argv, options] of [
      [['task', 'show', 'payments', '--json'], { terminal: low, environment }],
      [['task', 'show', 'payments'], { environment }],
      // One that does not know its size.
      [['task', 'show', 'payments'], { terminal: { columns: 0, rows: 0 }, environment }],
      [['task', 'show', 'payments'], { terminal: low, environment: { PAGER: 'cat' } }],
      [['task', 'list'], { terminal: low, environment: { ...environment, PAGER: 'cat > other' } }],
    ] as const)
      expect(await shell.ok(argv, options)).to.include('payments');
    expect(existsSync(join(shell.directory, 'other'))).to.equal(false);
  });

  it('prints with --quiet the requested output, and errors, and nothing else', async () => {
    expect(await shell.run(['task', 'set', 'payments', '--status', 'done', '-q'])).to.deep.include({
      ...{ code: 0, output: '', errors: '' },
    });
    expect(await shell.ok(['task', 'list', '-q'])).to.include('done');
    expect(await shell.json(['task', 'add', 'Send invoices', '--quiet'])).to.have.property('task');
    expect(await shell.refused(1, ['task', 'set', 'none', '--status', 'done', '-q'])).to.include('no task "none"');
    expect(await shell.refused(2, ['task', 'set', '-q'])).to.include('missing required argument');
    const first = (await shell.json(['events', '--count', '1000'])).events[0].cursor as string;
    const { errors } = await shell.run(['events', '--since', first, '--count', '1', '-q']);
    expect(errors).to.equal('');
    expect(await shell.ok(['-v'])).to.equal(await shell.ok(['--version']));
  });

  it('says how long a long import has taken, and nothing of a short one', async () => {
    const shown: (string | undefined)[] = [];
    const clock = new ManualClock();
    const options = { clock, what: 'Importing plan.json', progress: (text: string | undefined) => shown.push(text) };
    expect(await withProgress(options, () => Promise.resolve(1))).to.equal(1);
    expect(shown).to.deep.equal([]);
    await withProgress(options, async () => {
      clock.advance(2000);
      await Promise.resolve();
    });
    expect(shown).to.deep.equal(['Importing plan.json: 1 s', 'Importing plan.json: 2 s', undefined]);
  });
});

describe('A question at a terminal [A.verify.people]', () => {
  const terminal = (): PassThrough & { isTTY: true } => Object.assign(new PassThrough(), { isTTY: true as const });

  it('is answered by the next line, also one that was typed ahead, and by nothing once the input ends', async () => {
    const input = terminal();
    const ask = linePrompt(input, new PassThrough())!;
    const first = ask('One? ');
    input.write('a\r\n');
    expect(await first).to.equal('a');
    // The input rested between the questions.
    await nextTurn();
    const second = ask('Two? ');
    input.write('b\nc\nd');
    expect([await second, await ask('Three? ')]).to.deep.equal(['b', 'c']);
    const last = ask('Four? ');
    input.end();
    expect([await last, await ask('Five? ')]).to.deep.equal([undefined, undefined]);
  });

  it('is not asked without a terminal', () => {
    expect(linePrompt(new PassThrough(), new PassThrough())).to.equal(undefined);
  });
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
