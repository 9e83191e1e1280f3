import { useMemo, useState } from 'react';
import { useResponse } from './cache.ts';

/** The longest text that the service searches for. */
const charactersMax = 500;

/**
 * The ids of the tasks whose labels and descriptions contain every word of a text, by the service: lists do not have the descriptions. Those
 * of the former text until they are known. Undefined without a text, or if it is not `wanted`.
 */
export function useDescribed(projectId: string, text: string, wanted: boolean): ReadonlySet<string> | undefined {
  const q = text.trim().slice(0, charactersMax);
  const enabled = wanted && q !== '';
  const { data } = useResponse('match_tasks', { project_id: projectId, q }, { enabled });
  const ids = useMemo(() => data && new Set(data.task_ids), [data]);
  const [known, setKnown] = useState(ids);
  if (ids !== undefined && ids !== known) setKnown(ids);
  return enabled ? (ids ?? known) : undefined;
}
