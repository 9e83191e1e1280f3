import { expect } from 'chai';
import { execFile, spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';

const run = promisify(execFile);

/**
 * Compressed: the program 1.3 MB with the two SDKs of MCP and each validator twice, quick and thorough, the page 1.0 with its fonts, the
 * reference's Swagger UI 0.4, the positions of stack traces 0.15, schemas, types and examples 0.15. No chunk is there twice.
 */
const bytesMax = 3.1e6;

/** The first release line of `engines` in package.json. */
const oldest = 22;

describe('The tarball of the package', function () {
  const scratch = scratchDirectory();

  it('installs into an empty directory and serves, without the repository [D11.client]', async () => {
    const before = readFileSync(join(repository, 'package.json'), 'utf8');
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', scratch.path], { cwd: repository });
    expect(readFileSync(join(repository, 'package.json'), 'utf8')).to.equal(before);
    const tarball = join(scratch.path, stdout.trim().split('\n').at(-1)!);
    expect(statSync(tarball).size).to.be.below(bytesMax);
    const directory = join(scratch.path, 'empty');
    mkdirSync(directory);
    writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
    const installed = await run('npm', ['install', '--prefer-offline', '--no-audit', tarball], { cwd: directory });
    // npm warns of members of the user's own configuration, too.
    expect(installed.stderr.replaceAll(/^npm warn Unknown (?:user|env|project) config .*$/gm, '').trim()).to.equal('');
    const { name, version } = JSON.parse(before) as { readonly name: string; readonly version: string };
    const own = join(directory, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as object;
    expect(manifest).to.include({ name, version }).and.not.to.have.any.keys('scripts', 'devDependencies', 'workspaces');

    const planner = join(directory, 'node_modules/.bin/planner');
    for (const node of [process.execPath, await oldestNode()]) {
      expect((await run(node, [planner, '--version'])).stdout.trim()).to.equal(version);
      const service = spawn(node, [planner, 'serve', '--port', '0'], { cwd: directory });
      try {
        await checkService(await addressOf(service), directory, name);
      } finally {
        service.kill('SIGTERM');
        await once(service, 'exit');
      }
    }
  });

  /** The oldest release line that package.json allows, as its package on npm. */
  async function oldestNode(): Promise<string> {
    const directory = join(scratch.path, 'node');
    mkdirSync(directory);
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ allowScripts: { node: true } }));
    await run('npm', ['install', '--prefer-offline', '--no-audit', `node@${oldest}`], { cwd: directory });
    const node = join(directory, 'node_modules/node/bin/node');
    expect((await run(node, ['--version'])).stdout).to.match(new RegExp(`^v${oldest}\\.`));
    return node;
  }
});

async function addressOf(service: ChildProcessWithoutNullStreams): Promise<string> {
  const line = await new Promise<string>((resolve, reject) => {
    service.stdout.setEncoding('utf8').once('data', resolve);
    service.once('exit', () => reject(new Error('The service ended.')));
  });
  return / at (http:\S+)/.exec(line)![1]!;
}

/** The page, the reference of the REST interface, and a program that imports the client. */
async function checkService(url: string, directory: string, name: string): Promise<void> {
  for (const encoding of ['br', 'gzip', 'identity']) {
    const page = await fetch(url, { headers: { 'Accept-Encoding': encoding } });
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(await page.text()).to.match(/^<!doctype html>/i);
  }
  expect((await fetch(`${url}/api/v1/docs`)).status).to.equal(200);
  expect((await fetch(`${url}/api/v1/docs/swagger-ui.css`)).status).to.equal(200);
  const program = `const { PlannerClient } = await import('${name}/client');
    const client = await PlannerClient.connect();
    console.log((await client.call('create_project', { name: 'Packed' })).project.name);
    await client.close();`;
  const options = { cwd: directory, env: { ...process.env, PLANNER_URL: url } };
  const answer = await run(process.execPath, ['--input-type=module', '--eval', program], options);
  expect(answer.stdout).to.equal('Packed\n');
}
