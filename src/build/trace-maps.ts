import { decode, encode } from '@jridgewell/sourcemap-codec';
import type { SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The used members of a source map. */
export interface BuiltMap {
  readonly mappings: string;
  readonly sources: readonly string[];
}

/**
 * Reduces a source map to the data that stack traces need: the mappings to our sources, one for each position that
 * changes, and no names. Columns refer to the code after `escaped`. If code of a package follows, one segment without a
 * source ends the preceding mapping. Returns undefined if no mapping is left.
 */
export function ownMappings({ mappings, sources }: BuiltMap, code = ''): BuiltMap | undefined {
  const places = new Map<number, number>();
  const own: string[] = [];
  const placeOf = (source: number): number | undefined => {
    const path = sources[source];
    if (path === undefined || !isOwn(path)) return undefined;
    if (!places.has(source)) places.set(source, own.push(path) - 1);
    return places.get(source);
  };
  const texts = code.split('\n');
  const lines = decode(mappings).map((segments, index) => {
    const kept: SourceMapSegment[] = [];
    const moved = columnsAfterEscape(texts[index] ?? '');
    for (const [before, source, line = 0, at = 0] of segments) {
      const column = moved(before);
      const last = kept.at(-1);
      const place = source === undefined ? undefined : placeOf(source);
      if (place === undefined) {
        if (last !== undefined && last.length > 1) kept.push([column]);
      } else if (last?.[1] !== place || last[2] !== line) kept.push([column, place, line, at]);
    }
    return kept;
  });
  return own.length === 0 ? undefined : { sources: own, mappings: encode(lines) };
}

/** Modules of the build itself have no path; modules of packages are not useful in a report. */
const isOwn = (path: string): boolean =>
  /^(?:\.\.\/)+(?!node_modules\/)/.test(path) && !path.includes('/node_modules/');

const beyondAscii = /[^\0-\x7f]/g;
const escapeLength = String.raw`\u0000`.length;

/** V8 keeps the text of loaded code: a byte for each character, or two for all of them if one is beyond Latin-1. */
const escaped = (code: string): string =>
  code.replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Maps columns of a line to columns of the escaped line. Columns have to ascend. */
function columnsAfterEscape(line: string): (column: number) => number {
  const replaced = [...line.matchAll(beyondAscii)].map(({ index }) => index);
  let passed = 0;
  return (column) => {
    while (passed < replaced.length && replaced[passed]! < column) passed++;
    return column + passed * (escapeLength - 1);
  };
}

/** Escapes built files, and reduces their maps. Maps without our sources are removed, with the comments that refer to them. */
export function reduceMaps(paths: readonly string[]): void {
  for (const path of paths) {
    const code = readFileSync(path, 'utf8');
    const map = existsSync(`${path}.map`) ? (JSON.parse(readFileSync(`${path}.map`, 'utf8')) as BuiltMap) : undefined;
    const reduced = map && ownMappings(map, code);
    if (reduced !== undefined) writeFileSync(`${path}.map`, JSON.stringify({ ...map, names: [], ...reduced }));
    else rmSync(`${path}.map`, { force: true });
    const text = reduced === undefined ? code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n') : code;
    writeFileSync(path, escaped(text));
  }
}
