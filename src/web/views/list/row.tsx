import { ChevronDown, ChevronRight, Lock } from '../../ui/icons.ts';
import { memo } from 'react';
import type { CSSProperties, ReactElement } from 'react';
import { Link } from 'react-router';
import { statusNames } from '../../api/tasks.ts';
import { TagBadge } from '../../ui/badge.tsx';
import { classes } from '../../ui/class-names.ts';
import { Due } from '../../ui/due.tsx';
import { Holder } from '../../ui/runs/holder.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { Ago } from '../../ui/time.tsx';
import { VerifiedMark } from '../../ui/verified-mark.tsx';
import { isPicked } from '../../picker/fields.ts';
import type { PickedField } from '../../picker/fields.ts';
import { cellText, columnName } from './columns.ts';
import type { ListRow } from './columns.ts';
import type { Line } from './groups.ts';
import styles from './list.module.css';
import type { ColumnId } from './list-state.ts';

interface LineProps {
  readonly at: number;
  readonly id: string;
  readonly style: CSSProperties;
  /** Called with the element, with its index in `data-index`. */
  readonly measure: ((element: HTMLElement | null) => void) | undefined;
  readonly isActive: boolean;
}

export interface TaskLineProps extends LineProps {
  readonly row: ListRow;
  readonly columns: readonly ColumnId[];
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly isDraggable: boolean;
  /** The address that opens the task. */
  readonly to: string;
  readonly onToggle: (at: number, range: boolean) => void;
  readonly onOpen: (at: number) => void;
  /** Changes a field of the row, or of the selection with it. */
  readonly onPick: (at: number, cell: HTMLElement, field: PickedField) => void;
}

/** A task's row. It is rendered again only if the task, its position or its selection changes. */
export const TaskLine = memo(
  function Drawn({
    at,
    id,
    style,
    measure,
    row,
    columns,
    isActive,
    isSelected,
    isOpen,
    isDraggable,
    to,
    onToggle,
    onOpen,
    onPick,
  }: TaskLineProps): ReactElement {
    const { task } = row;
    return (
      <div
        role="row"
        ref={measure}
        data-index={at}
        id={id}
        aria-rowindex={at + 2}
        aria-selected={isSelected}
        data-task={task.id}
        className={classes(
          styles['row'],
          isActive && styles['active'],
          isSelected && styles['selected'],
          isOpen && styles['open'],
        )}
        style={style}
        draggable={isDraggable}
        onClick={(event) => {
          if (event.shiftKey || event.ctrlKey || event.metaKey) onToggle(at, event.shiftKey);
          else onOpen(at);
        }}
      >
        <div role="gridcell" className={styles['check']}>
          <label onClick={(event) => event.stopPropagation()}>
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isSelected}
              aria-label={`Select ${task.label}`}
              onChange={({ nativeEvent }) => onToggle(at, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
            />
          </label>
        </div>
        {columns.map((column) => {
          const field = column === 'goal' ? 'goal_id' : column;
          return (
            <div key={column} role="gridcell" className={styles['cell']} data-column={column}>
              {column === 'label' ? (
                <Link
                  to={to}
                  tabIndex={-1}
                  className={styles['label']}
                  dir="auto"
                  draggable={false}
                  title={task.label}
                  onClick={(event) => {
                    // The row opens it; with Ctrl the browser does, in another tab.
                    if (event.ctrlKey || event.metaKey) event.stopPropagation();
                    else event.preventDefault();
                  }}
                >
                  {task.label}
                </Link>
              ) : isPicked(field) ? (
                <span
                  data-field={field}
                  title={`Change: ${columnName(column).toLowerCase()}`}
                  className={styles['value']}
                  onClick={(event) => {
                    if (event.shiftKey || event.ctrlKey || event.metaKey) return;
                    event.stopPropagation();
                    onPick(at, event.currentTarget, field);
                  }}
                >
                  <Cell column={column} row={row} />
                </span>
              ) : (
                <Cell column={column} row={row} />
              )}
              {column === 'label' ? (
                <VerifiedMark
                  at={task.verified_at}
                  by={task.verified_ref}
                  isStale={task.verification_state === 'stale'}
                />
              ) : null}
              {column === 'label' && task.blocked ? (
                <span className={styles['blocked']} title={`Waits for ${task.waiting_on.length} that are not done`}>
                  <Lock size={12} role="img" aria-label="Blocked, waits for" />
                  {task.waiting_on.length}
                </span>
              ) : null}
            </div>
          );
        })}
      </div>
    );
  },
  (a, b) =>
    a.row === b.row &&
    a.at === b.at &&
    a.isActive === b.isActive &&
    a.isSelected === b.isSelected &&
    a.isOpen === b.isOpen &&
    a.isDraggable === b.isDraggable &&
    a.columns === b.columns &&
    a.to === b.to &&
    a.onToggle === b.onToggle &&
    a.onOpen === b.onOpen &&
    a.onPick === b.onPick &&
    a.measure === b.measure &&
    a.style.transform === b.style.transform &&
    a.style.height === b.style.height,
);

function Cell({ column, row }: { readonly column: ColumnId; readonly row: ListRow }): ReactElement | null {
  const { task } = row;
  if (column === 'status')
    return (
      <>
        <StatusIcon status={task.status} size={15} />
        <span>{statusNames[task.status]}</span>
      </>
    );
  if (column === 'priority' && task.priority !== null)
    return (
      <>
        <PriorityIcon priority={task.priority} />
        <span aria-hidden>{cellText(column, row)}</span>
      </>
    );
  if (column === 'tags')
    return (
      <>
        {task.tags.map(({ id, name, color }) => (
          <TagBadge key={id} name={name} color={color} />
        ))}
      </>
    );
  if (column === 'due_date') return <Due task={task} />;
  if (column === 'assignee') return <Holder task={task} />;
  if (column === 'updated_at' || column === 'created_at') return <Ago time={task[column]} />;
  return <span title={cellText(column, row)}>{cellText(column, row)}</span>;
}

export interface GroupLineProps extends LineProps {
  readonly line: Extract<Line, { kind: 'group' }>;
  readonly chosen: number;
  readonly onToggle: (key: string) => void;
  readonly onSelect: (ids: readonly string[], on: boolean) => void;
}

export function GroupLine({
  at,
  id,
  style,
  measure,
  line,
  isActive,
  chosen,
  onToggle,
  onSelect,
}: GroupLineProps): ReactElement {
  const { key, name, rows, open } = line;
  const Icon = open ? ChevronDown : ChevronRight;
  const all = chosen === rows.length;
  return (
    <div
      role="row"
      ref={measure}
      data-index={at}
      id={id}
      aria-rowindex={at + 2}
      aria-expanded={open}
      className={classes(styles['groupRow'], isActive && styles['active'])}
      style={style}
    >
      <div role="gridcell" className={styles['check']}>
        <label>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={all}
            ref={(box) => {
              if (box !== null) box.indeterminate = chosen > 0 && !all;
            }}
            aria-label={`Select all of ${name}`}
            onChange={() =>
              onSelect(
                rows.map(({ task }) => task.id),
                !all,
              )
            }
          />
        </label>
      </div>
      <div role="gridcell" className={styles['groupName']} onClick={() => onToggle(key)}>
        <Icon size={14} aria-hidden />
        <span dir="auto">{name}</span>
        <span className={styles['count']}>{rows.length}</span>
      </div>
    </div>
  );
}
