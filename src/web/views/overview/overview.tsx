import type { ReactElement } from 'react';
import { taskCount, useProject } from '../../api/projects.ts';
import { useGoals } from '../../api/goals.ts';
import { useRuns } from '../../api/runs.ts';
import { statuses, statusNames, useTasks } from '../../api/tasks.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Progress } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded, Together } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { Since } from './since.tsx';
import { Card } from '../../ui/card.tsx';
import { LazyMarkdownView } from '../../ui/markdown/lazy.tsx';
import { Attention } from './attention.tsx';
import { Goals } from './goals.tsx';
import { NextTask, useNextTask } from './next-task.tsx';
import styles from './overview.module.css';
import { ProblemsNotice } from './problems-notice.tsx';
import { RunningAgents } from './running-agents.tsx';
import { StartHere } from './start-here.tsx';

/** The state of a project: progress, the next task, running agents, and items that await a person. */
export function Overview(): ReactElement {
  const projectId = useProjectId();
  const project = useProject(projectId);
  useTitle(project.data?.name);
  const parts = [useTasks(projectId), useGoals(projectId), useRuns(projectId), useNextTask(projectId)];
  return (
    <Loaded of={project}>
      {({ name, description, summary }) => {
        const all = taskCount(summary);
        return (
          <Page
            title={name}
            about={description === null ? undefined : <LazyMarkdownView text={description} projectId={projectId} />}
          >
            {summary.problems === 0 ? null : <ProblemsNotice projectId={projectId} count={summary.problems} />}
            {all === 0 && summary.goals <= firstGoals ? <StartHere projectId={projectId} /> : null}
            <section className={styles['progress']} aria-label="Progress">
              <Progress done={summary.tasks.done} underway={summary.tasks.in_progress} all={all} label="Tasks done" />
              <ul className={styles['statuses']}>
                {statuses.map((status) => (
                  <li key={status}>
                    <StatusIcon status={status} size={15} />
                    <span>{statusNames[status]}</span>
                    <strong>{summary.tasks[status]}</strong>
                  </li>
                ))}
              </ul>
            </section>
            <Together of={parts} view="cards">
              <div className={styles['grid']}>
                <div className={styles['column']}>
                  <NextTask projectId={projectId} />
                  <Goals projectId={projectId} />
                  <Since projectId={projectId} />
                </div>
                <div className={styles['column']}>
                  <Attention projectId={projectId} />
                  <RunningAgents projectId={projectId} />
                  <Card title="In this project">
                    <dl className={styles['counts']}>
                      {(
                        [
                          'documents',
                          'notes',
                          'artifacts',
                          'prototypes',
                          'goals',
                          'open_comments',
                          'pending_submissions',
                        ] as const
                      ).map((what) => (
                        <div key={what}>
                          <dt>{names[what]}</dt>
                          <dd>{summary[what]}</dd>
                        </div>
                      ))}
                    </dl>
                  </Card>
                </div>
              </div>
            </Together>
          </Page>
        );
      }}
    </Loaded>
  );
}

/** A new project has a general goal. */
const firstGoals = 1;

const names = {
  documents: 'Documents',
  notes: 'Notes',
  artifacts: 'Artifacts',
  prototypes: 'Prototypes',
  goals: 'Goals',
  open_comments: 'Open comments',
  pending_submissions: 'Submissions to triage',
} as const;
