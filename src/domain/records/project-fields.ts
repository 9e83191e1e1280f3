import type { Violation } from '../../store/index.ts';

/** Settings of a project about its repository. */
export interface RepositoryFields {
  readonly repo_url?: string | null;
  readonly folder_path?: string | null;
}

/** Returns the violations; empty if the fields are valid. The rules are the same for input and files. */
export function projectViolations({ repo_url: url, folder_path: path }: RepositoryFields): Violation[] {
  const violations: Violation[] = [];
  if (typeof url === 'string') {
    const reason = urlFault(url);
    if (reason !== undefined) violations.push({ field: 'repo_url', message: `repo_url ${reason}` });
  }
  if (typeof path === 'string' && !isFolderPath(path)) {
    const message =
      'folder_path must be relative to the directory that contains .planner, with / between its names, without .. and without an empty name.';
    violations.push({ field: 'folder_path', message });
  }
  return violations;
}

const protocols = new Set(['http:', 'https:', 'ssh:', 'git:']);

/** `git@host:path`: a user name is permitted, because it is not a secret. */
const scpForm = /^(?:[A-Za-z0-9._-]+@)?[A-Za-z0-9.-]+:(?!\/\/)[^\s\\]+$/;

function urlFault(text: string): string | undefined {
  const form = 'must be of http, https, ssh, git or scp form (https://host/path, git@host:path).';
  // No form of a URL contains control characters or spaces.
  // oxlint-disable-next-line no-control-regex
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return form;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return scpForm.test(text) ? undefined : form;
  const url = URL.parse(text);
  if (url === null || !protocols.has(url.protocol) || url.hostname === '') return form;
  const named = url.username !== '' && url.protocol !== 'ssh:';
  return named || url.password !== ''
    ? 'must not contain credentials: leave the name and the password out.'
    : undefined;
}

function isFolderPath(path: string): boolean {
  if (path === '.') return true;
  // A backslash or a drive letter is invalid, and so is a control character.
  // oxlint-disable-next-line no-control-regex
  if (/[\\\u0000-\u001f\u007f]|^[A-Za-z]:/.test(path)) return false;
  const segments = path.split('/');
  return segments.every((segment) => segment.trim() !== '' && segment !== '..' && segment !== '.');
}
