import type { StoredRecord } from './record.ts';
import type { WrittenFile } from './read-transaction.ts';

/** A file that a restored record had before it was deleted, until it is written again. */
export interface KeptFile extends StoredRecord, WrittenFile {
  readonly drop_at: string;
}

/** The service collection of these files, as declared to the store. */
export const keptFileCollection = { name: 'kept_files', placement: 'project' } as const;

/** Ids are unique in their project only. */
export function keptFileId(project: string, id: string): string {
  return `${project}.${id}`;
}
