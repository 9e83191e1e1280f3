import type {
  CreateNoteInput,
  DeletedAnswer,
  ListNotesInput,
  NoteAnswer,
  NoteInput,
  NoteListAnswer,
  NoteRecord,
  NoteRow,
  PlanReadTransaction,
  UpdateNoteInput,
} from '../domain/records/collections.ts';
import {
  createNote,
  deleteNote,
  noteById,
  noteRow,
  showNote,
  showNoteHead,
  updateNote,
} from '../domain/content/notes.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

const locate = { member: 'note_id', resource: 'note' } as const;

const noteTag = (view: PlanReadTransaction, { note_id: id }: { readonly note_id: string }): Tag =>
  resourceTag(noteById(view, id), []);

const create: Write<CreateNoteInput, NoteAnswer> = {
  name: 'create_note',
  summary: 'Create a note',
  group: groups.notes,
  input: 'CreateNoteInput',
  output: 'NoteAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/notes',
    bare: 'note',
    example: { title: 'Interviews', body: 'Three of five asked for invoices.' },
  },
  mcp: {
    title: 'Create note',
    texts: true,
    description: 'Creates a note, for text that belongs to no task. Use a document for text that others build on.',
  },
  run: (tx, input) => ({ note: showNote(tx, createNote(tx, input)) }),
};

const update: Write<UpdateNoteInput, NoteAnswer> = {
  name: 'update_note',
  summary: 'Change a note',
  group: groups.notes,
  input: 'UpdateNoteInput',
  output: 'NoteAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/notes/:note_id', bare: 'note' },
  mcp: {
    title: 'Update note',
    texts: true,
    description: 'Changes the title of a note or replaces its body.',
    idempotent: true,
  },
  tag: noteTag,
  run: (tx, input) => ({ note: showNote(tx, updateNote(tx, input)) }),
};

const get: Read<NoteInput, NoteAnswer> = {
  name: 'get_note',
  summary: 'One note',
  group: groups.notes,
  input: 'NoteInput',
  output: 'NoteAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/notes/:note_id', bare: 'note' },
  mcp: { title: 'Get note', texts: true, description: 'One note with its body. list_notes has the ids.' },
  tag: noteTag,
  run: (view, { note_id: id }) => ({ note: showNote(view, noteById(view, id)) }),
};

const notesTag = (view: PlanReadTransaction): Tag => listTag(view, 'note');

const list: Read<ListNotesInput, NoteListAnswer> = {
  name: 'list_notes',
  summary: 'Notes of a project',
  group: groups.notes,
  input: 'ListNotesInput',
  output: 'NoteListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/notes' },
  mcp: {
    title: 'List notes',
    description: 'The notes, oldest first, without bodies; read one with get_note.',
  },
  tag: notesTag,
  run: listResponse,
};

/** Without bodies for agents by default; over REST with bodies by default. */
function listResponse(view: PlanReadTransaction, input: ListNotesInput, context: Context): NoteListAnswer {
  const toAgent = context.transport === 'mcp';
  const { verbose = !toAgent } = input;
  const show = (note: NoteRecord): NoteRow =>
    verbose ? showNote(view, note) : toAgent ? noteRow(note) : showNoteHead(view, note);
  const changed = changedSince(view, 'note', input, notesTag(view));
  if (changed !== undefined) {
    const { changed: notes, removed } = delta(changed, (id) => view.get('note', id), show);
    return { notes, removed };
  }
  const page = pageOf(view.list('note', positionAfter(input)), input, context, {
    show,
    lighter: noteRow,
    position: positionOf,
  });
  return { notes: page.rows, ...nextCursor(page) };
}

const remove: Write<NoteInput, DeletedAnswer> = {
  name: 'delete_note',
  summary: 'Delete a note with the comments on it',
  group: groups.notes,
  input: 'NoteInput',
  output: 'DeletedAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'DELETE', path: '/notes/:note_id', headers: trashHeader },
  ...deletion(({ note_id: id }) => id, deleteNote),
};

export const noteOperations: readonly PlannerOperation[] = [create, update, get, list, remove];
