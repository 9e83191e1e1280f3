import { nextTurn } from '../../../base/slices.ts';
import { PlannerError } from '../../../base/errors.ts';
import type { HostedProject } from './hosted-project.ts';
import { readSnapshot } from './log-snapshot.ts';
import { type SnapshotStore, snapshotsKept } from '../storage/snapshot-store.ts';

/**
 * Removes entries that the older of the two snapshots of their log contains, and that are older than `keepMs`. First both
 * snapshots are read: without the entries there is nothing else to load from. `empty`: a project to read the snapshot of
 * this log into; undefined for the service's.
 */
export async function trimLogs(
  snapshots: SnapshotStore,
  {
    keepMs,
    empty,
    report,
  }: {
    readonly keepMs: number;
    readonly empty: (log: string) => HostedProject | undefined;
    readonly report: (message: string) => void;
  },
): Promise<number> {
  let removed = 0;
  for (const log of await snapshots.trimmable(keepMs)) {
    const heads = (await snapshots.heads([log])).get(log) ?? [];
    if (heads.length < snapshotsKept) continue;
    try {
      for (const head of heads) await readSnapshot({ log, head, parts: snapshots.read(log, head) }, empty(log));
    } catch (error) {
      if (error instanceof PlannerError) throw error;
      report(`The log of ${log} is not trimmed: a snapshot of it is not usable: ${(error as Error).message}.`);
      continue;
    }
    for (let some = -1; some !== 0; removed += some) {
      some = await snapshots.trim(log, heads.at(-1)!.seq, keepMs);
      await nextTurn();
    }
  }
  return removed;
}
