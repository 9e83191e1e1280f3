import { applyEdits, modify } from 'jsonc-parser';
import { idPrefixes, projectCodeOf, randomName } from '../../../base/ids.ts';
import type { Disk } from '../disk/disk.ts';
import { openFlags } from '../disk/disk.ts';
import type { Project } from '../project/project.ts';
import type { RootLayout } from '../disk/root-layout.ts';

export interface CopyOptions {
  readonly disk: Disk;
  readonly layout: RootLayout;
  /** The project of which the directory is a copy. */
  readonly project: Project;
  /** The copy's name below `projects/`. */
  readonly directory: string;
  /** The new project's code. */
  readonly code: string;
}

/** Endings of files that contain ids; any other file is a person's bytes. */
const texts = /\.(?:md|html|json|jsonl)$/;

/**
 * Rewrites the directory of a copied project under another code: all ids of the project's own get that code, in files
 * and in file names, so that no id exists in both projects. Returns the new project's id and directory; the copied
 * directory is left unchanged. Until it is complete, the new directory is in `local/`.
 */
export function copyWithNewIds({ disk, layout, project, directory, code }: CopyOptions): {
  readonly id: string;
  readonly directory: string;
} {
  const rename = newIds(project.code, code);
  const id =
    projectCodeOf(project.id) === undefined ? `${idPrefixes.project}_${code}${randomName()}00` : rename(project.id);
  const name = `${slugOfDirectory(directory, project.code)}-${code}`;
  const from = `${layout.projects}/${directory}`;
  const temporary = `${layout.temporary}/${randomName()}`;
  copyDirectory(disk, from, temporary, rename, '');
  setProjectId(disk, `${temporary}/project.json`, id);
  disk.rename(temporary, `${layout.projects}/${name}`);
  disk.syncDirectory(layout.projects);
  return { id, directory: name };
}

/** Ids keep their last ten characters, so that texts keep their lengths and ids their order. */
function newIds(oldCode: string, code: string): (text: string) => string {
  const prefixes = Object.values(idPrefixes).join('|');
  const pattern = new RegExp(
    `(?<![A-Za-z0-9_-])(${prefixes})_${oldCode}([0-9a-hjkmnp-tv-z]{10})(?![A-Za-z0-9_-])`,
    'g',
  );
  return (text) => text.replace(pattern, `$1_${code}$2`);
}

function slugOfDirectory(directory: string, oldCode: string): string {
  const at = directory.indexOf(`-${oldCode}`);
  return at <= 0
    ? directory.replace(/[^\p{L}\p{N}-]+/gu, '-').replace(/^-|-$/g, '') || 'project'
    : directory.slice(0, at);
}

function copyDirectory(disk: Disk, from: string, to: string, rename: (text: string) => string, below: string): void {
  disk.makeDirectory(to);
  for (const { name, kind } of disk.list(from)) {
    // Links are not followed.
    if (kind === 'other') continue;
    const [source, target] = [`${from}/${name}`, `${to}/${rename(name)}`];
    if (kind === 'directory') copyDirectory(disk, source, target, rename, `${below}${name}/`);
    else writeFile(disk, target, content(disk.read(source), `${below}${name}`, rename));
  }
  disk.syncDirectory(to);
}

/** The bytes of an uploaded file are not changed, whatever they contain. */
function content(bytes: Buffer, path: string, rename: (text: string) => string): Uint8Array {
  const isUpload = path.startsWith('files/') && !path.endsWith('.json');
  if (!texts.test(path) || isUpload) return bytes;
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes)) return bytes;
  return Buffer.from(rename(text));
}

function writeFile(disk: Disk, path: string, bytes: Uint8Array): void {
  const fd = disk.open(path, openFlags.create, 0o666);
  try {
    disk.write(fd, bytes);
    disk.sync(fd);
  } finally {
    disk.close(fd);
  }
}

function setProjectId(disk: Disk, path: string, id: string): void {
  const text = disk.read(path).toString();
  const edited = applyEdits(text, modify(text, ['id'], id, {}));
  if (edited === text) return;
  disk.remove(path);
  writeFile(disk, path, Buffer.from(edited));
}
