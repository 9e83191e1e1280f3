import { PlannerError } from '../../base/errors.ts';

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
export async function whenFree<T>(open: () => Promise<T>, { onHeld, isEnding }: HeldBriefly = {}): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += retryDelayMs) {
    try {
      return await open();
    } catch (thrown) {
      if (!isHeldBriefly(thrown) || waitedMs >= waitSecondsMax * 1000 || isEnding?.() === true) throw thrown;
      if (waitedMs === 0) onHeld?.(thrown);
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
  }
}

/**
 * Returns whether the lock's holder will release it soon or publish its address: a holder without an address is no
 * service.
 */
function isHeldBriefly(thrown: unknown): thrown is PlannerError {
  return thrown instanceof PlannerError && thrown.code === 'conflict' && thrown.details['address'] === null;
}
