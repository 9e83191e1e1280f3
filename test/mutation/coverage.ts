import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { absolute } from './targets.ts';

/** From one character of a source file to another, the end not included. */
export type Span = readonly [start: number, end: number];

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** What of each source file was run by any process that wrote its coverage into a directory. */
export function coveredIn(directory: string, files: readonly string[]): Record<string, Span[]> {
  const byUrl = new Map(files.map((file) => [pathToFileURL(absolute(file)).href, file]));
  const runs = new Map<string, Uint8Array>();
  for (const name of readdirSync(directory)) {
    for (const script of scriptsOf(join(directory, name))) {
      const file = byUrl.get(script.url);
      if (file === undefined) continue;
      const length = Math.max(...script.functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)), 0);
      const before = runs.get(file);
      const all = before !== undefined && before.length >= length ? before : grown(before, length);
      runs.set(file, all);
      markCovered(script, all);
    }
  }
  return Object.fromEntries([...runs].map(([file, marks]) => [file, spansOf(marks)]));
}

/** A process that was killed leaves its file half written. */
function scriptsOf(path: string): readonly ScriptCoverage[] {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { result: ScriptCoverage[] }).result;
  } catch {
    return [];
  }
}

function grown(marks: Uint8Array | undefined, length: number): Uint8Array {
  const larger = new Uint8Array(length);
  if (marks !== undefined) larger.set(marks);
  return larger;
}

/** Ranges lie in each other: the innermost has the count of a character. */
function markCovered({ functions }: ScriptCoverage, all: Uint8Array): void {
  const own = new Uint8Array(all.length);
  const ranges = functions.flatMap((one) => one.ranges);
  ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  for (const { startOffset, endOffset, count } of ranges) own.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  for (let at = 0; at < own.length; at++) all[at]! |= own[at]!;
}

function spansOf(marks: Uint8Array): Span[] {
  const spans: Span[] = [];
  for (let start = marks.indexOf(1); start !== -1;) {
    const end = marks.indexOf(0, start);
    spans.push([start, end === -1 ? marks.length : end]);
    start = end === -1 ? -1 : marks.indexOf(1, end);
  }
  return spans;
}
