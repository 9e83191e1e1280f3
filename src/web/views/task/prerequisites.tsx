import { Plus, X } from '../../ui/icons.ts';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { soFar } from '../../api/cache.ts';
import { useDeleteEdge, useEdges, useTaskGraph } from '../../api/canvas.ts';
import { useTasks } from '../../api/tasks.ts';
import type { TaskDetail, TaskRow } from '../../api/tasks.ts';
import { openPicker } from '../../picker/picking.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { None, UnknownLine } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import styles from './task.module.css';

/** The prerequisites and dependents of the task, according to the service. */
export function Prerequisites({ task }: { readonly task: TaskDetail }): ReactElement {
  const { project_id } = task;
  const { data: graph } = useTaskGraph(project_id, { everyMs: 10_000 });
  const leaving = useEdges(project_id, { from_id: task.id });
  const edges = [...soFar(leaving.data), ...soFar(useEdges(project_id, { to_id: task.id }).data)];
  const { data: known } = useTasks(project_id);
  const remove = useDeleteEdge();
  const byId = useMemo(() => new Map(known?.map((each) => [each.id, each])), [known]);
  const first = graph?.nodes.find(({ id }) => id === task.id)?.prerequisites ?? task.waiting_on;
  const after = useMemo(
    () => soFar(graph?.nodes.filter(({ prerequisites }) => prerequisites.includes(task.id)).map(({ id }) => id)),
    [graph, task.id],
  );
  const unlink = (other: string): void => {
    for (const { edge_id, from_id, to_id } of edges)
      if (from_id === other || to_id === other) remove.mutate({ edge_id, project_id });
  };
  /** The label of an edge, if it says more than the order: some labels of people order work without looking like it. */
  const labelOf = (other: string): string | undefined => {
    const edge = edges.find(({ from_id, to_id }) => from_id === other || to_id === other);
    const label = edge?.label?.replaceAll('_', ' ');
    return label === undefined || /^(?:depends on|blocks)?$/i.test(label) ? undefined : label;
  };
  const rows = (ids: readonly string[]): TaskRow[] =>
    ids.map((id) => byId.get(id)).filter((each) => each !== undefined);
  return (
    <section aria-labelledby="task-order">
      <div className={styles['sectionHead']}>
        <h3 id="task-order">Order of work</h3>
        <Button
          small
          look="ghost"
          aria-haspopup="dialog"
          onClick={({ currentTarget: anchor }) => openPicker({ ids: [task.id], field: 'prerequisites', anchor })}
        >
          <Plus size={13} aria-hidden /> Prerequisite
        </Button>
      </div>
      <TaskList title="Must be done first" tasks={rows(first)} labelOf={labelOf} onRemove={unlink} />
      <TaskList title="Waits for this" tasks={rows(after)} labelOf={labelOf} onRemove={unlink} />
      {graph === undefined || known === undefined ? (
        <UnknownLine />
      ) : first.length === 0 && after.length === 0 ? (
        <None>It waits for nothing, and nothing waits for it.</None>
      ) : null}
    </section>
  );
}

function TaskList({
  title,
  tasks,
  labelOf,
  onRemove,
}: {
  readonly title: string;
  readonly tasks: readonly TaskRow[];
  readonly labelOf: (id: string) => string | undefined;
  readonly onRemove: (id: string) => void;
}): ReactElement | null {
  const { open } = useOpenTask();
  if (tasks.length === 0) return null;
  return (
    <>
      <h4 className={styles['small']}>{title}</h4>
      <ul className={styles['list']}>
        {tasks.map(({ id, label, status }) => (
          <li key={id}>
            <StatusIcon status={status} size={14} named />
            <button type="button" dir="auto" onClick={() => open(id)}>
              {label}
            </button>
            {labelOf(id) === undefined ? null : <span className={styles['kind']}>{labelOf(id)}</span>}
            <IconButton
              small
              label={`Remove the edge with ${label}`}
              icon={<X size={13} />}
              onClick={() => onRemove(id)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
