import type { RootHookObject } from 'mocha';
import './compile-cache.ts';
import './user-settings.ts';

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
};
