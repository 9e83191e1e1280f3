import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useEffect } from 'react';
import { toast } from 'sonner';
import type { TaskStatus } from '../../rest/types.ts';
import { useBulkChange } from '../../api/bulk.ts';
import { useCreateEdge, useDeleteEdge, useDocumentNode, useRenameDocument, usePutEdge } from '../../api/canvas.ts';
import type { CanvasEdge, Point } from '../../api/canvas.ts';
import { changesOf } from '../../api/change.ts';
import { useCreateTask, useDeleteTask, useUpdateTask } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import type { CanvasBoard } from './use-board.ts';
import type { Item } from './model/model.ts';

export interface Ends {
  readonly from: Pick<Item, 'id' | 'type'>;
  readonly to: Pick<Item, 'id' | 'type'>;
}

export interface Operations {
  readonly connect: (ends: Ends, label: string | null) => Promise<void>;
  /** Reconnects or relabels an edge. */
  readonly changeEdge: (edge: CanvasEdge, ends: Ends, label: string | null) => Promise<void>;
  readonly deleteEdges: (edges: readonly CanvasEdge[]) => Promise<void>;
  readonly rename: (item: Item, label: string) => Promise<void>;
  readonly setStatus: (tasks: readonly TaskRow[], status: TaskStatus) => Promise<void>;
  readonly createTask: (label: string, at: Point) => Promise<string | undefined>;
  readonly placeDocument: (id: string, at: Point) => Promise<void>;
  /** Deletes tasks; documents are only removed from the canvas. */
  readonly remove: (items: readonly Item[]) => Promise<void>;
}

const asInput = ({ id, from_type, from_id, to_type, to_id, label, style, arrow_direction }: CanvasEdge) =>
  ({ id, from_type, from_id, to_type, to_id, label, style, arrow_direction }) as {
    id: string;
    from_type: 'task' | 'document';
    from_id: string;
    to_type: 'task' | 'document';
    to_id: string;
    label: string | null;
    style: string | null;
    arrow_direction: string | null;
  };

/** The result of a change; undefined if it failed, which was shown. */
async function shown<T>(change: Promise<T>): Promise<T | undefined> {
  return change.catch(() => undefined);
}

/** The changes of the canvas's content, except positions. Each can be undone. */
export function useOperations(projectId: string, { history }: CanvasBoard): Operations {
  const client = useQueryClient();
  const changes = {
    createEdge: useCreateEdge().mutateAsync,
    putEdge: usePutEdge().mutateAsync,
    deleteEdge: useDeleteEdge({ undo: false }).mutateAsync,
    updateTask: useUpdateTask().mutateAsync,
    createTask: useCreateTask().mutateAsync,
    deleteTask: useDeleteTask({ undo: false }).mutateAsync,
    updateDocument: useDocumentNode().mutateAsync,
    renameDocument: useRenameDocument().mutateAsync,
    bulk: useBulkChange(projectId).update,
  };
  const latest = useRef(changes);
  useEffect(() => {
    latest.current = changes;
  });
  return useMemo(
    () => operationsOf(projectId, { history, client }, () => latest.current),
    [projectId, history, client],
  );
}

interface Changes {
  readonly createEdge: ReturnType<typeof useCreateEdge>['mutateAsync'];
  readonly putEdge: ReturnType<typeof usePutEdge>['mutateAsync'];
  readonly deleteEdge: ReturnType<typeof useDeleteEdge>['mutateAsync'];
  readonly updateTask: ReturnType<typeof useUpdateTask>['mutateAsync'];
  readonly createTask: ReturnType<typeof useCreateTask>['mutateAsync'];
  readonly deleteTask: ReturnType<typeof useDeleteTask>['mutateAsync'];
  readonly updateDocument: ReturnType<typeof useDocumentNode>['mutateAsync'];
  readonly renameDocument: ReturnType<typeof useRenameDocument>['mutateAsync'];
  readonly bulk: ReturnType<typeof useBulkChange>['update'];
}

interface Recorded {
  readonly history: CanvasBoard['history'];
  readonly client: QueryClient;
}

/** A change, by its input. */
type Act = readonly [change: (input: never) => Promise<unknown>, input: object];

/**
 * Executes changes one after the other as one step that can be undone. A failing change has shown its error, and ends
 * it.
 */
async function inOneStep(
  { history, client }: Recorded,
  what: string,
  acts: readonly Act[],
  notice?: string,
): Promise<void> {
  const { step, ready } = history.begin(what, client);
  try {
    for (const [change, input] of acts) await change(input as never);
    if (notice !== undefined) toast(notice, { action: { label: 'Undo', onClick: () => void history.takeBack(step) } });
  } catch {
    // What was done before it stays, and can be undone.
  } finally {
    ready(changesOf(...acts.map(([, input]) => input)));
  }
}

function operationsOf(project_id: string, recorded: Recorded, now: () => Changes): Operations {
  const place = (document_id: string, position: Point | null): Act => [
    (input) => now().updateDocument(input),
    { project_id, document_id, position },
  ];
  const edges = edgeOperations(project_id, recorded, now);
  return {
    ...edges,
    rename: async ({ id, type }, label) => {
      const change =
        type === 'task'
          ? now().updateTask({ project_id, task_id: id, label })
          : now().renameDocument({ project_id, document_id: id, title: label });
      await shown<unknown>(change);
    },
    setStatus: async (tasks, status) => {
      const [only] = tasks;
      if (only === undefined) return;
      await shown<unknown>(
        tasks.length === 1
          ? now().updateTask({ project_id, task_id: only.id, status })
          : now().bulk(tasks, () => ({ status })),
      );
    },
    createTask: async (label, { x, y }) => {
      const task = await shown(now().createTask({ project_id, label, position: { x, y } }));
      return task?.id;
    },
    placeDocument: (id, at) => inOneStep(recorded, 'Document put on the canvas', [place(id, at)]),
    remove: async (items) => {
      const acts = items.map(({ id, type }): Act =>
        type === 'task' ? [(input) => now().deleteTask(input), { project_id, task_id: id }] : place(id, null),
      );
      const [what, notice] =
        items.length === 1
          ? ['Deletion', 'Removed']
          : [`Deletion of ${items.length} nodes`, `${items.length} nodes removed`];
      await inOneStep(recorded, what, acts, notice);
    },
  };
}

function edgeOperations(
  project_id: string,
  recorded: Recorded,
  now: () => Changes,
): Pick<Operations, 'connect' | 'changeEdge' | 'deleteEdges'> {
  const ended = ({ from, to }: Ends) => ({ from_type: from.type, from_id: from.id, to_type: to.type, to_id: to.id });
  return {
    connect: async (ends, label) => void (await shown(now().createEdge({ project_id, ...ended(ends), label }))),
    changeEdge: async (edge, ends, label) =>
      void (await shown(now().putEdge({ project_id, edges: [asInput({ ...edge, ...ended(ends), label })] }))),
    deleteEdges: async (edges) => {
      const acts = edges.map(({ id }): Act => [(input) => now().deleteEdge(input), { project_id, edge_id: id }]);
      const [what, notice] =
        edges.length === 1
          ? ['Deletion of an edge', 'Edge deleted']
          : [`Deletion of ${edges.length} edges`, `${edges.length} edges deleted`];
      await inOneStep(recorded, what, acts, notice);
    },
  };
}
