import { useQueryClient } from '@tanstack/react-query';
import type { NodeChange } from '@xyflow/react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { savePlacesAtLast, useSavePlaces } from '../../api/canvas.ts';
import type { Place } from '../../api/canvas.ts';
import { changesOf } from '../../api/change.ts';
import { CanvasStore } from './model/canvas-store.ts';
import type { Drawn, FlowNode } from './model/canvas-store.ts';
import { historyOf } from '../../undo/histories.ts';
import type { History, HistoryState, Step } from '../../undo/history.ts';
import { Mover } from './mover.ts';
import { Places } from './model/places.ts';
import type { Model } from './model/model.ts';

/** The debounce before moves are saved, in milliseconds. */
const restMs = 600;

export interface CanvasBoard {
  readonly store: CanvasStore;
  readonly history: History;
  readonly drawn: Drawn;
  readonly steps: HistoryState;
  readonly onNodesChange: (changes: NodeChange<FlowNode>[]) => void;
  /** Moves nodes in one step that can be undone. */
  readonly put: (what: string, places: readonly Place[]) => Step;
}

/** The canvas's store, undo history and unsaved positions. */
export function useBoard(projectId: string, model: Model): CanvasBoard {
  const client = useQueryClient();
  const { mutateAsync } = useSavePlaces();
  // The saver survives renders; it uses the latest function.
  const save = useRef<(places: readonly Place[]) => Promise<readonly string[]>>(async () => []);
  useEffect(() => {
    save.current = async (nodes) => {
      const input = { project_id: projectId, nodes };
      await mutateAsync(input);
      return changesOf(input);
    };
  }, [mutateAsync, projectId]);
  const [kept] = useState(() => {
    const places: Places = new Places({
      save: (nodes) => save.current(nodes),
      onReleased: () => store.redraw(),
      restMs,
    });
    const store: CanvasStore = new CanvasStore(places);
    const history = historyOf(projectId);
    return { places, store, history, mover: new Mover(store, places, history, client) };
  });
  const { places, store, history, mover } = kept;
  useEffect(() => store.take(model), [store, model]);
  useEffect(() => {
    const leave = (): void => {
      const left = places.takeUnsent();
      if (left.length > 0) savePlacesAtLast(projectId, left);
    };
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      void places.flush();
    };
  }, [places, projectId]);
  return {
    store,
    history,
    drawn: useSyncExternalStore(store.subscribe, () => store.drawn),
    steps: useSyncExternalStore(history.subscribe, () => history.state),
    onNodesChange: mover.onNodesChange,
    put: mover.put,
  };
}
