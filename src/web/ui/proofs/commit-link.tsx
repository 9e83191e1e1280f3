import type { ReactElement } from 'react';
import { commitUrl } from './commit-url.ts';
import { ExternalLink } from '../icons.ts';

/** A commit, as a link if the project's repository is on a known host. */
export function CommitLink({
  repository,
  commit,
}: {
  readonly repository: string | null;
  readonly commit: string;
}): ReactElement {
  const url = commitUrl(repository, commit);
  const short = commit.slice(0, 10);
  if (url === undefined) return <code title={commit}>{short}</code>;
  return (
    <a href={url} target="_blank" rel="noreferrer" title={url}>
      <code>{short}</code> <ExternalLink size={12} aria-hidden />
    </a>
  );
}
