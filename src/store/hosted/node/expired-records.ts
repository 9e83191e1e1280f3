import { isTurnSpent, nextTurn } from '../../../base/slices.ts';
import { PlannerError } from '../../../base/errors.ts';
import { isExpired } from '../../replica/service-records.ts';
import type { ServiceTx } from '../../record/read-transaction.ts';
import { ColdProject } from './cold-project.ts';
import type { NodeProject } from './node-projects.ts';
import type { PlacedRecords } from './placed-records.ts';

/** A record of the service, by its collection and id. */
interface RecordName {
  readonly collection: string;
  readonly id: string;
}

export interface ExpiredRecordsDeps {
  /** The records that the service's own log has. */
  readonly ofService: PlacedRecords;
  readonly projects: Iterable<NodeProject>;
  /** The time of the log's server (ISO). */
  readonly now: string;
  /** Changes the records of a project's log, or of the service's log. */
  readonly update: (project: string | undefined, change: (tx: ServiceTx) => void) => Promise<void>;
  readonly report: (message: string) => void;
}

/** Records that one transaction removes. */
const removedAtOnce = 500;
/** Projects that are loaded for it: the others keep expired records until they are in use, or until the next time. */
const loadedMax = 20;

/**
 * Removes the service's records that have expired, each by an entry of the log that has it, so that every node does.
 * Resolves to their number.
 */
export async function removeExpired({ ofService, projects, now, update, report }: ExpiredRecordsDeps): Promise<number> {
  let removed = 0;
  const remove = async (project: string | undefined, names: readonly RecordName[]): Promise<void> => {
    for (let at = 0; at < names.length; at += removedAtOnce)
      await update(project, (tx) => {
        for (const { collection, id } of names.slice(at, at + removedAtOnce)) {
          const record = tx.get(collection, id);
          // The record may have been used in between.
          if (record !== undefined && isExpired(record, now)) tx.remove(collection, id);
        }
      });
    removed += names.length;
  };
  await remove(undefined, ofService.expired(now));
  let loaded = 0;
  for (const project of [...projects]) {
    if (isTurnSpent()) await nextTurn();
    const names = project.placed.expired(now);
    if (names.length === 0) continue;
    if (project instanceof ColdProject && ++loaded > loadedMax) continue;
    try {
      await remove(project.id, names);
    } catch (error) {
      // The project was deleted in between, or cannot be loaded; the others can.
      if (!(error instanceof PlannerError)) throw error;
      if (error.code !== 'not_found') report(`What has expired of ${project.id} was not removed: ${error.message}`);
    }
  }
  return removed;
}
