import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { Outlet, useParams } from 'react-router';
import { useProject } from '../api/projects.ts';
import { Failed } from '../ui/states.tsx';
import { useOpenTask } from './open-task.ts';

const TaskPanel = lazy(async () => ({ default: (await import('../views/task/task-panel.tsx')).TaskPanel }));

/** The frame of every view of a project: shows an error for an unknown project, and the open task beside the view. */
export function ProjectFrame(): ReactElement {
  const projectId = useProjectId();
  const { taskId } = useOpenTask();
  const { data, error, refetch } = useProject(projectId);
  if (data === undefined && error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Outlet key={projectId} />
      {taskId === undefined ? null : (
        <Suspense>
          <TaskPanel projectId={projectId} />
        </Suspense>
      )}
    </>
  );
}

/** The project of the address. */
export function useProjectId(): string {
  const { projectId } = useParams();
  if (projectId === undefined) throw new Error('This view belongs to a project.');
  return projectId;
}
