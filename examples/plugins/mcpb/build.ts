import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packs the build as a bundle for desktop clients: `node examples/plugins/mcpb/build.ts planner.mcpb`, after `npm run build`. */

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const target = resolve(process.argv[2] ?? 'planner.mcpb');
const staging = mkdtempSync(join(tmpdir(), 'planner-mcpb-'));
try {
  for (const part of ['dist', 'schemas', 'package.json', 'LICENSE'])
    cpSync(join(repository, part), join(staging, part), { recursive: true });
  cpSync(fileURLToPath(new URL('manifest.json', import.meta.url)), join(staging, 'manifest.json'));
  // A fixed version: it decides what is a valid manifest.
  execFileSync('npx', ['--yes', '@anthropic-ai/mcpb@2.1.2', 'pack', staging, target], { stdio: 'inherit' });
} finally {
  rmSync(staging, { recursive: true });
}
