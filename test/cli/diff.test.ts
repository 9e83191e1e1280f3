import { expect } from 'chai';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PlanDiff } from '../../src/schema/types.ts';
import { runProcess } from '../support/command.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner diff', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;

  beforeEach(() => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
  });

  const inGit = (...words: string[]): string => git(shell.directory, ...words).trim();
  const commit = (message: string): string => {
    inGit('add', '--all');
    inGit('commit', '--quiet', '--message', message);
    return inGit('rev-parse', 'HEAD');
  };
  const diff = async (...words: string[]): Promise<PlanDiff> => shell.json(['diff', ...words]) as Promise<PlanDiff>;
  const titles = ({ projects }: PlanDiff): readonly string[] =>
    projects.flatMap(({ records }) => records.map(({ title }) => title));
  /** The directory of the one project. */
  function project(): string {
    const directory = join(shell.directory, '.planner/projects');
    return join(directory, readdirSync(directory)[0]!);
  }

  /** A plan that was committed once, without a service: files alone. */
  function write(path: string, text: string): void {
    const file = join(shell.directory, '.planner/projects/shop-abc123', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }

  function task(name: string, members: string, body = ''): void {
    write(`tasks/${name}.md`, `---\nid: tsk_abc123${name.padEnd(10, '0')}\n${members}\n---\n${body}`);
  }

  function plan(): string {
    write(
      'project.json',
      '{"id":"prj_abc1230000000000","name":"Shop","created_at":"2026-01-01T00:00:00.000Z","default_goal_id":"gol_abc123checkout00"}\n',
    );
    write('goals/checkout.md', '---\nid: gol_abc123checkout00\nname: Checkout\n---\n');
    task('pay', 'label: Take payments\nstatus: todo', 'By card and PayPal, on the page of the provider.\n');
    task('send', 'label: Send receipts\nstatus: todo');
    return commit('A plan');
  }

  it('shows what the command line changed since the last commit, as a person reads it [A.diff.records]', async () => {
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'ada@example.org'],
    ] as const)
      inGit('config', key, value);
    await shell.ok(['connect']);
    await shell.ok(['goal', 'add', 'Checkout']);
    await shell.ok(['task', 'add', 'Take payments', '--goal', 'Checkout', '--description', 'By card and PayPal.']);
    await shell.ok(['task', 'add', 'Send receipts', '--goal', 'Checkout']);
    await shell.ok(['commit']);
    expect(await shell.ok(['diff'])).to.equal('The plan does not differ between HEAD and working tree.\n');
    await shell.ok(['done', 'Take payments', '--as', 'Ada']);
    await shell.ok(['task', 'set', 'Take payments', '--description', 'By card and Klarna.', '--priority', 'high']);
    await shell.ok(['task', 'add', 'Refund', '--goal', 'Checkout', '--tag', 'money']);
    await shell.ok(['dep', 'add', 'Refund', '--after', 'Take payments']);
    await shell.ok(['task', 'rm', 'Send receipts']);
    expect(await shell.ok(['diff'])).to.equal(
      [
        'HEAD → working tree  1 task done, 1 added, 1 deleted; 1 tag added',
        '',
        'Checkout',
        '  ~ Take payments  todo → done',
        '      priority none → high',
        '      description +1 −1 words',
        '        By card and [-PayPal.-] {+Klarna.+}',
        '  + Refund         tags money, after “Take payments”',
        '  - Send receipts  was todo',
        '',
        'Tags',
        '  + money',
        '',
      ].join('\n'),
    );
    const coloured = await shell.run(['diff'], { terminal: { columns: 80, rows: 99 } });
    expect(coloured.output)
      .to.include('\u001b[31m PayPal.\u001b[39m\u001b[32m Klarna.\u001b[39m')
      .and.not.include('[-');
  });

  it('takes revisions as git diff does [A.diff.revisions]', async () => {
    const first = plan();
    inGit('switch', '--quiet', '--create', 'side');
    task('pay', 'label: Take payments\nstatus: done');
    commit('Done on the side');
    inGit('switch', '--quiet', 'main');
    task('new', 'label: New on main');
    const second = commit('More on main');
    task('open', 'label: Not committed');
    expect(titles(await diff())).to.deep.equal(['Not committed']);
    expect(titles(await diff(first))).to.have.members(['New on main', 'Not committed']);
    expect(titles(await diff('HEAD~1', 'HEAD'))).to.deep.equal(['New on main']);
    expect(titles(await diff('HEAD~1..'))).to.deep.equal(['New on main']);
    expect(titles(await diff('main..side'))).to.have.members(['New on main', 'Take payments']);
    const fromBase = await diff('main...side');
    expect(titles(fromBase)).to.deep.equal(['Take payments']);
    expect(fromBase.before).to.deep.equal({ revision: 'merge base with main', commit: first });
    expect(fromBase.after).to.deep.equal({ revision: 'side', commit: inGit('rev-parse', 'side') });
    expect(await diff('HEAD', second)).to.deep.include({ projects: [], settings: [], unreadable: [] });
  });

  it('ends with 1 for a difference only if it is asked, and names a revision that does not exist [A.diff.revisions]', async () => {
    plan();
    expect((await shell.run(['diff', '--exit-code'])).code).to.equal(0);
    task('more', 'label: More');
    expect((await shell.run(['diff', '--exit-code'])).code).to.equal(1);
    expect((await shell.run(['diff'])).code).to.equal(0);
    expect(await shell.refused(1, ['diff', 'nowhere'])).to.include('There is no commit "nowhere" here');
    expect(await shell.refused(1, ['diff', 'HEAD...elsewhere'])).to.include('"elsewhere"');
    expect(await shell.refused(1, ['diff', '--', '--output=x'])).to.include('"--output=x"');
    expect(await shell.refused(2, ['diff', '--format', 'html'])).to.include('markdown');
    expect(await shell.refused(2, ['diff', 'a', 'b', 'c'])).to.include('argument');
    inGit('switch', '--quiet', '--orphan', 'alone');
    inGit('commit', '--quiet', '--allow-empty', '--message', 'Alone');
    expect(await shell.refused(1, ['diff', 'main...alone'])).to.include('no common ancestor');
    rmSync(join(shell.directory, '.git'), { recursive: true });
    expect(await shell.refused(1, ['diff', 'HEAD', 'HEAD'])).to.include('no git repository');
  });

  it('begins before the first commit, and compares commits where no file of the plan is [A.diff.revisions]', async () => {
    task('pay', 'label: Take payments');
    expect(titles(await diff())).to.deep.equal(['Take payments']);
    const first = plan();
    inGit('rm', '--quiet', '-r', '.planner');
    commit('No plan');
    expect(existsSync(join(shell.directory, '.planner'))).to.equal(false);
    expect((await diff(first, 'HEAD')).projects[0]).to.include({ name: 'Shop', change: 'deleted' });
  });

  it('finds the plan in a subdirectory, and from a subdirectory of it [A.diff.revisions]', async () => {
    mkdirSync(join(shell.directory, 'shop/src'), { recursive: true });
    plan();
    inGit('mv', '.planner', 'shop/.planner');
    const first = commit('In a directory');
    writeFileSync(
      join(shell.directory, 'shop/.planner/projects/shop-abc123/tasks/x.md'),
      '---\nid: tsk_abc123x000000000\nlabel: Below\n---\n',
    );
    const cwd = join(shell.directory, 'shop/src');
    expect(titles((await shell.json(['diff'], { cwd })) as PlanDiff)).to.deep.equal(['Below']);
    const second = commit('More');
    expect(titles((await shell.json(['diff', first, second], { cwd })) as PlanDiff)).to.deep.equal(['Below']);
  });

  it('names links and files of another kind, and reads none through a link [A.diff.unreadable]', async () => {
    plan();
    writeFileSync(join(scratch.path, 'secret.md'), '---\nlabel: Secret\n---\n');
    symlinkSync(join(scratch.path, 'secret.md'), join(project(), 'tasks/linked.md'));
    rmSync(join(project(), 'tasks/send.md'));
    symlinkSync(join(scratch.path, 'secret.md'), join(project(), 'tasks/send.md'));
    for (const found of [await diff(), await diff('HEAD~1', commit('Links'))]) {
      expect(found.projects).to.deep.equal([]);
      expect(found.unreadable.map(({ path, title }) => [path, title])).to.deep.equal([
        ['.planner/projects/shop-abc123/tasks/linked.md', undefined],
        ['.planner/projects/shop-abc123/tasks/send.md', 'Send receipts'],
      ]);
      expect(JSON.stringify(found)).not.to.include('Secret');
    }
    expect(await shell.ok(['diff', 'HEAD~1', 'HEAD'])).to.include(
      'Not compared\n  ! .planner/projects/shop-abc123/tasks/linked.md',
    );
  });

  it('starts six processes of git for two commits, however many files there are, and writes nothing [A.diff.git]', async () => {
    plan();
    for (let at = 0; at < 300; at++) task(`t${at}x`, `label: Task ${at}\nstatus: todo`);
    commit('Many');
    const [bin, log] = [join(scratch.path, 'bin'), join(scratch.path, 'log')];
    mkdirSync(bin);
    const real = (process.env['PATH'] ?? '')
      .split(':')
      .map((path) => join(path, 'git'))
      .find((path) => existsSync(path))!;
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$@" >> '${log}'\nexec '${real}' "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const environment = { PATH: `${bin}:${process.env['PATH']}` };
    const { output } = await runProcess(['diff', 'HEAD~1', 'HEAD', '--json'], shell.options({ environment }));
    expect(titles(JSON.parse(output) as PlanDiff)).to.have.length(300);
    const commands = readFileSync(log, 'utf8').trim().split('\n');
    const counts = (name: string): number => commands.filter((line) => line.includes(` ${name} `)).length;
    expect({ all: commands.length, list: counts('ls-tree'), read: counts('cat-file') }).to.deep.equal({
      ...{ all: 6, list: 2, read: 1 },
    });
    expect(inGit('status', '--short')).to.equal('');
    expect(existsSync(join(shell.directory, '.planner/local'))).to.equal(false);
  });

  it('runs no filter, text conversion or hook of the repository [A.diff.git]', async () => {
    plan();
    const [ran, trap] = [join(scratch.path, 'ran'), join(shell.directory, 'trap')];
    writeFileSync(trap, `#!/bin/sh\necho "$0 $@" >> '${ran}'\ncat\n`);
    chmodSync(trap, 0o755);
    for (const key of [
      'diff.trap.textconv',
      'filter.trap.smudge',
      'filter.trap.clean',
      'diff.external',
      'core.fsmonitor',
    ])
      inGit('config', key, trap);
    writeFileSync(join(shell.directory, '.gitattributes'), '*.md diff=trap filter=trap\n');
    task('pay', 'label: Take payments\nstatus: done');
    expect(titles(await diff())).to.deep.equal(['Take payments']);
    expect(titles(await diff('HEAD', 'HEAD'))).to.deep.equal([]);
    expect(existsSync(ran)).to.equal(false);
    inGit('diff', '--stat');
    expect(existsSync(ran), 'git runs it: the test shows something').to.equal(true);
  });

  it('says that a plan at a service is not in files here [A.diff.revisions]', async () => {
    plan();
    writeFileSync(join(shell.directory, '.planner/config.json'), '{"server_url":"https://plan.example.org"}');
    expect(await shell.refused(1, ['diff'])).to.include('at a service elsewhere');
    commit('At a service');
    expect((await diff('HEAD~1', 'HEAD')).settings).to.deep.equal([
      { field: 'server_url', before: null, after: 'https://plan.example.org' },
    ]);
  });
});
