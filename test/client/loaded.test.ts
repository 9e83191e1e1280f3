import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { environmentWith } from '../support/child-environment.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';
import { rarely } from '../support/rarely.ts';

/** The files that a run of the build has loaded. */
interface Loaded {
  /** The packages and the folders of src/ whose modules are in the loaded files. */
  readonly sources: ReadonlySet<string>;
  readonly files: readonly string[];
  /** As `process.moduleLoadList` names them. */
  readonly builtins: readonly string[];
}

describe('The build loads at its start', () => {
  const scratch = scratchDirectory();

  /** Runs a command to its end; a service is ended once it has printed its line. */
  async function run(...argv: readonly string[]): Promise<Loaded> {
    const noted = join(scratch.path, 'loaded.json');
    const child = spawn(
      process.execPath,
      ['--require', join(repository, 'test/support/note-loaded.cjs'), join(repository, 'dist/main.js'), ...argv],
      {
        cwd: scratch.path,
        env: environmentWith({ LOADED: noted, HOME: scratch.path }),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout.once('data', () => argv[0] === 'serve' && child.kill('SIGTERM'));
    child.stdout.resume();
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code, errors).to.equal(0);
    const { files, builtins } = JSON.parse(readFileSync(noted, 'utf8')) as Omit<Loaded, 'sources'>;
    const built = files.filter((file) => file.startsWith(join(repository, 'dist')));
    const path = join(repository, 'node_modules/.cache/build/modules.json');
    const modules = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, readonly string[]>>;
    const sources = built.flatMap((file) => (modules[basename(file)] ?? []).map(nameOf));
    return { sources: new Set(sources), files: built.map((file) => basename(file)), builtins };
  }

  /** The helpers of what ajv compiles are not ajv. */
  const nameOf = (source: string): string =>
    /\/(ajv\/dist\/runtime)\//.exec(source)?.[1] ??
    /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(source)?.[1] ??
    source.replace(/^(\.\.\/)*/, '');

  it('neither a service nor the network for --version', async () => {
    const { sources, builtins } = await run('--version');
    expect([...sources])
      .to.include('src/main/start.ts')
      .and.include('commander');
    expect([...sources]).not.to.include.oneOf(['src/main/service.ts', 'express', 'yaml', 'ajv', 'pino']);
    expect(builtins).not.to.include.oneOf(['NativeModule http', 'NativeModule internal/deps/undici/undici']);
  });

  rarely('neither Express nor a thread for a command without a service, and compiles no schema', async () => {
    await run('init');
    await run('call', 'create_project', '{"name":"Garden"}');
    const { sources, files, builtins } = await run('task', 'list');
    expect([...sources]).to.include('src/main/service.ts');
    expect(files.some((file) => file.startsWith('validators-'))).to.equal(true);
    expect(files).not.to.include('validators-of-all.js').and.not.include('checkpoint-worker.js');
    expect(
      [...sources].filter((name) =>
        ['express', '@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'zod', 'multer'].includes(name),
      ),
    ).to.be.empty;
    expect([...sources].filter((name) => name === 'ajv')).to.be.empty;
    expect(builtins).not.to.include('NativeModule internal/deps/undici/undici');
  });

  it('no Express, SDK, sign-in, metrics, form reader or fetch for a service', async () => {
    const { sources, builtins } = await run('serve', '--port', '0');
    expect([...sources]).to.include('src/main/transports.ts');
    const later = [
      'express',
      'ajv',
      '@modelcontextprotocol/sdk',
      '@modelcontextprotocol/server',
      'zod',
      'openid-client',
      'prom-client',
      'multer',
      'js-yaml',
    ];
    expect(later.filter((name) => sources.has(name))).to.deep.equal([]);
    const unasked = ['internal/deps/undici/undici', 'internal/crypto/webcrypto', 'http2'];
    expect(unasked.filter((name) => builtins.includes(`NativeModule ${name}`))).to.deep.equal([]);
  });
});
