import type { ReactElement } from 'react';
import { Outlet } from 'react-router';
import { useProject } from '../api/projects.ts';
import { later } from '../loading/later.tsx';
import { Picker } from '../picker/picker.tsx';
import { Failed } from '../ui/states.tsx';
import type { TaskPanelProps } from '../views/task/task-panel.tsx';
import { FailedPanel, PanelPlaceholder } from './panel-states.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { useOpenTask } from '../shell/open-task.ts';
import { useProjectId } from '../shell/project-id.ts';

const TaskPanel = later<TaskPanelProps>(
  async () => (await import('../views/task/task-panel.tsx')).TaskPanel,
  () => <PanelPlaceholder />,
);

/** The frame of every view of a project: shows an error for an unknown project, and the open task next to the view. */
export function ProjectFrame(): ReactElement {
  const projectId = useProjectId();
  const { taskId, close } = useOpenTask();
  const { data, error, refetch } = useProject(projectId);
  if (data === undefined && error !== null) return <Failed error={error} isPage onRetry={() => void refetch()} />;
  return (
    <>
      <Outlet key={projectId} />
      {taskId === undefined ? null : (
        <ErrorBoundary key={taskId} fallback={(thrown) => <FailedPanel error={thrown} onClose={close} />}>
          <TaskPanel projectId={projectId} />
        </ErrorBoundary>
      )}
      <Picker projectId={projectId} />
    </>
  );
}
