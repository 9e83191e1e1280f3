import type { TransactionContext } from '../../replica/transaction.ts';

/** The answers of a transaction about files in a project without files. */
export const withoutFiles = {
  linkedPart: () => undefined,
  problemOf: () => undefined,
  pathOf: () => undefined,
  fileByPerson: () => undefined,
} as const satisfies Partial<TransactionContext>;
