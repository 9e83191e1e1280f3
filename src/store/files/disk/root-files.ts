import type { Disk } from './disk.ts';
import { dirname } from 'node:path';
import { firstFormat } from './format.ts';
import { migrations } from './migration.ts';
import type { Migration } from './migration.ts';
import { removeQuietly, replaceFile } from './replace-file.ts';
import { refuseLinks } from './refuse-links.ts';
import type { RootLayout } from './root-layout.ts';

const temporaryName = /^\..*\.tmp$/;

const ignore = `# This machine's own: the journal, the lock, caches and keys. Never commit them.
token
local/
`;

/** Bodies are kept byte for byte: no line-ending conversion. */
export const noConversion = '* -text';

/** Records merge field by field if the repository has the merge driver; other clones merge them as text. */
export const mergedByPlanner: readonly string[] = [
  'config.json merge=planner',
  ...['md', 'json', 'html', 'jsonl'].map((ending) => `projects/**/*.${ending} merge=planner`),
];

const attributes = `# Bodies are kept byte for byte: no line-ending conversion.
${noConversion}
# Branches merge field by field, by the driver that planner init registers; without it as any text.
${mergedByPlanner.join('\n')}
`;

/** Projects without a config.json have the first format. */
function config(disk: Disk, layout: RootLayout, known: readonly Migration[]): string {
  const last = disk.list(layout.projects).length === 0 ? known.at(-1) : undefined;
  const settings = last === undefined ? { format: firstFormat } : { format: last.to, planner: last.since };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

/**
 * Creates a `.planner` and git's files in it before anything else; files that a person has changed are kept. Each file
 * appears complete or not at all, and survives a power failure. `signLocal` is called if `local/` did not exist.
 */
export function makeRoot(
  disk: Disk,
  layout: RootLayout,
  { known = migrations, signLocal }: { readonly known?: readonly Migration[]; readonly signLocal: () => void },
): void {
  refuseLinks(disk, layout);
  makeDirectoryDurably(disk, layout.root);
  if (isNewLocal(disk, layout.local)) {
    makeDirectoryDurably(disk, layout.local, privateDirectoryMode);
    signLocal();
  }
  makeDirectoryDurably(disk, layout.temporary);
  create(disk, layout, '.gitignore', ignore);
  create(disk, layout, '.gitattributes', attributes);
  create(disk, layout, 'config.json', config(disk, layout, known));
  makeDirectoryDurably(disk, layout.projects);
}

/** Returns whether `local/` is empty: it does not exist, is a new volume, or an earlier start was interrupted. */
export function isNewLocal(disk: Disk, local: string): boolean {
  return disk.list(local).every(({ name, kind }) => kind === 'file' && temporaryName.test(name));
}

/** `local/` contains keys, sign-ins and every text of the plan: only its user may access it. */
export const privateDirectoryMode = 0o700;
export const privateFileMode = 0o600;

/** Creates a missing directory and syncs its parent: otherwise everything synced below it could be lost with it. */
export function makeDirectoryDurably(disk: Disk, directory: string, mode?: number): void {
  if (disk.stat(directory) !== undefined) return;
  disk.makeDirectory(directory, mode);
  disk.syncDirectory(dirname(directory));
}

function create(disk: Disk, layout: RootLayout, name: string, text: string): void {
  const path = `${layout.root}/${name}`;
  if (disk.stat(path) !== undefined) return;
  replaceFile(disk, path, Buffer.from(text), { temporaryDirectory: layout.temporary });
}

/** Removes leftover temporary files. Call it only with the root's lock held, before anything is written. */
export function removeTemporaryFiles(disk: Disk, layout: RootLayout): void {
  for (const directory of [layout.local, layout.temporary]) {
    for (const { name, kind } of disk.list(directory))
      if (kind === 'file' && temporaryName.test(name)) removeQuietly(disk, `${directory}/${name}`);
  }
}
