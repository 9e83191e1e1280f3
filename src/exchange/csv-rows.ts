import { parse } from 'csv-parse/sync';
import { invalid } from '../base/errors.ts';
import { conflictMessage, conflictOffset } from '../store/files/codec/conflict-markers.ts';
import type { Kept } from './imported-plan.ts';

/** A header is within this many characters. */
const headCharacters = 64 * 1024;

/** The names of the columns of a table; empty if the text is no table. Never throws. */
export function csvHeader(text: string): string[] {
  try {
    return recordsOf(text.slice(0, headCharacters), { to: 1 })[0]?.map((name) => name.trim()) ?? [];
  } catch {
    return [];
  }
}

/** The problem of a table with git conflicts between its rows; a text in a quoted cell may show their markers. */
export function conflictInTable(text: string): string | undefined {
  if (conflictOffset(text) === -1) return undefined;
  return conflictMessage(text.replace(/"[^"]*"/g, (cell) => cell.replace(/[^\n]+/g, '')));
}

/**
 * The rows of a table below its header. Throws `invalid_argument` with the line for conflicts and for text that is not
 * CSV.
 */
export function csvRows(text: string): CsvRow[] {
  const conflict = conflictInTable(text);
  if (conflict !== undefined) throw invalid('file', conflict);
  let records: string[][];
  try {
    records = recordsOf(text, {});
  } catch (error) {
    throw invalid('file', `The file is not CSV: ${(error as Error).message.replace(/\.$/, '')}.`);
  }
  const [header = [], ...rows] = records;
  const names = header.map((name) => name.trim());
  return rows.map((cells) => new CsvRow(names, cells));
}

function recordsOf(text: string, more: { readonly to?: number }): string[][] {
  const [first = ''] = text.split('\n', 1);
  const relaxed = { relax_column_count: true, skip_empty_lines: true };
  // Excel's own first line, which names the delimiter.
  const stated = /^"?sep=(.)"?\r?$/i.exec(first)?.[1];
  if (stated !== undefined) {
    const { to } = more;
    return parse(text, { delimiter: stated, ...relaxed, from_line: 2, ...(to !== undefined && { to }) });
  }
  const delimiter = [',', ';', '\t', '|'].reduce((most, one) =>
    countOf(first, one) > countOf(first, most) ? one : most,
  );
  return parse(text, { delimiter, ...relaxed, ...more });
}

function countOf(text: string, part: string): number {
  return text.split(part).length;
}

/** A row by the names of its columns, of which several may have one name. Columns that are not read are kept. */
export class CsvRow {
  readonly #names: readonly string[];
  readonly #cells: readonly string[];
  readonly #taken = new Set<string>();

  constructor(names: readonly string[], cells: readonly string[]) {
    this.#names = names;
    this.#cells = cells;
  }

  /** The cells of all columns with one of the names that are not blank. */
  all(...names: readonly string[]): string[] {
    for (const name of names) this.#taken.add(name);
    return this.#cells.filter((cell, at) => cell.trim() !== '' && names.includes(this.#names[at] ?? ''));
  }

  /** The first non-empty cell of these columns, or undefined. */
  text(...names: readonly string[]): string | undefined {
    return this.all(...names)[0];
  }

  /** The items of cells that are separated by commas. */
  items(...names: readonly string[]): string[] {
    return this.all(...names).flatMap((cell) =>
      cell
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    );
  }

  /** The names of the columns that are not blank and match, with the first group of the pattern. */
  matching(pattern: RegExp): { readonly name: string; readonly group: string }[] {
    return [...new Set(this.#names)].flatMap((name) => {
      const group = pattern.exec(name)?.[1];
      return group === undefined || this.#cells[this.#names.indexOf(name)] === undefined ? [] : [{ name, group }];
    });
  }

  /** The cells that were not read, by the names of their columns. */
  rest(): Kept {
    const rest: Record<string, string | string[]> = {};
    for (const [at, name] of this.#names.entries()) {
      const cell = this.#cells[at] ?? '';
      if (this.#taken.has(name) || cell.trim() === '') continue;
      const former = rest[name];
      rest[name] = former === undefined ? cell : [former, cell].flat();
    }
    return rest;
  }
}
