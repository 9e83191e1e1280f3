import { idPrefixes, projectCodeOf } from '../../../ids.ts';
import { foldName } from '../../record/file-name.ts';
import type { FileStat } from '../disk/disk.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { Problem } from '../../record/view.ts';

/** The four numbers by which a file is taken to be unchanged. */
export interface Stamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

export function stampOf({ size, mtimeMs, ctimeMs, ino }: FileStat): Stamp {
  return { size, mtimeMs, ctimeMs, ino };
}

export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}

/** Stamps of files by their paths, with the sum of the sizes. */
export class StampTable extends Map<string, Stamp> {
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  override set(path: string, stamp: Stamp): this {
    this.delete(path);
    this.#bytes += stamp.size;
    return super.set(path, stamp);
  }

  override delete(path: string): boolean {
    this.#bytes -= this.get(path)?.size ?? 0;
    return super.delete(path);
  }

  override clear(): void {
    this.#bytes = 0;
    super.clear();
  }
}

/** A record file as it was last seen or written. Paths are relative to the project's directory, with `/`. */
export interface FileState {
  readonly path: string;
  readonly collection: string;
  readonly id: string;
  /** The file itself says the id; else it is derived from the path. */
  readonly saysId: boolean;
  readonly sha256: string;
  readonly stamp: Stamp;
  /** The value that the file holds; of an unreadable file the last good one, undefined where there never was one. */
  readonly record: StoredRecord | undefined;
  /** The file is what a power cut left of a write: it is written anew, not changed. */
  readonly debris?: boolean;
  /** Why the file cannot be read at present. */
  readonly unreadable?: Problem;
}

/** The record files of one project: by path, by the id they hold, and the directories of trees. */
export class FileTable {
  readonly #byPath = new Map<string, FileState>();
  /** Nearly always one path an id; several are duplicates. */
  readonly #byId = new Map<string, string | string[]>();
  /** Folded paths, so that no two files differ only in case or normalisation. */
  readonly #folded = new Map<string, string>();
  /** Ids that more than one file holds. */
  readonly duplicates = new Set<string>();
  /** Ids that were made for another project: a file was moved or copied from there. */
  readonly foreign = new Set<string>();
  /** Paths whose file cannot be read at present. */
  readonly unreadable = new Set<string>();
  readonly #code: string;
  #bytes = 0;

  /** `code`: the project's, which its own ids bear. */
  constructor(code: string) {
    this.#code = code;
  }

  get size(): number {
    return this.#byPath.size;
  }

  /** The sizes of all files together. */
  get bytes(): number {
    return this.#bytes;
  }

  at(path: string): FileState | undefined {
    return this.#byPath.get(path);
  }

  values(): IterableIterator<FileState> {
    return this.#byPath.values();
  }

  set(state: FileState): void {
    this.delete(state.path);
    this.#byPath.set(state.path, state);
    this.#bytes += state.stamp.size;
    this.#folded.set(foldName(state.path), state.path);
    if (state.unreadable !== undefined) this.unreadable.add(state.path);
    const paths = this.#byId.get(state.id);
    if (paths === undefined) {
      this.#byId.set(state.id, state.path);
      if ((projectCodeOf(state.id) ?? this.#code) !== this.#code) this.foreign.add(state.id);
    } else {
      this.#byId.set(state.id, [...(typeof paths === 'string' ? [paths] : paths), state.path]);
      this.duplicates.add(state.id);
    }
  }

  delete(path: string): FileState | undefined {
    const state = this.#byPath.get(path);
    if (state === undefined) return undefined;
    this.#byPath.delete(path);
    this.#bytes -= state.stamp.size;
    // A file that was renamed in letter case alone is known by its new path already.
    const folded = foldName(path);
    if (this.#folded.get(folded) === path) this.#folded.delete(folded);
    this.unreadable.delete(path);
    const paths = this.#byId.get(state.id);
    const left = typeof paths === 'string' ? [] : (paths ?? []).filter((one) => one !== path);
    if (left.length < 2) this.duplicates.delete(state.id);
    if (left.length === 0) {
      this.#byId.delete(state.id);
      this.foreign.delete(state.id);
    } else this.#byId.set(state.id, left.length === 1 ? (left[0] ?? '') : left);
    return state;
  }

  /**
   * Every file that holds this id, the one that is served first: one of the kind that the id names, so that a copy in another directory
   * makes nothing else of the record; then the one whose name bears the id, then the smaller path.
   */
  of(id: string): readonly FileState[] {
    const paths = this.#byId.get(id);
    if (paths === undefined) return [];
    const states = (typeof paths === 'string' ? [paths] : paths)
      .map((path) => this.#byPath.get(path))
      .filter((state) => state !== undefined);
    return states.length < 2 ? states : states.sort((a, b) => rank(a, id) - rank(b, id) || (a.path < b.path ? -1 : 1));
  }

  /** The file that serves this id. */
  served(id: string): FileState | undefined {
    return this.of(id)[0];
  }

  /** The path that stands where this one would be written, letter case aside. */
  occupant(path: string): string | undefined {
    return this.#folded.get(foldName(path));
  }

  /** Files below a directory. Walks all files: only for whole directories that move or vanish. */
  below(directory: string): FileState[] {
    const prefix = `${directory}/`;
    return [...this.#byPath.values()].filter(({ path }) => path.startsWith(prefix));
  }
}

/** A readable file goes before a broken one, the id's own kind before others, a name that bears the id before others. */
function rank(state: FileState, id: string): number {
  const name = state.path.slice(state.path.lastIndexOf('/') + 1);
  const bears = name.includes(`.${id}.`) || name.startsWith(`${id}.`) || name.includes(`.${id.slice(-4)}.`);
  return (state.record === undefined ? 4 : 0) + (isOfKind(state, id) ? 0 : 2) + (bears ? 0 : 1);
}

/** Ids that somebody chose say no kind. */
function isOfKind({ collection }: FileState, id: string): boolean {
  const prefix = id.slice(0, id.indexOf('_'));
  const [kind] = Object.entries(idPrefixes).find(([, one]) => one === prefix) ?? [collection];
  return kind === collection;
}
