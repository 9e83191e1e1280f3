import { dirname } from 'node:path';
import { isoTime } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import { conflict } from '../../../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableJson } from '../disk/durable-json.ts';
import { currentFormat, formatOf, readFormatSettings } from '../disk/format.ts';
import { GitGuard } from '../checkpoint/git-guard.ts';
import { readSegment } from '../journal/journal-format.ts';
import { ChangedFiles, requireRegularPath } from './migrated-files.ts';
import type { FileChange, Migration } from '../disk/migration.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { makeDirectoryDurably } from '../disk/root-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { CompletedUpgrade } from './upgrades-done.ts';
import { upgradeNote } from './upgrades-done.ts';
import { sha256Of } from '../disk/sha256.ts';

export interface UpgradeDeps {
  readonly disk: Disk;
  readonly layout: RootLayout;
  readonly clock: Clock;
  readonly migrations: readonly Migration[];
  readonly log: (message: string) => void;
}

/** One file of an upgrade in progress. */
interface PlannedFile {
  readonly path: string;
  /** The name of its new content in `local/upgrade/`; null if the file is removed. */
  readonly staged: string | null;
  /** Hashes of the old and the new content; null for no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** The old file's mtime, which the new one keeps: it is the creation time of a record that does not contain one. */
  readonly mtimeMs: number | null;
}

/** `local/upgrade/plan.json`: once it exists, all following steps can be repeated until they are done. */
interface Plan {
  readonly upgrade: CompletedUpgrade;
  readonly files: readonly PlannedFile[];
}

/**
 * Upgrades a root from an older format. Call it with the root's lock held and before the journal is opened.
 *
 * Before anything changes, the new files are in `local/upgrade/` and the old ones in
 * `local/backup/<format>-<time>/files/`, both durable. Then `plan.json` is written: a crash before that leaves the old
 * root; after it, the next opening resumes the upgrade. config.json with the new format is written last. Throws
 * `conflict` if the upgrade is not possible now; nothing is changed then.
 */
export function upgradeRoot(deps: UpgradeDeps): void {
  const { disk, layout, migrations } = deps;
  const unfinished = planFile(disk, layout).readNow();
  if (unfinished !== null) {
    requireLocalPlan(deps, unfinished);
    return execute(deps, unfinished, true);
  }
  if (disk.stat(layout.upgrade) !== undefined) disk.removeTree(layout.upgrade);
  const current = currentFormat(migrations);
  const from = formatOf(readFormatSettings(disk, layout), current);
  if (from === current) return;
  requireIdle(deps, from, current);
  execute(deps, prepare(deps, from), false);
}

function planFile(disk: Disk, layout: RootLayout): DurableJson<Plan> {
  return new DurableJson<Plan>(disk, `${layout.upgrade}/plan.json`);
}

/** Rejects a plan with paths outside the root: this machine did not write it, a repository contained it. */
function requireLocalPlan({ disk, layout }: UpgradeDeps, { upgrade, files }: Plan): void {
  requireRegularPath(disk, layout, `${upgrade.backup}/upgrade.json`);
  for (const { path, staged } of files) {
    requireRegularPath(disk, layout, path);
    if (staged !== null) requireRegularPath(disk, layout, `local/upgrade/${staged}`);
  }
}

/** Changes that only the journal has are in the old format, which this version cannot write to files. */
function requireIdle({ disk, layout, clock }: UpgradeDeps, from: number, to: number): void {
  const what = `The files of this root are of format ${from} and have to be brought to format ${to}`;
  const git = GitGuard.find(disk, dirname(layout.root), clock)?.currentOperation();
  if (git !== undefined)
    throw conflict(
      `${what}, but ${git.what} is in progress (${git.path}). Finish it and start again. Nothing was changed.`,
    );
  const isPending = disk
    .list(layout.journal)
    .some(({ name }) =>
      readSegment(disk.read(`${layout.journal}/${name}`)).lines.some(
        ({ value }) => 'project' in value || 'carried' in value,
      ),
    );
  if (isPending) {
    throw conflict(
      `${what}, but the last Planner that served it did not shut down cleanly and left changes in its journal. Start that version again and stop it, then start this one. Nothing was changed.`,
      { path: '.planner/local/journal' },
    );
  }
}

/** Does everything that does not change a file of the root. */
function prepare(deps: UpgradeDeps, from: number): Plan {
  const { disk, layout, clock, migrations } = deps;
  const due = migrations.filter(({ to }) => to > from);
  const last = due.at(-1)!;
  const files = new ChangedFiles(disk, layout);
  for (const migration of due) for (const change of [...migration.changes(files)]) files.change(change);
  const settings = files.readJson('config.json');
  files.change({ path: 'config.json', content: toJson({ ...settings, format: last.to, planner: last.since }) });
  const at = isoTime(clock.now());
  const backup = `local/backup/${from}-${at.replace(/[:.]/g, '-')}`;
  const changes = files.changes().filter(({ path }) => path !== 'config.json');
  const config = files.changes().filter(({ path }) => path === 'config.json');
  const planned = [...changes, ...config].map((change, i) => stage(deps, change, String(i), backup));
  const created = planned.filter(({ before }) => before === null).map(({ path }) => path);
  const upgrade = { from, to: last.to, at, what: due.map(({ what }) => what), backup, created, edited: [] };
  const plan: Plan = { upgrade, files: planned };
  planFile(disk, layout).writeNow(plan);
  disk.syncDirectory(layout.local);
  return plan;
}

/** Stages the new content and backs up the old one. */
function stage({ disk, layout }: UpgradeDeps, change: FileChange, name: string, backup: string): PlannedFile {
  const before = disk.readIfExists(`${layout.root}/${change.path}`);
  const mtimeMs = disk.stat(`${layout.root}/${change.path}`)?.mtimeMs ?? null;
  if (before !== undefined) writeDurably(disk, layout, `${backup}/files/${change.path}`, before, mtimeMs);
  if (change.content !== null) writeDurably(disk, layout, `local/upgrade/${name}`, change.content);
  return {
    path: change.path,
    staged: change.content === null ? null : name,
    before: before === undefined ? null : sha256Of(before),
    after: change.content === null ? null : sha256Of(change.content),
    mtimeMs,
  };
}

/** Writes a file below the root durably, with every directory above it. */
function writeDurably(
  disk: Disk,
  layout: RootLayout,
  path: string,
  content: Uint8Array,
  mtimeMs: number | null = null,
): void {
  const parts = path.split('/');
  for (let i = 1; i < parts.length; i++) makeDirectoryDurably(disk, `${layout.root}/${parts.slice(0, i).join('/')}`);
  replaceFile(disk, `${layout.root}/${path}`, content, { temporaryDirectory: layout.temporary });
  if (mtimeMs !== null) disk.setTimes(`${layout.root}/${path}`, mtimeMs);
}

/** Can be repeated after every crash. */
function execute(deps: UpgradeDeps, { upgrade, files }: Plan, again: boolean): void {
  const { disk, layout, log } = deps;
  const { from, to, backup } = upgrade;
  const stagedFiles = new Map(files.map((file) => [file, stagedContent(disk, layout, file, backup)]));
  log(
    `${again ? 'Resuming the upgrade of' : 'Upgrading'} this root from format ${from} to ${to}: ${upgrade.what.join(' ')}`,
  );
  for (const [file, content] of stagedFiles) {
    const there = disk.readIfExists(`${layout.root}/${file.path}`);
    const is = there === undefined ? null : sha256Of(there);
    if (is === file.after) {
      if (there !== undefined && file.mtimeMs !== null) disk.setTimes(`${layout.root}/${file.path}`, file.mtimeMs);
      continue;
    }
    // Changed between the crash and now: keep that content, too.
    if (is !== file.before && there !== undefined) writeDurably(disk, layout, `${backup}/edited/${file.path}`, there);
    if (content !== null) writeDurably(disk, layout, file.path, content, file.mtimeMs);
    else {
      disk.remove(`${layout.root}/${file.path}`);
      disk.syncDirectory(dirname(`${layout.root}/${file.path}`));
    }
  }
  const edited = new ChangedFiles(disk, layout).list(`${backup}/edited`).map((path) => path.slice(backup.length + 8));
  upgradeNote(disk, layout, backup).writeNow({ ...upgrade, edited });
  planFile(disk, layout).removeNow();
  disk.removeTree(layout.upgrade);
  log(`This root now has format ${to}. The original files are in .planner/${backup}/files.`);
  for (const path of edited)
    log(
      `.planner/${path} was edited while the upgrade was interrupted; the edited version is in .planner/${backup}/edited.`,
    );
}

function stagedContent(disk: Disk, layout: RootLayout, file: PlannedFile, backup: string): Uint8Array | null {
  if (file.staged === null) return null;
  const content = disk.readIfExists(`${layout.upgrade}/${file.staged}`);
  if (content !== undefined && sha256Of(content) === file.after) return content;
  throw conflict(
    `An upgrade of this root was interrupted, and the new content for .planner/${file.path} is missing or was changed. Copy everything in .planner/${backup}/files back over .planner, remove .planner/local/upgrade and start again.`,
    { path: `.planner/local/upgrade/${file.staged}` },
  );
}

function toJson(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}
