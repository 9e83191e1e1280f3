import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { keyOf, useResponse, useRows } from './cache.ts';
import type { WatchOptions } from './cache.ts';
import { useChange } from './change.ts';
import type { Change, Undoable } from './change.ts';
import { call } from '../rest/client.ts';
import type { Answer, Loaded, Input, ServiceError } from '../rest/client.ts';

export type CanvasAnswer = Answer<'get_canvas'>;
export type CanvasEdge = CanvasAnswer['edges'][number];
export type TaskGraph = Answer<'get_task_graph'>;

export interface Point {
  readonly x: number;
  readonly y: number;
}
export interface Place extends Point {
  readonly id: string;
}

export function useCanvas(projectId: string): UseQueryResult<CanvasAnswer, ServiceError> {
  return useResponse('get_canvas', { project_id: projectId });
}

/** The order of tasks according to the service. */
export function useTaskGraph(projectId: string, options?: WatchOptions): UseQueryResult<TaskGraph, ServiceError> {
  return useResponse('get_task_graph', { project_id: projectId }, options);
}

/** The outgoing or incoming edges of a record. */
export function useEdges(
  projectId: string,
  end: { readonly from_id: string } | { readonly to_id: string },
): UseQueryResult<readonly CanvasEdge[], ServiceError> {
  return useRows('list_edges', 'edges', { project_id: projectId, ...end });
}

/** The operations whose results show a changed edge. */
const shownBy = [
  ...(['get_canvas', 'get_task_graph', 'list_tasks', 'get_task', 'list_edges', 'list_task_backlinks'] as const),
  ...(['get_document', 'get_next_task'] as const),
];

/** Changes the edges of a project's cached canvas. */
function patchEdges(
  client: QueryClient,
  projectId: string | undefined,
  change: (edges: readonly CanvasEdge[]) => readonly CanvasEdge[],
): void {
  if (projectId === undefined) return;
  client.setQueryData<Loaded<CanvasAnswer>>(
    keyOf('get_canvas', { project_id: projectId }),
    (kept) => kept && { ...kept, value: { ...kept.value, edges: change(kept.value.edges) } },
  );
}

/** Caches the returned canvas; its tag is unknown, so the next poll reads it in full. */
function takeCanvas(client: QueryClient, answer: CanvasAnswer, { project_id: projectId }: Input<'put_canvas'>): void {
  client.setQueryData<Loaded<CanvasAnswer>>(keyOf('get_canvas', { project_id: projectId }), {
    value: answer,
    tag: undefined,
  });
}

/** Saves the positions of nodes only. */
export function useSavePlaces(): Change<'put_canvas'> {
  return useChange('put_canvas', {
    undo: false,
    take: takeCanvas,
    shownBy: ['get_canvas'],
    failed: 'The positions could not be saved',
  });
}

/** Saves positions while the page is unloaded; the result is ignored. */
export function savePlacesAtLast(projectId: string, nodes: readonly Place[]): void {
  void call('put_canvas', { project_id: projectId, nodes }, { keepalive: true }).catch(() => undefined);
}

/** Reconnects or relabels an edge, or restores it under its id. */
export function usePutEdge(): Change<'put_canvas'> {
  return useChange('put_canvas', {
    show: (client, { project_id, edges = [] }) => {
      const [changed] = edges;
      let former: CanvasEdge | undefined;
      patchEdges(client, project_id, (kept) => {
        former = kept.find(({ id }) => id === changed?.id);
        if (former === undefined) return kept;
        const next = { ...former, ...changed };
        return kept.map((edge) => (edge === former ? next : edge));
      });
      return () =>
        patchEdges(client, project_id, (kept) => kept.map((edge) => (edge.id === former?.id ? former : edge)));
    },
    take: takeCanvas,
    shownBy,
    failed: 'The edge could not be changed',
  });
}

const newEdgeId = 'new-edge';

export function useCreateEdge(): Change<'create_edge'> {
  return useChange('create_edge', {
    show: (client, { project_id = '', label = null, ...ends }) => {
      const edge: CanvasEdge = {
        ...{ id: newEdgeId, edge_id: newEdgeId, project_id, label, style: null, arrow_direction: null },
        ...ends,
        created_at: new Date().toISOString(),
      };
      patchEdges(client, project_id, (kept) => [...kept, edge]);
      return () => patchEdges(client, project_id, (kept) => kept.filter(({ id }) => id !== newEdgeId));
    },
    take: (client, edge, { project_id }) =>
      patchEdges(client, project_id, (kept) => [...kept.filter(({ id }) => id !== newEdgeId && id !== edge.id), edge]),
    shownBy,
    failed: 'The edge could not be drawn',
  });
}

export function useDeleteEdge({ undo }: Undoable = {}): Change<'delete_edge'> {
  return useChange('delete_edge', {
    undo,
    show: (client, { project_id, edge_id }) => {
      let former: CanvasEdge | undefined;
      patchEdges(client, project_id, (kept) => {
        former = kept.find(({ id }) => id === edge_id);
        return kept.filter(({ id }) => id !== edge_id);
      });
      return () => patchEdges(client, project_id, (kept) => (former === undefined ? kept : [...kept, former]));
    },
    shownBy,
    failed: 'The edge could not be deleted',
  });
}

/** Changes a document's position on the canvas; without one it is not shown. The canvas adds it to what can be undone. */
export function useDocumentNode(): Change<'update_document'> {
  return useChange('update_document', { ...documentNode, undo: false });
}

export function useRenameDocument(): Change<'update_document'> {
  return useChange('update_document', documentNode);
}

const documentNode = {
  shownBy: ['get_canvas', 'list_documents', 'get_document', 'list_revisions'],
  failed: 'The document could not be changed',
} as const;
