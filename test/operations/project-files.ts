import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The only project's directory below a root, and its files by their paths in it. */
export function projectFiles(root: string): {
  readonly directory: string;
  readonly files: Readonly<Record<string, string>>;
} {
  const projects = join(root, 'projects');
  const [name = ''] = readdirSync(projects);
  const directory = join(projects, name);
  const files: Record<string, string> = {};
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(directory.length + 1)] = readFileSync(path, 'utf8');
  }
  return { directory, files };
}
