import { FolderPlus, Import, Plus } from '../../ui/icons.ts';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';
import { toast } from 'sonner';
import { refresh } from '../../api/cache.ts';
import { ServiceError, upload } from '../../api/client.ts';
import { useProjects } from '../../api/projects.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded, Empty } from '../../ui/states.tsx';
import ui from '../../ui/ui.module.css';
import { CreateProject } from './create-project.tsx';
import styles from './home.module.css';
import { ProjectCard } from './project-card.tsx';
import { RecentActivity } from './recent-activity.tsx';

/** Every project of the root, with progress and recent changes. */
export function Home(): ReactElement {
  useTitle('Projects');
  const projects = useProjects();
  const [creating, setCreating] = useState(false);
  return (
    <div className={ui['page']}>
      <div className={ui['pageHead']}>
        <h1 className={styles['title']}>Projects</h1>
        <ImportButton />
        <Button look="primary" onClick={() => setCreating(true)}>
          <Plus size={16} aria-hidden /> New project
        </Button>
      </div>
      <Loaded of={projects}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              icon={<FolderPlus size={28} aria-hidden />}
              title="No project yet"
              actions={
                <Button look="primary" onClick={() => setCreating(true)}>
                  Make the first one
                </Button>
              }
            >
              A project is a folder of Markdown and JSON in <code>.planner</code>, beside your code. People plan here,
              agents work through MCP, and both see the same.
            </Empty>
          ) : (
            <>
              <ul className={styles['grid']}>
                {rows.map((project) => (
                  <li key={project.id}>
                    <ProjectCard project={project} />
                  </li>
                ))}
              </ul>
              <RecentActivity projects={rows} />
            </>
          )
        }
      </Loaded>
      {creating ? <CreateProject onClose={() => setCreating(false)} /> : null}
    </div>
  );
}

/** Imports an export of Planner as a new project. */
function ImportButton(): ReactElement {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  const take = async (file: File): Promise<void> => {
    setBusy(true);
    try {
      const { id, name } = await upload('import_project', {}, file, file.name);
      await refresh(client, 'list_projects');
      toast.success(`${name} was imported.`);
      await navigate(`/projects/${id}`);
    } catch (error) {
      toast.error(`${file.name} could not be imported.`, {
        description: error instanceof ServiceError ? error.message : undefined,
      });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        className="visually-hidden"
        aria-label="Export to import"
        tabIndex={-1}
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = '';
          if (file !== undefined) void take(file);
        }}
      />
      <Button onClick={() => input.current?.click()} disabled={busy} aria-busy={busy}>
        <Import size={16} aria-hidden /> {busy ? 'Importing…' : 'Import'}
      </Button>
    </>
  );
}
