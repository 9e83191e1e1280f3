import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/server-process.ts';
import { literalTexts, textFiles } from './texts.ts';
import { rarely } from '../support/rarely.ts';

/** The terms of the layers above, with an example of each. */
const saidAbove: ReadonlyMap<RegExp, string> = new Map([
  [/\bplanner (?:--?)?[a-z]/, 'Run planner doctor --fix.'],
  [/\bapi\\?\/v\d/, 'GET /api/v1/files lists them.'],
  [/\b(?:GET|POST|PUT|PATCH|DELETE) \//, 'POST /revisions restores it.'],
]);

/** Literals of the store and the domain that contain such words, each with its reason. */
const allowed: ReadonlyMap<string, string> = new Map([
  [
    'by the driver that planner init registers',
    'A comment for people in .gitattributes, a file that the store writes.',
  ],
]);

const isSaidAbove = (text: string): boolean => [...saidAbove.keys()].some((pattern) => pattern.test(text));

/** The literals of a program that name a command or a route; comments may. */
function literalsIn(path: string, content: string): string[] {
  return literalTexts(content, path)
    .filter((text) => ![...allowed.keys()].some((part) => text.includes(part)))
    .filter(isSaidAbove)
    .map((text) => `${path}: ${text}`);
}

describe('The store and the domain', () => {
  const programs = textFiles(repository).filter((path) => /^src\/(?:store|domain)\/.*\.ts$/.test(path));
  const contents = programs.map((path) => [path, readFileSync(join(repository, path), 'utf8')] as const);

  rarely('name neither a command nor a route: the layers above state the remedies [A.layers]', () => {
    expect(contents.flatMap(([path, content]) => literalsIn(path, content))).to.deep.equal([]);
  });

  it('are searched for commands, prefixes and requests, in all literals and not in comments [A.layers]', () => {
    for (const example of saidAbove.values()) {
      expect(literalsIn('src/store/x.ts', `f('${example}');`), example).to.have.length(1);
      expect(literalsIn('src/store/x.ts', `f(\`\${x} ${example}\`);`), example).to.have.length(1);
      expect(literalsIn('src/store/x.ts', `// ${example}\n/** ${example} */`), example).to.deep.equal([]);
    }
    expect(literalsIn('src/domain/x.ts', 'const path = /^\\/api\\/v1\\/files$/;')).to.have.length(1);
  });

  it('have exceptions only for literals that exist [A.layers]', () => {
    const unused = [...allowed.keys()].filter((part) => !contents.some(([, content]) => content.includes(part)));
    expect(unused).to.deep.equal([]);
  });
});
