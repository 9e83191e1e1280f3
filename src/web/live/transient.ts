import { ServiceError } from '../rest/client.ts';

const permanent: ReadonlySet<string> = new Set(['not_found', 'forbidden', 'invalid_argument', 'gone']);

/** Returns whether a request that failed may succeed later without a change of the project. */
export function isTransient(error: Error | null): boolean {
  return error instanceof ServiceError && !permanent.has(error.code);
}
