import type { Disk } from './disk.ts';
import { openFlags } from './disk.ts';
import type { RootLayout } from './root-layout.ts';

const ignore = `# This machine's own: the journal, the lock, caches and keys. Never commit them.
token
local/
`;

const attributes = `# Bodies are kept byte for byte: no line-ending conversion.
* -text
`;

const config = `${JSON.stringify({ format: 1 }, undefined, 2)}\n`;

/** The version of the format on disk, as config.json says it. */
export const formatVersion = 1;

/** Makes a `.planner` and what git has to know about it, first of all; files that a person has changed are left as they are. */
export function makeRoot(disk: Disk, layout: RootLayout): void {
  disk.makeDirectory(layout.root);
  create(disk, `${layout.root}/.gitignore`, ignore);
  create(disk, `${layout.root}/.gitattributes`, attributes);
  create(disk, `${layout.root}/config.json`, config);
  for (const directory of [layout.projects, layout.local, layout.temporary]) disk.makeDirectory(directory);
}

function create(disk: Disk, path: string, text: string): void {
  if (disk.stat(path) !== undefined) return;
  const fd = disk.open(path, openFlags.create);
  try {
    disk.write(fd, Buffer.from(text));
    disk.sync(fd);
  } finally {
    disk.close(fd);
  }
}
