import { useQueries, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { keyOf, refreshed } from '../../api/cache.ts';
import type { ProjectRow } from '../../api/projects.ts';
import { Activity } from '../../ui/activity.tsx';
import ui from '../../ui/ui.module.css';
import styles from './home.module.css';

/** The numbers of projects, and of changes of each, among which the latest are shown. */
const projectsShown = 12;
const changesShown = 8;

/** The latest changes of all projects. */
export function RecentActivity({ projects }: { readonly projects: readonly ProjectRow[] }): ReactElement | null {
  const client = useQueryClient();
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const revisions = useQueries({
    queries: projects.slice(-projectsShown).map(({ id }) => {
      const input = { project_id: id, limit: changesShown };
      const queryKey = keyOf('list_revisions', input);
      return {
        queryKey,
        queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
          refreshed(client, queryKey, 'list_revisions', input, signal),
        meta: { everyMs: 10_000 },
      };
    }),
    combine: (results) => results.flatMap(({ data }) => data?.value.revisions ?? []),
  });
  if (revisions.length === 0) return null;
  const latest = revisions.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1)).slice(0, changesShown);
  return (
    <section className={styles['recent']} aria-labelledby="recent">
      <h2 id="recent">Recent changes</h2>
      <div className={`${ui['card']} ${ui['cardBody']}`}>
        <Activity
          revisions={latest}
          beside={({ project_id: id }) => (
            <>
              {' '}
              in <Link to={`/projects/${id}`}>{names.get(id)}</Link>
            </>
          )}
        />
      </div>
    </section>
  );
}
