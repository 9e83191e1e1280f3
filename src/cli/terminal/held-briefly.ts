import { systemClock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import { retry } from '../../base/retry.ts';

/** How long to retry while another command has the files open, or a service is starting. */
export const waitSecondsMax = 10;
const retryDelayMs = 50;

export interface HeldBriefly {
  /** Called once if the files are held. */
  readonly onHeld?: (error: PlannerError) => void;
  /** True if the command is to end. */
  readonly isEnding?: () => boolean;
}

/** Opens what another command may have open: retries until it has ended, for a limited time. Then throws its `conflict`. */
export function whenFree<T>(open: () => Promise<T>, { onHeld, isEnding }: HeldBriefly = {}): Promise<T> {
  const mayRetry = (thrown: unknown, failures: number): boolean => {
    const waitedMs = (failures - 1) * retryDelayMs;
    if (!isHeldBriefly(thrown) || waitedMs >= waitSecondsMax * 1000 || isEnding?.() === true) return false;
    if (failures === 1) onHeld?.(thrown);
    return true;
  };
  return retry({ clock: systemClock, pauseMs: () => retryDelayMs, mayRetry }, open);
}

/**
 * Returns whether the lock's holder will release it soon or publish its address: a holder without an address is no
 * service.
 */
function isHeldBriefly(thrown: unknown): thrown is PlannerError {
  return thrown instanceof PlannerError && thrown.code === 'conflict' && thrown.details['address'] === null;
}
