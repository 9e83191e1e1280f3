import type { RootHookObject } from 'mocha';
import './user-settings.ts';

/** How often a test that failed is tried again; PLANNER_TEST_RETRIES, else never. */
const retries = Number(process.env['PLANNER_TEST_RETRIES'] ?? 0);

/** Where tests decide over what is published, a machine's bad moment does not: the reporter names each test that needed a second try. */
/** Mocha drops an unhandled rejection, which ends a process of the service: thrown, it fails the test. */
function rethrow(reason: unknown): never {
  throw reason;
}

export const mochaHooks: RootHookObject = {
  beforeAll() {
    process.on('unhandledRejection', rethrow);
  },
  afterAll() {
    process.off('unhandledRejection', rethrow);
  },
  beforeEach(this: Mocha.Context) {
    this.currentTest?.retries(retries);
  },
};
