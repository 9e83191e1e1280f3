import type { StoredRecord } from '../store/index.ts';

/** How far a project has fetched what participants submitted at its remote. */
export interface PullRecord extends StoredRecord {
  readonly project: string;
  /** The remote's URL and project: another remote begins anew. */
  readonly remote: string;
  /** The tag of the remote's list as it was last seen. */
  readonly etag: string;
}

/** The service collection of pulls, one a project, as the store must know it. */
export const pullCollection = { name: 'pulls' } as const;
