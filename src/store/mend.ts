import { dirname } from 'node:path';
import { conflict } from '../errors.ts';
import type { Collection } from './collection.ts';
import { copyWithNewIds } from './copy-project.ts';
import { idInFileName } from './file-name.ts';
import { directoryOf, nameOf } from './places.ts';
import type { Project } from './project.ts';
import { replaceFile } from './replace-file.ts';
import { checkRootFiles } from './root-check.ts';
import { shapeAt } from './shapes.ts';
import type { StoreParts } from './store-parts.ts';
import { withoutId } from './without-id.ts';

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

/** Files that bear the id of another file which is served. */
function giveOwnIds(engine: StoreParts, project: Project): string[] {
  const done: string[] = [];
  for (const id of [...project.files.duplicates]) {
    for (const { path, collection: name } of project.files.of(id).slice(1)) {
      const collection = engine.collections.get(name);
      const mended = collection && giveOwnId(engine, project, path, collection);
      if (mended !== undefined) done.push(mended);
    }
  }
  return done;
}

/** Takes the id out of a copied file, and out of its name: what is left is a record of its own. Undefined where it stands in no place of its own. */
function giveOwnId(
  { options: { disk }, layout }: StoreParts,
  project: Project,
  path: string,
  collection: Collection,
): string | undefined {
  const top = `${layout.projects}/${project.directory}`;
  const bytes = withoutId(shapeAt(collection.shape, path), disk.read(`${top}/${path}`));
  if (bytes === undefined) return undefined;
  const target = freePath(path, (candidate) => disk.stat(`${top}/${candidate}`) !== undefined);
  replaceFile(disk, `${top}/${target}`, bytes);
  if (target !== path) {
    disk.remove(`${top}/${path}`);
    disk.syncDirectory(dirname(`${top}/${path}`));
  }
  // A path remembers its record, and this one was never the path's own.
  project.files.delete(path);
  project.formerPaths.delete(path);
  return `${project.shownPath(target)} was a copy: it is a record of its own now.`;
}

/** The path without the other record's id in its name, beside what is there already. */
function freePath(path: string, isTaken: (path: string) => boolean): string {
  const name = nameOf(path);
  const id = idInFileName(name);
  if (id === undefined) return path;
  const bare = name.replace(`${id}.`, '');
  const dot = bare.lastIndexOf('.');
  const directory = directoryOf(path);
  for (let count = 1; ; count++) {
    const stem = dot <= 0 ? 'copy' : bare.slice(0, dot).replace(/\.$/, '');
    const candidate = `${stem}${count === 1 ? '' : `-${count}`}${bare.slice(dot)}`;
    const whole = directory === '' ? candidate : `${directory}/${candidate}`;
    if (!isTaken(whole)) return whole;
  }
}
