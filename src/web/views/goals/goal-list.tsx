import { Goal as GoalIcon, Plus } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Link, useNavigate } from 'react-router';
import { goalStatusNames, useGoals, useTaskCounts } from '../../api/goals.ts';
import type { GoalRow, GoalStatus } from '../../api/goals.ts';
import { useQueryValue } from '../../shell/query-state.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Segments } from '../../ui/segments.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { goalName } from '../../ui/target.tsx';
import { GoalForm } from './goal-form.tsx';
import { GoalStatusBadge, LastVerified, TasksDone } from './goal-status.tsx';
import ui from '../../ui/ui.module.css';
import styles from './goals.module.css';

const filters = ['all', 'active', 'blocked', 'paused', 'complete'] as const;

/** The goals of a project with their progress. */
export function GoalList({ projectId }: { readonly projectId: string }): ReactElement {
  useTitle('Goals');
  const goals = useGoals(projectId);
  const [filter, setFilter] = useQueryValue<(typeof filters)[number]>('status', 'all');
  const [archived, setArchived] = useQueryValue<'' | 'shown'>('archived', '');
  const [making, setMaking] = useQueryValue<'' | 'goal'>('new', '');
  const navigate = useNavigate();
  return (
    <Page
      title="Goals"
      actions={
        <Button look="primary" onClick={() => setMaking('goal')}>
          <Plus size={16} aria-hidden /> New goal
        </Button>
      }
    >
      <Loaded of={goals} view="cards">
        {(all) => {
          const rows = archived === 'shown' ? all : all.filter(({ archived_at: at }) => at === null);
          const hidden = all.filter(({ archived_at: at }) => at !== null).length;
          return (
            <>
              <div className={styles['filters']}>
                <Segments
                  label="Goals by status"
                  value={filter}
                  onChange={setFilter}
                  choices={filters.map((value) => ({
                    value,
                    label: value === 'all' ? 'All' : goalStatusNames[value],
                    count: value === 'all' ? rows.length : rows.filter(({ status }) => status === value).length,
                  }))}
                />
                {hidden === 0 ? null : (
                  <label className={styles['toggle']}>
                    <input
                      type="checkbox"
                      checked={archived === 'shown'}
                      onChange={({ target }) => setArchived(target.checked ? 'shown' : '')}
                    />
                    Show archived ({hidden})
                  </label>
                )}
              </div>
              <Rows
                projectId={projectId}
                rows={rows.filter(({ status }) => filter === 'all' || status === filter)}
                filter={filter}
              />
            </>
          );
        }}
      </Loaded>
      {making === 'goal' ? (
        <GoalForm
          projectId={projectId}
          onClose={() => setMaking('')}
          onMade={(id) => void navigate(`/projects/${projectId}/goals/${id}`)}
        />
      ) : null}
    </Page>
  );
}

function Rows({
  projectId,
  rows,
  filter,
}: {
  readonly projectId: string;
  readonly rows: readonly GoalRow[];
  readonly filter: 'all' | GoalStatus;
}): ReactElement {
  const countsOf = useTaskCounts(projectId);
  if (rows.length === 0)
    return (
      <Empty icon={GoalIcon} title="No such goal">
        {filter === 'all'
          ? 'A goal has an objective and a way to verify it.'
          : `No goal is ${goalStatusNames[filter].toLowerCase()}.`}
      </Empty>
    );
  return (
    <ul className={styles['goals']}>
      {rows.map((goal) => {
        const count = countsOf(goal.id);
        const name = goalName(goal);
        return (
          <li key={goal.id} className={styles['goal']}>
            <div className={ui['itemHead']}>
              <h2>
                <Link to={`/projects/${projectId}/goals/${goal.id}`} dir="auto">
                  {name}
                </Link>
              </h2>
              <GoalStatusBadge goal={goal} counts={count} />
            </div>
            {goal.name === null ? null : <p className={styles['about']}>{plainText(goal.objective)}</p>}
            <TasksDone
              counts={count}
              label={`Tasks done for ${name}`}
              className={styles['facts']}
              beside={<LastVerified of={goal.last_verification} />}
            />
          </li>
        );
      })}
    </ul>
  );
}
