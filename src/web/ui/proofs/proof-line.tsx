import { useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { behindText } from '../../../base/behind-text.ts';
import { useResponse } from '../../api/cache.ts';
import { useProject } from '../../api/projects.ts';
import type { Proof, VerificationBehind } from '../../rest/types.ts';
import { Badge } from '../badge.tsx';
import { CommitLink } from './commit-link.tsx';
import { TriangleAlert } from '../icons.ts';
import { Loaded } from '../states.tsx';
import { Ago } from '../time.tsx';
import styles from '../ui.module.css';

/** The mark of a verification whose covered files have changed since. */
export function StaleBadge({ state }: { readonly state: 'current' | 'stale' | null }): ReactElement | null {
  if (state !== 'stale') return null;
  return (
    <Badge tone="warn" icon={<TriangleAlert size={13} aria-hidden />} title="Commits since touch what was verified">
      Stale
    </Badge>
  );
}

/** The result of a verification, its commit and duration, whether it still counts, and its output on demand. */
export function ProofLine({
  projectId,
  proof,
  state,
  behind,
  isGreen = true,
}: {
  readonly projectId: string;
  readonly proof: Proof | null | undefined;
  readonly state: 'current' | 'stale' | null;
  /** How far a stale one is behind, if that was noted. */
  readonly behind: VerificationBehind | undefined;
  readonly isGreen?: boolean;
}): ReactElement | null {
  const { data: project } = useProject(projectId);
  if (proof === null || proof === undefined) return null;
  const { commit, dirty, seconds, started_at: at, ran_by: by, log_artifact_id: log } = proof;
  return (
    <div>
      <p>
        {isGreen ? 'Green' : 'Red'} at <CommitLink repository={project?.repo_url ?? null} commit={commit} />
        {dirty ? ' with files that were not committed' : ''} <Ago time={at} />
        {log === undefined ? '' : `, in ${seconds} s`}, by {by}
      </p>
      {state === 'stale' ? (
        <p>
          {behind === undefined ? 'Commits since touch what was verified' : behindText(behind)}:{' '}
          <code>planner verify --check</code> names them.
        </p>
      ) : null}
      {log === undefined ? null : <GateLog projectId={projectId} artifactId={log} />}
    </div>
  );
}

const logLinesMax = 40;

/** The end of the output of a gate, loaded when it is opened. */
function GateLog({ projectId, artifactId }: { readonly projectId: string; readonly artifactId: string }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const log = useResponse('get_artifact', { project_id: projectId, artifact_id: artifactId }, { enabled: isOpen });
  return (
    <details className={styles['log']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Output of the gate</summary>
      {isOpen ? (
        <Loaded of={log} parts={2}>
          {({ content = '' }) => (
            <>
              <pre tabIndex={0}>{endOf(content)}</pre>
              <Link to={`/projects/${projectId}/artifacts/${artifactId}`}>All of it</Link>
            </>
          )}
        </Loaded>
      ) : null}
    </details>
  );
}

/** The last lines of the output, which is the last block of code in the log. */
function endOf(content: string): string {
  const lines = content.trimEnd().split('\n');
  const from = lines.lastIndexOf(`${lines.pop()}text`) + 1;
  return from === 0 ? content : lines.slice(Math.max(from, lines.length - logLinesMax)).join('\n');
}
