import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { delay, systemClock } from '../../src/base/clock.ts';
import { git, initRepository } from '../support/git.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

// Tests read results of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

describe('the branch of a task', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let service: TestService;
  let project: string;
  let goal: string;

  const at = (path: string): string => join(shell.directory, path);
  const outside = (path: string): string => join(scratch.path, path);
  const here = (...args: readonly string[]): string => git(shell.directory, ...args).trim();
  const head = (): string => here('rev-parse', 'HEAD');
  const hasBranch = (branch: string): boolean => here('branch', '--list', branch) !== '';
  const run = (...more: readonly string[]): readonly string[] => ['run', '--agent', 'scripted', '--trust', ...more];
  const merge = (id: string): readonly string[] => ['merge', id, '--trust'];

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
    here('config', 'user.name', 'Ada');
    here('config', 'user.email', 'ada@example.org');
    await shell.ok(['init']);
    commit({ 'same.txt': 'one\n', notes: 'committed\n' });
    for (const hook of ['post-merge', 'post-checkout', 'commit-msg', 'reference-transaction', 'pre-merge-commit'])
      writeFileSync(at(`.git/hooks/${hook}`), `#!/bin/sh\ntouch ${outside('sprung')}\n`, { mode: 0o755 });
    service = await TestService.start({ directory: shell.directory });
    project = (await shell.json(['call', 'create_project', JSON.stringify({ name: 'Shop' })])).project.id;
    goal = (await shell.json(['goal', 'add', 'Payments', '--gate', 'test ! -f red'])).goal.id;
    mkdirSync(join(shell.home, '.config/planner'), { recursive: true });
    const scripted = { command: '/bin/sh', args: [outside('agent.sh')], protocol: 'stdin', env: {} };
    writeFileSync(join(shell.home, '.config/planner/agents.json'), JSON.stringify({ scripted }));
  });
  afterEach(async () => {
    await service.stop();
    expect(existsSync(outside('sprung')), 'a program of the repository ran').to.equal(false);
  });

  /** Commits files at a place, without hooks. */
  function commit(files: Readonly<Record<string, string>>, directory = shell.directory): string {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
    git(directory, 'add', '--', ...Object.keys(files));
    git(directory, '-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--message', Object.keys(files).join());
    return git(directory, 'rev-parse', 'HEAD').trim();
  }

  async function task(label: string, fields: object = {}): Promise<string> {
    const made = await service.rest.post(`/projects/${project}/tasks`, { label, goal_id: goal, ...fields });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    return made.body.id as string;
  }

  interface Finished {
    readonly id: string;
    readonly branch: string;
    readonly tip: string;
    readonly worktree: string;
  }

  /** A task as a runner leaves it for review, with these files on its branch. */
  async function finished(
    label: string,
    files: Readonly<Record<string, string>>,
    fields: object = {},
  ): Promise<Finished> {
    const id = await task(label, fields);
    const branch = `planner/${id.slice(-4)}-work`;
    const worktree = outside(label);
    here('-c', 'core.hooksPath=/dev/null', 'worktree', 'add', '--quiet', '-b', branch, worktree);
    const tip = commit(files, worktree);
    await change(id, { status: 'done', branch, commit_refs: [tip] });
    return { id, branch, tip, worktree };
  }

  async function change(id: string, fields: object): Promise<void> {
    const { status, body } = await service.rest.patch(`/tasks/${id}`, fields);
    expect(status, JSON.stringify(body)).to.equal(200);
  }

  const approve = (id: string): Promise<void> => change(id, { verified_at: '2026-11-28T12:00:00.000Z' });
  const toMerge = async (): Promise<readonly string[]> =>
    (await service.rest.get(`/projects/${project}/tasks?to_merge=true`)).body.tasks.map(({ id }: Any) => id);
  const shown = async (id: string): Promise<Any> => (await service.rest.get(`/tasks/${id}`)).body;
  const commentsOn = async (id: string): Promise<readonly string[]> =>
    (await service.rest.get(`/tasks/${id}/comments`)).body.comments.map(({ body }: Any) => body);

  it('is merged after its approval, if the gate is green on the result, and removed [A.run.merge-command, A.run.to-merge, A.run.merge-branch, A.run.merge-programs]', async () => {
    const byHand = await finished('By hand', { 'c.txt': 'c\n' });
    here('worktree', 'remove', byHand.worktree);
    here('-c', 'core.hooksPath=/dev/null', 'merge', '--quiet', byHand.branch);
    await approve(byHand.id);
    expect(await shell.ok(['merge', byHand.id])).to.match(/^Already merged: By hand\n/);
    expect([(await shown(byHand.id)).branch, hasBranch(byHand.branch)]).to.deep.equal([null, false]);
    const first = await finished('First', { 'a.txt': 'a\n' });
    const second = await finished('Second', { 'b.txt': 'b\n' });
    here('worktree', 'remove', first.worktree);
    writeFileSync(at('notes'), 'mine, not committed\n');
    expect(await shell.refused(1, merge(first.id))).to.match(
      /is not approved: planner approve (\S+) .*planner merge \1/,
    );
    expect(await toMerge()).to.deep.equal([]);
    for (const { id } of [first, second]) await approve(id);
    expect(await toMerge()).to.deep.equal([first.id, second.id]);
    expect(await shell.refused(2, ['merge', first.id])).to.include('you have not allowed it');
    expect(await shell.ok(merge(first.id))).to.match(/^Merged: First \(planner\/.*-work into main/);
    expect([head(), readFileSync(at('a.txt'), 'utf8'), hasBranch(first.branch)]).to.deep.equal([
      first.tip,
      'a\n',
      false,
    ]);
    const { branch, proof, verified_at } = await shown(first.id);
    expect(await toMerge()).to.deep.equal([second.id]);
    expect([branch, proof.commit, verified_at]).to.deep.equal([null, first.tip, '2026-11-28T12:00:00.000Z']);
    expect(await shell.ok(merge(first.id))).to.equal('Already merged: First\n');
    // The base has moved: a merge commit. A branch that is in use is kept.
    const output = await shell.ok(merge(second.id));
    expect(output).to.include(`is kept, since it is checked out in ${second.worktree}`);
    expect(output).to.match(/All tasks of "Payments" are done and merged: planner verify \S+ runs its gate/);
    expect(here('log', '-1', '--format=%P%n%B')).to.equal(
      `${first.tip} ${second.tip}\nMerge branch '${second.branch}'\n\nSecond`,
    );
    expect(here('status', '--porcelain', '--', 'a.txt', 'b.txt', 'notes')).to.equal('M notes');
    expect(await shell.refused(1, merge(await task('Third')))).to.include('"Third" is todo');
  });

  it('is left, and nothing changes, if it conflicts, its gate is red on the result, or files are in the way [A.run.merge-refused, A.run.merge-programs]', async () => {
    const conflict = await finished('Conflict', { 'same.txt': 'two\n' });
    const red = await finished('Red', { 'part-2': '' }, { gate: 'ls part-*; test ! -f part-1 -o ! -f part-2' });
    const late = await finished('Late', { late: 'theirs\n' });
    const base = commit({ 'same.txt': 'three\n', 'part-1': '' });
    here('config', 'merge.evil.driver', `touch ${outside('sprung')}`);
    here('config', 'filter.evil.smudge', `touch ${outside('sprung')}; cat`);
    const attributes = (lines: string): void => writeFileSync(at('.git/info/attributes'), lines);
    attributes('*.txt merge=evil\nlate filter=evil\n');
    for (const { id } of [conflict, red, late]) await approve(id);
    const refused = async ({ id, branch }: Finished, why: string): Promise<void> => {
      const { code, output } = await shell.run(merge(id));
      expect(output).to.include(`Not merged: ${branch}, since`).and.to.include(why);
      expect([code, head(), (await shown(id)).branch, hasBranch(branch)]).to.deep.equal([1, base, branch, true]);
      expect(here('status', '--porcelain', '--', 'same.txt', 'part-1', 'part-2')).to.equal('');
    };
    await refused(conflict, 'it conflicts with main in same.txt');
    await refused(conflict, 'it conflicts with main in same.txt');
    expect(await commentsOn(conflict.id)).to.have.length(1);
    expect((await commentsOn(conflict.id))[0])
      .to.include('conflicts with main in same.txt')
      .and.to.include(base.slice(0, 12));
    await refused(red, 'ends with exit code 1 on the merge with main.\npart-1\npart-2');
    expect((await commentsOn(red.id))[0]).to.include('part-1\npart-2');
    await refused(late, 'a filter of git would have to run');
    attributes('');
    writeFileSync(at('late'), 'mine\n');
    await refused(late, 'files that are not committed are in the way: late');
    expect(readFileSync(at('late'), 'utf8')).to.equal('mine\n');
    here('-c', 'core.hooksPath=/dev/null', 'checkout', '--quiet', '--detach');
    await refused(late, 'no branch is checked out');
    expect(await commentsOn(late.id)).to.deep.equal([]);
  });

  rarely(
    'is merged by planner run in the order of the graph; a conflict is tried again after the branch or its base has moved [A.run.approved]',
    async () => {
      const first = await finished('First', { 'a.txt': 'a\n' });
      const second = await finished('Second', { 'b.txt': 'b\n' }, { priority: 'urgent' });
      const conflict = await finished('Conflict', { 'same.txt': 'two\n' });
      const waiting = await finished('Waiting', { 'c.txt': 'c\n' });
      const edge = { from_type: 'task', from_id: first.id, to_type: 'task', to_id: second.id };
      await service.rest.post(`/projects/${project}/edges`, edge);
      const base = commit({ 'same.txt': 'three\n' });
      for (const { id } of [first, second, conflict]) await approve(id);
      const planned = await shell.ok(['run', '--agent', 'scripted', '--dry-run']);
      expect(planned)
        .to.match(/^leaves .*Second .*"First" are not merged yet/m)
        .and.to.match(/^merges .*First {2}\(planner/m);
      writeFileSync(outside('agent.sh'), 'exit 9\n');
      const { code, output } = await shell.run(run());
      expect(code).to.equal(1);
      expect(output)
        .to.match(/^merged .*First: approved and merged/m)
        .and.to.match(/^unmerged .*Conflict: .*same\.txt/m);
      expect(
        here('log', '--first-parent', '--reverse', '--format=%P', `${base}..`)
          .split('\n')
          .map((line) => line.split(' ')[1]),
      ).to.deep.equal([first.tip, second.tip]);
      expect((await shown(waiting.id)).branch).to.equal(waiting.branch);
      const again = await shell.run(run());
      expect(again.errors).to.include(`${conflict.branch} is not merged, as before`);
      expect(await commentsOn(conflict.id)).to.have.length(1);
      commit({ other: '' });
      await shell.run(run());
      expect(await commentsOn(conflict.id)).to.have.length(2);
      // A person resolves it on the branch.
      git(
        conflict.worktree,
        '-c',
        'core.hooksPath=/dev/null',
        'merge',
        '--quiet',
        '--strategy=ours',
        '--message',
        'Resolve',
        'main',
      );
      expect((await shell.run(run())).output).to.include('Conflict: approved and merged');
      expect(readFileSync(at('same.txt'), 'utf8')).to.equal('two\n');
    },
  );

  it('is merged while agents work; in the lane auto with a base that moved, too, if the gate is green on the result [A.run.approved, A.run.merge]', async () => {
    const approved = await finished('Approved', { 'a.txt': 'a\n' });
    const auto = await task('Auto', { lane: 'auto' });
    await task('By hand', { lane: 'full' });
    // The agent works until the other branch is merged.
    writeFileSync(
      outside('agent.sh'),
      `touch ${outside('began')}; until test -f ${at('a.txt')}; do sleep 0.05; done; echo x > x.txt`,
    );
    const running = new InProcessCommand(run(), shell.options());
    while (!existsSync(outside('began'))) await delay(systemClock, 20);
    await approve(approved.id);
    const { code, output } = await running.finished;
    expect({ code, output }).to.deep.include({ code: 0 });
    const { commit_refs, proof, verified_ref, branch } = await shown(auto);
    expect(here('log', '-1', '--format=%P')).to.equal(`${approved.tip} ${commit_refs[0]}`);
    expect([branch, proof.commit, verified_ref]).to.deep.equal([null, head(), `gate green at ${head().slice(0, 10)}`]);
    expect(here('branch', '--list', 'planner/*-auto')).to.equal('');
    // A conflict goes back to the agent once: it gets the files and both commits. Then a person looks at it.
    const both = await task('Both', { lane: 'auto' });
    const committing = (text: string): string =>
      `cd ${shell.directory} && echo ${text} > same.txt && git add same.txt && git -c core.hooksPath=/dev/null commit --quiet --message ${text}`;
    writeFileSync(outside('commit.sh'), committing('theirs'));
    writeFileSync(
      outside('agent.sh'),
      `cat > prompt.now; base=$(sed -n 's/^Merge \\([0-9a-f]*\\) into your branch.*/\\1/p' prompt.now); mv prompt.now ${outside('prompt')}
if test -z "$base"; then echo ours > same.txt; env -u GIT_DIR sh ${outside('commit.sh')}; exit; fi
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null; git merge --quiet "$base"; echo both > same.txt; git add same.txt; git commit --quiet --message Both`,
    );
    const given = await shell.run(run());
    expect(given.output, given.errors).to.match(/^done .*Both: green and merged/m);
    const prompt = readFileSync(outside('prompt'), 'utf8');
    expect(prompt)
      .to.include('# Both')
      .and.to.match(/conflicts with main \([0-9a-f]{40}\) in these files:\n\n- same\.txt/);
    expect(readFileSync(at('same.txt'), 'utf8')).to.equal('both\n');
    // The commits of the base that it merged are not its own.
    expect((await shown(both)).commit_refs).to.have.length(2);
    const own = await task('Own', { lane: 'auto' });
    writeFileSync(
      outside('agent.sh'),
      `echo x >> ${outside('turns')}; echo own > same.txt; env -u GIT_DIR sh ${outside('commit.sh')}; exit 0`,
    );
    writeFileSync(outside('commit.sh'), committing('other'));
    expect((await shell.run(run())).output).to.match(/^review .*Own: .*since it conflicts with main in same\.txt/m);
    expect(readFileSync(outside('turns'), 'utf8')).to.equal('x\nx\n');
    expect(await shown(own)).to.include({ status: 'done', lane: 'auto', verified_at: null });
    // Green alone, and red with what the base got meanwhile: a person looks at it, and its lane stays.
    const red = await task('Red', { lane: 'auto', gate: 'test ! -f one -o ! -f two' });
    writeFileSync(
      outside('commit.sh'),
      `cd ${shell.directory} && touch two && git add two && git -c core.hooksPath=/dev/null commit --quiet --message Two`,
    );
    writeFileSync(outside('agent.sh'), `touch one; env -u GIT_DIR sh ${outside('commit.sh')}`);
    expect((await shell.run(run())).output).to.match(/^review .*Red: .*since .*exit code 1 on the merge with main/m);
    expect(await shown(red)).to.include({ status: 'done', lane: 'auto', verified_at: null });
    expect((await shell.run(['review'])).output)
      .to.include('Red')
      .and.to.not.include('Auto');
    expect((await commentsOn(red))[0]).to.include('was not merged');
  });
});
