import type { ReactElement } from 'react';
import { useParams } from 'react-router';
import { useProjectId } from '../../shell/project-id.ts';
import { GoalList } from './goal-list.tsx';
import { GoalPage } from './goal-page.tsx';

/** Goals: `goals` lists them, `goals/<id>` shows one. */
export function Goals(): ReactElement {
  const projectId = useProjectId();
  const { '*': rest = '' } = useParams();
  const [goalId = ''] = rest.split('/');
  return goalId === '' ? (
    <GoalList projectId={projectId} />
  ) : (
    <GoalPage key={goalId} projectId={projectId} goalId={goalId} />
  );
}
