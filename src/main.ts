#!/usr/bin/env node
// Without static imports: an older Node would report their missing exports instead of this message.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  console.error(`Planner needs Node 22.22 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}

// Sources change: compiled code of theirs would only pile up.
if (import.meta.filename.endsWith('.js') && process.env['NODE_COMPILE_CACHE'] === undefined) await cacheCompiledCode();

const [command, ...given] = process.argv.slice(2);
// Git starts the merge driver once per file: load only the merge code.
if (command === 'merge-driver' && given.length === 4 && given.every((one) => !one.startsWith('-'))) {
  const { mergeForGit } = await import('./main/git-merge.ts');
  process.exitCode = mergeForGit(given);
} else {
  const { runHere } = await import('./main/start.ts');
  process.exitCode = await runHere();
}

/**
 * Keeps compiled code in a directory of the user. Node's default is below /tmp, where others could put code in its
 * place. Without a directory that only the user can write, everything is compiled at each start.
 */
async function cacheCompiledCode(): Promise<void> {
  const { enableCompileCache } = await import('node:module');
  const { compiledDirectory } = await import('./platform/cache-directory.ts');
  const directory = compiledDirectory();
  if (directory !== undefined) enableCompileCache(directory);
}
