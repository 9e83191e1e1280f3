import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesBelow } from './citations.ts';

const repository = join(import.meta.dirname, '../..');
/** Imports of connecting functions (not of listening ones, or of types), and fetch. */
const connects =
  /import \{[^}]*\b(?:request|get|connect|createConnection|Client|Pool)\b[^}]*\} from '(?:node:)?(?:net|tls|https?|http2|pg)'|(?<!typeof )\bimport\('(?:(?:node:)?(?:net|tls|https?|http2)|pg|openid-client)'\)|(?<![.#\w])fetch\((?!into)/;

/** The files that the table of a document names. */
function listed(markdown: string): string[] {
  const [, section = ''] = markdown.split('\n## What connects to others\n');
  const rows = section.split('\n## ', 1)[0]!.matchAll(/^\| (`[^|]*) \|/gm);
  return [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

describe('The list of what connects to others', () => {
  it('has each file that opens a connection, and no other [A.hostile.connects]', () => {
    const found = filesBelow(join(repository, 'src'), '.ts')
      .map((path) => relative(repository, path).replaceAll('\\', '/'))
      .filter((path) => !path.startsWith('src/web/'))
      .filter((path) =>
        connects.test(readFileSync(join(repository, path), 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '')),
      );
    expect(found.sort()).to.deep.equal(
      listed(readFileSync(join(repository, 'docs/explanation/bounds.md'), 'utf8')).sort(),
    );
  });
});
