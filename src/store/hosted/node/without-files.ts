import type { TransactionContext } from '../../replica/transaction.ts';

/** What a transaction finds of files in a project that has none. */
export const withoutFiles = {
  linkedPart: () => undefined,
  problemOf: () => undefined,
  sharing: () => [],
  pathOf: () => undefined,
  fileByPerson: () => undefined,
} as const satisfies Partial<TransactionContext>;
