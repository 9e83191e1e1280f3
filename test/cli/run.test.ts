import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { delay, systemClock } from '../../src/base/clock.ts';
import type { Run } from '../../src/schema/types.ts';
import { scenario } from '../support/scripted-agent/scenario.ts';
import type { Scenario } from '../support/scripted-agent/scenario.ts';
import { givenPrompts } from '../support/scripted-agent/turns.ts';
import { repository } from '../support/server-process.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { Traps } from '../hostile/traps.ts';
import { git, initRepository } from '../support/git.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

// Tests read results of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

describe('planner run', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let service: TestService;
  let project: string;
  let goal: string;

  const at = (path: string): string => join(shell.directory, path);
  const here = (...args: readonly string[]): string => git(shell.directory, ...args).trim();
  const branches = (): readonly string[] =>
    here('branch', '--list', 'planner/*', '--format=%(refname:short)').split('\n');
  const worktrees = (): readonly string[] => here('worktree', 'list').split('\n').slice(1);
  const outside = (path: string): string => join(scratch.path, path);

  /** An agent that is a shell script; the prompt is on its standard input. */
  function agentDoes(script: string): void {
    const place = join(shell.home, '.config/planner');
    mkdirSync(place, { recursive: true });
    writeFileSync(outside('agent.sh'), script);
    const scripted = { command: '/bin/sh', args: [outside('agent.sh')], protocol: 'stdin', env: {} };
    writeFileSync(join(place, 'agents.json'), JSON.stringify({ scripted }));
  }

  /** An agent that follows a script over ACP. */
  function agentFollows(scenario: Scenario): string {
    const place = join(shell.home, '.config/planner');
    mkdirSync(place, { recursive: true });
    writeFileSync(outside('scenario.json'), JSON.stringify(scenario));
    const args = [join(repository, 'test/support/scripted-agent.ts'), outside('scenario.json'), '--acp'];
    const scripted = { command: process.execPath, args, protocol: 'acp', env: {} };
    writeFileSync(join(place, 'agents.json'), JSON.stringify({ scripted }));
    return outside('scenario.json');
  }

  async function task(label: string, fields: object = {}): Promise<string> {
    const made = await service.rest.post(`/projects/${project}/tasks`, { label, goal_id: goal, ...fields });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    return made.body.id as string;
  }

  const shown = async (id: string): Promise<Any> => (await service.rest.get(`/tasks/${id}`)).body;
  const runs = async (): Promise<readonly Run[]> =>
    (await service.rest.get(`/projects/${project}/agent-runs`)).body.runs;
  const commentsOn = async (id: string): Promise<string> =>
    JSON.stringify((await service.rest.get(`/tasks/${id}/comments`)).body);
  const words = (...more: readonly string[]): readonly string[] => ['run', '--agent', 'scripted', '--trust', ...more];

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
    here('config', 'user.name', 'Ada');
    here('config', 'user.email', 'ada@example.org');
    await shell.ok(['init']);
    service = await TestService.start({ directory: shell.directory });
    project = (await shell.json(['call', 'create_project', JSON.stringify({ name: 'Shop' })])).project.id;
    writeFileSync(at('gate.sh'), 'test "$(cat done 2>/dev/null)" = yes\n');
    here('add', '--all');
    here('commit', '--quiet', '--message', 'Begin');
    goal = (await shell.json(['goal', 'add', 'Payments', '--gate', 'sh gate.sh'])).goal.id;
  });
  afterEach(() => service.stop());

  it('works a task in a worktree of its own until its gate is green, and leaves it for review [A.run.work, A.run.settle, A.run.goal]', async () => {
    const id = await task('Take payments', { description: 'By card.' });
    await service.rest.post(`/tasks/${id}/comments`, { body: 'In euro, please.' });
    agentDoes(
      `cat > ${outside('prompt')}; pwd > ${outside('where')}; env > ${outside('env')}; echo yes > done; echo working on it`,
    );
    const { code, output } = await shell.run(words());
    expect({ code, output }).to.deep.include({ code: 0 });
    const prompt = readFileSync(outside('prompt'), 'utf8');
    for (const part of ['# Take payments', 'By card.', 'In euro, please.', 'sh gate.sh'])
      expect(prompt).to.include(part);
    expect(readFileSync(outside('where'), 'utf8')).to.not.include(shell.directory);
    expect(readFileSync(outside('env'), 'utf8')).to.include(`PLANNER_URL=${service.url}`);
    const done = await shown(id);
    expect(done).to.include({ status: 'done', verified_at: null, verification_state: 'current' });
    const [branch] = branches();
    expect(here('log', '--format=%H', `main..${branch}`).split('\n')).to.deep.equal(done.commit_refs);
    expect(done.proof.commit).to.equal(done.commit_refs[0]);
    expect(existsSync(at('done'))).to.equal(false);
    expect(worktrees()).to.deep.equal([]);
    const [run] = await runs();
    expect(run).to.deep.include({ status: 'completed', task_id: id, branch, commits: done.commit_refs });
    expect(run!.diff_stat).to.deep.equal({ files: 1, insertions: 1, deletions: 0 });
    expect(run!.events.map(({ message }) => message)).to.include('working on it');
    const { keys } = (await service.rest.get('/keys')).body;
    expect(keys.filter(({ revoked_at }: Any) => revoked_at === null && revoked_at !== undefined)).to.deep.equal([]);
    expect((await shell.run(['review'])).output).to.include('Take payments');
    // Merged by hand, the last task of the goal leaves its gate alone to do.
    here('merge', '--quiet', branch!);
    expect((await shell.run(words('Payments'))).output).to.include('"Payments" is complete');
  });

  it('merges what is green in the lane auto, and completes the goal by its gate [A.run.merge, A.run.goal]', async () => {
    const first = await task('First', { lane: 'auto' });
    const second = await task('Second', { lane: 'auto' });
    await service.rest.post(`/projects/${project}/edges`, {
      from_type: 'task',
      from_id: first,
      to_type: 'task',
      to_id: second,
    });
    writeFileSync(at('notes'), 'mine, not committed\n');
    agentDoes(
      'echo yes > done; date +%N >> log; git add --all; git commit --quiet --message "Work"; git log --format=%s | wc -l >> log',
    );
    const { code, output } = await shell.run(words('Payments'));
    expect({ code, output }).to.deep.include({ code: 0 });
    expect(output).to.include('"Payments" is complete');
    for (const id of [first, second]) expect((await shown(id)).verified_ref).to.match(/^gate green at/);
    expect(readFileSync(at('done'), 'utf8')).to.equal('yes\n');
    expect(here('status', '--porcelain', '--', 'done', 'log', 'notes')).to.equal('?? notes');
    expect((await service.rest.get(`/goals/${goal}`)).body).to.include({
      status: 'complete',
      verification_state: 'current',
    });
  });

  it('leaves a green task in the lane auto for review if a file is in the way [A.run.merge, A.run.merge-lane]', async () => {
    const id = await task('First', { lane: 'auto' });
    writeFileSync(at('done'), 'mine\n');
    agentDoes('echo yes > done');
    expect((await shell.run(words())).code).to.equal(0);
    expect(await shown(id)).to.include({ status: 'done', lane: 'auto', verified_at: null, branch: branches()[0] });
    expect((await shell.run(['review'])).output).to.include('First');
    expect(readFileSync(at('done'), 'utf8')).to.equal('mine\n');
    expect(here('log', '--format=%s')).to.equal('Begin');
  });

  it('gives a red gate back to the agent, and the task after the last attempt [A.run.tries, A.verify.waits, A.diff.records]', async () => {
    const id = await task('First');
    agentDoes(`cat >> ${outside('prompts')}; echo x >> tried; test "$(wc -l < tried)" -lt 2 || echo yes > done`);
    expect((await shell.run(words('--tries', '1'))).code).to.equal(1);
    expect(await shown(id)).to.include({ status: 'todo', assignee: null });
    expect(await commentsOn(id))
      .to.include('stayed red after 1 attempt')
      .and.to.include('planner/');
    expect((await runs())[0]).to.include({ status: 'failed' });
    expect(await shell.ok(['status'])).to.match(/Came back from an agent \(1\) .*\n.* todo +First/);
    expect(await shell.ok(['task', 'show', id])).to.match(
      /^ +[-\d]+ [:\d]+ +failed +runner:\S+ +planner\/\S+ +1 file, \+1 −0 +The gate stayed red/m,
    );
    expect(worktrees()).to.deep.equal([]);
    // The next attempt goes on from the branch.
    expect((await shell.run(words())).code).to.equal(0);
    expect(await shown(id)).to.include({ status: 'done' });
    expect(await shell.ok(['status'])).to.not.include('Came back');
    // What programs leave comes last, in few words.
    expect(await shell.ok(['diff'])).to.match(
      /\nRuns\n  \+ First {2}failed, diff stat 1 file, \+1 −0\n  \+ First {2}completed, diff stat 2 files, \+3 −0\n/,
    );
    const again = await task('Second', { gate: 'test -f twice' });
    await service.rest.patch(`/goals/${goal}`, { iteration_policy: 'retry 3' });
    agentDoes(
      `cat >> ${outside('prompts')}; if test -f two; then touch twice; elif test -f once; then touch two; else touch once; fi`,
    );
    expect((await shell.run(words())).code).to.equal(0);
    expect((await shown(again)).status).to.equal('done');
    expect(readFileSync(outside('prompts'), 'utf8')).to.include(
      'The gate is red: test -f twice ended with exit code 1',
    );
  });

  it('gives a task back whose agent fails or changes nothing; what it left is committed [A.run.failure]', async () => {
    const id = await task('First');
    // As git does that was killed with it.
    agentDoes('echo half > half; touch "$(git rev-parse --git-path index.lock)"; echo "I cannot go on" >&2; exit 3');
    expect((await shell.run(words())).code).to.equal(1);
    expect(await shown(id)).to.include({ status: 'todo', assignee: null });
    expect(await commentsOn(id)).to.include('I cannot go on');
    expect(here('show', `${branches()[0]}:half`)).to.equal('half');
    const idle = await task('Second', { priority: 'urgent' });
    agentDoes('exit 0');
    expect((await shell.run(words('--once'))).code).to.equal(1);
    expect(await commentsOn(idle)).to.include('changed nothing');
    expect(branches()).to.have.length(1);
  });

  it('says which files outside of its worktree changed meanwhile [A.run.outside]', async () => {
    await task('First');
    agentDoes(`echo yes > done; echo x > ${at('stray')}`);
    await shell.run(words());
    expect(JSON.stringify(await runs())).to.include('files changed meanwhile: stray');
  });

  it('asks again for a gate that the agent changed [A.run.trust]', async () => {
    const id = await task('First');
    agentDoes('echo no > done');
    expect((await shell.run(['run', '--agent', 'scripted'])).code).to.equal(2);
    expect((await shown(id)).status, 'nothing was begun').to.equal('todo');
    expect((await shell.run(['run', '--agent', 'scripted', '--tries', '1'], { typed: ['y'] })).code).to.equal(1);
    const change = `fetch(process.env.PLANNER_URL + '/api/v1/tasks/${id}', { method: 'PATCH', headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.PLANNER_MCP_TOKEN }, body: JSON.stringify({ gate: 'touch ${outside('sprung')}' }) }).then((answer) => process.exit(answer.ok ? 0 : 9))`;
    writeFileSync(outside('change.cjs'), change);
    agentDoes(`echo yes > done; ${process.execPath} ${outside('change.cjs')}`);
    const { code, errors } = await shell.run(['run', '--agent', 'scripted']);
    expect(errors).to.include('you have not allowed it');
    expect(code).to.equal(2);
    expect(existsSync(outside('sprung'))).to.equal(false);
    expect(await shown(id)).to.include({ status: 'todo', assignee: null });
  });

  it('says which tasks it would take and why not the others, and takes these only [A.run.choice]', async () => {
    const ids = {
      first: await task('Ready', { priority: 'high' }),
      decision: await task('Decide', { kind: 'decision' }),
      full: await task('By hand', { lane: 'full' }),
      second: await task('Waits'),
    };
    const ends = { from_type: 'task', from_id: ids.first, to_type: 'task', to_id: ids.second };
    await service.rest.post(`/projects/${project}/edges`, ends);
    agentDoes('echo yes > done');
    const { output } = await shell.run(['run', '--agent', 'scripted', '--dry-run']);
    expect(output).to.match(/^takes .*Ready {2}\(sh gate\.sh\)\nleaves .*Decide .*decision/m);
    expect(output).to.include('By hand  (its lane is full').and.to.include('Waits  (it waits for 1 open task');
    expect(await runs()).to.deep.equal([]);
    expect((await shell.run(words())).code).to.equal(0);
    expect((await runs()).map(({ label }) => label)).to.deep.equal(['Ready']);
    // Its commits are on a branch: what builds on it waits until they are merged.
    expect((await shell.run(['run', '--agent', 'scripted', '--dry-run'])).output).to.include(
      '"Ready" are not merged yet',
    );
    here('merge', '--quiet', branches()[0]!);
    expect((await shell.run(['run', '--agent', 'scripted', '--dry-run'])).output).to.match(/^takes .*Waits/m);
  });

  it('works several tasks at once, but none that cover the same files [A.run.parallel]', async () => {
    await task('One', { covers: ['src/pay/**'] });
    await task('Two', { covers: ['src/pay/card.ts'] });
    await task('Three', { covers: ['docs'] });
    const log = outside('log');
    // The first two agents wait for each other, so that they overlap however slowly either one starts.
    agentDoes(
      `echo "start $(basename "$PWD")" >> ${log}; n=0; while [ "$(grep -c start ${log})" -lt 2 ] && [ $n -lt 200 ]; do sleep 0.05; n=$((n + 1)); done; echo "end $(basename "$PWD")" >> ${log}; echo yes > done`,
    );
    const { code, output } = await shell.run(words('--parallel', '3'));
    expect(code).to.equal(0);
    for (const label of ['One', 'Two', 'Three']) expect(output).to.include(`review    ${label}: green`);
    const steps = readFileSync(log, 'utf8')
      .replaceAll(/(start|end) \S*-(one|two|three)-\S+/g, '$1 $2')
      .trim()
      .split('\n');
    const span = (name: string): [number, number] => [steps.indexOf(`start ${name}`), steps.indexOf(`end ${name}`)];
    const overlap = (a: string, b: string): boolean => span(a)[0] < span(b)[1] && span(b)[0] < span(a)[1];
    expect(steps).to.have.length(6);
    expect(overlap('one', 'two')).to.equal(false);
    expect(overlap('one', 'three') || overlap('two', 'three')).to.equal(true);
  });

  it('passes a question of an agent over ACP to a person, its usage at once, and the answer back [A.run.ask, A.run.agent-usage]', async () => {
    const id = await task('First', { gate: 'grep -q "Answer: EUR" said' });
    const steps = [
      ...[
        { tokens: 1200, cost_usd: 0.25 },
        { ask: 'Which currency', choices: ['EUR', 'USD'] },
      ],
      ...[{ write: 'said', text: 'Answer: EUR\n' }, { print: 'It is done.' }],
    ];
    agentFollows(scenario(steps));
    const running = new InProcessCommand(words(), shell.options());
    let run: Run | undefined;
    while (run?.awaiting == null) {
      [run] = await runs();
      await delay(systemClock, 50);
    }
    expect(run.awaiting).to.deep.include({ question: 'Which currency', choices: ['EUR', 'USD'] });
    // The turn cannot end before the answer. The agent reports the half as its context, and all at the end of the turn.
    while (run!.tokens === null) [run] = await runs();
    expect(run).to.include({ tokens: 600, cost_usd: 0.25 });
    expect((await shell.run(['status'])).output).to.include('Which currency');
    await shell.ok(['answer', run!.id, 'EUR']);
    expect((await running.finished).code).to.equal(0);
    expect(await shown(id)).to.include({ status: 'done' });
    const [ended] = await runs();
    expect(ended).to.include({ status: 'completed', tokens: 1200, cost_usd: 0.25, awaiting: null });
    expect(ended!.events.map(({ message }) => message))
      .to.include('Answer: EUR')
      .and.to.include('EUR');
  });

  for (const resumes of [true, false])
    it(`puts a task aside that gets no answer, and goes on with it once there is one, ${resumes ? 'in the same conversation' : 'with the task and the answer'} [A.run.park]`, async () => {
      const id = await task('First', { gate: 'test -f half && test -f whole', priority: 'urgent' });
      const other = await task('Second', { gate: 'true' });
      const asking = [{ write: 'half', text: '' }, { tokens: 200 }, { ask: 'Which currency' }, { hang: true }];
      const file = agentFollows({
        resumes,
        parts: [
          { when: '# First', turns: [asking as never, [{ tokens: 300 }, { write: 'whole', text: '' }]] },
          { turns: [[{ write: 'x', text: '' }]] },
        ],
      });
      const { code, output } = await shell.run(words('--ask-minutes', '0.001'));
      expect({ code, output }).to.deep.include({ code: 0 });
      expect(output).to.match(/^parked .*First: it waits for an answer to "Which currency": planner answer/m);
      expect((await shown(other)).status).to.equal('done');
      const parked = await shown(id);
      expect(parked).to.include({ status: 'in_progress', lease_expires_at: null });
      expect(parked.assignee).to.match(/^runner:/);
      const [, waiting] = (await runs()).toSorted((a, b) => (a.task_id === id ? 1 : 0) - (b.task_id === id ? 1 : 0));
      expect(waiting).to.deep.include({ status: 'running', agent: 'scripted' });
      expect(waiting!.awaiting).to.include({ question: 'Which currency' });
      expect(here('ls-tree', '--name-only', waiting!.branch!).split('\n')).to.include('half');
      expect(worktrees()).to.have.length(1);
      const again = await shell.run(words());
      expect({ code: again.code, output: again.output }).to.deep.include({ code: 0 });
      expect(await shown(id), 'no agent works without the answer').to.deep.equal(parked);
      await shell.ok(['answer', waiting!.id, 'EUR']);
      expect((await shell.run(words())).output).to.match(/^review .*First/m);
      expect(await shown(id)).to.include({ status: 'done' });
      expect((await runs()).find((run) => run.id === waiting!.id)).to.include({
        status: 'completed',
        // A former conversation counts on, another one begins at zero.
        tokens: resumes ? 300 : 500,
      });
      expect(worktrees()).to.deep.equal([]);
      const prompt = givenPrompts(file).at(-1)!.prompt;
      expect(prompt).to.include('Which currency').and.to.include('The answer: EUR');
      expect(prompt.includes('# First')).to.equal(!resumes);
    });

  rarely(
    'pauses a goal whose budget is used up by all its runs, with the reason [A.run.budget, A.run.exit]',
    async () => {
      await service.rest.patch(`/goals/${goal}`, { budget: '2 tasks, 10 USD' });
      for (const label of ['One', 'Two', 'Three']) await task(label, { gate: 'true' });
      agentDoes('echo yes > done');
      await shell.ok(words('--once'));
      expect((await shell.run(['run', '--agent', 'scripted', '--dry-run'])).output).to.match(/^takes .*Two/m);
      const { code, output } = await shell.run(words('--parallel', '2'));
      expect({ code, output }).to.deep.include({ code: 0 });
      expect(output).to.match(/^paused .*"Payments": Its budget is used up: 2 of 2 tasks were begun\./m);
      expect(await runs()).to.have.length(2);
      const reason = 'Its budget is used up: 2 of 2 tasks were begun.';
      expect((await service.rest.get(`/goals/${goal}`)).body).to.include({ status: 'paused', pause_reason: reason });
      expect(await shell.ok(['goal', 'show', 'Payments'])).to.include(reason);
      await shell.ok(['goal', 'resume', 'Payments']);
      expect((await shell.run(['run', '--agent', 'scripted', '--dry-run'])).output).to.include(
        "its goal's budget is used up: 2 of 2 tasks",
      );
    },
  );

  it('ends an agent that takes too long, and the exit code is that of a failure [A.run.late, A.run.exit]', async () => {
    agentDoes('echo half > half; sleep 600');
    const nothing = await shell.run(words());
    expect(nothing).to.include({ code: 0 });
    expect(nothing.output).to.include('No task of an active goal is in todo');
    const id = await task('First');
    expect((await shell.run(words('--task-minutes', '0.01'))).code).to.equal(1);
    expect(await commentsOn(id)).to.include('The agent did not end within 0.01 minutes');
    expect(await shown(id)).to.include({ status: 'todo', assignee: null });
    for (const wrong of ['0', '-1', 'x', '99999'])
      expect((await shell.run(words('--task-minutes', wrong))).code, wrong).to.equal(2);
  });

  it('starts no service for a goal, commit or repository that is not there [A.run.exit]', async () => {
    agentDoes('exit 0');
    const other = new Shell(outside('other'), { XDG_CONFIG_HOME: join(shell.home, '.config') });
    await other.ok(['init']);
    await other.ok(['call', 'create_project', JSON.stringify({ name: 'Shop' })]);
    expect(await other.refused(2, words())).to.include('is in no git repository: agents work in worktrees');
    initRepository(other.directory);
    expect(await other.refused(2, words())).to.include('has no commit yet');
    git(other.directory, 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
    expect(await other.refused(1, words('Nothing'))).to.include('There is no goal "Nothing"');
    expect(existsSync(join(other.directory, '.planner/local/server.json'))).to.equal(false);
  });

  it('changes the plan as the agent that works, with a key that ends [A.run.identity]', async () => {
    const id = await task('First', { gate: 'true' });
    agentDoes('echo yes > done');
    await shell.ok(words());
    expect((await runs())[0]).to.include({ agent: 'scripted' });
    const log = await shell.ok(['log', id]);
    expect(log)
      .to.match(/runner:\S+ \(scripted\)/)
      .and.to.match(/agent:scripted\b/);
    expect((await service.rest.get('/keys')).body.keys).to.deep.equal([]);
  });

  it('works in a repository that is hostile [A.run.hostile]', async () => {
    const label = '--upload-pack=$(touch pwned) `id` ../../x';
    const id = await task(label, { description: '$(touch pwned)' });
    // The task's own gate is long, of several lines, and has escapes.
    const gate = `# \u001b]0;title\u0007\u202e ${'x'.repeat(9_000)}\ntest "$(cat done)" = yes\n`;
    await service.rest.patch(`/tasks/${id}`, { gate });
    expect((await service.rest.patch(`/tasks/${id}`, { gate: `true #${'x'.repeat(1 << 20)}` })).status).to.equal(400);
    const evil = { agents: { evil: { command: 'sh', args: ['-c', 'touch pwned'], protocol: 'stdin' } } };
    writeFileSync(at('.planner/config.json'), JSON.stringify({ ...evil, agent: 'evil', trust: true, trusted: ['*'] }));
    agentDoes('echo yes > done');
    expect((await shell.run(['run', '--agent', 'evil', '--trust'])).errors).to.include('There is no agent evil');
    expect((await shell.run(['run', '--agent', 'scripted'])).code, 'nothing is allowed by the repository').to.equal(2);
    const traps = new Traps(outside('traps'));
    writeFileSync(at('.gitattributes'), '* filter=x diff=x merge=x\n');
    here('add', '.gitattributes');
    here('commit', '--quiet', '--message', 'Attributes');
    const config = at('.git/config');
    writeFileSync(config, traps.config([]) + readFileSync(config, 'utf8'));
    const { code, output, errors } = await shell.run(words());
    expect({ code, output, errors }).to.deep.include({ code: 0 });
    expect(errors, 'the whole gate').to.include(`${'x'.repeat(9_000)}\ntest "$(cat done)" = yes\n`);
    for (const control of ['\u001b', '\u0007', '\u202e']) expect(output + errors).to.not.include(control);
    expect(traps.sprung).to.deep.equal([]);
    const [run] = await runs();
    expect(run!.branch).to.match(/^planner\/[a-z0-9]{4}-upload-pack-touch-pwned-id-x$/);
    for (const place of [shell.directory, scratch.path, shell.home]) expect(readdirSync(place)).to.not.include('pwned');
    expect(await shown(id)).to.include({ status: 'done', label });
  });

  it('lets two runners in two worktrees work the tasks of a goal, each of them once [A.run.work]', async () => {
    const ids = [await task('One', { gate: 'true' }), await task('Two', { gate: 'true' })];
    const second = outside('second');
    here('worktree', 'add', '--quiet', '-b', 'second', second);
    const log = outside('log');
    // The agents wait for each other: both runners are at work.
    agentDoes(
      `echo "$PWD" >> ${log}; n=0; while [ "$(wc -l < ${log})" -lt 2 ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n + 1)); done; echo yes > done`,
    );
    const environment = { PLANNER_URL: service.url };
    const runners = [shell.run(words('--once')), shell.run(words('--once'), { cwd: second, environment })];
    const ended = await Promise.all(runners);
    expect(ended.map(({ code, errors }) => (code === 0 ? 0 : errors))).to.deep.equal([0, 0]);
    expect(new Set(readFileSync(log, 'utf8').trim().split('\n'))).to.have.property('size', 2);
    for (const id of ids) expect((await shown(id)).status).to.equal('done');
    expect((await runs()).map(({ task_id }) => task_id)).to.have.members(ids);
  });

  it('commits the work and gives the task back when it is stopped [A.run.stop]', async () => {
    const id = await task('First');
    agentDoes(`echo half > half; touch ${outside('began')}; sleep 600`);
    const running = new InProcessCommand(words(), shell.options());
    while (!existsSync(outside('began'))) await delay(systemClock, 20);
    const { code } = await running.stop();
    expect(code).to.equal(130);
    expect(await shown(id)).to.include({ status: 'todo', assignee: null });
    expect(here('show', `${branches()[0]}:half`)).to.equal('half');
    expect(worktrees()).to.deep.equal([]);
  });

  it('gives back what a runner left that died, with its work on the branch [A.run.death]', async () => {
    const id = await task('First');
    const agent_ref = 'runner:gone/1';
    await service.rest.post(`/tasks/${id}/claim`, { agent_ref });
    const { body: run } = await service.rest.post(`/projects/${project}/agent-runs`, {
      label: 'First',
      agent_ref,
      task_id: id,
    });
    const directory = outside('left');
    here('worktree', 'add', '--quiet', '-b', 'planner/left', directory);
    writeFileSync(join(directory, 'half'), 'half\n');
    writeFileSync(at('.git/worktrees/left/index.lock'), '');
    const slots = join(shell.home, '.cache/planner/slots');
    mkdirSync(slots, { recursive: true });
    const note = { directory, branch: 'planner/left', base: here('rev-parse', 'HEAD'), agent_ref };
    const ids = { top: here('rev-parse', '--show-toplevel'), project_id: project, task_id: id, run_id: run.id };
    writeFileSync(join(slots, `${run.id}.json`), JSON.stringify({ ...note, ...ids }));
    writeFileSync(join(slots, 'torn.json'), '{"top":');
    // A runner that lives has its lock, though no process id of this machine is its own.
    writeFileSync(join(slots, 'live.json'), JSON.stringify({ ...note, ...ids, run_id: 'live' }));
    const held = nodeDisk.lock(join(slots, 'live.json.lock'));
    agentDoes('echo yes > done');
    const { code, errors } = await shell.run(words());
    expect(errors).to.include('its runner had ended');
    expect(code).to.equal(0);
    expect(here('show', 'planner/left:half')).to.equal('half');
    expect((await service.rest.get(`/agent-runs/${run.id}`)).body.status).to.equal('failed');
    expect((await shown(id)).status).to.equal('done');
    expect(readdirSync(slots).filter((name) => name.endsWith('.json'))).to.deep.equal(['live.json', 'torn.json']);
    held?.close();
  });
});
