import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The directory of the only project below a root. */
export function projectDirectory(root: string): string {
  const projects = join(root, '.planner', 'projects');
  const [name, another] = readdirSync(projects).filter((entry) => !entry.startsWith('.'));
  if (name === undefined || another !== undefined) throw new Error(`There should be one project in ${projects}.`);
  return join(projects, name);
}

/** The number of files in a directory; 0 if it does not exist yet. */
export function countFiles(directory: string): number {
  try {
    return readdirSync(directory).length;
  } catch {
    return 0;
  }
}

/** The stat of every file below a directory, by path; empty if it does not exist. */
export function statAll(directory: string): Map<string, { readonly bytes: number; readonly stamp: string }> {
  const found = new Map<string, { bytes: number; stamp: string }>();
  if (!existsSync(directory)) return found;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined) found.set(path, { bytes: Number(stat.size), stamp: `${stat.ino}.${stat.mtimeNs}` });
  }
  return found;
}

/** The bytes of every file directly in a directory. */
export function readAll(directory: string): Buffer[] {
  return readdirSync(directory).map((name) => readFileSync(join(directory, name)));
}

/** When the newest of the files directly in a directory was renamed or written, in milliseconds since the Unix epoch. */
export function lastChange(directory: string): number {
  return readdirSync(directory).reduce((last, name) => Math.max(last, statSync(join(directory, name)).ctimeMs), 0);
}

/** The path of the file in `directory` whose front matter has this id. Throws without such a file. */
export function fileOf(directory: string, id: string): string {
  const named = readdirSync(directory).find((name) => name.includes(id));
  if (named === undefined) throw new Error(`No file in ${directory} is named after ${id}.`);
  return join(directory, named);
}

/** Polls every `everyMs` until the condition holds. Throws after `msMax`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  everyMs = 20,
  msMax = 120_000,
): Promise<void> {
  const began = performance.now();
  while (!(await condition())) {
    if (performance.now() - began > msMax) throw new Error(`Waited ${msMax} ms in vain: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
