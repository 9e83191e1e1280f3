import { type Clock, systemClock } from '../../src/base/clock.ts';

/**
 * Durations pass a hundred times as fast, so that tests do not wait for the service's timeouts. Timers take their time.
 */
export const quickClock: Clock = { ...systemClock, monotonic: () => 100 * systemClock.monotonic() };
