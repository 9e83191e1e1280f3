import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { workers } from '../../src/domain/feed/fatal-work.ts';
import { filesBelow } from './citations.ts';

const repository = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** The workers that files run under the supervisor, by name. */
const supervised = /supervisor\.run\('(\w+)'|\{ worker: '(\w+)'/g;

describe('The list of what a service does without a call [A.hostile.background]', () => {
  const section = read('docs/explanation/bounds.md')
    .split('\n## What a service does without a call\n')[1]!
    .split('\n## ', 1)[0]!;
  const names = Object.keys(workers);

  it('has every worker that runs under the supervisor, and no other', () => {
    const sources = filesBelow(join(repository, 'src'), '.ts').map((path) => readFileSync(path, 'utf8'));
    const found = sources.flatMap((text) => [...text.matchAll(supervised)].map(([, one, other]) => one ?? other));
    expect([...new Set(found)]).to.have.members(names);
    const listed = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(listed).to.have.members(names);
  });

  it('names each file of background work that is not under it', () => {
    const others = filesBelow(join(repository, 'src/background'), '.ts')
      .map((path) => relative(repository, path).replaceAll('\\', '/'))
      .filter((path) => !read(path).match(supervised));
    expect(others.filter((path) => !section.includes(`\`${path}\``))).to.deep.equal([]);
  });
});
