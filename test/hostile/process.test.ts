import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { builtProgram } from '../support/build.ts';
import { runCommand } from '../support/in-process.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';
import { noProblems } from '../support/no-problems.ts';
import { rarely } from '../support/rarely.ts';

/** Throws outside of any request: in a callback at SIGUSR2, in a rejected promise at SIGWINCH. */
const thrower = `data:text/javascript,
process.on('SIGUSR2', () => setTimeout(() => { throw new Error('thrown on purpose'); }));
process.on('SIGWINCH', () => void Promise.reject(new Error('rejected on purpose')));`.replaceAll('\n', '');

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly errors: () => string;
  readonly ended: Promise<number | null>;
}

describe('The process of a service', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  let running: Started[] = [];
  afterEach(async () => {
    for (const { child, ended } of running) {
      child.kill('SIGKILL');
      await ended;
    }
    running = [];
  });

  const start = async (argv: readonly string[], { files = 4096, cwd = repository } = {}): Promise<Started> => {
    const serve = ['serve', '--root', scratch.path, '--port', '0', '--json'];
    const all = [process.execPath, '--import', thrower, ...argv, ...serve];
    const child = spawn('sh', ['-c', `ulimit -n ${files} && exec "$@"`, 'sh', ...all], { cwd });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    const data = await once(child.stdout, 'data');
    const { url } = JSON.parse(String(data[0])) as { url: string };
    running.push({ child, url, errors: () => errors, ended });
    return running.at(-1)!;
  };
  const assetOf = async (url: string): Promise<string> => {
    const page = await fetch(url, { headers: { Accept: 'text/html' } });
    expect(page.status).to.equal(200);
    return /\/assets\/[^"]+\.js/.exec(await page.text())![0];
  };

  for (const [name, signal, origin] of [
    ['an uncaught exception', 'SIGUSR2', 'uncaughtException'],
    ['an unhandled rejection', 'SIGWINCH', 'unhandledRejection'],
  ] as const) {
    it(`shuts down in order at ${name}: it is logged, the exit code is 1, and every acknowledged change is in its file [A.hostile.uncaught]`, async () => {
      const { child, url, errors, ended } = await start([builtProgram()]);
      const rest = new RestClient(url);
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, at) => rest.post('/projects', { name: `Plan ${at}` })),
      );
      child.kill(signal);
      expect(await ended).to.equal(1);
      const entries = errors()
        .split('\n')
        .filter((line) => line.startsWith('{'));
      const entry = entries.map((line) => JSON.parse(line) as Record<string, string>).find((one) => 'origin' in one);
      expect(entry).to.include({ level: 'error', message: 'uncaught exception', origin });
      expect(entry!['text']).to.match(/(thrown|rejected) on purpose\n +at /);
      expect(entries.at(-1)).to.include('The service exited after an internal error');
      expect(existsSync(join(scratch.path, '.planner/local/server.json'))).to.equal(false);
      expect((await runCommand(['doctor', '--root', scratch.path])).output).to.equal(noProblems);
      expect(made.map(({ status }) => status)).to.deep.equal(Array.from({ length: 20 }, () => 201));
      expect(readdirSync(join(scratch.path, '.planner/projects'))).to.have.length(20);
    });
  }

  rarely('shuts down in order if it is that of planner mcp, too [A.hostile.uncaught]', async () => {
    await runCommand(['init', '--root', scratch.path]);
    const argv = ['--import', thrower, builtProgram(), 'mcp', '--root', scratch.path];
    const child = spawn(process.execPath, argv, { cwd: repository, stdio: 'pipe' });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    running.push({ child, url: '', errors: () => errors, ended });
    const client = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: client })}\n`);
    await once(child.stdout, 'data');
    const note = join(scratch.path, '.planner/local/server.json');
    expect(existsSync(note)).to.equal(true);
    child.kill('SIGUSR2');
    expect(await ended).to.equal(1);
    expect(errors).to.include('"origin":"uncaughtException"').and.include('thrown on purpose');
    expect(existsSync(note)).to.equal(false);
  });

  rarely('survives requests for assets when it can open no more files [A.hostile.assets]', async () => {
    const { child, url } = await start([builtProgram()], { files: 256 });
    const asset = await assetOf(url);
    const { hostname, port, host } = new URL(url);
    const before = descriptors(child);
    // Each has its own descriptor: with a file stream for each there would not be enough.
    const callers = Array.from({ length: 150 }, () => {
      const socket = connect(Number(port), hostname);
      let length = 0;
      socket.on('error', () => undefined).on('data', (chunk: Buffer) => (length += chunk.length));
      socket.write(`GET ${asset} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: br\r\n\r\n`.repeat(14));
      return { socket, received: () => length };
    });
    const bytes = Number(
      (await fetch(url + asset, { headers: { 'Accept-Encoding': 'br' } })).headers.get('content-length'),
    );
    expect(bytes).to.be.above(1000);
    let most = 0;
    while (callers.some(({ received }) => received() < 14 * bytes)) {
      most = Math.max(most, descriptors(child));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const { socket } of callers) socket.destroy();
    expect((await new RestClient(url).get('/health')).status).to.equal(200);
    if (process.platform === 'linux') expect(most - before).to.be.below(150 + 20);
  });

  it('serves the page it started with while another is installed in its place [A.hostile.assets]', async () => {
    const copy = join(scratch.path, 'installed');
    mkdirSync(copy);
    for (const part of ['dist', 'schemas', 'package.json'])
      cpSync(join(repository, part), join(copy, part), { recursive: true });
    symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
    const { url } = await start([join(copy, 'dist/main.js')], { cwd: copy });
    const asset = await assetOf(url);
    const read = async (): Promise<string> => (await fetch(url + asset)).text();
    const first = await read();
    renameSync(join(copy, 'dist/web/assets'), join(copy, 'dist/web/old'));
    const others = readdirSync(join(copy, 'dist/web/old')).filter((name) => name.endsWith('.css.br'));
    expect(await read()).to.equal(first);
    expect(others).not.to.have.length(0);
    for (const name of others)
      expect((await fetch(`${url}/assets/${name.slice(0, -'.br'.length)}`)).status).to.equal(200);
    expect(await assetOf(url)).to.equal(asset);
  });
});

/** Linux only; 0 elsewhere. */
function descriptors({ pid }: ChildProcess): number {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0;
}
