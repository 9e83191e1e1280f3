import { Handle, Position } from '@xyflow/react';
import type { NodeProps } from '@xyflow/react';
import { FileText, Lock, UserRound } from '../../ui/icons.ts';
import { memo, useState } from 'react';
import type { ReactElement } from 'react';
import type { TaskStatus } from '../../rest/types.ts';
import { statusNames } from '../../api/tasks.ts';
import { openPicker } from '../../picker/picking.ts';
import { classes } from '../../ui/class-names.ts';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { useCanvasActions } from './canvas-actions.ts';
import type { DocumentNode, TaskNode } from './model/canvas-store.ts';
import styles from './canvas.module.css';
import { gripHandle, handleSides } from './model/sides.ts';

/**
 * Where edges begin. From afar the dots and the border are too small to be hit, and thousands of them would slow every movement: what React
 * Flow measures for the ends of edges are then plain elements, without which it draws no edge. While edges are drawn the whole card is one.
 */
function Handles(): ReactElement {
  const { isFar, isDrawing } = useCanvasActions();
  return (
    <>
      {isFar && !isDrawing ? null : (
        <Handle id={gripHandle} type="source" position={Position.Top} className={styles['grip']} />
      )}
      {handleSides.map(({ id, position }) =>
        isFar ? (
          <div key={id} className={classes('source', styles['anchor'])} data-handleid={id} data-handlepos={position} />
        ) : (
          <Handle key={id} id={id} type="source" position={position} className={styles['handle']} />
        ),
      )}
    </>
  );
}

const TaskFace = memo(function Face({ id, data: { item } }: NodeProps<TaskNode>): ReactElement {
  const { editing, rename, edit, isFar, showFrontier, showCritical, toneOf } = useCanvasActions();
  const { label, status = 'todo', frontier, critical, waits, priority, assignee } = item;
  return (
    <div
      className={classes(
        styles['node'],
        isFar && styles['far'],
        showFrontier && frontier !== undefined && styles[frontier],
        showCritical && critical && styles['critical'],
        status === 'done' && styles['done'],
      )}
      style={{ '--tone': toneOf(item) } as Record<string, string>}
      data-frontier={frontier}
      data-critical={critical ? '' : undefined}
    >
      <Handles />
      {isFar && editing !== id ? (
        <span className={styles['farLabel']} dir="auto">
          {label}
        </span>
      ) : (
        <>
          <div className={styles['nodeHead']}>
            <StatusButton id={id} status={status} label={label} />
            {editing === id ? (
              <LabelInput label={label} onDone={(next) => (next === undefined ? edit(undefined) : rename(id, next))} />
            ) : (
              <span
                className={styles['nodeLabel']}
                dir="auto"
                title={label}
                onDoubleClick={(event) => {
                  event.stopPropagation();
                  edit(id);
                }}
              >
                {label}
              </span>
            )}
          </div>
          <div className={styles['nodeFoot']}>
            {priority === null ? null : <PriorityIcon priority={priority} size={13} />}
            {waits === 0 ? null : (
              <span className={styles['waits']} title={`Waits for ${waits} that are not done`}>
                <Lock size={11} role="img" aria-label="Blocked, waits for" /> {waits}
              </span>
            )}
            {showFrontier && frontier === 'next' ? <span className={styles['ready']}>Ready</span> : null}
            {showFrontier && frontier === 'scope' ? <span>Ready when moved to To do</span> : null}
            {assignee === null ? null : (
              <span className={styles['who']}>
                <UserRound size={11} role="img" aria-label="Assigned to" /> {assignee}
              </span>
            )}
          </div>
        </>
      )}
    </div>
  );
});

const DocumentFace = memo(function Face({ id, data: { item } }: NodeProps<DocumentNode>): ReactElement {
  const { editing, rename, edit, isFar } = useCanvasActions();
  return (
    <div className={classes(styles['node'], styles['document'], isFar && styles['far'])}>
      <Handles />
      {isFar && editing !== id ? (
        <span className={styles['farLabel']} dir="auto">
          {item.label}
        </span>
      ) : (
        <>
          <div className={styles['nodeHead']}>
            <FileText size={15} aria-hidden />
            {editing === id ? (
              <LabelInput
                label={item.label}
                onDone={(next) => (next === undefined ? edit(undefined) : rename(id, next))}
              />
            ) : (
              <span
                className={styles['nodeLabel']}
                dir="auto"
                title={item.label}
                onDoubleClick={(event) => {
                  event.stopPropagation();
                  edit(id);
                }}
              >
                {item.label}
              </span>
            )}
          </div>
        </>
      )}
    </div>
  );
});

/** The label in an input: Enter saves it, Escape cancels. */
function LabelInput({
  label,
  onDone,
}: {
  readonly label: string;
  readonly onDone: (label: string | undefined) => void;
}): ReactElement {
  const [text, setText] = useState(label);
  const done = (): void => onDone(text.trim() === '' || text.trim() === label ? undefined : text.trim());
  return (
    <input
      className={classes('nodrag', 'nopan', styles['labelInput'])}
      aria-label="Label"
      autoFocus
      maxLength={500}
      value={text}
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setText(target.value)}
      onBlur={done}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') done();
        if (event.key === 'Escape') onDone(undefined);
      }}
    />
  );
}

function StatusButton({
  id,
  status,
  label,
}: {
  readonly id: string;
  readonly status: TaskStatus;
  readonly label: string;
}): ReactElement {
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classes('nodrag', styles['status'])}
      aria-label={`Status of ${label}: ${statusNames[status]}`}
      aria-haspopup="dialog"
      onClick={(event) => {
        event.stopPropagation();
        openPicker({ ids: [id], field: 'status', anchor: event.currentTarget });
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <StatusIcon status={status} size={15} />
    </button>
  );
}

export const nodeTypes = { task: TaskFace, document: DocumentFace };
