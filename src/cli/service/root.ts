import { basename, dirname, join, resolve } from 'node:path';
import { PlannerError } from '../../base/errors.ts';
import { openJson } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';

/**
 * The path of the `.planner` in a directory; a path that ends in `.planner` is returned unchanged. A relative path is relative to the working
 * directory.
 */
export function rootIn(directory: string, workingDirectory: string): string {
  const path = resolve(workingDirectory, directory);
  return basename(path) === '.planner' ? path : join(path, '.planner');
}

/** The nearest `.planner` in a directory or its parents, or undefined. */
export function nearestRoot(directory: string, disk: Disk): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const root = join(at, '.planner');
    if (disk.stat(root)?.kind === 'directory') return root;
    if (dirname(at) === at) return undefined;
  }
}

/** The members of `config.json` that the service and the commands read. The file is committed, so its values are untrusted. */
export interface RootConfig {
  /** The default project. */
  readonly project_id?: string;
  /** The service that has this project, if it is not in this root. */
  readonly server_url?: string;
  /** `own`: in a linked worktree commands use its own `.planner` instead of the one that all worktrees of the repository share. */
  readonly worktrees?: 'own' | 'shared';
  /** How the service notices edits of the files. Absent: by the type of the file system. */
  readonly watch?: 'events' | 'poll';
  /**
   * `false` forbids agents to create share links. `true` has no effect: a committed file cannot override
   * PLANNER_AGENT_SHARE_LINKS.
   */
  readonly agent_share_links?: boolean;
  /** The command that prepares a fresh worktree for a gate, as `npm ci`: it runs only if the user allowed it. */
  readonly setup?: string;
}

export function configFile(root: string): string {
  return join(root, 'config.json');
}

/** Reads a root's config.json, possibly empty. Throws `invalid_argument` with the path if it is invalid. */
export async function readRootConfig(root: string, disk: Disk): Promise<RootConfig> {
  const path = configFile(root);
  const { data } = await openJson<unknown>(disk, path, {});
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new PlannerError('invalid_argument', `${path} must contain a JSON object.`);
  }
  const { project_id, server_url, agent_share_links, worktrees, watch, setup } = data as Readonly<
    Record<string, unknown>
  >;
  if (project_id !== undefined && typeof project_id !== 'string') {
    throw new PlannerError('invalid_argument', `project_id in ${path} must be a project's id.`, {
      field: 'project_id',
    });
  }
  if (server_url !== undefined && typeof server_url !== 'string') {
    throw new PlannerError('invalid_argument', `server_url in ${path} must be the URL of a service.`, {
      field: 'server_url',
    });
  }
  if (agent_share_links !== undefined && typeof agent_share_links !== 'boolean') {
    throw new PlannerError('invalid_argument', `agent_share_links in ${path} must be true or false.`, {
      field: 'agent_share_links',
    });
  }
  if (setup !== undefined && typeof setup !== 'string') {
    throw new PlannerError('invalid_argument', `setup in ${path} must be a command, as "npm ci".`, { field: 'setup' });
  }
  checkChoice(path, 'worktrees', worktrees, ['own', 'shared']);
  checkChoice(path, 'watch', watch, ['events', 'poll']);
  return {
    ...(setup === undefined ? {} : { setup }),
    ...(watch === undefined ? {} : { watch }),
    ...(worktrees === undefined ? {} : { worktrees }),
    ...(agent_share_links === undefined ? {} : { agent_share_links }),
    ...(project_id === undefined ? {} : { project_id }),
    ...(server_url === undefined ? {} : { server_url }),
  };
}

function checkChoice<T extends string>(
  path: string,
  field: string,
  value: unknown,
  choices: readonly [T, T],
): asserts value is T | undefined {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  throw new PlannerError('invalid_argument', `${field} in ${path} must be "${choices[0]}" or "${choices[1]}".`, {
    field,
  });
}
