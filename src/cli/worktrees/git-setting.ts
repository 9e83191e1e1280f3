import { join, resolve } from 'node:path';
import type { Disk } from '../../store/index.ts';
import { PlannerError } from '../../base/errors.ts';
import { git } from '../git/git.ts';
import { isMutual, isSame } from './working-tree.ts';
import type { WorkingTree } from './working-tree.ts';

/** `unparsed`: the file has syntax that only git parses: includes, quotes, escapes, continued lines. */
type Setting = { readonly value: string | undefined } | 'unparsed';

/**
 * A setting of a repository's own configuration, `<common directory>/config`; undefined if it is not set. A file in
 * simple syntax, as git writes it, is parsed here: git is started only if a person has used quotes or includes.
 */
export async function gitSetting(
  disk: Disk,
  tree: WorkingTree,
  key: `${string}.${string}`,
): Promise<string | undefined> {
  const path = join(tree.commonDirectory, 'config');
  const text = disk.readIfExists(path)?.toString() ?? '';
  const setting = readSetting(text, key);
  if (setting !== 'unparsed') return setting.value;
  const { ok, code, output } = await git(tree.directory, ['config', '--local', '--includes', '--get', key]);
  if (ok) return output;
  // Exit status 1: the key is not set.
  if (code === 1) return undefined;
  throw new PlannerError('conflict', `Git cannot read ${key} in ${path}: ${output}.`, { path });
}

/**
 * Returns whether the repository that a `.git` names has this working tree: `.git` is its directory, a linked worktree
 * is in its list, a submodule in its core.worktree. A `.git` file or link alone proves nothing, since an archive can
 * contain one that names any repository.
 */
export async function isNamedBack(disk: Disk, tree: WorkingTree): Promise<boolean> {
  if (tree.isLinked) return isMutual(disk, tree);
  if (disk.stat(join(tree.directory, '.git'))?.kind === 'directory') return true;
  const named = await gitSetting(disk, tree, 'core.worktree');
  return named !== undefined && isSame(disk, resolve(tree.commonDirectory, named), tree.directory);
}

/**
 * Reads one setting of a file. Returns `unparsed` if a line is not in simple syntax. The last value of a key counts.
 */
export function readSetting(text: string, key: string): Setting {
  const [sectionName = '', name = ''] = key.toLowerCase().split('.');
  let isInside = false;
  let value: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    // The value continues on the next line.
    if (line.endsWith('\\')) return 'unparsed';
    if (/^\s*\[/.test(line)) {
      const [, section, subsection] = /^\s*\[([A-Za-z0-9.-]+)(?:\s+("(?:[^"\\]|\\.)*"))?\]\s*$/.exec(line) ?? [];
      if (section === undefined || /^include/i.test(section)) return 'unparsed';
      isInside = subsection === undefined && section.toLowerCase() === sectionName;
      continue;
    }
    const [, found, given] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*?)\s*)?$/.exec(line) ?? [];
    if (found === undefined) return 'unparsed';
    if (!isInside || found.toLowerCase() !== name) continue;
    if (given === undefined || /["\\#;]/.test(given)) return 'unparsed';
    value = given;
  }
  return { value };
}
