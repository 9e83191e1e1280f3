import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratchDirectory } from '../support/scratch.ts';

const root = join(import.meta.dirname, '../..');
const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
const configFiles = ['oxlint.config.ts', 'test/gate/lint-plugin.ts'];

/** The things that only one file may do, the file, and the rule that enforces it. */
const sources: readonly (readonly [text: string, allowed: string, rule: string])[] = [
  [
    "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;",
    'src/store/files/disk/disk.ts',
    'no-restricted-imports',
  ],
  ["import type { Stats } from 'fs';\nexport type X = Stats;", 'src/store/files/disk/disk.ts', 'no-restricted-imports'],
  ["export * from 'node:fs/promises';", 'src/store/files/disk/disk.ts', 'no-restricted-imports'],
  ['export const x = Date.now();', 'src/base/clock.ts', 'restricted-syntax'],
  ['export const x = new Date();', 'src/base/clock.ts', 'restricted-syntax'],
  ['export const x = performance.now();', 'src/base/clock.ts', 'restricted-syntax'],
  [
    "import { setTimeout } from 'node:timers';\nexport const x = setTimeout;",
    'src/base/clock.ts',
    'no-restricted-imports',
  ],
  ["export * from 'node:timers/promises';", 'src/base/clock.ts', 'no-restricted-imports'],
  ['export const x = Atomics.wait(new Int32Array(1), 0, 0);', 'src/base/clock.ts', 'restricted-syntax'],
  [
    "import { randomBytes } from 'node:crypto';\nexport const x = randomBytes;",
    'src/base/ids.ts',
    'no-restricted-imports',
  ],
  ['export const x = crypto.randomUUID();', 'src/base/ids.ts', 'restricted-syntax'],
  ['export const x = process.env;', 'src/base/config.ts', 'restricted-syntax'],
  ["import { env } from 'node:process';\nexport const x = env;", 'src/base/config.ts', 'no-restricted-imports'],
  [
    "import { spawn } from 'node:child_process';\nexport const x = spawn;",
    'src/platform/programs.ts',
    'no-restricted-imports',
  ],
  ["import * as all from 'child_process';\nexport const x = all;", 'src/platform/programs.ts', 'no-restricted-imports'],
  ["export const x = await import('node:child_process');", 'src/platform/programs.ts', 'no-restricted-imports'],
  ["export const x = process.getBuiltinModule('child_process');", 'src/platform/programs.ts', 'restricted-syntax'],
  ["export const x = createRequire(import.meta.url)('node:cluster');", 'src/platform/programs.ts', 'restricted-syntax'],
  [
    "import { execProgram } from '../platform/programs.ts';\nexport const x = execProgram;",
    'src/cli/git/git.ts',
    'no-restricted-imports',
  ],
];

interface Finding {
  readonly code: string;
  readonly filename: string;
}

/** The names of the rules that texts break, by the path that each has. */
function rulesBroken(directory: string, texts: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string[]>> {
  for (const name of configFiles) cpSync(join(root, name), join(directory, name));
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), `${text}\n`);
  }
  return new Promise((resolve, reject) => {
    const args = [oxlint, '--format', 'json', 'src', 'test'];
    execFile(process.execPath, args, { cwd: directory }, (_error, stdout, stderr) => {
      if (!stdout.startsWith('{')) return reject(new Error(`oxlint answered: ${stdout}${stderr}`));
      const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Finding[] };
      const byPath = Map.groupBy(diagnostics, ({ filename }) => filename);
      resolve(
        new Map([...texts.keys()].map((path) => [path, (byPath.get(path) ?? []).map(({ code }) => nameOf(code))])),
      );
    });
  });
}

/** The name of a rule in `eslint(no-console)`. */
function nameOf(code: string): string {
  return /\((?<name>[^)]+)\)$/.exec(code)?.groups?.['name'] ?? code;
}

describe('The lint rules [A.one-disk]', () => {
  const directory = scratchDirectory();

  /** Asserts what each text breaks at its path. */
  async function expectBroken(
    ...expected: (readonly [text: string, path: string, ...rules: string[]])[]
  ): Promise<void> {
    const found = await rulesBroken(directory.path, new Map(expected.map(([text, path]) => [path, text])));
    expect(Object.fromEntries(found)).to.deep.equal(
      Object.fromEntries(expected.map(([, path, ...rules]) => [path, rules])),
    );
  }

  for (const [allowed, cases] of Map.groupBy(sources, ([, allowed]) => allowed)) {
    it(`allow in ${allowed} alone: ${cases.map(([text]) => `\`${text.split('\n')[0]}\``).join(', ')}`, async () => {
      await expectBroken(...cases.map(([text, , rule], at) => [text, `src/domain/case-${at}.ts`, rule] as const), [
        cases.map(([text], at) => text.replace('export const x', `export const x${at}`)).join('\n'),
        allowed,
      ]);
    });
  }

  it('hand net, tls and http no callback by which they connect [A.hostile.connects]', async () => {
    const options = ['lookup', 'createConnection', 'SNICallback', 'ALPNCallback', 'pskCallback'];
    const text = options.map((option, at) => `export const x${at} = { ${option}: (): void => undefined };`).join('\n');
    const rules = options.map(() => 'restricted-syntax');
    await expectBroken(
      [text, 'src/webhooks/post.ts', ...rules],
      [text, 'src/client/http-request.ts', ...rules],
      [text, 'src/store/hosted/postgres/pg-client.ts', ...rules],
    );
  });

  it('allow the pure functions of the modules above', async () => {
    await expectBroken([
      "import { hash } from 'node:crypto';\nexport const x = [hash, new Date(0), Date.parse('')];",
      'src/domain/plan/tasks.ts',
    ]);
  });

  it('let the store wait by its clock alone, so that a test decides when time passes', async () => {
    const calls = ['setTimeout', 'setInterval'].flatMap((name) => [`${name}(f, 1)`, `globalThis.${name}(f, 1)`]);
    const text = calls.map((call, at) => `export const x${at} = (f: () => void): unknown => ${call};`).join('\n');
    const rules = calls.map(() => 'no-restricted-globals');
    await expectBroken(
      [text, 'src/store/files/edits/watcher.ts', ...rules],
      [text, 'src/store/files/disk/disk.ts', ...rules],
      [text, 'src/http/connections.ts'],
      ['export const x = (f: () => void): unknown => setImmediate(f);', 'src/store/files/edits/watch-port.ts'],
    );
  });

  it('ban Math.random, in tests too: without a seed a failure cannot be reproduced', async () => {
    const text = 'export const x = Math.random();';
    await expectBroken(
      [text, 'src/base/ids.ts', 'no-restricted-properties'],
      [text, 'test/domain/tasks.test.ts', 'no-restricted-properties'],
    );
  });

  it('keep every test running', async () => {
    const text = "it.only('a', () => {});\ndescribe.skip('a', () => {});\nxit('a', () => {});";
    const rules = Array.from({ length: 3 }, () => 'restricted-syntax');
    await expectBroken([text, 'test/domain/tasks.test.ts', ...rules]);
  });

  it('take no data of a query for empty before it is known [S.web.unknown]', async () => {
    const planted = [
      'const { data = [] } = useTasks();',
      'const { data: rows = none } = useTasks();',
      'const { data: rows } = useTasks(); f(rows ?? []);',
      'const { data: rows } = useTasks(); f(rows || none);',
      'const { data: rows } = useTasks(); f(rows?.length ?? 0);',
      'const { data: rows } = useTasks(); f(rows?.filter(g) ?? []);',
      'const tasks = useTasks(); f(tasks.data ?? {});',
      'const tasks = useTasks(); f(tasks.data?.rows.length ?? 0);',
    ];
    const honest = [
      'const { data: rows } = useTasks(); f(rows?.find(g)?.name ?? null);',
      'const { data: rows } = useTasks(); f(soFar(rows), rows && rows.length, rows === undefined ? 1 : 2);',
      'const rows = useList(); f(rows ?? []);',
    ];
    const text = (lines: readonly string[]): string =>
      lines.map((line, at) => `export function useX${at}(): void { ${line} }`).join('\n');
    await expectBroken(
      [text(planted), 'src/web/views/board/board.tsx', ...planted.map(() => 'no-data-default')],
      [text(honest), 'src/web/views/list/list.tsx'],
      [text(planted), 'src/client/rows.ts'],
    );
  });

  it('bound the length of files and functions', async () => {
    const lines = (count: number): string => 'f();\n'.repeat(count);
    await expectBroken(
      [lines(501), 'src/domain/plan/tasks.ts', 'max-lines'],
      [`export function g(): void {\n${lines(59)}}`, 'src/domain/plan/goals.ts', 'max-lines-per-function'],
    );
  });
});
