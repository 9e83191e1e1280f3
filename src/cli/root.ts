import { basename, dirname, join, resolve } from 'node:path';
import { PlannerError } from '../errors.ts';
import { openJson } from '../store/index.ts';
import type { Disk } from '../store/index.ts';

/**
 * The `.planner` directory of a directory that is meant to hold one; a path to a `.planner` itself is taken as it is. A relative path is
 * relative to the working directory.
 */
export function rootIn(directory: string, workingDirectory: string): string {
  const path = resolve(workingDirectory, directory);
  return basename(path) === '.planner' ? path : join(path, '.planner');
}

/** The nearest `.planner` from a directory upwards, undefined where there is none. */
export function nearestRoot(directory: string, disk: Disk): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const root = join(at, '.planner');
    if (disk.stat(root)?.kind === 'directory') return root;
    if (dirname(at) === at) return undefined;
  }
}

/** `config.json`, as far as the service and the commands go by it. Committed, so it is somebody else's text until it was checked. */
export interface RootConfig {
  /** The project that is meant where none is named. */
  readonly project_id?: string;
  /** The service that has that project, where it is not in this root. */
  readonly server_url?: string;
  /** `false` keeps share links to people. `true` says nothing: whoever commits this file cannot allow what PLANNER_AGENT_SHARE_LINKS forbids. */
  readonly agent_share_links?: boolean;
}

export function configFile(root: string): string {
  return join(root, 'config.json');
}

/** Reads a root's config.json; empty where there is none. Throws naming the file where it is not what it should be. */
export async function readRootConfig(root: string, disk: Disk): Promise<RootConfig> {
  const path = configFile(root);
  const { data } = await openJson<unknown>(disk, path, {});
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new PlannerError('invalid_argument', `${path} must hold a JSON object.`);
  }
  const { project_id, server_url, agent_share_links } = data as Readonly<Record<string, unknown>>;
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
  return {
    ...(agent_share_links === undefined ? {} : { agent_share_links }),
    ...(project_id === undefined ? {} : { project_id }),
    ...(server_url === undefined ? {} : { server_url }),
  };
}
