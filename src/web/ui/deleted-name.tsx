import type { ReactElement } from 'react';
import { useRevisionDiff } from '../api/revisions.ts';
import type { RevisionRow } from '../api/revisions.ts';

/** A deleted record with its last name. */
export function DeletedName({
  projectId,
  revision,
}: {
  readonly projectId: string;
  readonly revision: RevisionRow;
}): ReactElement {
  const { data } = useRevisionDiff(projectId, revision.id);
  const name = data?.changes.find(({ field }) => field === 'label' || field === 'title' || field === 'name')?.before;
  return (
    <>
      the {revision.target_type} {typeof name === 'string' ? `“${name}”` : ''}
    </>
  );
}
