/**
 * `node test/checks.ts <script>...` runs npm scripts side by side, as many at a time as there are processors, in the order given; without
 * arguments, all checks. Each is a program of one thread. The output of a script is printed when it ends; the exit code is 1 if one of them failed.
 */
import { spawn } from 'node:child_process';
import { availableParallelism, setPriority } from 'node:os';

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

function run(script: string): Promise<Ended> {
  const began = performance.now();
  // Go collects garbage a quarter as often: the linter, a program in Go, takes a fifth less processor time, and as much memory.
  const env = { GOGC: '400', ...process.env };
  const child = spawn('npm', ['run', '--silent', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, seconds: (performance.now() - began) / 1000 }));
  });
}

/** The linter reports errors of types, too: it has checked them for its rules. `npm run typecheck` is for these alone. */
const all = ['lint', 'format:check', 'layers', 'generate:check'];
const scripts = process.argv.length > 2 ? process.argv.slice(2) : all;
/** The lanes share the scripts: each takes the next one. */
const waiting = scripts.values();

async function lane(): Promise<void> {
  for (const script of waiting) {
    const { code, output, seconds } = await run(script);
    console.log(`${script}: ${code === 0 ? 'passed' : 'failed'} (${seconds.toFixed(1)} s)`);
    if (code === 0) continue;
    console.log(output);
    process.exitCode = 1;
  }
}

// Tests that run beside them come first, and leave enough time when they wait.
setPriority(10);
await Promise.all(Array.from({ length: availableParallelism() }, lane));
