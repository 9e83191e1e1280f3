import { createContext, useContext } from 'react';
import type { Tones } from './model/tones.ts';

/** The actions of nodes and edges, shared by all of them. */
export interface CanvasActions {
  /** The node whose label is being edited. */
  readonly editing: string | undefined;
  readonly edit: (id: string | undefined) => void;
  readonly rename: (id: string, label: string) => void;
  readonly open: (id: string) => void;
  readonly editEdge: (id: string) => void;
  /** True if the zoom is too small for text. */
  readonly isFar: boolean;
  /** True if edges are drawn from card to card. */
  readonly isDrawing: boolean;
  readonly showFrontier: boolean;
  readonly showCritical: boolean;
  /** The colour of a card. */
  readonly toneOf: Tones['of'];
}

export const CanvasContext = createContext<CanvasActions | undefined>(undefined);

export function useCanvasActions(): CanvasActions {
  const actions = useContext(CanvasContext);
  if (actions === undefined) throw new Error('A node must be inside a canvas.');
  return actions;
}
