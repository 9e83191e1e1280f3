import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useResponse } from '../api/cache.ts';
import type { Answer } from '../rest/client.ts';
import { UnknownLine } from './states.tsx';

/** The record of a revision, a comment or an edge. */
export interface Target {
  readonly projectId: string;
  readonly type: string;
  readonly id: string;
}

/** The address of a record in the page. */
export function placeOf({ projectId, type, id }: Target): string {
  const project = `/projects/${projectId}`;
  if (type === 'task') return `${project}?task=${id}`;
  if (type === 'run') return `${project}/agents?run=${id}`;
  if (type === 'submission') return `${project}/inbox?item=${id}`;
  return `${project}/${type === 'goal' || type === 'document' || type === 'note' || type === 'artifact' || type === 'prototype' ? `${type}s/${id}` : ''}`;
}

const once = { everyMs: false } as const;

/** A link to a record with its name; its type if the record no longer exists. */
export function TargetLink(target: Target): ReactElement {
  const { projectId: project_id, type, id } = target;
  const of = <K extends string>(kind: K): { readonly enabled: boolean; readonly everyMs: false } => ({
    ...once,
    enabled: type === kind,
  });
  const task = useResponse('get_task', { project_id, task_id: id }, of('task'));
  const document = useResponse('get_document', { project_id, document_id: id }, of('document'));
  const note = useResponse('get_note', { project_id, note_id: id }, of('note'));
  const goal = useResponse('get_goal', { project_id, goal_id: id }, of('goal'));
  const artifact = useResponse('get_artifact', { project_id, artifact_id: id }, of('artifact'));
  const name =
    task.data?.label ??
    document.data?.title ??
    note.data?.title ??
    (goal.data && goalName(goal.data)) ??
    artifact.data?.title;
  const isLoading = [task, document, note, goal, artifact].some((record) => record.isLoading);
  return <Link to={placeOf(target)}>{isLoading ? <UnknownLine width="100%" /> : (name ?? `a ${type}`)}</Link>;
}

/** The name of a goal, or the first words of its objective. */
export function goalName({
  name,
  objective,
}: Pick<Answer<'list_goals'>['goals'][number], 'name' | 'objective'>): string {
  return name ?? objective.replace(/\n[^]*/, '').slice(0, 80);
}
