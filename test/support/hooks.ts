import type { RootHookObject } from 'mocha';
import './user-settings.ts';

/** How often a test that failed is tried again; PLANNER_TEST_RETRIES, else never. */
const retries = Number(process.env['PLANNER_TEST_RETRIES'] ?? 0);

/** Where tests decide over what is published, a machine's bad moment does not: the reporter names each test that needed a second try. */
export const mochaHooks: RootHookObject = {
  beforeEach(this: Mocha.Context) {
    this.currentTest?.retries(retries);
  },
};
