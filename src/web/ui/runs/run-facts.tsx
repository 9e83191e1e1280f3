import type { ReactElement } from 'react';
import type { RunRow } from '../../api/runs.ts';
import { GitBranch } from '../icons.ts';
import styles from './runs.module.css';

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' });
const whole = new Intl.NumberFormat();

/** What a run reported of its branch, its cost and the size of its change. */
export function RunFacts({ run }: { readonly run: RunRow }): ReactElement {
  const { branch, tokens, cost_usd: cost, diff_stat: diff } = run;
  return (
    <>
      {branch === null ? null : (
        <span className={styles['branch']} title="Branch">
          <GitBranch size={13} aria-hidden />
          <code>{branch}</code>
        </span>
      )}
      {diff === null ? null : (
        <span>
          {diff.files === 1 ? '1 file' : `${whole.format(diff.files)} files`}{' '}
          <span className={styles['more']}>+{whole.format(diff.insertions)}</span>{' '}
          <span className={styles['less']}>−{whole.format(diff.deletions)}</span>
        </span>
      )}
      {tokens === null ? null : (
        <span title={`${whole.format(tokens)} tokens`}>
          {compact.format(tokens)} {tokens === 1 ? 'token' : 'tokens'}
        </span>
      )}
      {cost === null ? null : <span>{dollars.format(cost)}</span>}
    </>
  );
}
