import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '../support/build.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { noProblems } from '../support/no-problems.ts';
import { Shell, shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

describe('On a read-only file system', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  /** Runs `planner` where the directory of the shell cannot be written; undefined where this system mounts nothing so. */
  function planner(shell: Shell, ...argv: readonly string[]): { code: number | null; output: string } | undefined {
    const script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && shift && exec "$@"';
    const words = ['--mount', 'sh', '-c', script, 'sh', shell.directory, process.execPath, builtProgram()];
    const env = { ...process.env, HOME: shell.home, XDG_CONFIG_HOME: join(shell.home, '.config') };
    if (spawnSync('unshare', [...words.slice(0, 6), 'true']).status !== 0) return undefined;
    const { status, stdout, stderr } = spawnSync('unshare', [...words, ...argv], { env, encoding: 'utf8' });
    return { code: status, output: `${stdout}${stderr}` };
  }

  rarely('doctor checks the files, and every other command reports its needs [D11.read-only]', async () => {
    const shell = new Shell(scratch.path);
    await shell.ok(['init']);
    await shell.ok(['call', 'create_project', '{"name": "Web shop"}']);
    await shell.ok(['task', 'add', 'Dig']);
    const sound = planner(shell, 'doctor');
    if (sound === undefined) return console.log('      this system mounts nothing read-only here');
    expect([sound.code, sound.output]).to.deep.equal([0, noProblems]);
    const projects = join(shell.directory, '.planner/projects');
    const tasks = join(projects, readdirSync(projects)[0]!, 'tasks');
    writeFileSync(
      join(tasks, readdirSync(tasks)[0]!),
      '---\n<<<<<<< HEAD\nlabel: a\n=======\nlabel: b\n>>>>>>> other\n---\n',
    );
    const broken = planner(shell, 'doctor');
    expect(broken!.code).to.equal(1);
    expect(broken!.output).to.include('tasks/dig');
    for (const argv of [
      ['serve', '--port', '0'],
      ['task', 'list'],
      ['doctor', '--fix'],
    ]) {
      const refused = planner(shell, ...argv);
      expect(refused!.code, argv.join(' ')).to.equal(1);
      expect(refused!.output)
        .to.match(/read-only file system/)
        .and.to.match(/planner doctor/)
        .and.not.to.match(/\n\s+at /);
    }
  });

  it('an invalid response of a service is reported with its URL, without a stack [D11.answers]', async () => {
    const server = createServer((_, response) => response.setHeader('Content-Type', 'application/json').end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const shell = new Shell(scratch.path, { PLANNER_URL: url });
      for (const argv of [
        ['task', 'list'],
        ['task', 'show', 'tsk_x'],
        ['keys'],
        ['doctor'],
        ['next'],
        ['doc', 'x'],
        ['login'],
      ]) {
        const output = await shell.refused(1, argv);
        expect(output, argv.join(' '))
          .to.include(url)
          .and.to.match(/may not be a Planner service/)
          .and.not.to.match(/\n\s+at /);
      }
    } finally {
      server.close();
    }
  });
});
