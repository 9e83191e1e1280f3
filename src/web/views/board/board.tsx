import { DndContext, DragOverlay, MouseSensor, pointerWithin, TouchSensor, useSensor, useSensors } from '@dnd-kit/core';
import type { DragEndEvent } from '@dnd-kit/core';
import { SquareKanban } from '../../ui/icons.ts';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import type { TaskStatus } from '../../rest/types.ts';
import { useTextFilter } from '../../api/described.ts';
import { byUrgency, matcher } from '../../api/task-filter.ts';
import { statuses, statusNames, useTasks, useUpdateTask } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Loaded, Empty, Loading } from '../../ui/states.tsx';
import { BoardBar, useBoardQuery } from './board-bar.tsx';
import { CardFace } from './card.tsx';
import { Column } from './column.tsx';
import type { FocusTarget } from './column.tsx';
import { grouped, useGroupNames } from './groups.ts';
import styles from './board.module.css';
import { useBoardKeys } from './board-keys.ts';

/** The distance in pixels from which a press is a drag. */
const dragPixels = 6;
/** The time in milliseconds from which a touch is a drag. */
const longPressMs = 250;
/** Constant objects: with new ones every card would be drawn again. A shorter press scrolls. */
const byMouse = { activationConstraint: { distance: dragPixels } };
const byTouch = { activationConstraint: { delay: longPressMs, tolerance: dragPixels } };
/** At the edge of the board it scrolls by up to 400 pixels a second, so that a card can be dropped in each column on the way. */
const autoScroll = { acceleration: 2 };
/** The timeout for rendering a card that was moved by keys. */
const focusMs = 2000;

/** The five columns. A card is moved by mouse, by a long press, by its status, or with Ctrl and an arrow key. */
export function Board(): ReactElement {
  useTitle('Board');
  const projectId = useProjectId();
  const tasks = useTasks(projectId);
  return (
    <Loaded of={tasks} loading={<Loading lines={8} />}>
      {(rows) => <Columns projectId={projectId} tasks={rows} />}
    </Loaded>
  );
}

function Columns({
  projectId,
  tasks,
}: {
  readonly projectId: string;
  readonly tasks: readonly TaskRow[];
}): ReactElement {
  const query = useBoardQuery();
  const { filter, group, inDescriptions } = query;
  const { text, described } = useTextFilter(projectId, filter.text, inDescriptions[0]);
  const { open } = useOpenTask();
  const { mutate } = useUpdateTask();
  const [dragged, setDragged] = useState<TaskRow | undefined>(undefined);
  const [announcement, setAnnouncement] = useState('');
  const groupName = useGroupNames(projectId, group);
  const columns = useMemo(() => {
    const matches = matcher({ ...filter, text }, described);
    const byStatus = new Map<TaskStatus, TaskRow[]>(statuses.map((status) => [status, []]));
    for (const task of tasks) if (matches(task)) byStatus.get(task.status)!.push(task);
    return statuses.map((status) => ({
      status,
      entries: grouped(byStatus.get(status)!.sort(byUrgency), group, groupName),
    }));
  }, [tasks, filter, text, described, group, groupName]);
  const move = useCallback(
    (task: TaskRow, status: TaskStatus): void => {
      if (task.status === status) return;
      mutate({ task_id: task.id, project_id: projectId, status });
      setAnnouncement(`${task.label} moved to ${statusNames[status]}`);
    },
    [mutate, projectId],
  );
  const [focusTarget, setFocusTarget] = useState<FocusTarget | undefined>(undefined);
  const focus = useCallback((id: string, status: TaskStatus) => setFocusTarget({ id, status }), []);
  const reached = useCallback(() => setFocusTarget(undefined), []);
  useEffect(() => {
    // A card that a filter hides is not rendered: it must not take the focus when it is shown much later.
    const timer = setTimeout(reached, focusMs);
    return () => clearTimeout(timer);
  }, [focusTarget, reached]);
  const onKeyDown = useBoardKeys({ columns, move, focus });
  const sensors = useSensors(useSensor(MouseSensor, byMouse), useSensor(TouchSensor, byTouch));
  const byId = useMemo(() => new Map(tasks.map((task) => [task.id, task])), [tasks]);
  const dropped = ({ active, over }: DragEndEvent): void => {
    setDragged(undefined);
    const task = byId.get(String(active.id));
    if (task !== undefined && over !== null) move(task, over.id as TaskStatus);
  };
  return (
    <div className={styles['board']}>
      <BoardBar projectId={projectId} query={query} tasks={tasks} />
      {tasks.length === 0 ? (
        <Empty icon={<SquareKanban size={28} aria-hidden />} title="No task yet">
          Add the first one below a column, or{' '}
          <Link to={`/projects/${projectId}/settings/agents`}>connect an agent</Link> and ask it for a plan.
        </Empty>
      ) : null}
      <DndContext
        sensors={sensors}
        autoScroll={autoScroll}
        collisionDetection={pointerWithin}
        onDragStart={({ active }) => setDragged(byId.get(String(active.id)))}
        onDragEnd={dropped}
        onDragCancel={() => setDragged(undefined)}
      >
        <div className={styles['columns']} onKeyDown={onKeyDown} role="group" aria-label="Columns by status">
          {columns.map(({ status, entries }) => (
            <Column
              key={status}
              projectId={projectId}
              status={status}
              entries={entries}
              onOpen={open}
              focusTarget={focusTarget?.status === status ? focusTarget : undefined}
              onReached={reached}
            />
          ))}
        </div>
        <DragOverlay dropAnimation={null}>
          {dragged === undefined ? null : <CardFace task={dragged} lifted />}
        </DragOverlay>
      </DndContext>
      <div role="status" className="visually-hidden">
        {announcement}
      </div>
    </div>
  );
}
