import type { Disk } from '../disk/disk.ts';
import { DurableJson } from '../disk/durable-json.ts';
import type { RootLayout } from '../disk/root-layout.ts';

/** An upgrade of a root's files, as `upgrade.json` beside its backup tells of it. */
export interface DoneUpgrade {
  readonly from: number;
  readonly to: number;
  /** ISO time. */
  readonly at: string;
  /** One sentence for each step. */
  readonly what: readonly string[];
  /** Where the files as they were lie, relative to `.planner`. */
  readonly backup: string;
  /** Files that there were not before. */
  readonly created: readonly string[];
  /** Files that somebody had edited while it was interrupted; what stood there is in the backup too. */
  readonly edited: readonly string[];
}

export function upgradeNote(disk: Disk, layout: RootLayout, backup: string): DurableJson<DoneUpgrade> {
  return new DurableJson<DoneUpgrade>(disk, `${layout.root}/${backup}/upgrade.json`);
}

/** What was done to a root's files whose backup is still there, the latest last, one sentence each. */
export function upgradesDone(disk: Disk, layout: RootLayout): readonly string[] {
  const backups = disk.list(`${layout.local}/backup`).map(({ name }) => `local/backup/${name}`);
  const done = backups.flatMap((backup) => noteIn(disk, layout, backup) ?? []);
  return done
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(
      ({ from, to, at, what, backup, edited }) =>
        `Format ${from} became ${to} at ${at}: ${what.join(' ')} The files as they were lie in .planner/${backup}/files${edited.length === 0 ? '' : `, what was edited meanwhile in .planner/${backup}/edited`}.`,
    );
}

/** A backup without a note is of an upgrade that did not come to anything. */
function noteIn(disk: Disk, layout: RootLayout, backup: string): DoneUpgrade | undefined {
  try {
    return upgradeNote(disk, layout, backup).readNow() ?? undefined;
  } catch {
    return undefined;
  }
}
