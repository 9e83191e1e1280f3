import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Presence as Present } from '../rest/types.ts';
import { liveOf } from './live.ts';

/** A session edits a record until this time has passed without input. */
const editingMs = 15_000;

/** Says that the page shows a record; the returned handler says that it is edited. */
export function useShownRecord(projectId: string, recordId: string): () => void {
  const client = useQueryClient();
  const [editing, setEditing] = useState(false);
  const timer = useRef<number>(undefined);
  useEffect(
    () => liveOf(client).presence.show({ projectId, recordId, editing }),
    [client, projectId, recordId, editing],
  );
  useEffect(() => () => window.clearTimeout(timer.current), [recordId]);
  return () => {
    setEditing(true);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setEditing(false), editingMs);
  };
}

/** The other sessions at a record, its editors first. */
export function useOthersAt(recordId: string): readonly Present[] {
  const { presence } = liveOf(useQueryClient());
  const present = useSyncExternalStore(presence.subscribe, () => presence.present);
  return useMemo(
    () =>
      [...present.values()]
        .filter(({ session, resource }) => session !== presence.session && resource.id === recordId)
        .sort((a, b) => Number(b.editing) - Number(a.editing)),
    [present, presence, recordId],
  );
}
