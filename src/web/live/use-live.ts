import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { liveOf } from './live.ts';

/** Follows the changes of a project, or of all projects, while the page shows it. */
export function useLive(projectId: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => liveOf(client).follow(projectId), [client, projectId]);
}
