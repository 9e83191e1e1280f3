import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `strip` leaves in package.json what concerns those who install the package, `restore` puts the whole back: npm packs
 * in between. The build contains what it imports, so that the package depends on nothing.
 */

const path = fileURLToPath(new URL('../package.json', import.meta.url));
const kept = fileURLToPath(new URL('../node_modules/.package.json', import.meta.url));
const ofTheRepository = ['scripts', 'dependencies', 'devDependencies', 'overrides', 'allowScripts'];

if (process.argv[2] === 'restore') renameSync(kept, path);
else {
  copyFileSync(path, kept);
  const manifest = Object.entries(JSON.parse(readFileSync(path, 'utf8')) as object);
  const published = Object.fromEntries(manifest.filter(([member]) => !ofTheRepository.includes(member)));
  writeFileSync(path, `${JSON.stringify(published, undefined, 2)}\n`);
}
