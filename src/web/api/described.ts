import { useDeferredValue, useMemo, useState } from 'react';
import { useResponse } from './cache.ts';

/** The longest text that the service searches for. */
const charactersMax = 500;

export interface TextFilter {
  readonly text: string;
  /** The tasks that match the text by their labels and descriptions. */
  readonly described?: ReadonlySet<string>;
}

/**
 * The filter by a text; if `wanted` with the tasks that contain it in their descriptions, by the service: lists do not have these. Until
 * they are known it is the former filter, so that thousands of tasks are filtered once.
 */
export function useTextFilter(projectId: string, text: string, wanted: boolean): TextFilter {
  const q = text.trim().slice(0, charactersMax);
  const enabled = wanted && q !== '';
  const { data, isError } = useResponse('match_tasks', { project_id: projectId, q }, { enabled });
  const found = useMemo(() => data && { text, described: new Set(data.task_ids) }, [data, text]);
  const [known, setKnown] = useState<TextFilter | undefined>(found);
  if (found !== undefined && found !== known) setKnown(found);
  // Typing goes on while the tasks are filtered.
  const shown = useDeferredValue(found ?? known);
  return !enabled || isError || shown === undefined ? { text } : shown;
}
