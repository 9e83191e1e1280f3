import type { StoredRecord } from '../../store/index.ts';

/** The state of a project's pulls from its remote. */
export interface PullRecord extends StoredRecord {
  readonly project: string;
  /** The remote's URL and project. A pull from another remote fetches everything. */
  readonly remote: string;
  /** The entity tag of the remote's list at the last pull. */
  readonly etag: string;
}

/** The service collection of pulls, one per project, as declared to the store. */
export const pullCollection = { name: 'pulls', placement: 'project' } as const;
