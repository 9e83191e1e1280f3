import { expect } from 'chai';
import { ESLint } from 'eslint';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';

const root = join(import.meta.dirname, '../..');

/** What only one file may do, the file, and the rule that enforces it. */
const sources: readonly (readonly [text: string, allowed: string, rule: string])[] = [
  [
    "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;",
    'src/store/files/disk/disk.ts',
    'no-restricted-imports',
  ],
  ["import type { Stats } from 'fs';\nexport type X = Stats;", 'src/store/files/disk/disk.ts', 'no-restricted-imports'],
  ["export * from 'node:fs/promises';", 'src/store/files/disk/disk.ts', 'no-restricted-imports'],
  ['export const x = Date.now();', 'src/clock.ts', 'no-restricted-syntax'],
  ['export const x = new Date();', 'src/clock.ts', 'no-restricted-syntax'],
  ['export const x = performance.now();', 'src/clock.ts', 'no-restricted-syntax'],
  ["import { setTimeout } from 'node:timers';\nexport const x = setTimeout;", 'src/clock.ts', 'no-restricted-imports'],
  ["export * from 'node:timers/promises';", 'src/clock.ts', 'no-restricted-imports'],
  ['export const x = Atomics.wait(new Int32Array(1), 0, 0);', 'src/clock.ts', 'no-restricted-syntax'],
  ["import { randomBytes } from 'node:crypto';\nexport const x = randomBytes;", 'src/ids.ts', 'no-restricted-imports'],
  ['export const x = crypto.randomUUID();', 'src/ids.ts', 'no-restricted-syntax'],
  ['export const x = process.env;', 'src/config.ts', 'no-restricted-syntax'],
  ["import { env } from 'node:process';\nexport const x = env;", 'src/config.ts', 'no-restricted-imports'],
  [
    "import { spawn } from 'node:child_process';\nexport const x = spawn;",
    'src/platform/programs.ts',
    'no-restricted-imports',
  ],
  ["import * as all from 'child_process';\nexport const x = all;", 'src/platform/programs.ts', 'no-restricted-imports'],
  ["export const x = await import('node:child_process');", 'src/platform/programs.ts', 'no-restricted-syntax'],
  ["export const x = process.getBuiltinModule('child_process');", 'src/platform/programs.ts', 'no-restricted-syntax'],
  [
    "export const x = createRequire(import.meta.url)('node:cluster');",
    'src/platform/programs.ts',
    'no-restricted-syntax',
  ],
  [
    "import { execProgram } from '../platform/programs.ts';\nexport const x = execProgram;",
    'src/cli/git.ts',
    'no-restricted-imports',
  ],
];

describe('The lint rules [A.one-disk]', () => {
  // Without types: these rules do not need them, and they would need the whole program.
  const eslint = new ESLint({
    cwd: root,
    overrideConfig: [{ files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked }],
  });

  async function rulesBroken(text: string, path: string): Promise<string[]> {
    const [result] = await eslint.lintText(`${text}\n`, { filePath: join(root, path) });
    return result!.messages.map(({ ruleId, message }) => (ruleId ?? message).replace('@typescript-eslint/', ''));
  }

  for (const [text, allowed, rule] of sources) {
    it(`allow \`${text.split('\n')[0]}\` in ${allowed} alone`, async () => {
      expect(await rulesBroken(text, 'src/domain/tasks.ts')).to.deep.equal([rule]);
      expect(await rulesBroken(text, allowed)).to.deep.equal([]);
    });
  }

  it('hand net, tls and http no callback by which they connect [A.hostile.connects]', async () => {
    for (const option of ['lookup', 'createConnection', 'SNICallback', 'ALPNCallback', 'pskCallback']) {
      const text = `export const x = { ${option}: (): void => undefined };`;
      for (const path of ['src/webhooks/post.ts', 'src/client/http-request.ts', 'src/store/hosted/pg-client.ts'])
        expect(await rulesBroken(text, path), option).to.deep.equal(['no-restricted-syntax']);
    }
  });

  it('allow the pure functions of the modules above', async () => {
    const text = "import { hash } from 'node:crypto';\nexport const x = [hash, new Date(0), Date.parse('')];";
    expect(await rulesBroken(text, 'src/domain/tasks.ts')).to.deep.equal([]);
  });

  it('let the store wait by its clock alone, so that a test decides when time passes', async () => {
    for (const name of ['setTimeout', 'setInterval']) {
      for (const call of [`${name}(f, 1)`, `globalThis.${name}(f, 1)`]) {
        const text = `export const x = (f: () => void): unknown => ${call};`;
        for (const path of ['src/store/files/edits/watcher.ts', 'src/store/files/disk/disk.ts'])
          expect(await rulesBroken(text, path), call).to.deep.equal(['no-restricted-globals']);
        expect(await rulesBroken(text, 'src/http/connections.ts'), call).to.deep.equal([]);
      }
    }
    const turn = 'export const x = (f: () => void): unknown => setImmediate(f);';
    expect(await rulesBroken(turn, 'src/store/files/edits/watcher.ts')).to.deep.equal([]);
  });

  it('ban Math.random, in tests too: without a seed a failure cannot be reproduced', async () => {
    for (const path of ['src/ids.ts', 'test/domain/tasks.test.ts']) {
      expect(await rulesBroken('export const x = Math.random();', path)).to.deep.equal(['no-restricted-properties']);
    }
  });

  it('keep every test running', async () => {
    for (const text of ["it.only('a', () => {});", "describe.skip('a', () => {});", "xit('a', () => {});"]) {
      expect(await rulesBroken(text, 'test/domain/tasks.test.ts')).to.deep.equal(['no-restricted-syntax']);
    }
  });

  it('bound the length of files and functions', async () => {
    const lines = (count: number): string => 'f();\n'.repeat(count);
    expect(await rulesBroken(lines(501), 'src/domain/tasks.ts')).to.deep.equal(['max-lines']);
    expect(await rulesBroken(`export function g(): void {\n${lines(59)}}`, 'src/domain/tasks.ts')).to.deep.equal([
      'max-lines-per-function',
    ]);
  });
});
