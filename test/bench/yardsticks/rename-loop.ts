/**
 * Yardstick of writing files: writes every file of a directory to a temporary file and renames it over its target, without syncing. Prints
 * files per second. `node rename-loop.ts <source directory> <target directory>`
 */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [, , source, target] = process.argv;
const files = readdirSync(source!).map((name) => ({ name, bytes: readFileSync(join(source!, name)) }));
const temporary = join(target!, 'tmp');
const final = join(target!, 'files');
mkdirSync(temporary, { recursive: true });
mkdirSync(final, { recursive: true });

const began = performance.now();
for (const { name, bytes } of files) {
  const path = join(temporary, 'next');
  const descriptor = openSync(path, 'w');
  writeSync(descriptor, bytes);
  closeSync(descriptor);
  renameSync(path, join(final, name));
}
process.stdout.write(String(files.length / ((performance.now() - began) / 1000)));
