import { dirname } from 'node:path';
import { conflict } from '../../../errors.ts';
import type { Collection } from '../../record/collection.ts';
import { copyWithNewIds } from './copy-project.ts';
import { idInFileName } from '../../record/file-name.ts';
import type { FileState } from '../project/file-table.ts';
import { directoryOf, nameOf } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { checkRootFiles } from './root-check.ts';
import { shapeAt } from '../../record/shapes.ts';
import type { StoreParts } from './store-deps.ts';
import { withoutId } from '../edits/without-id.ts';

/** Makes a project's code that nothing uses. */
export type FreeCode = () => string;

/**
 * Mends what is wrong in a root where that loses nothing: a copied project gets ids of its own, the copy of a record's file its own id,
 * the root's own files what they must have. Answers one sentence for each thing that was done. Throws `conflict` while git is at work.
 */
export function mend(engine: StoreParts, freeCode: FreeCode): string[] {
  const git = engine.git?.atWork();
  if (git !== undefined)
    throw conflict(`Git is at work here (${git.what}): nothing is mended meanwhile. Try again when it has finished.`);
  const { disk } = engine.options;
  const done: string[] = [];
  for (const { mend: apply } of checkRootFiles(disk, engine.layout, new Set(engine.projects.keys())))
    if (apply !== undefined) done.push(apply());
  for (const project of engine.projects.values()) {
    for (const [directory, problem] of [...project.otherProblems]) {
      if (problem.kind !== 'duplicate_project') continue;
      done.push(separate(engine, project, directory, freeCode()));
    }
    done.push(...giveOwnIds(engine, project));
  }
  return done;
}

/** A second directory with a served project's id: it becomes a project of its own; as it was it lies in the trash. */
function separate(engine: StoreParts, project: Project, directory: string, code: string): string {
  const { disk } = engine.options;
  project.otherProblems.delete(directory);
  if (disk.stat(`${engine.layout.projects}/${directory}/project.json`) === undefined)
    return `${shownDirectory(directory)} is gone already.`;
  const made = copyWithNewIds({ disk, layout: engine.layout, project, directory, code });
  engine.trash(directory);
  engine.loadDirectory(made.directory);
  return `${shownDirectory(directory)} was a copy of ${project.directory}: it is the project ${made.id} in ${shownDirectory(made.directory)} now, with ids of its own. As it was it lies in .planner/local/trash.`;
}

function shownDirectory(directory: string): string {
  return `.planner/projects/${directory}`;
}

/** Files that bear the id of another file which is served, here or in the project that it was made for. */
function giveOwnIds(engine: StoreParts, project: Project): string[] {
  const copies = [...project.files.duplicates].flatMap((id) => project.files.of(id).slice(1));
  copies.push(...project.copiedHere().map(({ state }) => state));
  return copies.flatMap((state) => {
    const collection = engine.collections.get(state.collection);
    return collection === undefined ? [] : (giveOwnId(engine, project, state, collection) ?? []);
  });
}

/** Makes a record of its own of a copied file; answers what was done, undefined where nothing could be. */
function giveOwnId(
  engine: StoreParts,
  project: Project,
  { path, saysId }: FileState,
  collection: Collection,
): string | undefined {
  const { disk, ids } = engine.options;
  const top = `${engine.layout.projects}/${project.directory}`;
  const isTaken = (candidate: string): boolean => disk.stat(`${top}/${candidate}`) !== undefined;
  let target = freePath(path, isTaken);
  let bytes;
  if (!saysId && collection.place.kind === 'folder') {
    // What a folder's id is derived from may be the same for two directories: it gets one that is written down.
    bytes = Buffer.from(`${JSON.stringify({ id: ids.next('folder', project.code) }, null, 2)}\n`);
  } else {
    // Two paths that differ in normalisation alone give one id: another name gives another.
    if (!saysId && target === path) target = otherName(path, isTaken);
    const before = disk.read(`${top}/${path}`);
    bytes = saysId ? withoutId(shapeAt(collection.shape, path), before) : before;
  }
  if (bytes === undefined) return undefined;
  replaceFile(disk, `${top}/${target}`, bytes);
  if (target !== path) {
    disk.remove(`${top}/${path}`);
    disk.syncDirectory(dirname(`${top}/${path}`));
  }
  // A path remembers its record, and this one was never the path's own.
  engine.adopt(project, engine.reconciler.forget(project, path));
  return `${project.shownPath(target)} was a copy: it is a record of its own now.`;
}

/** The path without the other record's id in its name, beside what is there already. */
function freePath(path: string, isTaken: (path: string) => boolean): string {
  const name = nameOf(path);
  const id = idInFileName(name);
  if (id === undefined) return path;
  return numbered(directoryOf(path), name.replace(`${id}.`, ''), 1, isTaken);
}

/** The path with a number before its ending. */
function otherName(path: string, isTaken: (path: string) => boolean): string {
  return numbered(directoryOf(path), nameOf(path), 2, isTaken);
}

function numbered(directory: string, name: string, first: number, isTaken: (path: string) => boolean): string {
  const dot = name.lastIndexOf('.');
  for (let count = first; ; count++) {
    const stem = dot <= 0 ? 'copy' : name.slice(0, dot).replace(/\.$/, '');
    const candidate = `${stem}${count === 1 ? '' : `-${count}`}${name.slice(dot)}`;
    const whole = directory === '' ? candidate : `${directory}/${candidate}`;
    if (!isTaken(whole)) return whole;
  }
}
