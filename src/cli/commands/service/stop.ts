import type { Command } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { conflict, PlannerError } from '../../../base/errors.ts';
import { isAlive, isInOtherContainer, isOnOtherMachine, thisMachine } from '../../../store/index.ts';
import type { LockHolder } from '../../../store/index.ts';
import { addCommand } from '../../call/command-line.ts';
import { serviceRunningOver } from '../../call/cli-target.ts';
import { requireOwnLocal } from '../../machine/local-ownership.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { holderIn, isReleased } from '../../service/root-holder.ts';
import { commandRoot } from '../../worktrees/command-root.ts';

/** How long a service may take to write the acknowledged changes, in milliseconds. */
const endMsMax = 30_000;
/** A service notes every few seconds that it runs: without that for this long, another machine counts it as gone. */
const beatMsMax = 20_000;

/** `stop`: ends the service that runs over a root. */
export function addStopCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'stop',
      isChange: true,
      description:
        'end the service that runs over this root; it completes its requests and writes its files first. One that planner mcp runs ends with its MCP client',
      examples: ['stop', 'stop --root ../my-repository'],
    },
    async (_, options, out) => {
      const root = await commandRoot(deps, options);
      await requireOwnLocal(deps, root);
      const holder = await serviceIn(deps, root);
      if (holder === undefined) return out.printNo({ root, stopped: null }, `No service runs over ${root}.`);
      const { pid, address } = holder;
      await end(deps, root, holder);
      out.print({ root, stopped: { pid, url: address } }, `The service of ${root} has ended (process ${pid}).`);
    },
  );
}

/** The process that serves a root, by its lock: it is alive according to this kernel, or responds under the name in the lock. */
async function serviceIn(deps: ProgramDeps, root: string): Promise<LockHolder | undefined> {
  const { disk } = deps;
  const holder = holderIn(disk, root);
  if (holder === null) return undefined;
  const machine = thisMachine(disk);
  // Elsewhere the pid is another process's.
  if (isOnOtherMachine(holder, machine) || isInOtherContainer(holder, machine)) {
    if (systemClock.now() - Date.parse(holder.beat) > beatMsMax) return undefined;
    throw conflict(`The service of ${root} runs on ${holder.host}, elsewhere: run planner stop there.`);
  }
  const running = await serviceRunningOver(deps, root);
  if (running === undefined && !isAlive(disk, holder, machine)) return undefined;
  if (running?.embedded === true)
    throw conflict(
      `The service of ${root} runs in planner mcp (process ${holder.pid}), which an MCP client started: it ends with that client. ` +
        `planner serve takes the plan over from it. If that client is gone, kill ${holder.pid} ends it.`,
      { pid: holder.pid, url: running.url },
    );
  if (holder.address === null)
    throw conflict(`Process ${holder.pid} has ${root} open, and is no service: wait until it has ended.`);
  return holder;
}

async function end({ disk }: ProgramDeps, root: string, holder: LockHolder): Promise<void> {
  const { pid } = holder;
  signal(pid);
  if (await isReleased(disk, root, holder, { waitMsMax: endMsMax })) return;
  const remedy = `kill -KILL ${pid} ends it at once, and no acknowledged change is lost.`;
  throw new PlannerError('unavailable', `Process ${pid} has not ended within ${endMsMax / 1000} s: ${remedy}`, { pid });
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    throw conflict(`Process ${pid} belongs to another user, who has to run planner stop, or is gone: try again.`, {
      pid,
    });
  }
}
