import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/server-process.ts';

describe('A process id', () => {
  it('is read in the files that the guarantees list, with what else decides there, and in no other [A.root.namespaces]', () => {
    const text = readFileSync(join(repository, 'docs/explanation/bounds.md'), 'utf8');
    const [, section] = /## What a process id decides\n([^]*?)\n## /.exec(text)!;
    const listed = [...section!.matchAll(/`([a-z-]+(?:\/[a-z-]+)+\.ts)`/g)].map(([, path]) => `src/${path}`);
    const sources = globSync('src/**/*.ts', { cwd: repository }).filter((path) => !path.startsWith('src/web/'));
    const reading = sources.filter((path) =>
      /process\.pid|\bpid ===|\.pid\b|\bprocess\.kill\(/.test(readFileSync(join(repository, path), 'utf8')),
    );
    expect([...new Set(listed)].sort((a, b) => (a < b ? -1 : 1))).to.deep.equal(
      reading.sort((a, b) => (a < b ? -1 : 1)),
    );
  });
});
