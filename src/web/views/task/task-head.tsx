import { Copy, Ellipsis, Link2, Share2, Trash2, X } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { toast } from 'sonner';
import { useDeleteTask } from '../../api/tasks.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { IconButton } from '../../ui/button.tsx';
import { copied } from '../../ui/copy.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Others } from '../../ui/others.tsx';
import { ShareDialog } from '../../ui/share-dialog.tsx';
import styles from './task.module.css';

export function TaskHead({ task, onClose }: { readonly task: TaskDetail; readonly onClose: () => void }): ReactElement {
  const [sharing, setSharing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const remove = useDeleteTask();
  const copy = async (text: string, what: string): Promise<void> => {
    if (await copied(text)) toast.success(`${what} copied.`);
  };
  return (
    <div className={styles['head']}>
      <button type="button" className={styles['id']} onClick={() => void copy(task.id, 'Id')} title="Copy the id">
        {task.id}
      </button>
      <span className={styles['space']}>
        <Others recordId={task.id} />
      </span>
      <IconButton
        small
        label="Copy the address"
        icon={<Link2 size={15} />}
        onClick={() => void copy(window.location.href, 'Address')}
      />
      <IconButton small label="Share" icon={<Share2 size={15} />} onClick={() => setSharing(true)} />
      <Menu
        align="end"
        trigger={<IconButton small label="More" icon={<Ellipsis size={15} />} />}
        items={[
          { label: 'Copy id', icon: <Copy size={14} aria-hidden />, onSelect: () => void copy(task.id, 'Id') },
          {
            label: 'Delete…',
            icon: <Trash2 size={14} aria-hidden />,
            danger: true,
            separated: true,
            onSelect: () => setDeleting(true),
          },
        ]}
      />
      <IconButton small label="Close" keys="Esc" icon={<X size={15} />} onClick={onClose} />
      {sharing ? (
        <ShareDialog
          operation="share_task"
          input={{ task_id: task.id, project_id: task.project_id }}
          name={task.label}
          onClose={() => setSharing(false)}
        />
      ) : null}
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title={`Delete “${task.label}”?`}
        about="Its links and comments are deleted with it. It can be restored from the trash."
        action="Delete task"
        onConfirm={() => {
          remove.mutate({ task_id: task.id, project_id: task.project_id });
          onClose();
        }}
      />
    </div>
  );
}
