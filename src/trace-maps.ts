import { decode, encode } from '@jridgewell/sourcemap-codec';
import type { SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The members of a source map that are read here. */
export interface BuiltMap {
  readonly mappings: string;
  readonly sources: readonly string[];
}

/**
 * Reduces a source map to what traces of errors need: the mappings to our sources, one for each position that changes, and no names.
 * Where code of a package follows, one segment without a source ends the mapping before it. Returns undefined if nothing is left.
 */
export function ownMappings({ mappings, sources }: BuiltMap): BuiltMap | undefined {
  const places = new Map<number, number>();
  const own: string[] = [];
  const placeOf = (source: number): number | undefined => {
    const path = sources[source];
    if (path === undefined || !isOwn(path)) return undefined;
    if (!places.has(source)) places.set(source, own.push(path) - 1);
    return places.get(source);
  };
  const lines = decode(mappings).map((segments) => {
    const kept: SourceMapSegment[] = [];
    for (const [column, source, line = 0, at = 0] of segments) {
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

/** A module of the build itself has no path; those of packages are no help in a report. */
const isOwn = (path: string): boolean =>
  /^(?:\.\.\/)+(?!node_modules\/)/.test(path) && !path.includes('/node_modules/');

/** Reduces the maps below a directory, and removes those that have no source of ours with the comments that name them. */
export function reduceMaps(directory: string): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js.map')) continue;
    const path = join(directory, name);
    const built = path.slice(0, -'.map'.length);
    const map = JSON.parse(readFileSync(path, 'utf8')) as BuiltMap & object;
    const reduced = ownMappings(map);
    if (reduced !== undefined) writeFileSync(path, JSON.stringify({ ...map, names: [], ...reduced }));
    else {
      rmSync(path);
      writeFileSync(built, readFileSync(built, 'utf8').replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
    }
  }
}
