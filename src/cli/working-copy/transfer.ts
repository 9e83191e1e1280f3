import type { HandWrittenFileListAnswer, ImportAnswer } from '../../schema/types.ts';
import { conflict, PlannerError } from '../../base/errors.ts';
import type { PlannerPort } from '../service/planner-port.ts';
import { compareExports } from './compare-exports.ts';

const exportFormat = 'planner-export-v1';

/**
 * Makes a project of one service one of another: with its ids, or with new ones (`copies`). Throws `conflict` if its id or
 * code is taken there.
 */
export async function transferProject(
  from: PlannerPort,
  to: PlannerPort,
  project: string,
  copies = false,
): Promise<ImportAnswer> {
  const bytes = await from.exportProject(project, exportFormat);
  return to.importProject([{ filename: 'project.planner.json', bytes }], copies ? {} : { keep_ids: true });
}

/** Returns whether a service has a project that the caller may see. */
export async function hasProject(planner: PlannerPort, project: string): Promise<boolean> {
  try {
    await planner.call('get_project', { project_id: project });
    return true;
  } catch (thrown) {
    if (thrown instanceof PlannerError && thrown.code === 'not_found') return false;
    throw thrown;
  }
}

/**
 * Compares the exports of a project by two services byte by byte. Throws `conflict` if they differ; the message begins
 * with `what`, which states the result so far.
 */
export async function requireEqualExports(
  one: PlannerPort,
  other: PlannerPort,
  project: string,
  what: string,
): Promise<void> {
  const [left, right] = await Promise.all([one, other].map((port) => port.exportProject(project, exportFormat)));
  const found = await compareExports(left!, right!);
  if (found === undefined) return;
  throw conflict(
    `${what}, and the exports of the two differ from line ${found.line} on: compare what planner export writes here and there.`,
    { line: found.line, offset: found.offset },
  );
}

/** The files with more than their records have, which stays in the working copy. */
export async function handWrittenFiles(
  planner: PlannerPort,
  project: string,
): Promise<HandWrittenFileListAnswer['files']> {
  const { files } = await planner.call('list_hand_written_files', { project_id: project });
  return files as HandWrittenFileListAnswer['files'];
}
