import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { anchorOf } from '../../src/reference/markdown.ts';
import { repository } from '../support/server-process.ts';

/** Every Markdown document of the repository except the plan's own records. */
function documents(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', '*.md'], { cwd: repository, encoding: 'utf8' });
  return listed
    .split('\0')
    .filter(
      (path) =>
        path !== '' &&
        !path.startsWith('.planner/') &&
        !path.includes('/fixtures/') &&
        !path.startsWith('schemas/generated/'),
    );
}

const text = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** The text without fenced blocks and code spans. */
function prose(markdown: string): string {
  return markdown.replace(/^(`{3,}|~{3,})[^]*?^\1/gm, '').replace(/`[^`\n]*`/g, 'code');
}

/** The anchors of a document's headings, as forges make them. */
function anchorsOf(path: string): Set<string> {
  const headings = text(path)
    .replace(/^(`{3,}|~{3,})[^]*?^\1/gm, '')
    .matchAll(/^#{1,6} +(.+?) *$/gm);
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)));
}

describe('Documents', () => {
  it('link to existing files, headings included [A.documents]', () => {
    const broken = documents().flatMap((path) =>
      [...prose(text(path)).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [file = '', anchor] = target.split('#');
          const absolute = file === '' ? join(repository, path) : join(repository, dirname(path), file);
          if (!existsSync(absolute)) return true;
          if (anchor === undefined || statSync(absolute).isDirectory()) return false;
          return !anchorsOf(relative(repository, absolute)).has(anchor);
        })
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('name the package by its own name, and run no package of another name from npm [A.documents]', () => {
    const { name } = JSON.parse(text('package.json')) as { readonly name: string };
    const others = documents().flatMap((path) => [
      ...[...text(path).matchAll(/from '([^']+)\/client'/g)]
        .filter(([, from]) => from !== name)
        .map(([line]) => `${path}: ${line}`),
      // `planner` on npm is another package: npx would download it if ours is not installed.
      ...[...text(path).matchAll(/npx (?!--no-install )planner +\w|npm (?:i|install)\b[^\n`]* planner\b/g)].map(
        ([line]) => `${path}: ${line}`,
      ),
    ]);
    expect(others).to.deep.equal([]);
  });

  it('are a tutorial, instructions, reference and explanation [A.documents]', () => {
    const folders = documents().flatMap((path) => /^docs\/(.*)\/[^/]+$/.exec(path)?.[1] ?? []);
    expect([...new Set(folders)].sort()).to.deep.equal(['explanation', 'how-to', 'reference', 'tutorial']);
    expect(documents().filter((path) => /^docs\/[^/]+$/.test(path))).to.deep.equal(['docs/README.md']);
  });

  it('have a table of contents if they are long, but for the tutorial, which is read in order [A.documents]', () => {
    const long = documents()
      .filter((path) => path.startsWith('docs/') && !path.startsWith('docs/tutorial/'))
      .filter((path) => text(path).split('\n').length > 100 && (prose(text(path)).match(/^## /gm) ?? []).length > 3);
    expect(long.filter((path) => !text(path).includes('<!-- generated: contents -->'))).to.deep.equal([]);
    expect(long).to.include('docs/reference/import.md');
  });

  it('keep the README and the architecture short [A.documents]', () => {
    expect(text('README.md').split('\n').length).to.be.at.most(120);
    expect(text('ARCHITECTURE.md').split('\n').length).to.be.at.most(90);
  });
});
