import { join } from 'node:path';
import type { Disk } from '../store/index.ts';

/** The files of a directory that a plan is read from, by their paths in it, with `/`. */
export interface PlanFiles {
  /** All of them, sorted, without hidden ones and symbolic links. */
  readonly paths: readonly string[];
  text(path: string): string;
  bytes(path: string): Uint8Array;
}

/** Plans have a few thousand files; a directory with far more is not a plan. */
const filesMax = 100_000;

/** The files below an absolute directory. */
export function filesBelow(disk: Disk, directory: string): PlanFiles {
  const paths: string[] = [];
  const look = (below: string): void => {
    for (const { name, kind } of disk.list(join(directory, below))) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = below === '' ? name : `${below}/${name}`;
      if (kind === 'directory') look(path);
      else if (kind === 'file' && paths.length < filesMax) paths.push(path);
    }
  };
  look('');
  const bytes = (path: string): Uint8Array => disk.read(join(directory, path));
  return { paths: paths.sort(), bytes, text: (path) => textOf(bytes(path)) };
}

/** A file's text without a byte order mark, with LF line endings. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes).replaceAll('\r\n', '\n');
}
