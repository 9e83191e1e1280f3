import type { Collection } from '../../record/collection.ts';
import type { Remedy } from '../../record/read-transaction.ts';
import { conflictTitle } from '../codec/conflict-markers.ts';

export const repairByHand = 'Repair the file in an editor, or check it out again.';

/** The remedy for an unreadable file. Between the versions of a conflict a person decides. */
export function unreadableRemedy(kind: Collection['id'], reason: string): string | Remedy {
  return kind === 'project' && !reason.startsWith(conflictTitle) ? { code: 'rebuild_project_file' } : repairByHand;
}
