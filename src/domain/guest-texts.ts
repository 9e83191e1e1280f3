import type { StoredRecord } from '../store/record.ts';
import type { DerivedIndex, View } from '../store/view.ts';
import type { PlannerCollections, SubmissionRecord, TaskRecord } from './collections.ts';

type V = View<PlannerCollections>;

export interface GuestMark {
  readonly untrusted: true;
}

/**
 * The mark beside texts that a guest wrote, for agents that read them: a task that a submission was accepted into as a new task bears the
 * guest's words, also after they were edited. A task that is older than the submission was only linked to it and has words of its own.
 */
export function guestMark(view: Pick<V, 'by'>, task: TaskRecord): GuestMark | undefined {
  const sources = view.by('submission', 'task', task.id);
  return sources.some(({ created_at: at }) => at <= task.created_at) ? { untrusted: true } : undefined;
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
