#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  console.error(`Planner needs Node 22.22 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}

const [command, ...given] = process.argv.slice(2);
// Git starts the merge driver once per file: load only the merge code.
if (command === 'merge-driver' && given.length === 4 && given.every((one) => !one.startsWith('-'))) {
  const { mergeForGit } = await import('./git-merge.ts');
  process.exitCode = mergeForGit(given);
} else {
  const { runHere } = await import('./start.ts');
  process.exitCode = await runHere();
}
