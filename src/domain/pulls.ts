import type { StoredRecord } from '../store/index.ts';

/** How far a project has fetched the submissions of its remote. */
export interface PullRecord extends StoredRecord {
  readonly project: string;
  /** The remote's URL and project: another remote begins from the start. */
  readonly remote: string;
  /** The entity tag of the remote's list at the last pull. */
  readonly etag: string;
}

/** The service collection of pulls, one per project, as declared to the store. */
export const pullCollection = { name: 'pulls' } as const;
