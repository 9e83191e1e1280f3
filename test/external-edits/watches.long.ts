import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../support/build.ts';
import { reached } from '../support/reached.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { editsAreFoundWithoutWatches, problemsOf } from './watches.ts';

describe('Watch limits, at length', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  const scratch = scratchDirectory();

  it('exhausted instances: edits are still found [A.hands.watches]', () =>
    editsAreFoundWithoutWatches('EMFILE', 'max_user_instances'));

  /** The words before a command that gives it so few watches; undefined where this user may not have a user namespace. */
  function fewWatches(): readonly string[] | undefined {
    const script = 'echo 2 > /proc/sys/user/max_inotify_watches && exec "$@"';
    const words = ['unshare', '--user', '--map-root-user', 'sh', '-c', script, 'sh'];
    return spawnSync(words[0]!, [...words.slice(1), 'true']).status === 0 ? words : undefined;
  }

  it('exhausted watches: the service starts, serves, reports it, and finds edits [A.hands.watches]', async () => {
    const words = fewWatches();
    if (words === undefined) return console.log('      the real limit is not lowered here: no user namespaces');
    const program = [process.execPath, builtProgram(), 'serve', '--root', scratch.path, '--port', '0', '--json'];
    const child = spawn(words[0]!, [...words.slice(1), ...program], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      child.once('exit', () => reject(new Error(output)));
    });
    const rest = new RestClient((JSON.parse(line) as { url: string }).url);
    const { body: project } = await rest.post('/projects', { name: 'Garden' });
    const { body: task } = await rest.post(`/projects/${project.id}/tasks`, { label: 'Dig' });
    await rest.post('/flush');
    const tasks = join(
      scratch.path,
      '.planner/projects',
      readdirSync(join(scratch.path, '.planner/projects'))[0]!,
      'tasks',
    );
    const file = join(tasks, readdirSync(tasks)[0]!);
    writeFileSync(file, readFileSync(file, 'utf8').replace('label: Dig', 'label: Sow'));
    for (;;) {
      if ((await rest.get(`/tasks/${task.id}`)).body.label === 'Sow') break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const [problem] = await problemsOf(rest);
    expect(problem).to.include({ kind: 'not_watched' });
    expect(problem!.reason).to.contain('ENOSPC');
    // The log is written beside the requests.
    while (!output.includes('max_user_watches')) await new Promise((resolve) => setTimeout(resolve, 10));
    reached('watches left to a service', 2);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  });
});
