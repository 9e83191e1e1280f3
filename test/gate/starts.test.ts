import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesBelow } from './citations.ts';

const repository = join(import.meta.dirname, '../..');
const starts =
  /\bnew Worker\(|(?<!\.)\b(?:spawn|spawnSync|execFile|execFileSync|fork|execProgram|execProgramSync|startProgram|startShell)\(|\bpool\.transaction\(/;
/** Programs of the build, which no user runs, the page, and the module that starts programs for the others. */
const elsewhere = /^src\/(?:build\/|binary\/|platform\/programs\.ts|web\/)/;

/** The files that the table of a document names. */
function listed(markdown: string): string[] {
  const [, section = ''] = markdown.split('\n## What a request starts\n');
  const rows = section.split('\n## ', 1)[0]!.matchAll(/^\| (`[^|]*) \|/gm);
  return [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

describe('The list of what a request starts', () => {
  it('has each file that starts a thread, a program or a transaction [A.hostile.starts]', () => {
    const found = filesBelow(join(repository, 'src'), '.ts')
      .map((path) => relative(repository, path).replaceAll('\\', '/'))
      .filter((path) => !elsewhere.test(path))
      .filter((path) =>
        starts.test(readFileSync(join(repository, path), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')),
      );
    const names = listed(readFileSync(join(repository, 'docs/explanation/bounds.md'), 'utf8'));
    expect(found.filter((path) => !names.includes(path))).to.deep.equal([]);
    expect(found).to.include.members(['src/exchange/plan-thread.ts', 'src/cli/git/git.ts']);
  });
});
