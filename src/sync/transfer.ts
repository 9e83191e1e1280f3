import { collectionOf } from '../domain/exchange/export-format.ts';
import { recordFingerprint } from '../domain/exchange/record-fingerprint.ts';
import type { Revision } from '../store/index.ts';
import type { MergedChange } from './merge-changes.ts';
import type { RecordChange, Side } from './side.ts';

/** The changes that one side gets from the other. */
export interface Transfer {
  readonly changes: ReadonlyMap<string, MergedChange>;
  /** The ids of the revisions that it lacks. */
  readonly revisions: readonly string[];
}

/** The size of one call that applies changes. A single larger change is sent anyway. */
const batchBytesMax = 4 * 1024 * 1024;
const batchItemsMax = 2000;
const revisionsPerCallMax = 100;

/** Some changes with the revisions of their records. */
interface Batch {
  readonly changes: RecordChange[];
  readonly revisions: Revision[];
}

/**
 * Applies changes to one side, with revisions and bytes from the other. They are one call unless they are large; bytes
 * of files come first. Rejects with `conflict` if the side was changed concurrently: the applied part is then
 * consistent.
 */
export async function transfer(from: Side, to: Side, { changes, revisions }: Transfer): Promise<void> {
  const ofTarget = new Map<string, Revision[]>();
  for (let at = 0; at < revisions.length; at += revisionsPerCallMax)
    for (const revision of await from.revisions(revisions.slice(at, at + revisionsPerCallMax))) {
      const known = ofTarget.get(revision.target);
      if (known === undefined) ofTarget.set(revision.target, [revision]);
      else known.push(revision);
    }
  const sorted = [...changes].sort(([, a], [, b]) => rankOf(a) - rankOf(b));
  for (const [id, change] of sorted)
    if (bringsBytes(change)) {
      const content = Buffer.from(await from.bytes(id)).toString('base64');
      await to.apply([recordChange(id, change, { content_base64: content })], []);
    }
  for (const batch of batches(sorted, ofTarget)) await to.apply(batch.changes, batch.revisions);
}

function bringsBytes({ collection, from, to }: MergedChange): boolean {
  return collection === 'file' && to !== undefined && from?.['sha256'] !== to['sha256'];
}

/** Referenced records are written first, and referring records are removed first. */
function rankOf({ collection, to }: MergedChange): number {
  const ranks = ['file', 'folder', 'goal'];
  const rank = ranks.includes(collection) ? ranks.indexOf(collection) : ranks.length;
  if (to !== undefined) return collection === 'project' ? ranks.length + 1 : rank;
  return 2 * ranks.length + 2 - rank;
}

function recordChange(id: string, { collection, from, to, overridden }: MergedChange, more: object = {}): RecordChange {
  const hasHistory = collectionOf(collection).versioned.length > 0;
  return {
    ...{ collection, id },
    was: from === undefined ? null : recordFingerprint(from),
    to: to === undefined ? null : { ...to, ...more },
    ...(overridden !== undefined && hasHistory && { overridden }),
  };
}

function* batches(
  changes: readonly (readonly [id: string, change: MergedChange])[],
  revisions: Map<string, Revision[]>,
): IterableIterator<Batch> {
  let [batch, bytes]: [Batch, number] = [{ changes: [], revisions: [] }, 0];
  const lists = changes.flatMap(([id, change]) => {
    const ofIt = revisions.get(id) ?? [];
    revisions.delete(id);
    return bringsBytes(change) ? [] : [{ change: recordChange(id, change), ofIt }];
  });
  const rest = [...revisions.values()].map((ofIt) => ({ change: undefined, ofIt }));
  for (const { change, ofIt } of [...lists, ...rest]) {
    const size = JSON.stringify([change, ofIt]).length;
    const items = batch.changes.length + batch.revisions.length;
    if (items > 0 && (bytes + size > batchBytesMax || items + ofIt.length >= batchItemsMax)) {
      yield batch;
      [batch, bytes] = [{ changes: [], revisions: [] }, 0];
    }
    if (change !== undefined) batch.changes.push(change);
    batch.revisions.push(...ofIt);
    bytes += size;
  }
  if (batch.changes.length + batch.revisions.length > 0) yield batch;
}
