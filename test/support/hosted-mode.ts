import type { Runnable } from 'mocha';

/**
 * True if services of tests keep their projects in a log that nodes share instead of files (`npm run mocha:hosted`).
 * Tests about files are left out then: they skip themselves when they look at the service's directory.
 */
export const isHosted = process.env['PLANNER_TEST_STORE'] === 'hosted';

const running: { runnable: Runnable | undefined } = { runnable: undefined };

/** The reporter says which test or hook runs. */
export function runs(runnable: Runnable | undefined): void {
  running.runnable = runnable;
}

/** Leaves out the running test, or the tests that the running hook prepares. */
export function aboutFiles(): never {
  running.runnable?.skip();
  throw new Error('This test is about files, and the service has none.');
}

/** Skips tests about files that do not look at the service's directory. */
export function requireFiles(): void {
  if (isHosted) aboutFiles();
}
