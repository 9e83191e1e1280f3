import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SourcePositions } from '../../src/platform/source-positions.ts';
import { repository } from '../support/server-process.ts';

describe('The build', () => {
  const dist = join(repository, 'dist');
  const read = (path: string): Uint8Array | undefined => {
    try {
      return readFileSync(path);
    } catch {
      return undefined;
    }
  };

  it('names files and lines of the sources in the traces of errors [D11.build]', () => {
    const text = 'There is no definition ';
    const lineOf = (path: string): number =>
      readFileSync(path, 'utf8')
        .split('\n')
        .findIndex((line) => line.includes(text)) + 1;
    const [chunk = ''] = globSync('*.js', { cwd: dist }).filter((name) => lineOf(join(dist, name)) > 0);
    const line = readFileSync(join(dist, chunk), 'utf8').split('\n')[lineOf(join(dist, chunk)) - 1]!;
    const url = pathToFileURL(join(dist, chunk)).href;
    const trace = `Error: unknown\n    at definition (${url}:${lineOf(join(dist, chunk))}:${line.indexOf('new Error') + 1})`;
    const source = join(repository, 'src/schema/schemas.ts');
    const translated = new SourcePositions(read).translate(trace);
    expect(translated).to.match(
      new RegExp(`^Error: unknown\n    at definition \\(${pathToFileURL(source).href}:${lineOf(source)}:\\d+\\)$`),
    );
    expect(new SourcePositions(() => undefined).translate(trace)).to.equal(trace);
    expect(new SourcePositions(() => Buffer.from('{')).translate(trace)).to.equal(trace);
  });
});
