import type { TransactionContext } from '../../src/store/replica/transaction.ts';

/** What a transaction finds of files in a project that has none. */
export const withoutFiles = {
  linkedPart: () => undefined,
  bytes: () => undefined,
  storedBytes: () => 0,
  problems: () => [],
  problemOf: () => undefined,
  sharing: () => [],
  pathOf: () => undefined,
  fileByPerson: () => undefined,
  feed: () => undefined,
} as const satisfies Partial<TransactionContext>;
