import { ChevronDown, Trash2, X } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTags } from '../../api/tags.ts';
import { useBulkChange } from '../../api/bulk.ts';
import type { TaskFields } from '../../api/bulk.ts';
import { choosableGoals } from '../../api/goals.ts';
import type { GoalRow } from '../../api/goals.ts';
import { priorities, statuses, statusNames } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { PriorityIcon } from '../../ui/priority-icon.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { goalName } from '../../ui/target.tsx';
import { AssigneeDialog, TagsDialog } from './bulk-dialogs.tsx';
import { priorityNames } from './columns.ts';
import styles from './list.module.css';

export interface BulkBarProps {
  readonly projectId: string;
  /** All tasks, for the list of assignees. */
  readonly tasks: readonly TaskRow[];
  readonly goals: readonly GoalRow[];
  readonly chosen: readonly TaskRow[];
  readonly onClear: () => void;
  readonly isDeleting: boolean;
  readonly onDeleting: (isDeleting: boolean) => void;
}

/** The bulk actions of the selected tasks. */
export function BulkBar({
  projectId,
  tasks,
  goals,
  chosen,
  onClear,
  isDeleting,
  onDeleting,
}: BulkBarProps): ReactElement | null {
  const { update, remove } = useBulkChange(projectId);
  const { data: tags } = useTags(projectId);
  const [dialog, setDialog] = useState<'assignee' | 'tags' | undefined>(undefined);
  const people = useMemo(
    () => [...new Set(tasks.map(({ assignee }) => assignee).filter((name) => name !== null))].sort(),
    [tasks],
  );
  if (chosen.length === 0) return null;
  const set = (fields: TaskFields): void => void update(chosen, () => fields);
  const counted = chosen.length === 1 ? '1 task' : `${chosen.length} tasks`;
  return (
    <div className={styles['bulk']} role="toolbar" aria-label="Chosen tasks">
      <span role="status">{chosen.length.toLocaleString('en')} chosen</span>
      <Choose
        name="Status"
        items={statuses.map((status) => ({
          label: statusNames[status],
          icon: <StatusIcon status={status} size={14} />,
          onSelect: () => set({ status }),
        }))}
      />
      <Choose
        name="Priority"
        items={[
          ...priorities.map((priority) => ({
            label: priorityNames[priority],
            icon: <PriorityIcon priority={priority} size={14} />,
            onSelect: () => set({ priority }),
          })),
          { label: 'None', separated: true, onSelect: () => set({ priority: null }) },
        ]}
      />
      <Choose
        name="Goal"
        items={choosableGoals(goals).map((goal) => ({
          label: goalName(goal),
          onSelect: () => set({ goal_id: goal.id }),
        }))}
      />
      <Button small look="ghost" onClick={() => setDialog('assignee')}>
        Assignee…
      </Button>
      <Button small look="ghost" onClick={() => setDialog('tags')}>
        Tags…
      </Button>
      <Button small look="ghost" className={styles['danger']} onClick={() => onDeleting(true)}>
        <Trash2 size={13} aria-hidden /> Delete…
      </Button>
      <IconButton small label="Choose none" keys="Esc" icon={<X size={14} />} onClick={onClear} />
      {dialog === 'assignee' ? (
        <AssigneeDialog
          about={counted}
          people={people}
          onClose={() => setDialog(undefined)}
          onAssign={(assignee) => set({ assignee })}
        />
      ) : null}
      {dialog === 'tags' ? (
        <TagsDialog
          about={counted}
          known={(tags ?? []).map(({ name }) => name)}
          present={[...new Set(chosen.flatMap((task) => task.tags.map(({ name }) => name)))].sort()}
          onClose={() => setDialog(undefined)}
          onChange={(add, takeOff) =>
            void update(chosen, (task) => ({
              tags: [
                ...new Set([...task.tags.map(({ name }) => name).filter((name) => !takeOff.includes(name)), ...add]),
              ],
            }))
          }
        />
      ) : null}
      <Confirm
        open={isDeleting}
        onClose={() => onDeleting(false)}
        title={`Delete ${counted}?`}
        about="Their links and comments are deleted with them. Each can be restored from the trash."
        action={`Delete ${counted}`}
        onConfirm={() => void remove(chosen)}
      />
    </div>
  );
}

function Choose({ name, items }: { readonly name: string; readonly items: readonly MenuItem[] }): ReactElement {
  return (
    <Menu
      trigger={
        <Button small look="ghost">
          {name}
          <ChevronDown size={13} aria-hidden />
        </Button>
      }
      items={items}
    />
  );
}
