import { dirname, join } from 'node:path';
import { delay, systemClock } from '../clock.ts';
import { readProgramEnvironment } from '../config.ts';
import { PlannerError } from '../errors.ts';
import { startProgram } from '../platform/programs.ts';
import { replaceFile } from '../store/index.ts';
import { serviceRunningOver } from './cli-target.ts';
import { makePlannerRoot } from './make-root.ts';
import type { ProgramDeps } from './program-deps.ts';
import type { Address } from './service-client.ts';

/** How long a service may take to respond, in milliseconds: a large plan is loaded first. */
const startMsMax = 60_000;
const retryMs = 50;

/** How `planner serve` ended, if it did. */
interface Ended {
  readonly reason: string;
  /** The port that another program uses. */
  readonly port?: number;
}

/**
 * Starts `planner serve` over a root. It outlives this process, and writes what it logs to `local/serve.log`. At the usual port, so that the
 * address stays the same; if another program uses that, at a free one. Resolves when it responds.
 */
export async function startInBackground(deps: ProgramDeps, root: string): Promise<Address> {
  const first = await startAt(deps, root, []);
  if (!('reason' in first)) return first;
  const second = first.port === undefined ? first : await startAt(deps, root, ['--port', '0']);
  if (!('reason' in second)) return second;
  throw new PlannerError('unavailable', `The service could not be started: ${second.reason}`, { path: logFile(root) });
}

function logFile(root: string): string {
  return join(root, 'local', 'serve.log');
}

async function startAt(deps: ProgramDeps, root: string, options: readonly string[]): Promise<Address | Ended> {
  const { disk, program, environment } = deps;
  const { node, main } = program;
  // Also signs its `local/` if that is new.
  makePlannerRoot(deps, root);
  replaceFile(disk, logFile(root), Buffer.alloc(0), { mode: 0o600 });
  const log = disk.open(logFile(root), 'a');
  let ended: Promise<unknown>;
  try {
    const words = [...(main === undefined ? [] : [main]), 'serve', '--json', '--root', dirname(root), ...options];
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
  return { reason: `it did not respond within ${startMsMax / 1000} s; ${logFile(root)} has its log.` };
}

/** The error that it printed last, as JSON. */
function reasonIn({ disk }: ProgramDeps, root: string): Ended {
  const lines = disk.readIfExists(logFile(root))?.toString().trim().split('\n') ?? [];
  try {
    const { message, port } = JSON.parse(lines.at(-1) ?? '') as { readonly message?: string; readonly port?: number };
    if (message !== undefined) return { reason: message, ...(port === undefined ? {} : { port }) };
  } catch {
    // It printed something else, or nothing.
  }
  return { reason: `it ended; ${logFile(root)} has its log.` };
}
