import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { delay, systemClock } from '../../src/base/clock.ts';
import { runCommand } from '../../src/cli/verify/run-command.ts';
import { Traps } from '../hostile/traps.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Shell, shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

/** Waits until a process has ended; one that nothing has waited for has ended, too. */
async function ended(pid: string): Promise<void> {
  const path = `/proc/${pid.trim()}/stat`;
  while (existsSync(path) && !/\) [ZX] /.test(readFileSync(path, 'utf8'))) await delay(systemClock, 10);
}

describe('planner verify', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let goal: string;
  let goals = 0;

  const at = (path: string): string => join(shell.directory, path);

  function commit(path: string, text: string): string {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), text);
    git(shell.directory, 'add', '--all');
    git(shell.directory, 'commit', '--quiet', '--message', `Change ${path}`);
    return git(shell.directory, 'rev-parse', 'HEAD').trim();
  }

  async function goalWith(...options: readonly string[]): Promise<string> {
    return (await shell.json(['goal', 'add', `Goal ${++goals}`, ...options])).goal.id as string;
  }

  // Tests read results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  const shownGoal = async (id = goal): Promise<any> => (await shell.json(['goal', 'show', id])).goal;
  const worktrees = (): readonly string[] => {
    const place = join(shell.home, '.cache/planner/verify');
    return existsSync(place) ? readdirSync(place) : [];
  };

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
    await shell.ok(['init']);
    await shell.json(['call', 'create_project', JSON.stringify({ name: 'Shop' })]);
    writeFileSync(at('gate.sh'), 'echo "ran $0 in $PWD"; cat result; exit "$(cat code)"\n');
    writeFileSync(at('result'), 'fine\n');
    commit('code', '0\n');
    goal = await goalWith('--gate', 'sh gate.sh');
  });

  it('completes a goal with what is committed, and keeps commit, tree and output [A.verify.run, A.verify.worktree]', async () => {
    const head = git(shell.directory, 'rev-parse', 'HEAD', 'HEAD^{tree}').trim().split('\n');
    writeFileSync(at('code'), '7\n');
    const { code, output, errors } = await shell.run(['verify', goal, '--trust']);
    expect({ code, output, errors }).to.deep.include({ code: 0 });
    expect(output).to.match(new RegExp(`^green .* at ${head[0]!.slice(0, 10)} .*it is complete`));
    expect(errors).to.include('not committed: code').and.to.include('ran gate.sh in');
    expect(errors).to.not.include(`in ${shell.directory}`);
    const { status, verification_state, last_verification: last } = await shownGoal();
    expect({ status, verification_state }).to.deep.equal({ status: 'complete', verification_state: 'current' });
    expect(last.proof).to.include({ commit: head[0], tree: head[1], dirty: false, ran_by: 'owner' });
    const { artifact } = await shell.json(['artifact', 'show', last.proof.log_artifact_id]);
    expect(artifact.content).to.include('fine').and.to.include('Exit code 0');
    expect(worktrees()).to.deep.equal([]);
    expect(git(shell.directory, 'worktree', 'list').trim().split('\n')).to.have.length(1);
  });

  it('blocks a goal that is red, and completes it once it is green; the artifact is the same [A.verify.run]', async () => {
    commit('code', '3\n');
    const red = await shell.run(['verify', goal, '--trust']);
    expect(red.code).to.equal(1);
    expect(red.output).to.include('exit code 3').and.to.include('Make the verification green');
    const { proof } = (await shownGoal()).last_verification;
    // As the output says: the remediation task is released, and does not keep the goal from being verified.
    const [remedy] = (await shell.json(['task', 'list', '--goal', goal])).tasks;
    await shell.ok(['task', 'set', remedy.id, '--status', 'todo']);
    await shell.ok(['goal', 'resume', goal]);
    commit('code', '0\n');
    await shell.ok(['verify', goal]);
    const green = await shownGoal();
    expect(green.status).to.equal('complete');
    expect(green.last_verification.proof.log_artifact_id).to.equal(proof.log_artifact_id);
  });

  rarely(
    'refuses before the gate runs while tasks are open, and remembers what was allowed [A.verify.run, A.verify.trust, A.verify.waits]',
    async () => {
      await shell.ok(['task', 'add', 'Dig', '--goal', goal]);
      expect(await shell.refused(3, ['verify', goal, '--trust'])).to.include('"Dig" is not done');
      expect((await shownGoal()).last_verification).to.equal(null);
      await shell.ok(['done', 'Dig']);
      await shell.ok(['goal', 'pause', goal]);
      expect(await shell.refused(3, ['verify', goal])).to.include('is paused');
      await shell.ok(['goal', 'resume', goal]);
      expect(await shell.ok(['status'])).to.match(/Goals that need you \(1\)\n.* ready .* planner verify \w+\n/);
      expect(await shell.refused(2, ['verify', goal, '--at', 'v9'])).to.include('no commit "v9"');
      // It was allowed before, though it did not run.
      expect((await shell.run(['verify', goal])).code).to.equal(0);
    },
  );

  it('gives a task with a gate a proof, and changes nothing of it if it is red [A.verify.run]', async () => {
    const { task } = await shell.json(['task', 'add', 'Dig', '--gate', 'sh gate.sh', '--covers', 'src']);
    await shell.ok(['verify', 'Dig', '--trust']);
    const shown = (await shell.json(['task', 'show', task.id])).task;
    expect(shown).to.include({ status: 'todo', verification_state: 'current' });
    expect(shown.verified_ref).to.match(/^gate green at [0-9a-f]{10}$/);
    commit('code', '1\n');
    expect((await shell.run(['verify', 'Dig'])).code).to.equal(1);
    expect((await shell.json(['task', 'show', task.id])).task).to.deep.equal(shown);
  });

  it('runs a command only if it was allowed here, and asks again for another one [A.verify.trust]', async () => {
    const refused = await shell.refused(2, ['verify', goal]);
    expect(refused).to.include('--trust').and.to.not.include('ran gate.sh');
    const no = await shell.run(['verify', goal], { typed: ['no'] });
    expect([no.code, no.errors.includes('sh gate.sh'), no.errors.includes('ran gate.sh')]).to.deep.equal([
      2,
      true,
      false,
    ]);
    writeFileSync(at('.planner/config.json'), JSON.stringify({ trusted: ['sh gate.sh'], trust: true }));
    expect((await shell.run(['verify', goal])).code).to.equal(2);
    expect((await shell.run(['verify', goal], { typed: ['y'] })).code).to.equal(0);
    const other = await goalWith('--gate', 'sh gate.sh \u001b[2Jnow');
    const asked = await shell.run(['verify', other], { typed: [''] });
    expect(asked.code).to.equal(2);
    expect(asked.errors).to.include('\\u001b[2Jnow').and.to.not.include('\u001b');
    expect(await goalWith('--gate', 'sh  gate.sh').then((id) => shell.refused(2, ['verify', id]))).to.include(
      '--trust',
    );
    expect((await shell.run(['verify', await goalWith('--gate', 'sh gate.sh', '--covers', 'x')])).code).to.equal(0);
    git(scratch.path, 'clone', '--quiet', shell.directory, join(scratch.path, 'clone'));
    git(shell.directory, 'add', '--all');
    git(shell.directory, 'commit', '--quiet', '--message', 'Plan');
    git(join(scratch.path, 'clone'), 'pull', '--quiet');
    const cloned = await shell.run(['verify', other], { cwd: join(scratch.path, 'clone') });
    expect([cloned.code, cloned.errors.includes('--trust')]).to.deep.equal([2, true]);
  });

  it('says with --dry-run what would run, and runs nothing [A.verify.run]', async () => {
    const { code, output, errors } = await shell.run(['verify', goal, '--dry-run']);
    expect([code, errors]).to.deep.equal([0, '']);
    expect(output).to.include('$ sh gate.sh').and.to.include('a fresh worktree at');
    expect((await shownGoal()).status).to.equal('active');
  });

  it('runs in the working tree with --here, which proves no commit if files differ [A.verify.worktree]', async () => {
    writeFileSync(at('untracked'), '');
    const { errors } = await shell.run(['verify', goal, '--trust', '--here']);
    expect(errors).to.include(`in ${shell.directory}`).and.to.include('$ sh gate.sh\n');
    const { last_verification: last, verification_state } = await shownGoal();
    expect([last.green, last.proof.dirty, verification_state]).to.deep.equal([true, true, null]);
    expect((await shell.run(['verify', '--check'])).output).to.match(/^dirty /);
  });

  it('prepares the worktree by the set-up command, whose failure is no red gate [A.verify.setup]', async () => {
    const setUp = (command: string): void => {
      const path = at('.planner/config.json');
      const config = JSON.parse(readFileSync(path, 'utf8')) as object;
      writeFileSync(path, JSON.stringify({ ...config, setup: command }));
    };
    setUp('exit 4');
    expect(await shell.refused(2, ['verify', goal, '--trust'])).to.include('exit code 4');
    expect((await shownGoal()).last_verification).to.equal(null);
    setUp('echo prepared > result');
    expect(await shell.refused(2, ['verify', goal]), 'it is asked for, too').to.include('set-up command');
    const { errors } = await shell.run(['verify', goal, '--trust']);
    expect(errors).to.include('prepared').and.to.not.include('fine');
    expect((await shownGoal()).last_verification.proof.setup).to.equal('echo prepared > result');
  });

  it('gives the gate no key and no setting of Planner [A.verify.environment]', async () => {
    const kept = { ...process.env };
    Object.assign(process.env, { PLANNER_MCP_TOKEN: 'planner_secret', SECRET_TOKEN: 'hidden', LISTED: 'given' });
    try {
      const id = await goalWith('--gate', 'env');
      const { errors } = await shell.run(['verify', id, '--trust', '--env', 'LISTED', '--env', 'PLANNER_MCP_TOKEN']);
      expect(errors)
        .to.include('LISTED=given')
        .and.to.include('CI=true')
        .and.to.match(/^PATH=/m);
      expect(errors).to.not.include('hidden').and.to.not.include('planner_secret');
    } finally {
      process.env = kept;
    }
  });

  it('ends a command that exceeds its time, with all that it started, and bounds its output [A.verify.limits]', async () => {
    const [environment, none] = [{ PATH: process.env['PATH'] }, (): void => undefined];
    const options = { directory: scratch.path, environment, notice: none, onLine: none };
    const signal = new AbortController().signal;
    const late = await runCommand('sleep 600 & echo $!; trap "" TERM; sleep 600', {
      ...{ ...options, signal, minutesMax: 1 / 600 },
      ...options,
    });
    expect([late.exitCode, late.isTimeout]).to.deep.equal([124, true]);
    await ended(late.output.text);
    const behind = await runCommand('sleep 600 & echo $!; exit 3', { ...options, signal, minutesMax: 1 });
    expect(behind.exitCode).to.equal(3);
    await ended(behind.output.text);
    const flood = await runCommand('echo first; yes 0123456789 | head -c 3000000; echo; echo last', {
      ...{ ...options, signal, minutesMax: 1 },
    });
    expect(flood.output.text)
      .to.match(/^first\n/)
      .and.to.match(/\nlast\n$/);
    expect(flood.output.text.length).to.be.below(270_000);
    const { createHash } = await import('node:crypto');
    const whole = `first\n${'0123456789\n'.repeat(300_000).slice(0, 3_000_000)}\nlast\n`;
    expect(flood.output.sha256).to.equal(createHash('sha256').update(whole).digest('hex'));
  });

  it('runs no hook and no filter of the repository [A.verify.worktree]', async () => {
    const traps = new Traps(join(scratch.path, 'traps'));
    commit('.gitattributes', '* filter=x diff=x merge=x\n');
    const config = join(shell.directory, '.git/config');
    writeFileSync(config, traps.config([]) + readFileSync(config, 'utf8'));
    expect((await shell.run(['verify', goal, '--trust'])).code).to.equal(0);
    expect((await shell.run(['verify', '--check'])).code).to.equal(0);
    expect(traps.sprung).to.deep.equal([]);
  });

  it('removes the worktree of a process that died [A.verify.worktree]', async () => {
    const place = join(shell.home, '.cache/planner/verify');
    mkdirSync(place, { recursive: true });
    git(shell.directory, 'worktree', 'add', '--quiet', '--detach', join(place, 'abcd'));
    mkdirSync(join(place, 'without-git'));
    await shell.ok(['verify', goal, '--trust']);
    expect(worktrees()).to.deep.equal([]);
    expect(git(shell.directory, 'worktree', 'list').trim().split('\n')).to.have.length(1);
  });

  it('asks a person for a checklist and a sign-off [A.verify.people]', async () => {
    const launch = await goalWith('--checklist', 'Prices are right', '--checklist', 'Legal has read it');
    expect(await shell.refused(2, ['verify', launch])).to.include('terminal');
    expect((await shell.run(['verify', launch], { typed: ['y'] })).code, 'its input ended').to.equal(2);
    const half = await shell.run(['verify', launch], { typed: ['y', 'n'] });
    expect(half.code).to.equal(1);
    expect(half.output).to.include('Legal has read it').and.to.not.include('Prices are right');
    expect((await shell.run(['verify', launch], { typed: ['y', 'yes'] })).code).to.equal(0);
    const logo = await goalWith('--sign-off');
    for (const typed of [[], [''], ['no']]) expect((await shell.run(['verify', logo], { typed })).code).to.equal(2);
    expect((await shell.run(['verify', logo], { typed: ['Grace'] })).code).to.equal(0);
    expect((await shownGoal(logo)).last_verification.detail).to.equal('Approved by Grace.');
    expect((await shownGoal(logo)).last_verification.proof.commit).to.match(/^[0-9a-f]{40}$/);
  });

  it('compares proofs with the repository, and notes what is stale [A.verify.check, A.verify.again]', async () => {
    const covering = await goalWith('--gate', 'sh gate.sh', '--covers', 'src/**', '--covers', 'docs');
    await goalWith('--gate', 'true').then((id) => shell.ok(['goal', 'done', id, '--exit-code', '0']));
    for (const id of [goal, covering]) await shell.ok(['verify', id, '--trust']);
    // oxlint-disable-next-line typescript/no-explicit-any
    const found = async (...more: readonly string[]): Promise<any[]> =>
      JSON.parse((await shell.run(['verify', '--check', '--json', ...more])).output).verified;
    const states = async (...more: readonly string[]): Promise<Record<string, string>> =>
      Object.fromEntries((await found(...more)).map(({ id, found: state }) => [id, state]));
    expect(await states()).to.include({ [goal]: 'current', [covering]: 'current' });
    expect(Object.values(await states())).to.include('no_proof');
    // The plan itself is not part of what is verified.
    git(shell.directory, 'add', '--all');
    git(shell.directory, 'commit', '--quiet', '--message', 'Plan');
    expect(await states()).to.include({ [goal]: 'current', [covering]: 'current' });
    commit('lib/other', '1\n');
    expect(await states()).to.include({ [goal]: 'stale', [covering]: 'current' });
    const touching = commit('src/deep/pay', '1\n');
    const { commits, behind } = (await found()).find(({ id }) => id === covering);
    expect(commits).to.deep.equal([{ commit: touching, subject: 'Change src/deep/pay' }]);
    expect(behind, 'without the commit of the plan').to.deep.equal({ commits: 2, touching: 1 });
    expect((await shownGoal(covering)).verification_state).to.equal('current');
    const marked = await shell.run(['verify', '--check', '--mark', covering]);
    expect(marked).to.deep.include({ code: 1 });
    expect(marked.output).to.include('2 commits ago, 1 touches it:').and.to.include('Change src/deep/pay');
    expect(await shownGoal(covering)).to.deep.include({ verification_state: 'stale', verification_behind: behind });
    for (const words of [['status'], ['goal', 'show', covering]])
      expect(await shell.ok(words)).to.match(/stale.* 2 commits ago, 1 touches it/);
    commit('docs', '1\n');
    await shell.run(['verify', '--check', '--mark', covering]);
    const later = await shownGoal(covering);
    expect(later.verification_behind).to.deep.equal({ commits: 3, touching: 2 });
    await shell.run(['verify', '--check', '--mark', covering]);
    expect((await shownGoal(covering)).updated_at, 'nothing is written that is there').to.equal(later.updated_at);
    expect((await shownGoal()).verification_state, 'another goal was not compared').to.equal('current');
    await shell.ok(['verify', covering]);
    const renewed = await shownGoal(covering);
    expect(renewed).to.include({ verification_state: 'current' }).and.to.not.have.property('verification_behind');
    commit('code', '5\n');
    expect((await shell.run(['verify', covering])).code).to.equal(1);
    expect(await shownGoal(covering)).to.include({ status: 'blocked', verification_state: null });
    // A red goal and a gate that has not run are open, so that the plan says nothing wrong of them.
    await goalWith('--gate', 'sh gate.sh').then((id) => shell.ok(['task', 'add', 'Dig', '--goal', id]));
    const { output, code } = await shell.run(['verify', '--check', covering]);
    expect([code, output]).to.deep.equal([0, output]);
    expect(output).to.match(/^red .* its last verification was red: planner goal show/m);
    const all = JSON.parse((await shell.run(['verify', '--check', '--json'])).output);
    expect(all.unverified).to.deep.include({
      kind: 'goal',
      id: covering,
      name: (await shownGoal(covering)).name,
      found: 'red',
    });
    expect((await shell.run(['verify', '--check'])).output).to.match(/^The gate has not run yet: "Goal \d+"\.$/m);
    expect(await shell.ok(['status'])).to.match(/ red .* planner goal resume \w+ lets its tasks go on/);
    expect(await shell.ok(['goal', 'show', covering])).to.match(/^Log +planner artifact show art_/m);
  });

  it('knows no commit that the repository does not have [A.verify.check]', async () => {
    await shell.ok(['verify', goal, '--trust']);
    const shallow = join(scratch.path, 'shallow');
    git(shell.directory, 'add', '--all');
    git(shell.directory, 'commit', '--quiet', '--message', 'Plan');
    git(scratch.path, 'clone', '--quiet', '--depth=1', `file://${shell.directory}`, shallow);
    const { code, output } = await shell.run(['verify', '--check'], { cwd: shallow });
    expect(code).to.equal(1);
    expect(output).to.match(/^unknown commit .* fetch the whole history/);
  });
});
