import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import { readProgramEnvironment } from '../base/config.ts';
import { nodeAdvice } from '../platform/node-version.ts';
import { execProgramSync } from '../platform/programs.ts';
import { version } from '../base/version.ts';
import { directoryAsset, entryFile, filePrefix } from './layout.ts';

/**
 * Builds a single executable application, `planner`, from `dist/` and the Node that runs this program, for the same
 * platform, together with the licences. `--to` names the directory (default: build/).
 */

const repository = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(repository, 'dist');
const { platform, arch, version: nodeVersion } = process;

/** The licences of the packages in the build. */
const packageLicenses = 'THIRD-PARTY-LICENSES.txt';
/** The licences of the packages and of Node: in the file, and next to it. */
const licensesFile = 'LICENSES.txt';

/** Types and the client library are in the package only. */
const packageOnly = /\.d\.ts$|^(?:client|schema)\//;

/** The files of the build that the program reads, and the package files that Node needs to load modules, by path. */
function packedFiles(): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const found of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(found.parentPath, found.name);
    const name = path.slice(dist.length + 1).replaceAll(sep, '/');
    if (found.isFile() && !packageOnly.test(name) && name !== packageLicenses) files.set(name, readFileSync(path));
  }
  files.set(licensesFile, Buffer.from(licenses()));
  files.set('package.json', Buffer.from('{"type":"module"}\n'));
  files.set(entryFile, Buffer.from("import('./main.js');\n"));
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function directoryName(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256');
  for (const [path, bytes] of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return `${version}-${hash.digest('hex').slice(0, 32)}`;
}

/** The main script must be a single CommonJS file. */
async function writeMain(to: string): Promise<void> {
  const bundled = await rolldown({ cwd: repository, input: 'src/binary/main.ts', platform: 'node' });
  await bundled.write({ file: to, format: 'cjs', minify: true, comments: false });
}

/** Writes the data that Node injects into the executable: the main script, its compiled code, the files. */
async function makeBlob(scratch: string): Promise<Buffer> {
  const [main, output, config] = ['main.cjs', 'blob', 'sea.json'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  await writeMain(main);
  const files = packedFiles();
  const assets: Record<string, string> = { [directoryAsset]: join(scratch, 'directory') };
  writeFileSync(assets[directoryAsset]!, directoryName(files));
  for (const [path, bytes] of files) {
    const copy = join(scratch, 'files', path);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, bytes);
    assets[filePrefix + path] = copy;
  }
  const settings = { main, output, assets, disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify(settings));
  run(process.execPath, ['--experimental-sea-config', config]);
  return readFileSync(output);
}

/** Copies Node, without its symbols if the system can remove them, and without its signature, which the injection invalidates. */
function copyNode(to: string): void {
  copyFileSync(process.execPath, to);
  chmodSync(to, 0o755);
  if (platform === 'linux') runIfInstalled('strip', [to]);
  if (platform === 'darwin') run('codesign', ['--remove-signature', to]);
}

/** Throws with the program's output on standard error if it fails. */
function run(command: string, given: readonly string[]): void {
  const { status, error, stderr } = execProgramSync(command, given, {
    env: readProgramEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr.toString()}`);
}

function runIfInstalled(command: string, given: readonly string[]): void {
  try {
    run(command, given);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    console.error(`${command} is not installed: the file is larger than necessary.`);
  }
}

/**
 * The path of Node's licence: next to the program in its archives, above it in its installations; the npm package
 * `node` has the program of another package, which has the licence.
 */
function nodeLicense(): string {
  const [directory, prefix] = [dirname(process.execPath), dirname(dirname(process.execPath))];
  const packaged = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
  const directories = [directory, prefix, join(prefix, 'node_modules', packaged), join(dirname(prefix), packaged)];
  const path = directories.map((one) => join(one, 'LICENSE')).find((one) => existsSync(one));
  // Packages of distributions have it elsewhere.
  return path === undefined
    ? `Licence: https://github.com/nodejs/node/blob/${nodeVersion}/LICENSE`
    : readFileSync(path, 'utf8').trim();
}

/** The licences of all contents of the file. */
function licenses(): string {
  const packages = readFileSync(join(dist, packageLicenses), 'utf8');
  return `Node.js ${nodeVersion}\n\n${nodeLicense()}\n\n${'-'.repeat(80)}\n\n${packages}`;
}

/** postject warns of each name of a section that `strip` has removed: the names are not needed. */
async function withoutSectionWarnings(task: () => Promise<void>): Promise<void> {
  const { warn } = console;
  console.warn = (...given: unknown[]): void => {
    if (!String(given[0]).includes('section name')) warn(...given);
  };
  try {
    await task();
  } finally {
    console.warn = warn;
  }
}

async function build(directory: string): Promise<void> {
  if (!existsSync(join(dist, 'main.js'))) throw new Error('There is no build in dist/: run npm run build.');
  const program = join(directory, platform === 'win32' ? 'planner.exe' : 'planner');
  const scratch = mkdtempSync(join(tmpdir(), 'planner-binary-'));
  try {
    const blob = await makeBlob(scratch);
    mkdirSync(directory, { recursive: true });
    // The file is replaced by rename: it may be running.
    rmSync(program, { force: true });
    copyNode(program);
    await withoutSectionWarnings(() =>
      inject(program, 'NODE_SEA_BLOB', blob, {
        sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
        ...(platform === 'darwin' ? { machoSegmentName: 'NODE_SEA' } : {}),
      }),
    );
    if (platform === 'darwin') run('codesign', ['--sign', '-', program]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  writeFileSync(join(directory, licensesFile), licenses());
  const megabytes = (statSync(program).size / 1e6).toFixed(1);
  const advice = nodeAdvice();
  if (advice !== undefined)
    console.error(`${advice} The file has the release of npm's package node that is installed here.`);
  console.log(`${program}: Planner ${version} with Node ${nodeVersion} for ${platform} ${arch}, ${megabytes} MB`);
}

const { to } = parseArgs({ options: { to: { type: 'string', default: join(repository, 'build') } } }).values;
await build(resolve(to));
