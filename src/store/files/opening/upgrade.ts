import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import { isoTime } from '../../../clock.ts';
import type { Clock } from '../../../clock.ts';
import { conflict } from '../../../errors.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableJson } from '../disk/durable-json.ts';
import { currentFormat, formatOf, readFormatSettings } from '../disk/format.ts';
import { GitGuard } from '../checkpoint/git-guard.ts';
import { readSegment } from '../journal/journal-format.ts';
import { ChangedFiles, requirePlain } from './migrated-files.ts';
import type { FileChange, Migration } from '../disk/migration.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { makeDurably } from '../disk/root-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { DoneUpgrade } from './upgrades-done.ts';
import { upgradeNote } from './upgrades-done.ts';

export interface UpgradeParts {
  readonly disk: Disk;
  readonly layout: RootLayout;
  readonly clock: Clock;
  readonly migrations: readonly Migration[];
  readonly log: (message: string) => void;
}

/** One file of an upgrade under way. */
interface PlannedFile {
  readonly path: string;
  /** The name in `local/upgrade/` of what it is going to hold; null: it goes. */
  readonly staged: string | null;
  /** Hashes of what it held and is going to hold; null for no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** The time of the file as it was, which the new one keeps: a record that does not say when it was made takes it from there. */
  readonly mtimeMs: number | null;
}

/** `local/upgrade/plan.json`: where it is, everything that follows can be done again until it is done. */
interface Plan {
  readonly upgrade: DoneUpgrade;
  readonly files: readonly PlannedFile[];
}

/**
 * Brings a root of an older format to this one. To be called with the root's lock held and before the journal is opened.
 *
 * Before anything changes, the new files lie ready in `local/upgrade/` and the old ones in `local/backup/<format>-<time>/files/`, both
 * durable. Then `plan.json` is written: a crash before it leaves the old root, a crash behind it is gone on from at the next opening.
 * config.json with the new format comes last of all. Throws `conflict` where it cannot be done now, with nothing changed.
 */
export function upgradeRoot(parts: UpgradeParts): void {
  const { disk, layout, migrations } = parts;
  const unfinished = planFile(disk, layout).readNow();
  if (unfinished !== null) {
    requireOwn(parts, unfinished);
    return carryOut(parts, unfinished, true);
  }
  if (disk.stat(layout.upgrade) !== undefined) disk.removeTree(layout.upgrade);
  const current = currentFormat(migrations);
  const from = formatOf(readFormatSettings(disk, layout), current);
  if (from === current) return;
  requireRest(parts, from, current);
  carryOut(parts, prepare(parts, from), false);
}

function planFile(disk: Disk, layout: RootLayout): DurableJson<Plan> {
  return new DurableJson<Plan>(disk, `${layout.upgrade}/plan.json`);
}

/** A plan is this machine's own; one that leads anywhere else came with somebody's repository. */
function requireOwn({ disk, layout }: UpgradeParts, { upgrade, files }: Plan): void {
  requirePlain(disk, layout, `${upgrade.backup}/upgrade.json`);
  for (const { path, staged } of files) {
    requirePlain(disk, layout, path);
    if (staged !== null) requirePlain(disk, layout, `local/upgrade/${staged}`);
  }
}

/** Changes that only the journal knows are in the old form, which nobody here can write to its files. */
function requireRest({ disk, layout, clock }: UpgradeParts, from: number, to: number): void {
  const what = `The files of this root are of format ${from} and have to be brought to format ${to}`;
  const git = GitGuard.find(disk, dirname(layout.root), clock)?.atWork();
  if (git !== undefined)
    throw conflict(
      `${what}, but ${git.what} is under way (${git.path}). Finish it and start again. Nothing was changed.`,
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
      `${what}, but the last Planner that served it did not end properly and left changes in its journal. Start that version once more and stop it, then start this one. Nothing was changed.`,
      { path: '.planner/local/journal' },
    );
  }
}

/** Everything that can be done without changing a file of the root. */
function prepare(parts: UpgradeParts, from: number): Plan {
  const { disk, layout, clock, migrations } = parts;
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
  const planned = [...changes, ...config].map((change, i) => stage(parts, change, String(i), backup));
  const created = planned.filter(({ before }) => before === null).map(({ path }) => path);
  const upgrade = { from, to: last.to, at, what: due.map(({ what }) => what), backup, created, edited: [] };
  const plan: Plan = { upgrade, files: planned };
  planFile(disk, layout).writeNow(plan);
  disk.syncDirectory(layout.local);
  return plan;
}

/** Lays the new content ready and keeps the old one. */
function stage({ disk, layout }: UpgradeParts, change: FileChange, name: string, backup: string): PlannedFile {
  const before = disk.readIfThere(`${layout.root}/${change.path}`);
  const mtimeMs = disk.stat(`${layout.root}/${change.path}`)?.mtimeMs ?? null;
  if (before !== undefined) keep(disk, layout, `${backup}/files/${change.path}`, before, mtimeMs);
  if (change.content !== null) keep(disk, layout, `local/upgrade/${name}`, change.content);
  return {
    path: change.path,
    staged: change.content === null ? null : name,
    before: before === undefined ? null : sha256(before),
    after: change.content === null ? null : sha256(change.content),
    mtimeMs,
  };
}

/** Writes a file below the root durably, with every directory that leads to it. */
function keep(disk: Disk, layout: RootLayout, path: string, content: Uint8Array, mtimeMs: number | null = null): void {
  const parts = path.split('/');
  for (let i = 1; i < parts.length; i++) makeDurably(disk, `${layout.root}/${parts.slice(0, i).join('/')}`);
  replaceFile(disk, `${layout.root}/${path}`, content, { temporaryDirectory: layout.temporary });
  if (mtimeMs !== null) disk.setTimes(`${layout.root}/${path}`, mtimeMs);
}

/** What can be done as often as a crash makes it necessary. */
function carryOut(parts: UpgradeParts, { upgrade, files }: Plan, again: boolean): void {
  const { disk, layout, log } = parts;
  const { from, to, backup } = upgrade;
  const stagedFiles = new Map(files.map((file) => [file, stagedContent(disk, layout, file, backup)]));
  log(`${again ? 'Going on to bring' : 'Bringing'} this root from format ${from} to ${to}: ${upgrade.what.join(' ')}`);
  for (const [file, content] of stagedFiles) {
    const there = disk.readIfThere(`${layout.root}/${file.path}`);
    const is = there === undefined ? null : sha256(there);
    if (is === file.after) {
      if (there !== undefined && file.mtimeMs !== null) disk.setTimes(`${layout.root}/${file.path}`, file.mtimeMs);
      continue;
    }
    // Somebody changed it between the crash and now: nothing of theirs is lost.
    if (is !== file.before && there !== undefined) keep(disk, layout, `${backup}/edited/${file.path}`, there);
    if (content !== null) keep(disk, layout, file.path, content, file.mtimeMs);
    else {
      disk.remove(`${layout.root}/${file.path}`);
      disk.syncDirectory(dirname(`${layout.root}/${file.path}`));
    }
  }
  const edited = new ChangedFiles(disk, layout).list(`${backup}/edited`).map((path) => path.slice(backup.length + 8));
  upgradeNote(disk, layout, backup).writeNow({ ...upgrade, edited });
  planFile(disk, layout).removeNow();
  disk.removeTree(layout.upgrade);
  log(`This root is of format ${to} now. The ${files.length} files as they were lie in .planner/${backup}/files.`);
  for (const path of edited)
    log(
      `.planner/${path} was edited while the upgrade was interrupted; what stood there lies in .planner/${backup}/edited.`,
    );
}

function stagedContent(disk: Disk, layout: RootLayout, file: PlannedFile, backup: string): Uint8Array | null {
  if (file.staged === null) return null;
  const content = disk.readIfThere(`${layout.upgrade}/${file.staged}`);
  if (content !== undefined && sha256(content) === file.after) return content;
  throw conflict(
    `An upgrade of this root was interrupted, and what it had laid ready for .planner/${file.path} is gone or was changed. Copy everything in .planner/${backup}/files back over .planner, remove .planner/local/upgrade and start again.`,
    { path: `.planner/local/upgrade/${file.staged}` },
  );
}

function toJson(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}

function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
