import { Copy, Ellipsis, FolderInput, MessageSquare, Pencil, Trash2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useDeleteScreen } from '../../api/prototypes.ts';
import type { PrototypeDetail, ScreenRow } from '../../api/prototypes.ts';
import { IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { SandboxFrame } from '../../ui/sandbox-frame.tsx';
import styles from './prototypes.module.css';
import { ScreenTarget } from './screen-target.tsx';

export interface ScreenCardProps {
  readonly prototype: PrototypeDetail;
  readonly screen: ScreenRow;
  readonly onPresent: () => void;
}

/** A thumbnail of a screen, with its actions. */
export function ScreenCard({ prototype, screen, onPresent }: ScreenCardProps): ReactElement {
  const { project_id: projectId, viewport } = prototype;
  const { id, title, updated_at } = screen;
  const [dialog, setDialog] = useState<'move' | 'copy' | 'delete' | undefined>(undefined);
  const remove = useDeleteScreen();
  const navigate = useNavigate();
  const artifact = `/projects/${projectId}/artifacts/${id}`;
  const done = (): void => setDialog(undefined);
  return (
    <li className={styles['screen']}>
      <div className={styles['thumb']}>
        <SandboxFrame
          artifactId={id}
          title={title}
          version={updated_at}
          width={viewport.width}
          height={viewport.height}
          inert
        >
          <button type="button" className={styles['open']} aria-label={`Present ${title}`} onClick={onPresent} />
        </SandboxFrame>
      </div>
      <div className={styles['caption']}>
        <span title={title}>{title}</span>
        <Menu
          align="end"
          trigger={<IconButton small label={`More about ${title}`} icon={<Ellipsis size={15} />} />}
          items={[
            { label: 'Annotate', icon: <MessageSquare size={14} />, onSelect: () => void navigate(artifact) },
            {
              label: 'Edit the source',
              icon: <Pencil size={14} />,
              onSelect: () => void navigate(`${artifact}?show=source`),
            },
            { label: 'Move to…', icon: <FolderInput size={14} />, separated: true, onSelect: () => setDialog('move') },
            { label: 'Copy to…', icon: <Copy size={14} />, onSelect: () => setDialog('copy') },
            {
              label: 'Delete…',
              icon: <Trash2 size={14} />,
              danger: true,
              separated: true,
              onSelect: () => setDialog('delete'),
            },
          ]}
        />
      </div>
      {dialog === 'move' || dialog === 'copy' ? (
        <ScreenTarget prototype={prototype} screen={screen} how={dialog} onClose={done} />
      ) : null}
      <Confirm
        open={dialog === 'delete'}
        onClose={done}
        title={`Delete the screen “${title}”?`}
        about="Its annotations are deleted with it. It can be restored from the trash."
        action="Delete"
        onConfirm={() => remove.mutate({ project_id: projectId, artifact_id: id })}
      />
    </li>
  );
}
