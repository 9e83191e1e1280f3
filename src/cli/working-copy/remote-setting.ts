import { dirname } from 'node:path';
import { conflict, invalid } from '../../base/errors.ts';
import { idPattern } from '../../base/ids.ts';
import type { Disk } from '../../store/index.ts';
import { readJsonc, setMember } from '../connect/edit-json.ts';
import { editFile, withoutByteOrderMark } from '../connect/owned-files.ts';
import { plainUrl } from '../machine/saved-keys.ts';

/** The hosted project of a working copy, as config.json names it. */
export interface RemoteSetting {
  /** Without a trailing slash. */
  readonly url: string;
  readonly project_id: string;
  /** The branch on which the working copy is synchronised. Default: the repository's default branch. */
  readonly branch?: string;
}

const shown = '.planner/config.json';

/** Reads `remote` in the config.json of a root, or undefined. Throws `invalid_argument` if it is invalid. */
export function readRemote(disk: Disk, root: string): RemoteSetting | undefined {
  const text = withoutByteOrderMark(disk.readIfExists(`${root}/config.json`)?.toString() ?? '');
  const { remote } = readJsonc(text, shown);
  if (remote === undefined || remote === null) return undefined;
  const { url, project_id: project, branch } = remote as Readonly<Record<string, unknown>>;
  if (typeof url !== 'string') throw invalid('remote.url', `remote.url in ${shown} must be the URL of a service.`);
  if (typeof project !== 'string' || !idPattern.test(project))
    throw invalid('remote.project_id', `remote.project_id in ${shown} must be a project's id.`);
  if (branch !== undefined && typeof branch !== 'string')
    throw invalid('remote.branch', `remote.branch in ${shown} must be the name of a branch.`);
  return { url: plainUrl(url), project_id: project, ...(branch !== undefined && { branch }) };
}

/** Sets `remote`, and keeps every other byte of the file. Returns the function that restores the former file. */
export function writeRemote(disk: Disk, root: string, remote: RemoteSetting): () => void {
  const edit = editFile({ disk, base: dirname(root), path: shown, shown }, (text) => {
    const { remote: present } = readJsonc(text, shown);
    const isSame = JSON.stringify(present) === JSON.stringify(remote);
    return isSame ? text : setMember(text, ['remote'], remote);
  });
  if (edit.report.what === 'left') throw conflict(`${shown} cannot be changed: ${edit.report.reason ?? ''}.`);
  return edit.write();
}

/** Binds the project, as `planner connect` does, so that commands need no --project. */
export function bindProject(disk: Disk, root: string, project: string): void {
  const edit = editFile({ disk, base: dirname(root), path: shown, shown }, (text) =>
    readJsonc(text, shown)['project_id'] === undefined ? setMember(text, ['project_id'], project) : text,
  );
  edit.write();
}
