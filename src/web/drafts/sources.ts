import type { QueryClient } from '@tanstack/react-query';
import { refresh } from '../api/cache.ts';
import { callWithTag } from '../rest/client.ts';
import type { Answer, Input, Loaded, OperationName } from '../rest/client.ts';
import { takeAnswer } from '../api/documents.ts';
import type { DraftSource, Fields, Known } from './draft-keeper.ts';
import type { DraftedKind } from './draft-store.ts';
import { editingSession } from './editing-session.ts';

export type DocumentFields = { readonly title: string; readonly body: string; readonly status: string };
export type NoteFields = { readonly title: string; readonly body: string };
export type ArtifactFields = { readonly title: string; readonly content: string };
export type TaskFields = { readonly description: string };

export function documentFields({ title, body = '', status }: Answer<'get_document'>): DocumentFields {
  return { title, body, status: status ?? '' };
}

export function noteFields({ title, body = '' }: Answer<'get_note'>): NoteFields {
  return { title, body };
}

export function artifactFields({ title, content = '' }: Answer<'get_artifact'>): ArtifactFields {
  return { title, content };
}

export function taskFields({ description }: Answer<'get_task'>): TaskFields {
  return { description: description ?? '' };
}

interface EditedRecord<N extends OperationName> {
  readonly get: N;
  readonly update: OperationName;
  readonly idMember: string;
  /** The operations whose results show a change. */
  readonly shownBy: readonly OperationName[];
  readonly fieldsOf: (record: Answer<N>) => Fields;
}

function edited<N extends OperationName>(record: EditedRecord<N>): EditedRecord<N> {
  return record;
}

/** The records with texts that are kept as drafts. */
const kinds = {
  document: edited({
    ...{ get: 'get_document', update: 'update_document', idMember: 'document_id' },
    shownBy: ['list_documents', 'list_revisions', 'get_project'],
    fieldsOf: documentFields,
  }),
  note: edited({
    ...{ get: 'get_note', update: 'update_note', idMember: 'note_id' },
    shownBy: ['list_notes', 'list_revisions'],
    fieldsOf: noteFields,
  }),
  artifact: edited({
    ...{ get: 'get_artifact', update: 'update_artifact', idMember: 'artifact_id' },
    shownBy: ['list_artifacts', 'get_prototype', 'list_revisions'],
    fieldsOf: artifactFields,
  }),
  task: edited({
    ...{ get: 'get_task', update: 'update_task', idMember: 'task_id' },
    shownBy: ['list_tasks', 'list_revisions', 'get_project'],
    fieldsOf: taskFields,
  }),
} as const;

/** The service's side of the draft of a record: its responses are cached for the views. */
export function draftSource<F extends Fields>(
  client: QueryClient,
  kind: DraftedKind,
  projectId: string,
  id: string,
): DraftSource<F> {
  const { get, update, idMember, fieldsOf } = kinds[kind];
  const named = { project_id: projectId, [idMember]: id } as unknown as Input<typeof get>;
  const taken = async (answered: Loaded<unknown> | 'unchanged'): Promise<Known<F>> => {
    if (answered === 'unchanged') throw new Error('Unchanged without a cached result.');
    await takeAnswer(client, get, named, answered as Loaded<Answer<typeof get>>);
    return { fields: (fieldsOf as (record: unknown) => Fields)(answered.value) as F, tag: answered.tag ?? '' };
  };
  return {
    load: async () => taken(await callWithTag(get, named)),
    save: async ({ status, ...changed }: Partial<F> & { readonly status?: string }, ifMatch) => {
      const line = status === undefined ? {} : { status: status === '' ? null : status };
      const input = { ...named, ...changed, ...line } as unknown as Input<typeof update>;
      return taken(await callWithTag(update, input, { ifMatch, session: editingSession(id) }));
    },
  };
}

/** Refetches the results that show a saved draft. */
export async function refreshDrafted(client: QueryClient, kind: DraftedKind): Promise<void> {
  await refresh(client, ...kinds[kind].shownBy);
}
