import { join } from 'node:path';
import { delay, systemClock } from '../../base/clock.ts';
import { DurableJson, holderOf, isSameHolder } from '../../store/index.ts';
import type { Disk, LockHolder } from '../../store/index.ts';

const retryMs = 50;

/**
 * The holder that the lock of a root names; null without a lock, or if another program wrote it. `root`: the `.planner`
 * directory, absolute.
 */
export function holderIn(disk: Disk, root: string): LockHolder | null {
  try {
    return holderOf(new DurableJson<unknown>(disk, join(root, 'local', 'lock.json')).readNow());
  } catch {
    return null;
  }
}

/** Waits until a holder has released the root, for a time or until `isEnding`. Resolves with whether it has. */
export async function isReleased(
  disk: Disk,
  root: string,
  holder: LockHolder,
  { waitMsMax, isEnding = () => false }: { readonly waitMsMax: number; readonly isEnding?: () => boolean },
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < waitMsMax && !isEnding(); waitedMs += retryMs) {
    const now = holderIn(disk, root);
    if (now === null || !isSameHolder(now, holder)) return true;
    await delay(systemClock, retryMs);
  }
  return false;
}
