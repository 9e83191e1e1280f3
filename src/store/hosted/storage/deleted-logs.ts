import { nextTurn } from '../../../base/slices.ts';

/**
 * The logs of deleted projects, whose rows stay for a time.
 *
 * There are no rows of a project that never was listed: its first entry and the one that lists it are appended
 * together, by one statement, and so is what is stored with them. A project is one entry when it is made, imported
 * ones, too.
 */
export interface DeletedLogs {
  /** The names of some logs in their order, after the given name; empty after the last. */
  names(after: string): Promise<readonly string[]>;
  /**
   * Removes some of the rows of a log, if its last entry deletes its project and is older than this. Resolves to their
   * number: 0 if that is not so, or if no rows are left. The last entry is the last row.
   */
  remove(log: string, keepMs: number): Promise<number>;
}

/**
 * Removes the rows of projects that were deleted longer ago than `keepMs`. `isListed`: whether there is a project of this
 * name, or it is the service's log. Resolves to the number of rows.
 */
export async function removeDeletedLogs(
  logs: DeletedLogs,
  { keepMs, isListed }: { readonly keepMs: number; readonly isListed: (log: string) => boolean },
): Promise<number> {
  let removed = 0;
  for (let names = await logs.names(''); names.length > 0; names = await logs.names(names.at(-1)!)) {
    for (const log of names) {
      if (isListed(log)) continue;
      removed += await removeDeletedLog(logs, log, keepMs);
    }
    await nextTurn();
  }
  return removed;
}

/** Removes one log, unless its last entry does not delete its project. */
export async function removeDeletedLog(logs: DeletedLogs, log: string, keepMs: number): Promise<number> {
  let removed = 0;
  for (let some = -1; some !== 0; removed += Math.max(0, some)) some = await logs.remove(log, keepMs);
  return removed;
}
