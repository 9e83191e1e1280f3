import type { DerivedIndex, StoredRecord, View } from '../../store/index.ts';
import type { DocumentRecord, PlannerCollections, SubmissionRecord, TaskRecord } from './collections.ts';

type V = View<PlannerCollections>;

export interface GuestMark {
  readonly untrusted: true;
}

/** The mark of each of several tasks. */
export type GuestMarks = (id: string) => GuestMark | undefined;

const untrusted: GuestMark = Object.freeze({ untrusted: true });

/**
 * The mark beside texts that a guest wrote, for agents that read them: a task that a submission was accepted into as a new task bears the
 * guest's words, also after they were edited. A task that is older than the submission was only linked to it and has words of its own.
 */
export function guestMark(view: Pick<V, 'by'>, task: TaskRecord): GuestMark | undefined {
  const sources = view.by('submission', 'task', task.id);
  return sources.some(({ created_at: at }) => at <= task.created_at) ? untrusted : undefined;
}

/** The same of a record that may also be a document: no guest writes those. */
export function markOf(view: Pick<V, 'by'>, record: TaskRecord | DocumentRecord): GuestMark | undefined {
  return 'label' in record ? guestMark(view, record) : undefined;
}

/** The marks of tasks as they are now, which may be read after the view. Costs a lookup for each task that a submission was accepted into. */
export function guestMarks(view: Pick<V, 'by' | 'get' | 'keys'>): GuestMarks {
  const marked = new Set<string>();
  for (const id of view.keys('submission', 'task')) {
    const task = view.get('task', id);
    if (task !== undefined && guestMark(view, task) !== undefined) marked.add(id);
  }
  return (id) => (marked.has(id) ? untrusted : undefined);
}

/**
 * The mark of a task of which an earlier state is shown. `created_at` is unknown of some tasks that are gone: then every submission that was
 * accepted into the task counts.
 */
export function pastGuestMark(
  view: Pick<V, 'by' | 'get'>,
  id: string,
  { created_at: createdAt }: { readonly created_at?: unknown },
): GuestMark | undefined {
  const made = view.get('task', id)?.created_at ?? createdAt;
  const sources = view.by('submission', 'task', id);
  return sources.some(({ created_at: at }) => typeof made !== 'string' || at <= made) ? untrusted : undefined;
}

/** Marks a task as changed in lists when a submission is linked to it, or no longer is. Derived index `submission_effects`. */
export class SubmissionEffects implements DerivedIndex {
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
