import { idPrefixes } from '../../base/ids.ts';
import type { DerivedIndex, StoredRecord } from '../../store/index.ts';
import type { DocumentRecord, PlanReadTransaction, SubmissionRecord, TaskRecord } from './collections.ts';

export interface GuestMark {
  readonly untrusted: true;
}

/** The mark of each of several tasks. */
export type GuestMarks = (id: string) => GuestMark | undefined;

const untrusted: GuestMark = Object.freeze({ untrusted: true });

/**
 * The mark of texts that a guest wrote, for agents: a task that was created from a submission contains the guest's words, also after they
 * were edited. A task that is older than the submission was only linked to it and has its own words.
 */
export function guestMark(view: Pick<PlanReadTransaction, 'by'>, task: TaskRecord): GuestMark | undefined {
  const sources = view.by('submission', 'task', task.id);
  return sources.some(({ created_at: at }) => at <= task.created_at) ? untrusted : undefined;
}

/** The mark of a record that may also be a document: guests do not write documents. */
export function markOf(
  view: Pick<PlanReadTransaction, 'by'>,
  record: TaskRecord | DocumentRecord,
): GuestMark | undefined {
  return 'label' in record ? guestMark(view, record) : undefined;
}

/** The current marks of tasks, which may be read after the transaction: one lookup per task that a submission was accepted into. */
export function guestMarks(view: Pick<PlanReadTransaction, 'by' | 'get' | 'keys'>): GuestMarks {
  const marked = new Set<string>();
  for (const id of view.keys('submission', 'task')) {
    const task = view.get('task', id);
    if (task !== undefined && guestMark(view, task) !== undefined) marked.add(id);
  }
  return (id) => (marked.has(id) ? untrusted : undefined);
}

/**
 * The mark of an earlier state of a task. `created_at` is unknown for some deleted tasks: then every submission that was accepted into the
 * task counts.
 */
export function pastGuestMark(
  view: Pick<PlanReadTransaction, 'by' | 'get'>,
  id: string,
  { created_at: createdAt }: { readonly created_at?: unknown },
): GuestMark | undefined {
  const made = view.get('task', id)?.created_at ?? createdAt;
  const sources = view.by('submission', 'task', id);
  return sources.some(({ created_at: at }) => typeof made !== 'string' || at <= made) ? untrusted : undefined;
}

/**
 * The mark of the text that names a record, as events and problems do: guests write submissions, and tasks are made
 * from them.
 */
export function namedGuestMark(
  view: Pick<PlanReadTransaction, 'by' | 'get'>,
  id: string,
  type?: string,
): GuestMark | undefined {
  const isSubmission = type === 'submission' || id.startsWith(`${idPrefixes.submission}_`);
  return isSubmission ? untrusted : pastGuestMark(view, id, {});
}

/** Marks a task as changed in lists when a submission is linked to it, or no longer is. Derived index `submission_effects`. */
export class SubmissionEffects implements DerivedIndex {
  readonly fields = { submission: ['linked_task_id', 'created_at'] };
  readonly #touch: (collection: 'task', id: string) => void;

  constructor(touch: (collection: 'task', id: string) => void) {
    this.#touch = touch;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    if (collection !== 'submission') return;
    for (const id of new Set([linkedTask(from), linkedTask(to)])) if (id !== null) this.#touch('task', id);
  }
}

function linkedTask(record: StoredRecord | undefined): string | null {
  return (record as SubmissionRecord | undefined)?.linked_task_id ?? null;
}
