import type { Disk } from '../disk/disk.ts';
import { DurableJson } from '../disk/durable-json.ts';
import type { RootLayout } from '../disk/root-layout.ts';

/** A completed upgrade of a root's files, stored as `upgrade.json` beside its backup. */
export interface CompletedUpgrade {
  readonly from: number;
  readonly to: number;
  /** ISO time. */
  readonly at: string;
  /** One sentence for each step. */
  readonly what: readonly string[];
  /** The directory of the original files, relative to `.planner`. */
  readonly backup: string;
  /** Files that did not exist before. */
  readonly created: readonly string[];
  /** Files that a person edited while the upgrade was interrupted; the backup has the edited versions, too. */
  readonly edited: readonly string[];
}

export function upgradeNote(disk: Disk, layout: RootLayout, backup: string): DurableJson<CompletedUpgrade> {
  return new DurableJson<CompletedUpgrade>(disk, `${layout.root}/${backup}/upgrade.json`);
}

/** The upgrades of a root whose backup still exists, the latest last, one sentence each. */
export function upgradesDone(disk: Disk, layout: RootLayout): readonly string[] {
  const backups = disk.list(`${layout.local}/backup`).map(({ name }) => `local/backup/${name}`);
  const done = backups.flatMap((backup) => noteIn(disk, layout, backup) ?? []);
  return done
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(
      ({ from, to, at, what, backup, edited }) =>
        `Format ${from} became ${to} at ${at}: ${what.join(' ')} The original files are in .planner/${backup}/files${edited.length === 0 ? '' : `, files edited meanwhile in .planner/${backup}/edited`}.`,
    );
}

/** A backup without a note belongs to an upgrade that was never started. */
function noteIn(disk: Disk, layout: RootLayout, backup: string): CompletedUpgrade | undefined {
  try {
    return upgradeNote(disk, layout, backup).readNow() ?? undefined;
  } catch {
    return undefined;
  }
}
