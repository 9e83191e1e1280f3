import type { Collection } from '../../record/collection.ts';
import type { Problem } from '../../record/read-transaction.ts';
import { hasRecordFiles } from '../disk/record-files.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import type { ReaderContext } from './read-state.ts';

const missing = 'no_project_file';

/** The problem of a missing project.json. */
export function missingProjectFile(path: string, reason: string): Problem {
  return {
    path,
    kind: missing,
    reason: `The file is missing, so ${reason}.`,
    remedy: { code: 'restore_project_file' },
  };
}

/**
 * Adds the path of a missing project.json to the paths of a rescan: its project is deleted once its last record file
 * is.
 */
export function addMissingProjectFile(project: Project, paths: Set<string>): void {
  const state = project.files.served(project.id);
  if (state !== undefined && isMissing(state)) paths.add(state.path);
}

function isMissing({ unreadable }: FileState): boolean {
  return unreadable?.kind === missing;
}

/**
 * The state of a missing project.json while record files are next to it: the last good version. A project whose record
 * files are gone, too, was deleted: undefined.
 */
export function missingProjectState(
  { lastGood, disk, projectsDirectory }: Omit<ReaderContext, 'project'>,
  project: Project,
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
    sha256: null,
    stamp: undefined,
    id: project.id,
    hasExplicitId: true,
    record,
    unreadable: {
      ...missingProjectFile(project.shownPath(path), 'the project is served as it was last read'),
      id: project.id,
    },
  };
}
