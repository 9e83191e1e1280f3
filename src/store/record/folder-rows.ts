import { fileIdPattern } from '../../base/ids.ts';
import { isObject } from '../../base/is-object.ts';

/** The file in the directory of a tree that gives directories below it explicit folder ids: one line for each. */
export const rowsFile = '.folders.json';

/** Whether a path in a project's directory is that of a file of rows. */
export function isRowsPath(path: string): boolean {
  return path.endsWith(`/${rowsFile}`) && path.split('/').length === 2;
}

/** What a directory does not say of its folder. */
export interface FolderRow {
  readonly id: string;
  /** Absent if it is the directory's. */
  readonly name?: string;
}

/** Rows by directory, relative to that of the tree, normalised. */
export type FolderRows = ReadonlyMap<string, FolderRow>;

/** A change of rows. No other path keeps a row with one of the ids that are set or dropped. */
export interface RowsChange {
  readonly set: FolderRows;
  /** The rows that directories have until they move, also of those whose ids their paths derived. */
  readonly former?: FolderRows;
  readonly drop: readonly string[];
}

export const noRows: FolderRows = new Map();

/**
 * Reads the file. If it is no JSON, its lines are read one by one: those of both sides of a merge are rows, whatever is
 * between them.
 */
export function readRows(text: string): { readonly rows: FolderRows; readonly isWhole: boolean } {
  const whole = parsed(text);
  if (whole !== undefined) return { rows: rowsIn([whole]), isWhole: true };
  const lines = text.split('\n').map((line) => parsed(`{${line.trim().replace(/,$/, '')}}`));
  return { rows: rowsIn(lines), isWhole: text.trim() === '' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of two ids for one directory the smaller one counts: which side of a merge has it does not matter. */
function rowsIn(objects: readonly unknown[]): FolderRows {
  const rows = new Map<string, FolderRow>();
  for (const object of objects)
    for (const [path, value] of isObject(object) ? Object.entries(object) : []) {
      const { id, name } = isObject(value) ? value : {};
      if (typeof id !== 'string' || !fileIdPattern.test(id)) continue;
      const key = path.normalize('NFC');
      if (id < (rows.get(key)?.id ?? '\uffff'))
        rows.set(key, { id, ...(typeof name === 'string' && name !== '' && { name }) });
    }
  return rows;
}

/** Rows that change one by one. A change costs what it contains. */
export class FolderRowTable {
  readonly #rows = new Map<string, FolderRow>();
  readonly #keys = new Map<string, Set<string>>();

  constructor(rows: FolderRows = noRows) {
    this.#put(rows);
  }

  get rows(): FolderRows {
    return this.#rows;
  }

  /** The keys of the rows with this id: one, or none, and more only after a merge. */
  keysOf(id: string): Iterable<string> {
    return this.#keys.get(id) ?? [];
  }

  /** Adds the rows of a change that is not done yet: those with its ids stay. */
  prepare({ set, former = noRows }: RowsChange): void {
    this.#put(former);
    this.#put(set);
  }

  /** The change is done: other rows with its ids go. */
  complete({ set, drop }: RowsChange): void {
    for (const id of [...drop, ...Array.from(set.values(), (row) => row.id)])
      for (const key of [...this.keysOf(id)]) this.#remove(key);
    this.#put(set);
  }

  #put(rows: FolderRows): void {
    for (const [key, row] of rows) {
      this.#remove(key);
      this.#rows.set(key, row);
      const keys = this.#keys.get(row.id);
      if (keys === undefined) this.#keys.set(row.id, new Set([key]));
      else keys.add(key);
    }
  }

  #remove(key: string): void {
    const row = this.#rows.get(key);
    if (row === undefined) return;
    this.#rows.delete(key);
    this.#keys.get(row.id)?.delete(key);
  }
}

/** The file with these rows: one line each, sorted by path. */
export function textOfRows(rows: FolderRows): string {
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { id, name }]) => {
      const named = name === undefined ? '' : `, "name": ${JSON.stringify(name)}`;
      return `  ${JSON.stringify(path)}: { "id": ${JSON.stringify(id)}${named} }`;
    });
  return lines.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`;
}

export function sameRows(a: FolderRow | undefined, b: FolderRow | undefined): boolean {
  return a?.id === b?.id && a?.name === b?.name;
}
