import { dirname, join } from 'node:path';
import { delay, systemClock } from '../../base/clock.ts';
import { readProgramEnvironment } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import { startProgram } from '../../platform/programs.ts';
import { replaceFile } from '../../store/index.ts';
import { requireOwnLocal } from '../machine/local-ownership.ts';
import { readRootConfig } from '../service/root.ts';
import { commandRoot } from '../worktrees/command-root.ts';
import type { RootOptions } from '../worktrees/command-root.ts';
import { serviceByUrl, serviceOf, serviceRunningOver } from './cli-target.ts';
import { makePlannerRoot } from './make-root.ts';
import type { ProgramDeps } from './program-deps.ts';
import type { Address } from '../service/service-client.ts';

/** How long a service may take to respond, in milliseconds: a large plan is loaded first. */
const startMsMax = 60_000;
const retryMs = 50;

/** The service that is meant: the one in PLANNER_URL, else that of the root, which is started if none serves it. */
export async function serviceOrStart(
  deps: ProgramDeps,
  chosen: RootOptions,
): Promise<{ readonly address: Address; readonly started: boolean }> {
  const { url } = deps.environment();
  if (chosen.root === undefined && url !== undefined) return { address: await serviceByUrl(deps, url), started: false };
  const root = await commandRoot(deps, chosen);
  await requireOwnLocal(deps, root);
  const running = await serviceOf(deps, root, await readRootConfig(root, deps.disk));
  if (running !== undefined) return { address: running, started: false };
  return { address: await startInBackground(deps, root), started: true };
}

/**
 * Starts `planner serve` over a root. It outlives this process, and writes its log to `local/serve.log`. Resolves when
 * it responds.
 */
async function startInBackground(deps: ProgramDeps, root: string): Promise<Address> {
  const found = await startAndWait(deps, root);
  if (typeof found !== 'string') return found;
  throw new PlannerError('unavailable', `The service could not be started: ${found}`, { path: logFile(root) });
}

function logFile(root: string): string {
  return join(root, 'local', 'serve.log');
}

/** Resolves with the address, or with the reason of the failure. */
async function startAndWait(deps: ProgramDeps, root: string): Promise<Address | string> {
  const { disk, program, environment } = deps;
  const { node, main } = program;
  // Also signs its `local/` if that is new.
  makePlannerRoot(deps, root);
  replaceFile(disk, logFile(root), Buffer.alloc(0), { mode: 0o600 });
  const log = disk.open(logFile(root), 'a');
  let ended: Promise<unknown>;
  try {
    const words = [...(main === undefined ? [] : [main]), 'serve', '--json', '--root', dirname(root)];
    const level = environment().logLevel === undefined ? { PLANNER_LOG: 'warn' } : {};
    const child = startProgram(node, words, {
      env: { ...readProgramEnvironment(), ...level },
      cwd: dirname(root),
      stdio: ['ignore', log, log],
      detached: true,
    });
    child.unref();
    ended = new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
  } finally {
    disk.close(log);
  }
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  for (let waitedMs = 0; waitedMs < startMsMax; waitedMs += retryMs) {
    const found = await serviceRunningOver(deps, root);
    if (found !== undefined) return found;
    if (hasEnded) return reasonIn(deps, root);
    await delay(systemClock, retryMs);
  }
  return `it did not respond within ${startMsMax / 1000} s; ${logFile(root)} has its log.`;
}

/** The error that it printed last, as JSON. */
function reasonIn({ disk }: ProgramDeps, root: string): string {
  const lines = disk.readIfExists(logFile(root))?.toString().trim().split('\n') ?? [];
  try {
    const { message } = JSON.parse(lines.at(-1) ?? '') as { readonly message?: string };
    if (message !== undefined) return message;
  } catch {
    // The service printed something else, or nothing.
  }
  return `it ended; ${logFile(root)} has its log.`;
}
