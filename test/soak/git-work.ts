import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import { pause } from './callers.ts';
import type { Stage } from './callers.ts';

const run = promisify(execFile);
const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_EDITOR: 'true',
};

/** Runs git asynchronously, so that its commands do not block this process and its callers. */
export async function gitBeside(directory: string, ...args: readonly string[]): Promise<string> {
  return (await run('git', [...identity, ...args], { cwd: directory, env: environment })).stdout;
}

/**
 * Works with git while the service runs: commits, branches, checkouts, merges, stashes. git tracks the plan `branched`;
 * tasks are created in it all the time, on whatever branch is checked out. Returns the number of rounds and the tasks.
 */
export async function gitWork(
  stage: Stage,
  random: Random,
  { directory, branched }: { readonly directory: string; readonly branched: string },
): Promise<{ readonly rounds: number; readonly commands: number; readonly made: readonly string[] }> {
  const rest = new RestClient(stage.url);
  const made: string[] = [];
  let commands = 0;
  const git = (...args: readonly string[]): Promise<string> => (commands++, gitBeside(directory, ...args));
  const create = async (label: string): Promise<string> => {
    const { status, body } = await rest.post(`/projects/${branched}/tasks`, { label });
    if (status !== 201) throw new Error(`A task was not made: ${JSON.stringify(body)}`);
    made.push(body.id as string);
    return body.id as string;
  };
  const commit = async (message: string): Promise<void> => {
    await rest.post('/flush');
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', message);
  };
  const round = async (number: number): Promise<void> => {
    const side = `side-${number}`;
    await create(`Before ${side}`);
    await commit(`Before ${side}`);
    await git('checkout', '--quiet', '-b', side);
    const onSide = await create(`On ${side}`);
    await rest.patch(`/tasks/${onSide}`, { status: 'done' });
    await commit(`On ${side}`);
    await git('checkout', '--quiet', 'main');
    await pause(random.integer(0, 300));
    await create(`Beside ${side}`);
    await commit(`Beside ${side}`);
    await git('merge', '--quiet', '--no-edit', side);
    await git('branch', '--quiet', '--delete', side);
    appendFileSync(join(directory, 'README.md'), `Round ${number}.\n`);
    await create(`Stashed around ${side}`);
    await git('stash', '--quiet');
    await pause(random.integer(0, 300));
    await git('stash', 'pop', '--quiet');
    if (number % 10 === 0) await git('gc', '--quiet');
  };
  let rounds = 0;
  while (await stage.gate.pass(() => round(++rounds))) await pause(random.integer(1000, 3000));
  await commit('The end');
  return { rounds, commands, made };
}
