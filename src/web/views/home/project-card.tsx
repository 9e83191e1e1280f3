import { Ellipsis, Trash2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { taskCount, useDeleteProject, useProject } from '../../api/projects.ts';
import type { ProjectRow } from '../../api/projects.ts';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { TasksDone } from '../goals/goal-status.tsx';
import ui from '../../ui/ui.module.css';
import styles from './home.module.css';

/** Counts are polled less often than the open view. */
const countsMs = 10_000;

export function ProjectCard({ project }: { readonly project: ProjectRow }): ReactElement {
  const { data } = useProject(project.id, countsMs);
  const [deleting, setDeleting] = useState(false);
  const remove = useDeleteProject();
  const summary = data?.summary;
  const counts = summary && {
    ...{ all: taskCount(summary), done: summary.tasks.done, underway: summary.tasks.in_progress },
  };
  return (
    <article className={styles['card']}>
      <div className={ui['itemHead']}>
        <h2>
          <Link to={`/projects/${project.id}`} dir="auto">
            {project.name}
          </Link>
        </h2>
        <Menu
          align="end"
          trigger={<IconButton small label={`More for ${project.name}`} icon={<Ellipsis size={16} />} />}
          items={[
            {
              label: 'Delete project…',
              icon: <Trash2 size={14} aria-hidden />,
              danger: true,
              onSelect: () => setDeleting(true),
            },
          ]}
        />
      </div>
      <p className={styles['about']}>
        {project.description === null ? 'No description.' : plainText(project.description)}
      </p>
      <TasksDone
        counts={counts}
        label={`Tasks done in ${project.name}`}
        className={styles['counts']}
        beside={
          summary && (
            <>
              {summary.pending_submissions > 0 ? (
                <Badge tone="accent">{summary.pending_submissions} to triage</Badge>
              ) : null}
              {summary.problems > 0 ? (
                <Badge tone="danger">
                  {summary.problems} {summary.problems === 1 ? 'problem' : 'problems'}
                </Badge>
              ) : null}
            </>
          )
        }
      />
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${project.name}?`}
        about={
          <>
            Its {summary === undefined ? 'tasks, documents' : `${counts!.all} tasks, ${summary.documents} documents`}{' '}
            and everything else in it are deleted. The folder stays in <code>.planner/local/trash</code> for 30 days,
            and what was committed to git stays there.
          </>
        }
        typed={project.name}
        action="Delete project"
        onConfirm={() => remove.mutate({ project_id: project.id })}
      />
    </article>
  );
}
