import { join } from 'node:path';
import { isoTime, systemClock } from '../../base/clock.ts';
import { conflict, PlannerError } from '../../base/errors.ts';
import {
  DurableJson,
  errorCode,
  isInOtherContainer,
  isOnOtherMachine,
  isSuspended,
  removeQuietly,
  thisMachine,
} from '../../store/index.ts';
import type { Disk, LockHolder } from '../../store/index.ts';
import { serviceRunningOver } from './cli-target.ts';
import type { ProgramDeps } from './program-deps.ts';
import { holderIn, isReleased } from '../service/root-holder.ts';
import { ServiceClient } from '../service/service-client.ts';

/** `local/taking-over.json`: the process that is about to serve the root, for the windows of `planner mcp` that could do so as well. */
interface Announcement {
  readonly pid: number;
  /** Afterwards it no longer counts. ISO 8601. */
  readonly until: string;
}

/** How long a window may take to answer its calls and write its files, and this process to open them, in milliseconds. */
const takeOverMsMax = 60_000;
const releaseMsMax = 30_000;
/** How long one that does not respond may take to end, in milliseconds. */
const endMsMax = 1_000;
/** A window that has not seen the announcement may be faster than this process. */
const attemptsMax = 5;

function announcementFile(root: string): string {
  return join(root, 'local', 'taking-over.json');
}

function announcement(disk: Disk, root: string): DurableJson<Announcement> {
  return new DurableJson(disk, announcementFile(root), { mode: 0o600 });
}

/**
 * Returns whether a process of this machine is about to serve a root: `planner mcp` waits for it. `root`: the
 * `.planner` directory, absolute.
 */
export function isBeingTakenOver(disk: Disk, root: string): boolean {
  const found = read(disk, root);
  if (found === null) return false;
  const leftMs = Date.parse(found.until) - systemClock.now();
  return leftMs > 0 && leftMs <= takeOverMsMax && isRunning(found.pid);
}

function read(disk: Disk, root: string): Announcement | null {
  try {
    return announcement(disk, root).readNow();
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another user.
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Opens a root for `planner serve`. If a window of `planner mcp` serves it, that is asked to hand it over: it completes its requests, writes
 * its files, and uses the service that is opened then, as the other windows do. Throws the `conflict` of `open` for any other holder.
 */
export async function openTakingOver<T>(
  deps: ProgramDeps,
  root: string,
  open: () => Promise<T>,
  isEnding: () => boolean,
): Promise<T> {
  const { disk } = deps;
  let from: LockHolder | undefined;
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const opened = await open();
        if (from !== undefined)
          deps.remark(`Taken over from planner mcp (process ${from.pid}), which uses this service from now on.`);
        return opened;
      } catch (thrown) {
        if (!isHeld(thrown) || isEnding() || attempt > attemptsMax) throw thrown;
        const holder = holderIn(disk, root);
        if (holder !== null && (await handOver(deps, root, thrown, { holder, isEnding }))) from = holder;
      }
    }
  } finally {
    if (read(disk, root)?.pid === process.pid) removeQuietly(disk, announcementFile(root));
  }
}

/** Returns whether a service has the root: other holders have no address. */
function isHeld(thrown: unknown): thrown is PlannerError {
  return thrown instanceof PlannerError && thrown.code === 'conflict' && typeof thrown.details['address'] === 'string';
}

/** Waits until the holder has released the root. Resolves with whether it was asked to. */
async function handOver(
  deps: ProgramDeps,
  root: string,
  held: PlannerError,
  { holder, isEnding }: { readonly holder: LockHolder; readonly isEnding: () => boolean },
): Promise<boolean> {
  const { disk } = deps;
  const running = await serviceRunningOver(deps, root);
  if (running === undefined) {
    if (!canRespond(disk, holder)) throw held;
    // The service may be ending, or handing the root over to another service.
    const waitMsMax = isBeingTakenOver(disk, root) ? releaseMsMax : endMsMax;
    if (await isReleased(disk, root, holder, { waitMsMax, isEnding })) return false;
    throw withRemark(held, 'It does not respond.');
  }
  if (running.embedded === undefined)
    throw withRemark(
      held,
      `It is Planner ${running.version}, which hands over no root. If planner mcp runs it, restart the client of that with this version, ${deps.version}.`,
    );
  if (!running.embedded) throw held;
  const until = isoTime(systemClock.now() + takeOverMsMax);
  announcement(disk, root).writeNow({ pid: process.pid, until });
  try {
    await new ServiceClient(running).request('POST', '/service/hand-over');
  } catch (thrown) {
    // The service may have ended without a call.
    if (!(thrown instanceof PlannerError)) throw thrown;
    if (thrown.code !== 'unavailable') throw withRemark(held, `It does not hand the root over: ${thrown.message}`);
  }
  const isFree = await isReleased(disk, root, holder, { waitMsMax: releaseMsMax, isEnding });
  if (!isFree) throw withRemark(held, `It has not handed the root over within ${releaseMsMax / 1000} s.`);
  return true;
}

/** Returns whether the holder would respond to this process if it worked correctly. */
function canRespond(disk: Disk, holder: LockHolder): boolean {
  const machine = thisMachine(disk);
  return !isOnOtherMachine(holder, machine) && !isInOtherContainer(holder, machine) && !isSuspended(disk, holder);
}

function withRemark({ message, details }: PlannerError, remark: string): PlannerError {
  return conflict(`${message} ${remark}`, details);
}
