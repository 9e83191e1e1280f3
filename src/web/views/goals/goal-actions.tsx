import { Archive, ArchiveRestore, History, Pause, Play, RotateCcw, Zap } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { toast } from 'sonner';
import {
  useArchiveGoal,
  useInvokeGoal,
  usePauseGoal,
  useReopenGoal,
  useResumeGoal,
  useUnarchiveGoal,
} from '../../api/goals.ts';
import type { GoalDetail } from '../../api/goals.ts';
import { useProject } from '../../api/projects.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Tip } from '../../ui/tip.tsx';

interface ArchivingProps {
  readonly projectId: string;
  readonly goal: GoalDetail;
}

/** The actions of a goal in its status. Completing it is part of the verification. */
export function GoalActions({
  projectId,
  goal,
}: {
  readonly projectId: string;
  readonly goal: GoalDetail;
}): ReactElement {
  const navigate = useNavigate();
  const pause = usePauseGoal();
  const resume = useResumeGoal();
  const reopen = useReopenGoal();
  const at = { project_id: projectId, goal_id: goal.id };
  if (goal.archived_at !== null) return <Unarchive projectId={projectId} goal={goal} />;
  return (
    <>
      {goal.status === 'active' ? (
        <>
          <Invoke projectId={projectId} goalId={goal.id} />
          <Button onClick={() => pause.mutate(at)} disabled={pause.isPending}>
            <Pause size={14} aria-hidden /> Pause
          </Button>
        </>
      ) : null}
      {goal.status === 'paused' ? (
        <Button look="primary" onClick={() => resume.mutate(at)} disabled={resume.isPending}>
          <Play size={14} aria-hidden /> Resume
        </Button>
      ) : null}
      {goal.status === 'blocked' ? (
        <Tip text="The goal becomes active again; the remediation task stays">
          <Button look="primary" onClick={() => resume.mutate(at)} disabled={resume.isPending}>
            <Play size={14} aria-hidden /> Resume work
          </Button>
        </Tip>
      ) : null}
      {goal.status === 'complete' ? (
        <Button onClick={() => reopen.mutate(at)} disabled={reopen.isPending}>
          <RotateCcw size={14} aria-hidden /> Reopen
        </Button>
      ) : null}
      {goal.status === 'active' ? null : <ArchiveButton projectId={projectId} goal={goal} />}
      <IconButton
        label="History of this goal"
        icon={<History size={16} />}
        onClick={() => void navigate(`/projects/${projectId}/history?type=goal&target=${goal.id}`)}
      />
    </>
  );
}

/** Not for the default goal: new tasks belong to it. */
function ArchiveButton({ projectId, goal }: ArchivingProps): ReactElement | null {
  const { data: project } = useProject(projectId);
  const archive = useArchiveGoal();
  const at = { project_id: projectId, goal_id: goal.id };
  if (project === undefined || project.default_goal_id === goal.id) return null;
  return (
    <Button disabled={archive.isPending} onClick={() => archive.mutate(at)}>
      <Archive size={14} aria-hidden /> Archive
    </Button>
  );
}

function Unarchive({ projectId, goal }: ArchivingProps): ReactElement {
  const unarchive = useUnarchiveGoal();
  return (
    <Button
      look="primary"
      disabled={unarchive.isPending}
      onClick={() => unarchive.mutate({ project_id: projectId, goal_id: goal.id })}
    >
      <ArchiveRestore size={14} aria-hidden /> Unarchive
    </Button>
  );
}

/** Makes it the current goal, and shows its first task. */
function Invoke({ projectId, goalId }: { readonly projectId: string; readonly goalId: string }): ReactElement {
  const invoke = useInvokeGoal();
  const { open } = useOpenTask();
  const start = async (): Promise<void> => {
    const answer = await invoke.mutateAsync({ project_id: projectId, goal_id: goalId }).catch(() => undefined);
    if (answer === undefined) return;
    const { first_task: first } = answer;
    toast.success('This is now the current goal.', {
      description: first === null ? undefined : `First: ${first.label}`,
      ...(first === null ? {} : { action: { label: 'Open task', onClick: () => open(first.id) } }),
    });
  };
  return (
    <Tip text="Make this the current goal, and see its next task">
      <Button onClick={() => void start()} disabled={invoke.isPending}>
        <Zap size={14} aria-hidden /> Invoke
      </Button>
    </Tip>
  );
}
