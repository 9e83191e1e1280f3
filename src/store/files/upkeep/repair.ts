import { dirname } from 'node:path';
import { conflict } from '../../../base/errors.ts';
import { atOnce } from '../../../base/slices.ts';
import type { Collection } from '../../record/collection.ts';
import { copyWithNewIds } from '../projects/copy-project.ts';
import { idInFileName } from '../../record/file-name.ts';
import type { FileState } from '../project/file-table.ts';
import { rowsFile, textOfRows } from '../../record/folder-rows.ts';
import { directoryOf, nameOf, rowKey } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { rebuildProjectFiles } from './rebuild-project-file.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { checkRootFiles } from '../root/root-check.ts';
import { shapeAt } from '../../record/shapes.ts';
import type { StoreDeps } from '../projects/store-deps.ts';
import { withoutId } from '../edits/without-id.ts';

/** Returns a project code that is not in use. */
export type FreeCode = () => string;

/**
 * Repairs problems of a root if that loses no data: assigns new ids to a copied project and to copied record files, and
 * completes the root's own files, and rebuilds missing and unreadable files of projects. Returns one sentence for each repair. Throws `conflict` while a git operation is in
 * progress.
 */
export function repair(engine: StoreDeps, freeCode: FreeCode): string[] {
  const git = engine.git?.currentOperation();
  if (git !== undefined)
    throw conflict(
      `A git operation is in progress (${git.what}). Nothing was repaired. Try again when it has finished.`,
    );
  const { disk } = engine.options;
  const done: string[] = [];
  for (const { repair: apply } of checkRootFiles(disk, engine.layout, new Set(engine.projects.keys())))
    if (apply !== undefined) done.push(apply());
  engine.findDirectories();
  done.push(...rebuildProjectFiles(engine));
  for (const project of engine.projects.values()) {
    for (const [directory, problem] of [...project.otherProblems]) {
      if (problem.kind !== 'duplicate_project') continue;
      done.push(separateCopy(engine, project, directory, freeCode()));
    }
    done.push(...assignOwnIds(engine, project));
  }
  return done;
}

/**
 * Turns a second directory with a served project's id into a project of its own; the original copy is kept in the
 * trash.
 */
function separateCopy(engine: StoreDeps, project: Project, directory: string, code: string): string {
  const { disk } = engine.options;
  project.otherProblems.delete(directory);
  if (disk.stat(`${engine.layout.projects}/${directory}/project.json`) === undefined)
    return `${shownDirectory(directory)} is gone already.`;
  const made = copyWithNewIds({ disk, layout: engine.layout, project, directory, code });
  engine.adoption.moveToTrash(directory);
  engine.adoption.load(made.directory);
  return `${shownDirectory(directory)} was a copy of ${project.directory}: it is now the project ${made.id} in ${shownDirectory(made.directory)}, with ids of its own. The original copy is in .planner/local/trash.`;
}

function shownDirectory(directory: string): string {
  return `.planner/projects/${directory}`;
}

/** Assigns ids to files with the id of another served file, here or in the project for which it was created. */
function assignOwnIds(engine: StoreDeps, project: Project): string[] {
  const copies = [...project.files.duplicates].flatMap((id) => project.files.of(id).slice(1));
  copies.push(...project.copiesFromOtherProjects().map(({ state }) => state));
  return copies.flatMap((state) => {
    const collection = engine.collections.get(state.collection);
    return collection === undefined ? [] : (assignOwnId(engine, project, state, collection) ?? []);
  });
}

/** Turns a copied file into a record of its own; returns what was done, undefined if it is not possible. */
function assignOwnId(
  engine: StoreDeps,
  project: Project,
  { path, hasExplicitId }: FileState,
  collection: Collection,
): string | undefined {
  const { disk, ids } = engine.options;
  const top = `${engine.layout.projects}/${project.directory}`;
  const isTaken = (candidate: string): boolean => disk.stat(`${top}/${candidate}`) !== undefined;
  if (collection.location.kind === 'folder') {
    const set = new Map([[rowKey(directoryOf(path)), { id: ids.next('folder', project.code) }]]);
    const text = textOfRows(new Map([...project.rows, ...set]));
    replaceFile(disk, `${top}/${collection.location.directory}/${rowsFile}`, Buffer.from(text));
    engine.edits.apply(project, atOnce(engine.reconciler.reconcileSliced(project, [path])));
    return `${project.shownPath(path)} was a copy: it is now a folder of its own.`;
  }
  let target = freePath(path, isTaken);
  // Two paths that differ in normalisation alone derive one id: another name derives another.
  if (!hasExplicitId && target === path) target = otherName(path, isTaken);
  const before = disk.read(`${top}/${path}`);
  const bytes = hasExplicitId ? withoutId(shapeAt(collection.shape, path), before) : before;
  if (bytes === undefined) return undefined;
  replaceFile(disk, `${top}/${target}`, bytes);
  if (target !== path) {
    disk.remove(`${top}/${path}`);
    disk.syncDirectory(dirname(`${top}/${path}`));
  }
  // A path identifies its record, and this record never belonged to the path.
  engine.edits.apply(project, engine.reconciler.forget(project, path));
  return `${project.shownPath(target)} was a copy: it is now a record of its own.`;
}

/** A free path without the other record's id in its name. */
function freePath(path: string, isTaken: (path: string) => boolean): string {
  const name = nameOf(path);
  const id = idInFileName(name);
  if (id === undefined) return path;
  return numbered(directoryOf(path), name.replace(`${id}.`, ''), 1, isTaken);
}

/** A free path with a number before the ending. */
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
