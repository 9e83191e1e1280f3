import { hintAmong } from '../codec/key-hints.ts';
import { projectCodeOf } from '../../../base/ids.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableJson } from '../disk/durable-json.ts';
import { currentFormat, firstFormat } from '../disk/format.ts';
import type { FormatSettings } from '../disk/format.ts';
import { migrations } from '../disk/migration.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { mergedByPlanner, noConversion } from '../disk/root-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { Problem, Remedy } from '../../record/read-transaction.ts';

/** The parts of a project that config.json can exclude from git. */
export const privateParts = ['submissions', 'comments', 'runs', 'history'] as const;

/** Only the owner may read or write the file. */
const privateMode = 0o600;
const othersBits = 0o077;

interface Settings extends FormatSettings {
  readonly project_id?: unknown;
  readonly server_url?: unknown;
  readonly private?: unknown;
}

/** A problem of a root's own files, and its repair if that is safe. */
export interface RootProblem {
  readonly problem: Problem;
  /** Leftover that does no harm: it is repaired, but not reported. */
  readonly harmless?: boolean;
  /** Repairs the problem and returns what was done. */
  readonly repair?: () => string;
}

/**
 * Checks a root's own files: config.json, git's attributes and ignore files, the token's permissions, the note of a
 * running service. `projects` are the served ids, `format` is the format of the opened files, `unserved` are the names of
 * directories with records that are not served, `isKey` says whether a service of this root has a key with this secret.
 */
export function checkRootFiles(
  disk: Disk,
  layout: RootLayout,
  projects: ReadonlySet<string>,
  format = currentFormat(migrations),
  unserved: readonly string[] = [],
  isKey: (secret: string) => boolean = () => true,
): readonly RootProblem[] {
  const found: RootProblem[] = [];
  const settings = readSettings(disk, layout, found);
  if (settings !== undefined) {
    checkSettings(settings, projects, { unserved, deleted: deletedCodes(disk, layout) }, found);
    checkFormat(settings, format, found);
    noteMisspelled(settings, found);
  }
  const hidden = ['token', 'local/', ...privateLines(settings?.private)];
  checkLines(disk, layout, { name: '.gitignore', lines: hidden, kind: 'not_ignored' }, found);
  const attributes = { name: '.gitattributes', lines: [noConversion], kind: 'line_endings' };
  checkLines(disk, layout, attributes, found);
  checkLines(disk, layout, { ...attributes, lines: mergedByPlanner, kind: 'merge_attributes', harmless: true }, found);
  // The key of a service elsewhere is not among those of this root.
  checkToken(disk, layout, settings?.server_url === undefined ? isKey : () => true, found);
  checkServerFile(disk, layout, found);
  return found;
}

const settingNames = 'format project_id server_url remote private agent_share_links worktrees watch'.split(' ');

/** A key that is like a known one is ignored as any other, and most likely meant that one. */
function noteMisspelled(settings: Settings, found: RootProblem[]): void {
  const present = Object.keys(settings);
  for (const key of present.filter((one) => !settingNames.includes(one))) {
    const reason = hintAmong(settingNames, present, key);
    if (reason !== undefined)
      found.push({ problem: { path: shown('config.json'), kind: 'ignored_value', severity: 'note', reason } });
  }
}

function shown(name: string): string {
  return `.planner/${name}`;
}

function readSettings(disk: Disk, layout: RootLayout, found: RootProblem[]): Settings | undefined {
  const path = shown('config.json');
  const remedy = 'Repair the file in an editor: it is a JSON object like {"format": 1, "project_id": "prj_..."}.';
  try {
    const settings = new DurableJson<Settings | null>(disk, `${layout.root}/config.json`).readNow() ?? {};
    if (typeof settings === 'object' && !Array.isArray(settings)) return settings;
    found.push({ problem: { path, kind: 'settings', reason: 'It does not contain a JSON object.', remedy } });
  } catch (error) {
    found.push({ problem: { path, kind: 'unreadable', reason: (error as Error).message, remedy } });
  }
  return undefined;
}

function checkSettings(
  settings: Settings,
  projects: ReadonlySet<string>,
  { unserved, deleted }: { readonly unserved: readonly string[]; readonly deleted: ReadonlySet<string | undefined> },
  found: RootProblem[],
): void {
  const { project_id: project, server_url: server, private: hidden } = settings;
  const add = (reason: string, remedy: string | Remedy): void =>
    void found.push({ problem: { path: shown('config.json'), kind: 'settings', reason, remedy } });
  if (project !== undefined && typeof project !== 'string') {
    add('project_id is not a string.', { code: 'set_project' });
  } else if (project !== undefined && server === undefined && !projects.has(project)) {
    // To bind another project would not help if this one is there without a readable file.
    const code = projectCodeOf(project);
    if (deleted.has(code))
      add(`It binds the project ${project}, which was deleted.`, { code: 'restore_project', project });
    else if (!unserved.some((directory) => directory.endsWith(`-${code}`)))
      add(`It binds the project ${project}, which does not exist here.`, { code: 'bind_project' });
  }
  if (server !== undefined && typeof server !== 'string')
    add('server_url is not a string.', 'Set it to the URL of the service, or remove the line.');
  if (hidden !== undefined && !isPrivate(hidden))
    add('private is not a list of parts that can be private.', `It may name ${privateParts.join(', ')}.`);
}

/** The codes of the projects whose directories are in the trash. */
function deletedCodes(disk: Disk, { local }: RootLayout): ReadonlySet<string | undefined> {
  return new Set(disk.list(`${local}/trash`).map(({ name }) => /-([0-9a-hjkmnp-tv-z]{6})$/.exec(name)?.[1]));
}

/** The format differs from the one that was opened: a person checked out another branch, or edited it. */
function checkFormat({ format = firstFormat }: Settings, opened: number, found: RootProblem[]): void {
  if (format === opened) return;
  const reason = `It has format ${JSON.stringify(format)}, and the files are served as format ${opened}.`;
  const remedy = 'Restart the service, which upgrades older files, or check out the branch that it started with.';
  found.push({ problem: { path: shown('config.json'), kind: 'format', reason, remedy } });
}

function isPrivate(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((part) => (privateParts as readonly unknown[]).includes(part));
}

function privateLines(value: unknown): string[] {
  return isPrivate(value) ? value.map((part) => `projects/*/${part}/`) : [];
}

interface RequiredLines {
  readonly name: string;
  readonly lines: readonly string[];
  /** The kind of the problem. */
  readonly kind: string;
  /** Without these lines git merges worse, but nothing is lost. */
  readonly harmless?: boolean;
}

/** Lines that a file for git must have; other lines stay. */
function checkLines(
  disk: Disk,
  layout: RootLayout,
  { name, lines, kind, harmless = false }: RequiredLines,
  found: RootProblem[],
): void {
  const path = `${layout.root}/${name}`;
  const stat = disk.stat(path);
  if (stat !== undefined && stat.kind !== 'file') {
    const reason = 'It is not a regular file, so git does not read it.';
    found.push({ problem: { path: shown(name), kind, reason, remedy: 'Put a regular file there.' } });
    return;
  }
  const text = disk.readIfExists(path)?.toString() ?? '';
  const there = new Set(text.split('\n').map((line) => line.trim()));
  const missing = lines.filter((line) => !there.has(line) && !there.has(`/${line}`));
  if (missing.length === 0) return;
  const reason = `${missing.map((line) => JSON.stringify(line)).join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`;
  found.push({
    problem: { path: shown(name), kind, reason, remedy: { code: 'add_lines' } },
    harmless,
    repair: () => {
      // Read again: another line may have been added.
      const now = disk.readIfExists(path)?.toString() ?? '';
      const before = now === '' || now.endsWith('\n') ? now : `${now}\n`;
      replaceFile(disk, path, Buffer.from(`${before}${missing.join('\n')}\n`));
      return `${shown(name)} got ${missing.join(', ')}.`;
    },
  });
}

function checkToken(disk: Disk, layout: RootLayout, isKey: (secret: string) => boolean, found: RootProblem[]): void {
  const path = `${layout.root}/token`;
  const stat = disk.stat(path);
  if (stat === undefined) return;
  const problem = { path: shown('token'), kind: 'open_token' };
  if (stat.kind !== 'file') {
    const reason = 'It is not a regular file.';
    found.push({ problem: { ...problem, reason, remedy: { code: 'replace_token' } } });
    return;
  }
  if (!isKey(disk.read(path).toString().trim())) {
    const reason = 'No key has this secret: it was revoked, or the service does not know it.';
    found.push({ problem: { ...problem, kind: 'unknown_token', reason, remedy: { code: 'renew_token' } } });
  }
  if (process.platform !== 'win32' && (stat.mode & othersBits) !== 0) {
    const reason = `Other users of this machine may read the key (mode ${(stat.mode & 0o777).toString(8)}).`;
    found.push({
      problem: { ...problem, reason, remedy: { code: 'close_token' } },
      repair: () => {
        replaceFile(disk, path, disk.read(path), { mode: privateMode });
        return `${shown('token')} is closed to other users.`;
      },
    });
  }
}

/** The caller holds the root's lock: a note with another pid was left by a killed process. */
function checkServerFile(disk: Disk, layout: RootLayout, found: RootProblem[]): void {
  const file = new DurableJson<{ readonly pid?: unknown } | null>(disk, `${layout.local}/server.json`);
  let pid: unknown;
  try {
    const note = file.readNow();
    if (note === null) return;
    pid = note.pid;
  } catch {
    // An unreadable note names no process.
  }
  if (pid === process.pid) return;
  const path = shown('local/server.json');
  found.push({
    problem: {
      path,
      kind: 'stale_server',
      reason: 'It names a service that has ended.',
      remedy: 'No action is needed; the next service replaces it.',
    },
    harmless: true,
    repair: () => {
      file.removeNow();
      return `${path}, left behind by a service that was killed, was removed.`;
    },
  });
}
