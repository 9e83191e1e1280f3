import { TriangleAlert } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useResponse } from '../../api/cache.ts';
import styles from './overview.module.css';

/** The number of files that a person has to correct, with the first file's name. */
export function ProblemsNotice({
  projectId,
  count,
}: {
  readonly projectId: string;
  readonly count: number;
}): ReactElement {
  const { data } = useResponse('list_problems', { project_id: projectId, limit: 3 });
  // Notes, which come last, need no action.
  const problems = data?.problems.filter(({ severity }) => severity !== 'note');
  return (
    <section className={styles['problems']} aria-label="Problems">
      <TriangleAlert size={18} aria-hidden />
      <div>
        <p>
          <Link to={`/projects/${projectId}/problems`}>
            {count === 1 ? 'One file needs' : `${count} files need`} a person.
          </Link>
        </p>
        <ul>
          {problems?.map(({ path, line, reason }) => (
            <li key={`${path} ${reason}`}>
              <code>
                {path}
                {line === undefined ? '' : `:${line}`}
              </code>{' '}
              {reason}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
