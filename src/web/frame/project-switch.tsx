import { ChevronDown, FolderKanban } from '../ui/icons.ts';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { soFar } from '../api/cache.ts';
import { useProjects } from '../api/projects.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import styles from './shell.module.css';

/** The current project, and a menu to switch to another. */
export function ProjectSwitch({ projectId }: { readonly projectId: string }): ReactElement {
  const projects = soFar(useProjects().data);
  const navigate = useNavigate();
  const current = projects.find(({ id }) => id === projectId);
  return (
    <Menu
      trigger={
        <Button
          look="ghost"
          small
          className={styles['switch']}
          aria-label={`Project ${current?.name ?? ''}, switch to another`}
        >
          <span>{current?.name ?? '…'}</span>
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
      label="Projects"
      items={[
        ...projects.map(({ id, name }) => ({
          label: name,
          checked: id === projectId,
          onSelect: () => void navigate(`/projects/${id}`),
        })),
        {
          label: 'All projects',
          icon: <FolderKanban size={14} aria-hidden />,
          separated: true,
          onSelect: () => void navigate('/'),
        },
      ]}
    />
  );
}
