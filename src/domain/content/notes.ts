import { notFound } from '../../base/errors.ts';
import type { Steps } from '../../base/slices.ts';
import type {
  CreateNoteInput,
  Note,
  NoteRecord,
  NoteRow,
  PlanReadTransaction,
  PlanTransaction,
  UpdateNoteInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { removeWithComments } from '../links/comments.ts';
import { discard } from '../records/trash.ts';

/** Throws `not_found`. */
export function noteById(view: PlanReadTransaction, id: string): NoteRecord {
  const note = view.get('note', id);
  if (note === undefined) throw notFound('note', id);
  return note;
}

export function createNote(tx: PlanTransaction, { title, body = '' }: CreateNoteInput): NoteRecord {
  return tx.put('note', newRecord('note', { id: tx.newId('note'), created_at: tx.now, title, body }));
}

export function updateNote(
  tx: PlanTransaction,
  { note_id: id, project_id: _, ...fields }: UpdateNoteInput,
): NoteRecord {
  return tx.put('note', { ...noteById(tx, id), ...fields });
}

/** Deletes a note with the comments on it. Returns the id of its entry in the trash. */
export function* deleteNote(tx: PlanTransaction, id: string): Steps<string> {
  const note = noteById(tx, id);
  return yield* discard(tx, { type: 'note', id, label: note.title }, () => removeWithComments(tx, 'note', id));
}

/** A note in the form for callers. */
export function showNote(view: PlanReadTransaction, note: NoteRecord): Note {
  return shown.note.details(note, { project_id: view.project });
}

/** A note in a list without bodies. */
export function showNoteHead(view: PlanReadTransaction, note: NoteRecord): NoteRow {
  return shown.note.head(note, { project_id: view.project });
}

/** A note in an agent's list. */
export function noteRow(note: NoteRecord): NoteRow {
  return shown.note.row(note);
}
