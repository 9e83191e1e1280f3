import type { ReactElement } from 'react';
import type { Problem } from '../api/problems.ts';
import { Badge } from './badge.tsx';
import { CopyButton } from './copy.tsx';
import styles from './problem-list.module.css';

/** Identifies a problem in a list. */
export function keyOfProblem({ path, line, kind, id }: Problem): string {
  return [path, line, kind, id].join('\0');
}

/** Problems of files: path, reason and remedy of each. */
export function ProblemList({
  problems,
  label,
}: {
  readonly problems: readonly Problem[];
  readonly label: string;
}): ReactElement {
  return (
    <ul className={styles['problems']} aria-label={label}>
      {problems.map((problem) => (
        <li key={keyOfProblem(problem)} className={styles['problem']}>
          <div className={styles['place']}>
            <code>
              {problem.path}
              {problem.line === undefined ? '' : `:${problem.line}`}
            </code>
            <CopyButton
              text={problem.line === undefined ? problem.path : `${problem.path}:${problem.line}`}
              label="Copy the path"
            />
            <Badge tone={problem.severity === 'note' ? 'plain' : 'danger'}>{problem.kind.replaceAll('_', ' ')}</Badge>
          </div>
          <p>{problem.reason}</p>
          <p className={styles['remedy']}>
            <strong>What to do:</strong>{' '}
            {problem.remedy ?? 'Open the file in an editor and repair it, or check it out again from git.'}
          </p>
        </li>
      ))}
    </ul>
  );
}
