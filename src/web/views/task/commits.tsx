import type { ReactElement } from 'react';
import { useProject } from '../../api/projects.ts';
import { CommitLink } from '../../ui/proofs/commit-link.tsx';
import styles from './task.module.css';

/** The commits of a task, as links into the project's repository where its host is known. */
export function Commits({
  projectId,
  commits,
}: {
  readonly projectId: string;
  readonly commits: readonly string[];
}): ReactElement | null {
  const { data: project } = useProject(projectId);
  if (commits.length === 0) return null;
  return (
    <ul className={styles['commits']} aria-label="Commits">
      {commits.map((commit) => (
        <li key={commit}>
          <CommitLink repository={project?.repo_url ?? null} commit={commit} />
        </li>
      ))}
    </ul>
  );
}
