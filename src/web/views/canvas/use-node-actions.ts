import { useEffect, useMemo, useRef } from 'react';
import type { CanvasActions } from './canvas-actions.ts';
import type { Item } from './model/model.ts';
import type { OpenDialog } from './use-canvas-view.ts';
import type { Operations } from './use-operations.ts';

export interface ActionSources {
  readonly byId: ReadonlyMap<string, Item>;
  readonly operations: Operations;
  readonly editing: string | undefined;
  readonly setEditing: (id: string | undefined) => void;
  readonly look: { readonly showFrontier: boolean; readonly showCritical: boolean };
  readonly isFar: boolean;
  readonly isDrawing: boolean;
  readonly toneOf: CanvasActions['toneOf'];
  readonly openItem: (id: string) => void;
  readonly setDialog: (dialog: OpenDialog) => void;
  readonly focusNode: (id: string) => void;
}

/** The actions for nodes and edges; the same object while its inputs are unchanged. */
export function useNodeActions(sources: ActionSources): CanvasActions {
  const latest = useRef(sources);
  useEffect(() => {
    latest.current = sources;
  });
  const { editing, isFar, isDrawing, toneOf } = sources;
  const { showFrontier, showCritical } = sources.look;
  return useMemo(() => {
    const now = (): ActionSources => latest.current;
    const edit = (id: string | undefined): void => {
      const former = now().editing;
      now().setEditing(id);
      if (id === undefined && former !== undefined) now().focusNode(former);
    };
    return {
      ...{ editing, isFar, isDrawing, showFrontier, showCritical, toneOf, edit },
      rename: (id, label) => {
        const item = now().byId.get(id);
        edit(undefined);
        if (item !== undefined) void now().operations.rename(item, label);
      },
      open: (id) => now().openItem(id),
      editEdge: (id) => now().setDialog({ kind: 'edge', id }),
    };
  }, [editing, isFar, isDrawing, showFrontier, showCritical, toneOf]);
}
