import type { Collection } from '../../record/collection.ts';
import type { Problem } from '../../record/read-transaction.ts';
import { hasRecordFiles } from '../disk/record-files.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import type { ReaderContext } from './read-state.ts';

const kind = 'no_project_file';

/** The problem of a missing project.json. */
export function missingProjectFile(path: string, reason: string): Problem {
  return {
    path,
    kind,
    reason: `The file is missing, so ${reason}.`,
    remedy: 'Restore the file: check it out from git, or copy it from a backup. It is read as soon as it is there.',
  };
}

/** Adds the path of a missing project.json to those of a rescan: its project is deleted once its last record file is. */
export function addMissingProjectFile(project: Project, paths: Set<string>): void {
  const state = project.files.served(project.id);
  if (state !== undefined && isMissing(state)) paths.add(state.path);
}

function isMissing({ unreadable }: FileState): boolean {
  return unreadable?.kind === kind;
}

/**
 * The state of a missing project.json while record files are beside it: the last good version. A project whose record
 * files are gone, too, was deleted: undefined.
 */
export function missingProjectState(
  { project, lastGood, disk, projectsDirectory }: ReaderContext,
  { name, id }: Collection,
  path: string,
  former: FileState | undefined,
): FileState | undefined {
  if (id !== 'project') return undefined;
  const record = former?.record ?? lastGood.read(project.code, project.id);
  if (record === undefined || !hasRecordFiles(disk, projectsDirectory, project.directory)) return undefined;
  if (former !== undefined && isMissing(former)) return former;
  return {
    path,
    collection: name,
    sha256: '',
    stamp: { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 },
    id: project.id,
    hasExplicitId: true,
    record,
    unreadable: {
      ...missingProjectFile(project.shownPath(path), 'the project is served as it was last read'),
      id: project.id,
    },
  };
}
