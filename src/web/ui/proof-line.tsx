import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useProject } from '../api/projects.ts';
import type { Proof } from '../rest/types.ts';
import { Badge } from './badge.tsx';
import { CommitLink } from './commit-link.tsx';
import { TriangleAlert } from './icons.ts';

/** The mark of a verification whose covered files have changed since. */
export function StaleBadge({ state }: { readonly state: 'current' | 'stale' | null }): ReactElement | null {
  if (state !== 'stale') return null;
  return (
    <Badge tone="warn" icon={<TriangleAlert size={13} aria-hidden />} title="Commits since touch what was verified">
      Stale
    </Badge>
  );
}

/** The commit, duration and output of a verification. */
export function ProofLine({
  projectId,
  proof,
}: {
  readonly projectId: string;
  readonly proof: Proof | null | undefined;
}): ReactElement | null {
  const { data: project } = useProject(projectId);
  if (proof === null || proof === undefined) return null;
  const { commit, dirty, seconds, ran_by: by, log_artifact_id: log } = proof;
  return (
    <p>
      At <CommitLink repository={project?.repo_url ?? null} commit={commit} />
      {dirty ? ' with files that were not committed' : ''}
      {log === undefined ? '' : `, in ${seconds} s`}, by {by}
      {log === undefined ? null : (
        <>
          {' · '}
          <Link to={`/projects/${projectId}/artifacts/${log}`}>Output</Link>
        </>
      )}
    </p>
  );
}
