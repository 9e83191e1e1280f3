/** Where the web pages of a host have their commits. Other hosts are unknown: a guessed address would be a dead link. */
const hosts: readonly { readonly is: RegExp; readonly path: string }[] = [
  { is: /^github\.com$|(?:^|\.)github\./, path: 'commit' },
  { is: /^gitlab\.com$|(?:^|\.)gitlab\./, path: '-/commit' },
  { is: /^bitbucket\.org$/, path: 'commits' },
  { is: /^(?:codeberg\.org|gitea\.com)$|(?:^|\.)(?:gitea|forgejo)\./, path: 'commit' },
];

interface Repository {
  /** With a port, if the web pages have one. */
  readonly host: string;
  readonly scheme: 'http' | 'https';
  readonly path: string;
}

/** `git@host:owner/name.git`, or `host:owner/name`. */
const scp = /^(?:[\w.-]+@)?([A-Za-z0-9.-]+):(?!\/)(.+)$/;

function repositoryOf(text: string): Repository | undefined {
  if (text.includes('://')) {
    if (!URL.canParse(text)) return undefined;
    const { protocol, host, hostname, pathname } = new URL(text);
    if (protocol === 'http:' || protocol === 'https:')
      return { host, scheme: protocol === 'http:' ? 'http' : 'https', path: pathname };
    return protocol === 'ssh:' || protocol === 'git:' ? { host: hostname, scheme: 'https', path: pathname } : undefined;
  }
  const [, host, path] = scp.exec(text) ?? [];
  return host === undefined || path === undefined ? undefined : { host, scheme: 'https', path };
}

/**
 * The web address of a commit, by the address of its repository (http, https, ssh, git or `git@host:path`). Undefined for an unknown host.
 * It is built from checked parts: whatever `repository` contains, the scheme is http or https.
 */
export function commitUrl(repository: string | null, commit: string): string | undefined {
  if (repository === null || !/^[0-9a-f]{7,40}$/.test(commit)) return undefined;
  const found = repositoryOf(repository.trim());
  if (found === undefined) return undefined;
  const { scheme, path } = found;
  const host = found.host.toLowerCase();
  const known = hosts.find(({ is }) => is.test(host.replace(/:\d+$/, '')));
  const parts = path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter((part) => part !== '');
  if (known === undefined || parts.length < 2 || parts.some((part) => /^\.+$|[?#\\\s]/.test(part))) return undefined;
  return `${scheme}://${host}/${parts.join('/')}/${known.path}/${commit}`;
}
