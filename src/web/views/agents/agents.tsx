import { Bot } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { soFar } from '../../api/cache.ts';
import { askingThenNewest, runStatusNames, tasksOfRun, useRuns } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { useTasks } from '../../api/tasks.ts';
import { useQueryValue } from '../../shell/query-state.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/copy.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded, Together } from '../../ui/states.tsx';
import styles from './agents.module.css';
import { Claims } from './claims.tsx';
import { Run } from './run.tsx';

const filters = ['all', 'running', 'completed', 'failed'] as const;
const shownFirst = 20;

/** The agents of the project: their runs with progress, and their claims. */
export function Agents(): ReactElement {
  const projectId = useProjectId();
  useTitle('Agents');
  const runs = useRuns(projectId);
  const tasks = useTasks(projectId);
  return (
    <Page title="Agents">
      <Together of={[runs, tasks]} view="cards">
        <div className={styles['columns']}>
          <Loaded of={runs}>{(rows) => <Runs projectId={projectId} runs={rows} />}</Loaded>
          <Claims projectId={projectId} />
        </div>
      </Together>
    </Page>
  );
}

function Runs({ projectId, runs }: { readonly projectId: string; readonly runs: readonly RunRow[] }): ReactElement {
  const [filter, setFilter] = useQueryValue<(typeof filters)[number]>('status', 'all');
  const [named] = useQueryValue<string>('run', '');
  const [shown, setShown] = useState(shownFirst);
  const tasks = soFar(useTasks(projectId).data);
  const listed = useMemo(
    () =>
      runs
        .filter(({ status }) => filter === 'all' || status === filter)
        .sort((a, b) => Number(b.id === named) - Number(a.id === named) || askingThenNewest(a, b)),
    [runs, filter, named],
  );
  return (
    <section aria-label="Runs">
      <Segments
        label="Runs by status"
        value={filter}
        onChange={setFilter}
        choices={filters.map((value) => ({
          value,
          label: value === 'all' ? 'All' : runStatusNames[value],
          count: value === 'all' ? runs.length : runs.filter(({ status }) => status === value).length,
        }))}
      />
      {listed.length === 0 ? (
        <Empty
          icon={Bot}
          title={filter === 'all' ? 'No runs yet' : 'No such run'}
          actions={<Command text="planner run" />}
        >
          Agents show their progress here. In the repository, this lets coding agents work the tasks in To do:
        </Empty>
      ) : (
        <ul className={styles['runs']}>
          {listed.slice(0, shown).map((run) => (
            <li key={run.id}>
              <Run projectId={projectId} run={run} tasks={tasksOfRun(run, tasks)} isOpen={run.id === named} />
            </li>
          ))}
        </ul>
      )}
      {listed.length > shown ? (
        <Button look="ghost" onClick={() => setShown(shown + shownFirst)}>
          Show more of {listed.length} runs
        </Button>
      ) : null}
    </section>
  );
}
