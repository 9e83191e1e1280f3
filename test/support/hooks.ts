import type { RootHookObject } from 'mocha';
import './built-threads.ts';
import './compile-cache.ts';
import './run-beside.ts';
import './user-settings.ts';

/** Mocha drops an unhandled rejection, which ends a process of the service: thrown, it fails the test. */
function rethrow(reason: unknown): never {
  throw reason;
}

/** The least limit of a test: it ends a test that hangs. Tests that run while a virtual machine is paused for a minute do not fail. */
const testMsMin = 240_000;

export const mochaHooks: RootHookObject = {
  beforeAll() {
    process.on('unhandledRejection', rethrow);
  },
  beforeEach(this: Mocha.Context) {
    const limit = this.currentTest?.timeout() ?? 0;
    if (limit > 0 && limit < testMsMin) this.currentTest?.timeout(testMsMin);
  },
  afterAll() {
    process.off('unhandledRejection', rethrow);
  },
};
