import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { nodeDisk, replaceFile } from '../store/index.ts';

/** A committed file that is generated from the sources. */
export interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly content: () => string | Promise<string>;
}

/** The text of a file of the repository. */
export function textOf(path: string): string {
  return nodeDisk.read(absoluteOf(path)).toString();
}

/** Writes the files that changed; with the argument `--check`, lists them instead. Returns the exit code. */
export async function writeFiles(files: readonly GeneratedFile[]): Promise<number> {
  const check = process.argv.includes('--check');
  let stale = 0;
  for (const { path, content } of files) {
    const absolute = absoluteOf(path);
    const { code } = await format(absolute, await content(), { printWidth: 120, singleQuote: true });
    const made = Buffer.from(code);
    const present = nodeDisk.readIfExists(absolute);
    if (present?.equals(made) === true) continue;
    stale++;
    console.log(check ? `${path} is out of date: run npm run generate.` : `${path} written.`);
    if (check) continue;
    nodeDisk.makeDirectory(dirname(absolute));
    replaceFile(nodeDisk, absolute, made);
  }
  return check && stale > 0 ? 1 : 0;
}

/** The absolute path of a file or directory of the repository. */
export function absoluteOf(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
