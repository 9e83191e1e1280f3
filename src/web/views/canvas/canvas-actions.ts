import { createContext, useContext } from 'react';
import type { TaskStatus } from '../../api/types.ts';

/** What nodes and edges let a person do; the same for all of them. */
export interface CanvasActions {
  /** The node whose label is being written. */
  readonly editing: string | undefined;
  readonly edit: (id: string | undefined) => void;
  readonly rename: (id: string, label: string) => void;
  readonly setStatus: (id: string, status: TaskStatus) => void;
  readonly open: (id: string) => void;
  readonly editEdge: (id: string) => void;
  /** What is seen from so far off that there is no use in writing it. */
  readonly isFar: boolean;
  readonly showFrontier: boolean;
  readonly showCritical: boolean;
}

export const CanvasContext = createContext<CanvasActions | undefined>(undefined);

export function useCanvasActions(): CanvasActions {
  const actions = useContext(CanvasContext);
  if (actions === undefined) throw new Error('Nodes stand on a canvas.');
  return actions;
}
