import { decode, encode } from '@jridgewell/sourcemap-codec';
import { expect } from 'chai';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SourcePositions } from '../../src/platform/source-positions.ts';
import { ownMappings } from '../../src/build/trace-maps.ts';
import type { BuiltMap } from '../../src/build/trace-maps.ts';
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

  /** Where a text is first, 1 for the first line and column; 0 if it is not there. */
  const at = (path: string, text: string): { readonly line: number; readonly column: number } => {
    const lines = readFileSync(path, 'utf8').split('\n');
    const index = lines.findIndex((line) => line.includes(text));
    return { line: index + 1, column: (lines[index]?.indexOf(text) ?? -1) + 1 };
  };

  it('names files and lines of the sources in the traces of errors [D11.build]', () => {
    const text = 'There is no definition ';
    const [chunk = ''] = globSync('*.js', { cwd: dist }).filter((name) => at(join(dist, name), text).line > 0);
    const built = at(join(dist, chunk), text);
    const url = pathToFileURL(join(dist, chunk)).href;
    const trace = `Error: unknown\n    at definition (${url}:${built.line}:${built.column})`;
    const source = join(repository, 'src/schema/schemas.ts');
    const translated = new SourcePositions(read).translate(trace);
    expect(translated).to.match(
      new RegExp(
        `^Error: unknown\n    at definition \\(${pathToFileURL(source).href}:${at(source, text).line}:\\d+\\)$`,
      ),
    );
    expect(new SourcePositions(() => undefined).translate(trace)).to.equal(trace);
    expect(new SourcePositions(() => Buffer.from('{')).translate(trace)).to.equal(trace);
  });

  it('maps only to its own sources, and leaves positions in packages unchanged [D11.build]', () => {
    const maps = globSync('**/*.js.map', { cwd: dist });
    const sources = maps.flatMap((name) => (JSON.parse(readFileSync(join(dist, name), 'utf8')) as BuiltMap).sources);
    expect(sources).not.to.have.length(0);
    for (const source of sources) expect(source).to.match(/^(?:\.\.\/)+src\/.*\.ts$/);
    const text = 'specify root to res.sendFile';
    const names = globSync('*.js', { cwd: dist });
    for (const name of names) {
      const mapped = existsSync(join(dist, `${name}.map`));
      expect(readFileSync(join(dist, name), 'utf8').includes('sourceMappingURL='), name).to.equal(mapped);
    }
    // Express's `sendFile`.
    const [chunk = ''] = names.filter((name) => at(join(dist, name), text).line > 0);
    const { line, column } = at(join(dist, chunk), text);
    const trace = `at sendFile (${pathToFileURL(join(dist, chunk)).href}:${line}:${column})`;
    expect(new SourcePositions(read).translate(trace)).to.equal(trace);
  });

  it('reduces a map to our lines, and ends each mapping at the code of a package [D11.build]', () => {
    const sources = ['../node_modules/a/index.js', '../src/b.ts', '../src/c.ts'];
    const mappings = encode([
      [
        [0, 0, 0, 0],
        [10, 2, 4, 2],
        [14, 2, 4, 9, 0],
        [20, 2, 5, 2],
        [30, 0, 1, 0],
        [40, 0, 2, 0],
      ],
      [[5, 2, 6, 0]],
    ]);
    const reduced = ownMappings({ sources, mappings })!;
    expect(reduced.sources).to.deep.equal(['../src/c.ts']);
    expect(decode(reduced.mappings)).to.deep.equal([[[10, 0, 4, 2], [20, 0, 5, 2], [30]], [[5, 0, 6, 0]]]);
    expect(ownMappings({ sources: sources.slice(0, 1), mappings: encode([[[0, 0, 0, 0]]]) })).to.equal(undefined);
  });

  it('maps columns after characters that the build escapes [D11.build]', () => {
    const mappings = encode([
      [
        [3, 0, 0, 0],
        [7, 0, 1, 0],
      ],
    ]);
    const reduced = ownMappings({ sources: ['../src/a.ts'], mappings }, "a='…'+b");
    expect(decode(reduced!.mappings)).to.deep.equal([
      [
        [3, 0, 0, 0],
        [12, 0, 1, 0],
      ],
    ]);
  });
});
