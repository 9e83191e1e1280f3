import type { ServiceError } from '../rest/client.ts';

/** Returns whether a record that is shown does not exist any more: the last poll did not find it. */
export function isDeleted({ data, error }: { readonly data: unknown; readonly error: ServiceError | null }): boolean {
  return data !== undefined && error?.code === 'not_found';
}
