import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { delay, systemClock } from '../../src/base/clock.ts';
import { findProgram } from '../../src/platform/programs.ts';
import { Command } from '../support/command.ts';
import { git, initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

// Tests read results of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

const words = ['run', '--agent', 'scripted', '--trust'];

/** A step of a merge before which the runner is killed: a condition of a shell on the words of a call of git. */
interface Step {
  readonly when: string;
  /** True if it is a call after the branch has moved. */
  readonly isMerged: boolean;
}

describe('the death of a runner', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let service: TestService;
  let id: string;

  const outside = (path: string): string => join(scratch.path, path);
  const here = (...args: readonly string[]): string => git(shell.directory, ...args).trim();
  const shown = async (): Promise<Any> => (await service.rest.get(`/tasks/${id}`)).body;

  /** What is killed needs a process of its own. */
  const start = (environment: Readonly<Record<string, string>> = {}): Command =>
    new Command(words, shell.options({ environment }));

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    initRepository(shell.directory);
    here('config', 'user.name', 'Ada');
    here('config', 'user.email', 'ada@example.org');
    await shell.ok(['init']);
    service = await TestService.start({ directory: shell.directory });
    const project = (await shell.json(['call', 'create_project', JSON.stringify({ name: 'Shop' })])).project.id;
    const goal = (await shell.json(['goal', 'add', 'Payments', '--gate', 'test -f done'])).goal.id;
    const fields = { label: 'First', goal_id: goal, lane: 'auto' };
    id = (await service.rest.post(`/projects/${project}/tasks`, fields)).body.id;
    writeFileSync(join(shell.directory, 'begun'), 'begun\n');
    here('add', '--all');
    here('commit', '--quiet', '--message', 'Begin');
    mkdirSync(join(shell.home, '.config/planner'), { recursive: true });
    const scripted = { command: '/bin/sh', args: [outside('agent.sh')], protocol: 'stdin', env: {} };
    writeFileSync(join(shell.home, '.config/planner/agents.json'), JSON.stringify({ scripted }));
  });
  afterEach(() => service.stop());

  it('is the end of its agent, too, before the next run takes the task [A.run.death]', async () => {
    // The next agent sees whether this one lives.
    writeFileSync(
      outside('agent.sh'),
      `if test -f ${outside('pid')}; then ps -o stat= -p "$(cat ${outside('pid')})" | grep -q '^[^Z]' || echo yes > done; exit; fi
echo half > half; echo $$ > ${outside('pid.new')}; mv ${outside('pid.new')} ${outside('pid')}
while :; do sleep 0.1; done`,
    );
    const runner = start();
    while (!existsSync(outside('pid'))) await delay(systemClock, 10);
    await runner.kill();
    const { code, errors } = await shell.run(words);
    expect(errors).to.include('its runner had ended');
    expect(code, errors).to.equal(0);
    expect(await shown()).to.include({ status: 'done', branch: null });
    expect(here('ls-tree', '--name-only', 'HEAD').split('\n')).to.include.members(['done', 'half']);
  });

  const isBroughtToItsEnd =
    ({ when, isMerged }: Step) =>
    async (): Promise<void> => {
      writeFileSync(outside('agent.sh'), `echo x >> ${outside('turns')}; echo yes > done; echo more >> begun`);
      const after = outside('moved');
      mkdirSync(outside('bin'));
      // The runner is killed once, before this call of git.
      writeFileSync(
        outside('bin/git'),
        `#!/bin/sh
  if ! test -f ${outside('killed')} && ${isMerged ? `test -f ${after}` : 'true'}; then
  case "$*" in ${when}) touch ${outside('killed')}; kill -9 $PPID; exit 1;; esac
  fi
  case "$*" in *"update-ref -m planner: merge"*) touch ${after};; esac
  exec ${findProgram('git', process.env)} "$@"
  `,
        { mode: 0o755 },
      );
      const environment = { PATH: `${outside('bin')}${delimiter}${process.env['PATH']}` };
      const killed = await start(environment).finished;
      expect([killed.code, existsSync(outside('killed'))], killed.errors).to.deep.equal([null, true]);
      expect(await shown()).to.include({ status: 'in_progress' });
      const { code, output, errors } = await shell.run(words);
      expect({ code, output, errors }).to.deep.include({ code: 0 });
      expect(await shown()).to.include({ status: 'done', branch: null, verification_state: 'current' });
      expect(here('status', '--porcelain', '--untracked-files=no', '--', 'begun', 'done')).to.equal('');
      expect(readFileSync(join(shell.directory, 'begun'), 'utf8')).to.equal('begun\nmore\n');
      expect(here('branch', '--list', 'planner/*')).to.equal('');
      expect(readFileSync(outside('turns'), 'utf8'), 'no work is repeated').to.equal('x\n');
    };

  rarely(
    'in a merge, before it has moved the files, leaves what the next run brings to its end [A.run.death]',
    isBroughtToItsEnd({ when: '*"read-tree -m -u "[0-9a-f]*', isMerged: false }),
  );

  it(
    'in a merge, between the files and the branch, leaves what the next run brings to its end [A.run.death, A.run.merge]',
    isBroughtToItsEnd({ when: '*"update-ref -m planner: merge"*', isMerged: false }),
  );

  rarely(
    'in a merge, after the branch, before the plan, leaves what the next run brings to its end [A.run.death]',
    isBroughtToItsEnd({ when: '*', isMerged: true }),
  );
});
