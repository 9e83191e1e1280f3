import { DndContext, DragOverlay, MouseSensor, pointerWithin, TouchSensor, useSensor, useSensors } from '@dnd-kit/core';
import type { CollisionDetection, DragEndEvent } from '@dnd-kit/core';
import { SquareKanban } from '../../ui/icons.ts';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import type { TaskStatus } from '../../rest/types.ts';
import { useMoveTasks } from '../../api/bulk.ts';
import { useTextFilter } from '../../api/described.ts';
import { byHand } from '../../api/place.ts';
import { byUrgency, matcher } from '../../api/task-filter.ts';
import { statuses, statusNames, useTasks } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useSubject } from '../../picker/picking.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { usePrinting } from '../../ui/printing.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { BoardBar, useBoardQuery } from './board-bar.tsx';
import type { BoardQuery, Order } from './board-bar.tsx';
import { CardFace } from './card.tsx';
import { dropAt, targetOf } from './drop.ts';
import type { Drop } from './drop.ts';
import { useFolded } from './folded.ts';
import { Column } from './column.tsx';
import type { FocusTarget } from './column.tsx';
import { grouped, useGroupNames } from './groups.ts';
import type { Entry } from './groups.ts';
import styles from './board.module.css';
import { useBoardKeys } from './board-keys.ts';
import type { Move } from './board-keys.ts';
import { useCardSelection } from './selection.ts';
import type { CardSelection } from './selection.ts';

/** The distance in pixels from which a press is a drag. */
const dragPixels = 6;
/** The time in milliseconds from which a touch is a drag. */
const longPressMs = 250;
/** Constant objects: with new ones every card would be drawn again. A shorter press scrolls. */
const byMouse = { activationConstraint: { distance: dragPixels } };
const byTouch = { activationConstraint: { delay: longPressMs, tolerance: dragPixels } };
/** At the edge of the board it scrolls by up to 400 pixels a second, so that a card can be dropped in each column on the way. */
const autoScroll = { acceleration: 2 };
/** Done tasks that did not change for 14 days, in milliseconds, are shown on request. */
const olderMs = 14 * 24 * 3600 * 1000;
/** The timeout for rendering a card that was moved by keys. */
const focusMs = 2000;

/** The five columns. A card is moved by mouse, by a long press, by its status, or with Ctrl or Alt and an arrow key. */
export function Board(): ReactElement {
  useTitle('Board');
  const projectId = useProjectId();
  const tasks = useTasks(projectId);
  return (
    <Loaded of={tasks} view="columns">
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
  const { open } = useOpenTask();
  const [dragged, setDragged] = useState<TaskRow | undefined>(undefined);
  const [drop, setDrop] = useState<Drop | undefined>(undefined);
  const [folded, fold] = useFolded();
  const [columns, showOlder] = useColumns(projectId, tasks, query);
  const selection = useCardSelection(columns);
  useSubject((near) =>
    near !== null && selection.ids.has(near.dataset['task']!) ? { ids: [...selection.ids], anchor: near } : undefined,
  );
  const [move, announcement] = useMove({ projectId, tasks, columns, selection, order: query.order });
  const [focusTarget, setFocusTarget] = useState<FocusTarget | undefined>(undefined);
  const focus = useCallback((id: string, status: TaskStatus) => setFocusTarget({ id, status }), []);
  const reached = useCallback(() => setFocusTarget(undefined), []);
  useEffect(() => {
    // A card that a filter hides is not rendered: it must not take the focus when it is shown much later.
    const timer = setTimeout(reached, focusMs);
    return () => clearTimeout(timer);
  }, [focusTarget, reached]);
  const onKeyDown = useBoardKeys({ columns, move, focus, selection });
  const sensors = useSensors(useSensor(MouseSensor, byMouse), useSensor(TouchSensor, byTouch));
  const byId = useMemo(() => new Map(tasks.map((task) => [task.id, task])), [tasks]);
  const pointer = useRef(0);
  const collide = useCallback<CollisionDetection>((given) => {
    pointer.current = given.pointerCoordinates?.y ?? 0;
    return pointerWithin(given);
  }, []);
  const end = (): void => {
    setDragged(undefined);
    setDrop(undefined);
  };
  const aim = ({ over }: Pick<DragEndEvent, 'over'>): void => {
    const status = over?.id as TaskStatus | undefined;
    const next = status && { status, at: dropAt(status, pointer.current) };
    setDrop((former) => (former?.status === next?.status && former?.at === next?.at ? former : next));
  };
  const dropped = ({ active, over }: DragEndEvent): void => {
    end();
    const task = byId.get(String(active.id));
    const status = over?.id as TaskStatus | undefined;
    if (task === undefined || status === undefined) return;
    const at = dropAt(status, pointer.current);
    const { entries } = columns.find((column) => column.status === status)!;
    const isThere = [entries[at - 1], entries[at]].some((entry) => entry?.kind === 'task' && entry.task === task);
    if (!isThere) move(task, status, at);
  };
  return (
    <div className={styles['board']}>
      <BoardBar projectId={projectId} query={query} tasks={tasks} selection={selection} />
      {tasks.length === 0 ? (
        <Empty icon={SquareKanban} title="No task yet">
          Add the first one below a column, or{' '}
          <Link to={`/projects/${projectId}/settings/agents`}>connect an agent</Link> and ask it for a plan.
        </Empty>
      ) : null}
      <DndContext
        sensors={sensors}
        autoScroll={autoScroll}
        collisionDetection={collide}
        onDragStart={({ active }) => setDragged(byId.get(String(active.id)))}
        onDragMove={aim}
        onDragOver={aim}
        onDragEnd={dropped}
        onDragCancel={end}
      >
        <div className={styles['columns']} onKeyDown={onKeyDown} role="group" aria-label="Columns by status">
          {columns.map(({ status, entries, older }) => (
            <Column
              key={status}
              projectId={projectId}
              status={status}
              entries={entries}
              older={older}
              onOlder={showOlder}
              onOpen={open}
              selected={selection.ids}
              onSelect={selection.select}
              isFolded={folded.has(status)}
              onFold={fold}
              dropAt={drop?.status === status && query.order === 'hand' ? drop.at : undefined}
              focusTarget={focusTarget?.status === status ? focusTarget : undefined}
              onReached={reached}
            />
          ))}
        </div>
        <DragOverlay dropAnimation={null}>
          {dragged === undefined ? null : (
            <CardFace task={dragged} lifted count={selection.ids.has(dragged.id) ? selection.ids.size : 1} />
          )}
        </DragOverlay>
      </DndContext>
      <div role="status" className="visually-hidden">
        {announcement}
      </div>
    </div>
  );
}

interface BoardColumn {
  readonly status: TaskStatus;
  readonly entries: readonly Entry[];
  /** The number of tasks that were done long ago and are not shown. */
  readonly older: number;
}

/** The columns of the tasks that match, and the function that shows older ones too. */
function useColumns(
  projectId: string,
  tasks: readonly TaskRow[],
  { filter, group, order }: BoardQuery,
): readonly [readonly BoardColumn[], () => void] {
  const { text, described } = useTextFilter(projectId, filter.text, filter.inDescriptions);
  const [hasOlder, setOlder] = useState(false);
  const showOlder = useCallback(() => setOlder(true), []);
  const [since] = useState(() => new Date(Date.now() - olderMs).toISOString());
  const printing = usePrinting();
  const groupName = useGroupNames(projectId, group);
  const columns = useMemo(() => {
    const matches = matcher({ ...filter, text }, described);
    const byStatus = new Map<TaskStatus, TaskRow[]>(statuses.map((status) => [status, []]));
    for (const task of tasks) if (matches(task)) byStatus.get(task.status)!.push(task);
    const isOlder = ({ updated_at: at }: TaskRow): boolean => !hasOlder && !printing && at < since;
    const done = byStatus.get('done')!;
    const older = done.filter(isOlder);
    byStatus.set(
      'done',
      done.filter((task) => !isOlder(task)),
    );
    const sorted = statuses.map((status) => byStatus.get(status)!.sort(order === 'hand' ? byHand : byUrgency));
    const entries = grouped(sorted, group, groupName);
    return statuses.map((status, at) => ({
      status,
      entries: entries[at]!,
      older: status === 'done' ? older.length : 0,
    }));
  }, [tasks, filter, text, described, group, groupName, order, hasOlder, printing, since]);
  return [columns, showOlder];
}

interface MoveOptions {
  readonly projectId: string;
  readonly tasks: readonly TaskRow[];
  readonly columns: readonly BoardColumn[];
  readonly selection: CardSelection;
  readonly order: Order;
}

/** The function that moves a card, with all selected ones if it is one of them, and what it did in words. */
function useMove({ projectId, tasks, columns, selection, order }: MoveOptions): readonly [Move, string] {
  const moveTasks = useMoveTasks(projectId);
  const [announcement, setAnnouncement] = useState('');
  const move = useCallback(
    (task: TaskRow, status: TaskStatus, at?: number): void => {
      const { entries } = columns.find((column) => column.status === status)!;
      const shown = columns.flatMap((column) =>
        column.entries.flatMap((entry) => (entry.kind === 'task' ? [entry.task] : [])),
      );
      const moved = selection.ids.has(task.id) ? shown.filter(({ id }) => selection.ids.has(id)) : [task];
      const { fields, place } =
        at === undefined ? { fields: {}, place: {} } : targetOf(entries, at, new Set(moved.map(({ id }) => id)));
      const all = { ...(moved.every((each) => each.status === status) ? {} : { status }), ...fields };
      const to = order === 'hand' ? place : {};
      const near = tasks.find(({ id }) => id === (to.above ?? to.below));
      const changed = Object.entries(all).some(([name, value]) =>
        moved.some((each) => each[name as keyof TaskRow] !== value),
      );
      if (!changed && near === undefined) return;
      void moveTasks(moved, changed || moved.length > 1 ? all : {}, to, tasks);
      const what = moved.length === 1 ? task.label : `${moved.length} tasks`;
      const where = near === undefined ? '' : `, ${to.above === undefined ? 'below' : 'above'} ${near.label}`;
      setAnnouncement(`${what} moved to ${statusNames[status]}${where}`);
    },
    [moveTasks, columns, order, tasks, selection.ids],
  );
  return [move, announcement];
}
