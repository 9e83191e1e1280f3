import { dirname, join } from 'node:path';
import { linkedPart, replaceFile } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { clients } from './clients.ts';
import type { ClientFile } from './clients.ts';
import { readJsonc, removeMember } from './edit-json.ts';
import { withoutByteOrderMark } from './owned-files.ts';
import { markdownMarkers, withoutSection } from './section.ts';

/** A report of a removal from a file. */
export interface Removal {
  readonly path: string;
  /** `removed`: the file had nothing else. */
  readonly what: 'removed' | 'changed' | 'left';
  /** Why it was left as it is. */
  readonly reason?: string;
}

interface Place {
  /** Symbolic links below it are not followed. */
  readonly base: string;
  /** Below `base`, with `/`. */
  readonly path: string;
  readonly shown?: string;
}

/** Takes out of a repository's files what `planner connect` writes, but for the key. Everything else in them is kept. */
export function unbindFiles({ disk, homeDirectory }: ProgramDeps, directory: string): readonly Removal[] {
  const here = (path: string): Place => ({ base: directory, path });
  const entries = clients.map((client) => {
    const path = client.path.join('/');
    const atHome = client.scope === 'home';
    const place = atHome ? { base: homeDirectory, path, shown: `~/${path}` } : here(path);
    return takeOut(disk, place, (text) => {
      // An entry at home belongs to the repository that it names.
      const isOther = atHome && !text.includes(JSON.stringify(directory));
      return isOther ? text : client.remove(text, path);
    });
  });
  return [
    takeOut(disk, here('.planner/config.json'), configWithout),
    ...entries,
    takeOut(disk, here('.planner/AGENTS.md'), inMarkdown),
    takeOut(disk, here('AGENTS.md'), inMarkdown),
  ].filter((removal) => removal !== undefined);
}

function inMarkdown(text: string): string {
  return withoutSection(text, markdownMarkers) ?? text;
}

/** The files beside `.planner` in which `planner connect` has written, of those with these paths in a repository. */
export function connectedAmong(disk: Disk, directory: string, paths: ReadonlySet<string>): readonly string[] {
  const inRepository = clients.filter(({ scope }) => scope === 'repository');
  const removals = [
    ...inRepository.map(({ path, remove }) => ({ path: path.join('/'), remove })),
    { path: 'AGENTS.md', remove: inMarkdown },
  ];
  return removals
    .filter(({ path, remove }) => paths.has(path) && hasOurs(disk.readIfExists(join(directory, path)), path, remove))
    .map(({ path }) => path);
}

function hasOurs(bytes: Uint8Array | undefined, path: string, remove: ClientFile['remove']): boolean {
  if (bytes === undefined) return false;
  const text = withoutByteOrderMark(Buffer.from(bytes).toString());
  try {
    return remove(text, path) !== text;
  } catch {
    // A file that cannot be parsed is the user's.
    return false;
  }
}

function configWithout(text: string): string {
  readJsonc(text, '.planner/config.json');
  return removeMember(removeMember(text, ['project_id']), ['server_url']);
}

/** Replaces a file's text by the result of `edit`; removes the file if that is empty. Undefined if there is nothing to take out. */
function takeOut(disk: Disk, { base, path, shown = path }: Place, edit: (text: string) => string): Removal | undefined {
  const target = join(base, path);
  if (linkedPart(disk, base, path) !== undefined) return undefined;
  const bytes = disk.readIfExists(target);
  const text = bytes?.toString();
  if (bytes === undefined || text === undefined) return undefined;
  if (!Buffer.from(text).equals(bytes)) return { path: shown, what: 'left', reason: 'it is not UTF-8' };
  const plain = withoutByteOrderMark(text);
  const mark = text.slice(0, text.length - plain.length);
  const rest = edit(plain);
  if (rest === plain) return undefined;
  if (rest.trim() === '') {
    disk.remove(target);
    if (dirname(path) !== '.') disk.removeDirectoryIfEmpty(dirname(target));
    return { path: shown, what: 'removed' };
  }
  replaceFile(disk, target, Buffer.from(mark + rest), { mode: disk.stat(target)!.mode & 0o777 });
  return { path: shown, what: 'changed' };
}
