import { toast } from 'sonner';
import { authorOf } from '../rest/author.ts';
import { call, ServiceError } from '../rest/client.ts';
import { fieldName } from '../rest/field-names.ts';
import { showError } from '../rest/show-error.ts';
import type { Step, TakenBack, Way } from './history.ts';

/** There is one notification: the next one replaces it. */
export const toastId = 'undo';

/** Takes the change sets of a step back, the last one first, and refetches what is shown. Shows what was changed since, and stays so. */
export async function takeBack(project_id: string, step: Step, way: Way): Promise<TakenBack> {
  const cursors = await step.changes();
  const made: string[] = [];
  const errors: unknown[] = [];
  let at = cursors.length;
  for (; at > 0; at--) {
    try {
      const { redo, left_out: without } = await call('undo_change', { project_id, cursor: cursors[at - 1]! });
      made.push(redo);
      const [first] = without;
      if (first !== undefined)
        toast.warning(`Restored, without ${without.length === 1 ? 'one thing' : `${without.length} things`}.`, {
          description: first.reason,
        });
    } catch (error) {
      errors.push(error);
      if (isOffline(error)) break;
    }
  }
  const [first] = errors;
  if (first !== undefined && made.length === 0)
    showError(`${way === 'undo' ? 'Not undone' : 'Not redone'}: ${step.what}`, reasonOf(first), toastId);
  else if (first !== undefined)
    toast.warning(`${errors.length} of ${cursors.length} ${errors.length === 1 ? 'stays' : 'stay'} so.`, {
      description: reasonOf(first),
    });
  await step.client.invalidateQueries();
  return { made, left: cursors.slice(0, at) };
}

/** A step that did not reach the service can be tried again. */
function isOffline(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'offline';
}

interface ChangedSince {
  readonly what: string;
  readonly type: string;
  readonly label: string | null;
  readonly fields?: readonly string[];
  readonly author?: string;
}

/** Why something was not taken back: who changed what since. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return String(error);
  const [first] = (error.details['changed'] ?? []) as readonly ChangedSince[];
  if (first === undefined) return error.message;
  const { what, type, label, fields = [], author } = first;
  const who = author === undefined ? 'Another change' : authorOf(author).name;
  const name = label === null || label === '' ? `the ${type}` : `“${label}”`;
  const fieldNames = [...new Set(fields.map(fieldName))].join(', ');
  return `${who} ${what} ${fieldNames === '' ? name : fieldNames} since.`;
}
