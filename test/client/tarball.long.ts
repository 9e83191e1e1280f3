import { expect } from 'chai';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';

const run = promisify(execFile);

describe('The tarball of the package', function () {
  const scratch = scratchDirectory();

  it('installs into an empty directory and serves, with nothing of the repository [D11.client]', async () => {
    const before = readFileSync(join(repository, 'package.json'), 'utf8');
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', scratch.path], { cwd: repository });
    expect(readFileSync(join(repository, 'package.json'), 'utf8')).to.equal(before);
    const tarball = join(scratch.path, stdout.trim().split('\n').at(-1)!);
    expect(statSync(tarball).size).to.be.below(2.5e6);
    const directory = join(scratch.path, 'empty');
    mkdirSync(directory);
    writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
    const installed = await run('npm', ['install', '--prefer-offline', '--no-audit', tarball], { cwd: directory });
    // npm warns of members of the user's own configuration, too.
    expect(installed.stderr.replaceAll(/^npm warn Unknown (?:user|env|project) config .*$/gm, '').trim()).to.equal('');
    const { name, version } = JSON.parse(before) as { readonly name: string; readonly version: string };
    const own = join(directory, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as object;
    expect(manifest).to.include({ name, version }).and.not.to.have.any.keys('scripts', 'devDependencies');

    const planner = join(directory, 'node_modules/.bin/planner');
    expect((await run(process.execPath, [planner, '--version'])).stdout.trim()).to.equal(version);
    const service = spawn(process.execPath, [planner, 'serve', '--port', '0'], { cwd: directory });
    try {
      const line = await new Promise<string>((resolve, reject) => {
        service.stdout.setEncoding('utf8').once('data', resolve);
        service.once('exit', () => reject(new Error('The service ended.')));
      });
      const url = / at (http:\S+)/.exec(line)![1]!;
      const page = await fetch(url);
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect((await fetch(`${url}/api/v1/docs`)).status).to.equal(200);
      const program = `const { PlannerClient } = await import('${name}/client');
        const client = await PlannerClient.connect();
        console.log((await client.call('create_project', { name: 'Packed' })).project.name);
        await client.close();`;
      const options = { cwd: directory, env: { ...process.env, PLANNER_URL: url } };
      const answer = await run(process.execPath, ['--input-type=module', '--eval', program], options);
      expect(answer.stdout).to.equal('Packed\n');
    } finally {
      service.kill('SIGTERM');
    }
  });
});
