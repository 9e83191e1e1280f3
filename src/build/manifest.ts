import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `strip` reduces package.json to the fields for users of the package, `restore` restores it: npm packs in between. The
 * build contains its dependencies, so the package declares no dependencies.
 */

const path = fileURLToPath(new URL('../../package.json', import.meta.url));
const kept = fileURLToPath(new URL('../../node_modules/.package.json', import.meta.url));
const ofTheRepository = ['scripts', 'dependencies', 'devDependencies', 'workspaces', 'overrides', 'allowScripts'];

if (process.argv[2] === 'restore') renameSync(kept, path);
else {
  copyFileSync(path, kept);
  const manifest = Object.entries(JSON.parse(readFileSync(path, 'utf8')) as object);
  const published = Object.fromEntries(manifest.filter(([member]) => !ofTheRepository.includes(member)));
  writeFileSync(path, `${JSON.stringify(published, undefined, 2)}\n`);
}
