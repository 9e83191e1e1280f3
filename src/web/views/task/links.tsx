import { FileText } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { soFar, useResponse, useRows } from '../../api/cache.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { placeOf, TargetLink } from '../../ui/target.tsx';
import styles from './task.module.css';
import { capitalised } from '../../rest/field-names.ts';

/** Documents, artifacts and prototypes linked with the task, in both directions. */
export function Links({ task }: { readonly task: TaskDetail }): ReactElement | null {
  const { project_id } = task;
  const { data: leaving } = useRows('list_edges', 'edges', { project_id, from_id: task.id });
  const { data } = useResponse('list_task_backlinks', { project_id, task_id: task.id });
  const forward = soFar(leaving).filter(({ to_type }) => to_type !== 'task');
  const back = soFar(data?.backlinks).filter(({ type }) => type !== 'task');
  if (forward.length === 0 && back.length === 0) return null;
  return (
    <section aria-labelledby="task-links">
      <h3 id="task-links">Links</h3>
      <ul className={styles['list']}>
        {back.map(({ type, id, title, label, edge_id }) => (
          <li key={edge_id}>
            <FileText size={14} aria-hidden />
            <Link to={placeOf({ projectId: project_id, type, id })} dir="auto">
              {title}
            </Link>
            <span className={styles['kind']}>{relationText(label, type)}</span>
          </li>
        ))}
        {forward.map(({ edge_id, to_type, to_id, label }) => (
          <li key={edge_id}>
            <FileText size={14} aria-hidden />
            <TargetLink projectId={project_id} type={to_type} id={to_id} />
            <span className={styles['kind']}>{relationText(label, to_type)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/**
 * The relation that a link expresses. The labels that the service gives to links of documents repeat the kind of the
 * other end.
 */
function relationText(label: string | null, type: string): string {
  const plain = label === null || label === 'documents' || label === 'references';
  return capitalised(plain ? type : label.replaceAll('_', ' '));
}
