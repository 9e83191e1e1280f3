import { join } from 'node:path';
import { PlannerError } from '../../base/errors.ts';
import type { Disk } from '../../store/index.ts';
import type { CliTarget } from '../call/cli-target.ts';
import { projectsOf } from '../call/project-choice.ts';

/** A deleted project, whose directory is kept for 30 days. */
export interface DeletedProject {
  readonly id: string;
  readonly name: string;
  readonly deleted_at: string;
  /** The directory that is kept. */
  readonly kept: string;
  /** Where it was. */
  readonly directory: string;
}

/** `2026-11-28T07-01-15-123Z.web-shop`: the time of the deletion, and the name of its directory. */
const keptName = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2})-(\d{3}Z)\.(.+)$/;

/** The deleted projects in the root of a target, newest first. A service elsewhere keeps its own. */
export async function deletedProjects(disk: Disk, target: CliTarget): Promise<readonly DeletedProject[]> {
  const { root, config } = target;
  if (root === undefined || config.server_url !== undefined) return [];
  const served = new Set((await projectsOf(target.planner)).projects.map(({ id }) => id));
  const trash = join(root, 'local/trash');
  return disk
    .list(trash)
    .flatMap(({ name: entry, kind }) => {
      const [, hour, minute, second, rest, directory] = keptName.exec(entry) ?? [];
      if (kind !== 'directory' || directory === undefined) return [];
      const project = projectIn(disk, join(trash, entry));
      // A copy of a project that has its id is not a deleted one.
      if (project === undefined || served.has(project.id)) return [];
      const deleted_at = `${hour}:${minute}:${second}.${rest}`;
      return [{ ...project, deleted_at, kept: join(trash, entry), directory: join(root, 'projects', directory) }];
    })
    .toReversed();
}

function projectIn(disk: Disk, directory: string): { readonly id: string; readonly name: string } | undefined {
  try {
    const project: unknown = JSON.parse(disk.read(join(directory, 'project.json')).toString());
    const { id, name } = project as Readonly<Record<string, unknown>>;
    return typeof id === 'string' ? { id, name: typeof name === 'string' ? name : id } : undefined;
  } catch {
    // A project whose file cannot be read is restored by hand.
    return undefined;
  }
}

/** Moves the directory of a deleted project back, which is enough for it to be served again. */
export function restoreProject(disk: Disk, { name, kept, directory }: DeletedProject): void {
  if (disk.stat(directory) !== undefined)
    throw new PlannerError(
      'conflict',
      `${directory} is of another project now: move ${kept} to a new name beside it, and ${name} is served again.`,
    );
  disk.rename(kept, directory);
  disk.syncDirectory(join(directory, '..'));
}
