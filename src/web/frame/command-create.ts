import type { QueryClient } from '@tanstack/react-query';
import { refresh } from '../api/cache.ts';
import { change } from '../api/change.ts';
import { ServiceError } from '../rest/client.ts';
import { showError } from '../rest/show-error.ts';

/** The kinds of records that the command menu can create from a name. */
export type CreatedKind = 'task' | 'document' | 'note' | 'goal';

export const createdNames: Readonly<Record<CreatedKind, string>> = {
  task: 'New task',
  document: 'New document',
  note: 'New note',
  goal: 'New goal',
};

/** Creates a record by name; returns its address, or undefined after an error, which is shown. */
export async function createByName(
  client: QueryClient,
  projectId: string,
  kind: CreatedKind,
  name: string,
): Promise<string | undefined> {
  try {
    const { id } = await make(client, projectId, kind, name);
    await refresh(client, 'list_tasks', 'list_documents', 'list_notes', 'list_goals', 'get_project', 'list_projects');
    return kind === 'task' ? `?task=${id}` : `/projects/${projectId}/${kind}s/${id}`;
  } catch (error) {
    showError(`The ${kind} could not be created.`, error instanceof ServiceError ? error.message : undefined);
    return undefined;
  }
}

function make(
  client: QueryClient,
  project_id: string,
  kind: CreatedKind,
  name: string,
): Promise<{ readonly id: string }> {
  switch (kind) {
    case 'task':
      return change(client, 'create_task', { project_id, label: name });
    case 'document':
      return change(client, 'create_document', { project_id, title: name, body: '' });
    case 'note':
      return change(client, 'create_note', { project_id, title: name, body: '' });
    case 'goal':
      return change(client, 'create_goal', { project_id, name, objective: name });
  }
}
