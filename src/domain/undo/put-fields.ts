import { conflict, invalid, PlannerError } from '../../base/errors.ts';
import type { StoredRecord } from '../../store/index.ts';
import { requireScreen } from '../content/artifacts.ts';
import { requireFolder, updateFolder } from '../content/folders.ts';
import { goalById } from '../plan/goals.ts';
import { endLease, grantLease, isHeldBy, leaseOf, renewLease } from '../plan/leases.ts';
import type { Acting } from '../records/acting.ts';
import type { ArtifactRecord, FolderRecord, PlanTransaction, TagRecord, TaskRecord } from '../records/collections.ts';
import { withFreeName } from '../versions/restore.ts';
import { takeTags, updateTag } from '../plan/tags.ts';
import type { Kept } from '../feed/kept.ts';

type Members = Readonly<Record<string, unknown>>;

/** Gives a record fields back by the rules of its collection. Throws `conflict` if one of them forbids it. */
export function putFields(tx: PlanTransaction, collection: string, record: StoredRecord, fields: Members): void {
  const next = { ...record, ...fields } as never;
  try {
    requireFitting(tx, collection, next, fields);
    if (collection === 'folder') putFolder(tx, next);
    else if (collection === 'tag') putTag(tx, next);
    else tx.put(collection as 'note', collection === 'goal' ? (withFreeName(tx, next) as never) : next);
  } catch (thrown) {
    if (!(thrown instanceof PlannerError) || thrown.code !== 'invalid_argument') throw thrown;
    throw conflict(`This change cannot be taken back: ${thrown.message}`, { id: record.id });
  }
}

/** Throws unless what the fields refer to exists. Tags that do not exist are made. */
function requireFitting(tx: PlanTransaction, collection: string, next: StoredRecord, fields: Members): void {
  if ('folder_id' in fields) requireFolder(tx, fields['folder_id'] as string | null, 'folder_id');
  if ('default_goal_id' in fields) goalById(tx, String(fields['default_goal_id']));
  if (collection === 'artifact' && ('prototype_id' in fields || 'kind' in fields)) {
    const { kind, prototype_id } = next as ArtifactRecord;
    requireScreen(tx, kind, prototype_id);
  }
  if (collection !== 'task') return;
  const { tags, verified_at: at, verified_ref: ref } = next as TaskRecord;
  if ('tags' in fields) takeTags(tx, tags);
  if (at === null && ref !== null) throw invalid('verified_ref', 'verified_ref requires verified_at.');
}

function putFolder(tx: PlanTransaction, { id, name, parent_folder_id }: FolderRecord): void {
  updateFolder(tx, { folder_id: id, name, parent_folder_id });
}

/** Its name until now stays a former one: a task may have it. */
function putTag(tx: PlanTransaction, { id, name, color }: TagRecord): void {
  updateTag(tx, { tag_id: id, name, color });
}

/** The shortest claim that is given back, in seconds: its agent renews it or has ended. */
const claimSecondsMin = 60;

/** After the fields of a task were given back: its claim ends if they do not fit it, and the one that the change ended is held again. */
export function settleLease(tx: PlanTransaction, id: string, former: Kept['lease'], by: Acting): void {
  const task = tx.get('task', id)!;
  renewLease(tx, task, undefined, by);
  if (former === undefined || leaseOf(tx, id) !== undefined || !isHeldBy(tx, id, former.agent_ref)) return;
  const left = Math.round((Date.parse(former.expires_at) - Date.parse(tx.now)) / 1000);
  const seconds = Math.min(former.lease_seconds, Math.max(claimSecondsMin, left));
  const session = former.session ?? undefined;
  const elsewhere = grantLease(tx, id, former.agent_ref, seconds, { ...by, session });
  if (elsewhere !== undefined) endLease(tx, id);
}
