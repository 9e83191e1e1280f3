import { useTable } from '@tanstack/react-table';
import { ListTodo } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { soFar } from '../../api/cache.ts';
import { useGoals } from '../../api/goals.ts';
import type { GoalRow } from '../../api/goals.ts';
import { useProject } from '../../api/projects.ts';
import { useTextFilter } from '../../api/described.ts';
import { matcher } from '../../api/task-filter.ts';
import type { TaskFilter } from '../../api/task-filter.ts';
import { useTasks } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useViews } from '../../api/views.ts';
import type { SavedView } from '../../api/views.ts';
import { noFilters } from '../../filters/filter-state.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Failed, Loaded, Skeleton } from '../../ui/states.tsx';
import { goalName } from '../../ui/target.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { BulkBar } from './bulk-bar.tsx';
import { columns, features } from './columns.ts';
import type { ListRow } from './columns.ts';
import { csvOf } from './csv.ts';
import { DisplayMenus } from './display-menus.tsx';
import { Grid } from './grid.tsx';
import { linesOf } from './groups.ts';
import { ListBar } from './list-bar.tsx';
import styles from './list.module.css';
import type { ColumnId, ListState, Sort } from './list-state.ts';
import { SavedViews } from './saved-views.tsx';
import { useSelection } from './selection.ts';
import { useListLook } from './use-list-state.ts';
import type { ListLook } from './use-list-state.ts';

/** All tasks as rows: filtered, sorted, grouped, changed in bulk, with saved views. */
export function List(): ReactElement {
  const projectId = useProjectId();
  const tasks = useTasks(projectId);
  const goals = soFar(useGoals(projectId).data);
  const { views, loaded, error } = useViews(projectId);
  const look = useListLook(views, loaded);
  const { taskId } = useOpenTask();
  useTitle(look.view?.name, 'List');
  // Wait for the view that the address names: otherwise everything would be shown for a moment.
  if (!loaded && error === null) return <Skeleton view="rows" />;
  return (
    <div className={styles['list']} data-beside={taskId === undefined ? undefined : ''}>
      <h1 className="visually-hidden">{look.view?.name ?? 'List'}</h1>
      <Loaded of={tasks} view="rows">
        {(rows) => <Shown {...{ projectId, tasks: rows, goals, views, look }} />}
      </Loaded>
      {!loaded && error !== null && tasks.data !== undefined ? <Failed error={error as never} /> : null}
    </div>
  );
}

interface ShownProps {
  readonly projectId: string;
  readonly tasks: readonly TaskRow[];
  readonly goals: readonly GoalRow[];
  readonly views: readonly SavedView[];
  readonly look: ListLook;
}

function Shown({ projectId, tasks, goals, views, look }: ShownProps): ReactElement {
  const { state, change } = look;
  const { data: project } = useProject(projectId);
  const rows = useRowsOf(projectId, tasks, goals, state);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [isDeleting, setDeleting] = useState(false);
  const lines = useMemo(() => linesOf(rows, state.group, closed), [rows, state.group, closed]);
  const shown = useMemo(() => new Set(rows.map(({ task }) => task.id)), [rows]);
  const selection = useSelection(lines, shown);
  const chosen = useMemo(
    () => (selection.ids.size === 0 ? [] : tasks.filter(({ id }) => selection.ids.has(id))),
    [tasks, selection.ids],
  );
  const fold = (key: string, open: boolean): void =>
    setClosed((former) => {
      const next = new Set(former);
      if (open) next.delete(key);
      else next.add(key);
      return next;
    });
  const exported = (): void => {
    const table = new Blob([csvOf(rows, state.columns)], { type: 'text/csv;charset=utf-8' });
    saveFile(`${project?.name ?? 'tasks'}.csv`, table);
  };
  return (
    <>
      <SavedViews projectId={projectId} views={views} look={look}>
        <DisplayMenus projectId={projectId} state={state} onChange={change} onExport={exported} />
      </SavedViews>
      {look.isViewGone ? (
        <p className={styles['notice']} role="alert">
          The view of this address has been deleted. These are all tasks.
        </p>
      ) : null}
      <ListBar {...{ projectId, tasks, state }} origin={look.view?.id ?? ''} onChange={change} shown={rows.length} />
      {rows.length === 0 ? (
        <NoRows projectId={projectId} hasTasks={tasks.length > 0} onShowAll={() => change(noFilters)} />
      ) : (
        <Grid
          {...{ projectId, lines, shown, selection }}
          columns={state.columns}
          sort={state.sort}
          onSort={(id, also) => change({ sort: sortedBy(state.sort, id, also) })}
          onFold={fold}
          onDelete={() => setDeleting(true)}
        />
      )}
      <BulkBar {...{ projectId, chosen, isDeleting }} onClear={selection.clear} onDeleting={setDeleting} />
    </>
  );
}

/** The tasks that match the filters, in order. */
function useRowsOf(
  projectId: string,
  tasks: readonly TaskRow[],
  goals: readonly GoalRow[],
  state: ListState,
): readonly ListRow[] {
  const goalNames = useMemo(() => new Map(goals.map((goal) => [goal.id, goalName(goal)])), [goals]);
  const { text, described } = useTextFilter(projectId, state.text, state.inDescriptions);
  const filterText = JSON.stringify({ filters: state.filters, text });
  const known = useKnownRows(tasks, goalNames);
  const data = useMemo(() => {
    const matches = matcher(JSON.parse(filterText) as TaskFilter, described);
    return known.filter(({ task }) => matches(task));
  }, [known, filterText, described]);
  const sorting = useMemo(() => state.sort.map((one) => ({ ...one })), [state.sort]);
  const table = useTable({ features, columns, data, state: { sorting }, getRowId: ({ task }) => task.id });
  const model = table.getRowModel();
  return useMemo(() => model.rows.map(({ original }) => original), [model]);
}

/** A row for each task; rows of unchanged tasks are the same objects, so that they are not rendered again. */
function useKnownRows(tasks: readonly TaskRow[], goalNames: ReadonlyMap<string, string>): ListRow[] {
  const [kept] = useState(() => new Map<string, ListRow>());
  return useMemo(
    () =>
      tasks.map((task) => {
        const goal = goalNames.get(task.goal_id) ?? '';
        const former = kept.get(task.id);
        if (former?.task === task && former.goal === goal) return former;
        const row = { task, goal };
        kept.set(task.id, row);
        return row;
      }),
    [tasks, goalNames, kept],
  );
}

/** The sort after a click on a column: ascending, descending, unsorted; with Shift the other columns are kept. */
function sortedBy(sort: readonly Sort[], id: ColumnId, also: boolean): readonly Sort[] {
  const former = sort.find((one) => one.id === id);
  const firstDown = id === 'updated_at' || id === 'created_at';
  const next =
    former === undefined ? { id, desc: firstDown } : former.desc === firstDown ? { id, desc: !firstDown } : undefined;
  if (!also) return next === undefined ? [] : [next];
  if (next === undefined) return sort.filter((one) => one.id !== id);
  return former === undefined ? [...sort, next] : sort.map((one) => (one.id === id ? next : one));
}

function NoRows({
  projectId,
  hasTasks,
  onShowAll,
}: {
  readonly projectId: string;
  readonly hasTasks: boolean;
  readonly onShowAll: () => void;
}): ReactElement {
  const icon = ListTodo;
  if (hasTasks)
    return (
      <Empty icon={icon} title="No matching tasks" actions={<Button onClick={onShowAll}>Clear the filters</Button>}>
        None of the project’s tasks matches the filters.
      </Empty>
    );
  return (
    <Empty icon={icon} title="No tasks yet" actions={<Link to={`/projects/${projectId}/board`}>Go to the board</Link>}>
      Tasks that people or agents create appear here, to be sorted, filtered and changed in bulk.
    </Empty>
  );
}
