import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { hasIdInName, isNamedAfter } from '../project/serving-order.ts';
import { isSameInode } from './renamed-files.ts';

/**
 * The file that serves a record from now on: the one at the path that the record had, else the one that was renamed. Of
 * files that were no copies before, and else of the copies, the one with the same content is more likely to be it.
 * `before`: the file that served the record, if one is known.
 */
export function servingFile(project: Project, id: string, before: FileState | undefined): FileState | undefined {
  const { files } = project;
  const states = files.of(id);
  const [first, another] = states;
  if (first === undefined || another === undefined || before?.record === undefined) return first;
  const isCopy = ({ path }: FileState): boolean => files.copies.has(path);
  const alike = states.filter((state) => isCopy(state) === isCopy(first));
  return (
    states.find((state) => !isCopy(state) && isBack(project, state, before)) ??
    states.find(({ path }) => path === before.path) ??
    states.find(({ stamp }) => stamp !== undefined && isSameInode(stamp, before)) ??
    alike.find(({ sha256 }) => sha256 != null && sha256 === before.sha256) ??
    first
  );
}

/**
 * Returns whether a file is again where the record's was: a copy has served the record meanwhile, also under a name
 * that a tool gave the file before it put another one in its place; or an editor has saved it under the service's
 * former name.
 */
function isBack({ files, formerPaths }: Project, state: FileState, before: FileState): boolean {
  if (state.path === before.path || formerPaths.get(state.path)?.id !== state.id) return false;
  return files.successors.has(before.path) || isNamedAfter(before, state) || hasIdInName(state, state.id);
}
