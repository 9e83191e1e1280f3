import type { ReactElement } from 'react';
import { NavLink } from 'react-router';
import { useProject } from '../api/projects.ts';
import { Badge } from '../ui/badge.tsx';
import { classes } from '../ui/class-names.ts';
import { projectViews } from './views.tsx';
import type { ProjectView } from './views.tsx';
import styles from './shell.module.css';

const groups: readonly { readonly group: ProjectView['group']; readonly name: string }[] = [
  { group: 'plan', name: 'Plan' },
  { group: 'knowledge', name: 'Knowledge' },
  { group: 'work', name: 'Work' },
  { group: 'project', name: 'Project' },
];

/** The views of a project, with the counts of items that await a person. */
export function Sidebar({
  projectId,
  open,
  onClose,
}: {
  readonly projectId: string;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactElement {
  const { data: project } = useProject(projectId);
  const summary = project?.summary;
  const counts: Readonly<Record<string, number | undefined>> = {
    review: summary?.awaiting_review,
    inbox: summary?.pending_submissions,
    problems: summary?.problems,
  };
  return (
    <>
      {open ? <div className={styles['shade']} onClick={onClose} aria-hidden /> : null}
      <nav className={classes(styles['sidebar'], open && styles['open'])} aria-label="Project">
        {groups.map(({ group, name }) => {
          const views = projectViews.filter((view) => view.group === group);
          if (views.length === 0) return null;
          return (
            <section key={group} aria-label={name}>
              <h2 className={styles['group']}>{name}</h2>
              <ul>
                {views.map(({ path, name: title, icon: Icon }) => (
                  <li key={path}>
                    <NavLink
                      end={path === ''}
                      to={`/projects/${projectId}${path === '' ? '' : `/${path}`}`}
                      className={({ isActive }) => classes(styles['link'], isActive && styles['here'])}
                      onClick={onClose}
                    >
                      <Icon size={16} aria-hidden />
                      <span>{title}</span>
                      {(counts[path] ?? 0) > 0 ? (
                        <Badge tone={path === 'problems' ? 'danger' : 'accent'}>{counts[path]}</Badge>
                      ) : null}
                    </NavLink>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </nav>
    </>
  );
}
