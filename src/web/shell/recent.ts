import { useEffect } from 'react';

/** A record that was opened. */
export interface Opened {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

const keptMax = 8;

function placeOf(projectId: string): string {
  return `planner.recent.${projectId}`;
}

/** The records of a project that this browser opened, the last one first. */
export function recentOf(projectId: string): readonly Opened[] {
  return JSON.parse(localStorage.getItem(placeOf(projectId)) ?? '[]') as readonly Opened[];
}

/** Notes that a record is open, once its name is known. */
export function useOpened(projectId: string, type: string, id: string, name: string | undefined): void {
  useEffect(() => {
    if (name === undefined || name === '') return;
    const others = recentOf(projectId).filter((one) => one.id !== id);
    localStorage.setItem(placeOf(projectId), JSON.stringify([{ type, id, name }, ...others].slice(0, keptMax)));
  }, [projectId, type, id, name]);
}
