import { basename, join } from 'node:path';
import type { Disk } from '../store/index.ts';
import { invalid } from '../base/errors.ts';
import { requireMemoryForText } from './parse-json.ts';
import { decodeText } from './text-encoding.ts';
import type { DecodedText } from './text-encoding.ts';

/** The files of a directory that a plan is read from, by their paths in it, with `/`. */
export interface PlanFiles {
  /** All of them, sorted, without hidden ones and symbolic links. */
  readonly paths: readonly string[];
  text(path: string): string;
  bytes(path: string): Uint8Array;
}

/** Where a plan is looked for: a directory, on a disk or as it was uploaded. Paths are relative to it, with `/`; `''` is the directory itself. */
export interface PlanTree {
  /** The name of the directory itself in messages. */
  readonly name: string;
  kindOf(path: string): 'file' | 'directory' | undefined;
  /** The files below a directory. */
  below(directory: string): PlanFiles;
  bytes(path: string): Uint8Array;
  /** The first bytes of a file. */
  head(path: string, length: number): Uint8Array;
}

/** The name of a project whose plan has none: the name of the plan's file or directory. */
export function nameOfPlan(path: string): string {
  return basename(path).replace(/\.[a-z]+$/i, '') || 'Imported';
}

/** Plans have a few thousand files; a directory with far more is not a plan. */
const filesMax = 100_000;

/** A directory on the disk, by its absolute path. */
export function treeOnDisk(disk: Disk, root: string): PlanTree {
  const bytes = (path: string): Uint8Array => disk.read(join(root, path));
  return {
    name: root,
    kindOf: (path) => {
      const kind = disk.stat(join(root, path))?.kind;
      return kind === 'file' || kind === 'directory' ? kind : undefined;
    },
    below: (directory) => filesBelow(disk, join(root, directory)),
    bytes,
    head: (path, length) => disk.readRange(join(root, path), 0, length) ?? new Uint8Array(),
  };
}

/** A directory whose files are in memory, by their paths. */
export function treeInMemory(files: ReadonlyMap<string, Uint8Array>): PlanTree {
  const bytes = (path: string): Uint8Array => files.get(path)!;
  const below = (directory: string): PlanFiles => {
    const prefix = directory === '' ? '' : `${directory}/`;
    const inside = [...files.keys()].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
    return planFiles(
      inside.filter((path) => !path.split('/').some(isIgnored)),
      (path) => bytes(prefix + path),
    );
  };
  return {
    name: 'The directory',
    kindOf: (path) => {
      if (files.has(path)) return 'file';
      return path === '' || files.keys().some((one) => one.startsWith(`${path}/`)) ? 'directory' : undefined;
    },
    below,
    bytes,
    head: (path, length) => bytes(path).subarray(0, length),
  };
}

/** The files below an absolute directory. */
function filesBelow(disk: Disk, directory: string): PlanFiles {
  const paths: string[] = [];
  const look = (below: string): void => {
    for (const { name, kind } of disk.list(join(directory, below))) {
      if (isIgnored(name)) continue;
      const path = below === '' ? name : `${below}/${name}`;
      if (kind === 'directory') look(path);
      else if (kind === 'file' && paths.length < filesMax) paths.push(path);
    }
  };
  look('');
  return planFiles(paths, (path) => disk.read(join(directory, path)));
}

function isIgnored(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules';
}

function planFiles(paths: string[], bytes: (path: string) => Uint8Array): PlanFiles {
  return { paths: paths.sort(), bytes, text: (path) => textOf(bytes(path)) };
}

/** A file's text without a byte order mark, with LF line endings. Throws `invalid_argument` if it takes too much memory. */
export function decodedText(bytes: Uint8Array): DecodedText {
  requireMemoryForText(bytes.length);
  const decoded = decodeText(bytes);
  return { ...decoded, text: decoded.text.replaceAll('\r\n', '\n') };
}

/**
 * Decodes a text, and throws `invalid_argument` with the line and the byte as well if it is in no encoding that is
 * read.
 */
function textOf(bytes: Uint8Array): string {
  const { text, problem } = decodedText(bytes);
  if (problem !== undefined) throw invalid('file', problem);
  return text;
}

/** The files, with a report of each text whose encoding had to be assumed. */
export function withEncodings(files: PlanFiles, onAssumed: (path: string, encoding: string) => void): PlanFiles {
  const text = (path: string): string => {
    const { text: decoded, assumed, problem } = decodedText(files.bytes(path));
    if (problem !== undefined) throw invalid('file', problem);
    if (assumed !== undefined) onAssumed(path, assumed);
    return decoded;
  };
  return { ...files, text };
}
