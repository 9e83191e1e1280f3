import type { TransactionContext } from '../../src/store/replica/transaction.ts';

/** The answers of a transaction about files in a project without files. */
export const withoutFiles = {
  linkedPart: () => undefined,
  bytes: () => undefined,
  storedBytes: () => 0,
  problems: () => [],
  problemOf: () => undefined,
  pathOf: () => undefined,
  fileByPerson: () => undefined,
  feed: () => undefined,
} as const satisfies Partial<TransactionContext>;
