import { type Clock, systemClock } from '../../src/base/clock.ts';

/** Durations pass a hundred times as fast: tests do not wait for what the service gives up. Timers take their time. */
export const quickClock: Clock = { ...systemClock, monotonic: () => 100 * systemClock.monotonic() };
