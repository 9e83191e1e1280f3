import { useMemo, useRef, useEffect } from 'react';
import { toast } from 'sonner';
import type { TaskStatus } from '../../api/types.ts';
import { useBulkChange } from '../../api/bulk.ts';
import { useCreateEdge, useDeleteEdge, useDocumentNode, useRenameDocument, usePutEdge } from '../../api/canvas.ts';
import type { CanvasEdge, Point } from '../../api/canvas.ts';
import { trashOf } from '../../api/change.ts';
import { useRestoreFromTrash } from '../../api/trash.ts';
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
  const changes = {
    createEdge: useCreateEdge().mutateAsync,
    putEdge: usePutEdge().mutateAsync,
    deleteEdge: useDeleteEdge({ undo: false }).mutateAsync,
    updateTask: useUpdateTask().mutateAsync,
    createTask: useCreateTask().mutateAsync,
    deleteTask: useDeleteTask({ undo: false }).mutateAsync,
    updateDocument: useDocumentNode().mutateAsync,
    renameDocument: useRenameDocument().mutateAsync,
    restore: useRestoreFromTrash().mutateAsync,
    bulk: useBulkChange(projectId).update,
  };
  const latest = useRef(changes);
  useEffect(() => {
    latest.current = changes;
  });
  return useMemo(() => operationsOf(projectId, history, () => latest.current), [projectId, history]);
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
  readonly restore: ReturnType<typeof useRestoreFromTrash>['mutateAsync'];
  readonly bulk: ReturnType<typeof useBulkChange>['update'];
}

function operationsOf(project_id: string, history: CanvasBoard['history'], now: () => Changes): Operations {
  /** Executes an action and stores how to undo it. A failed action has shown its error and is not stored. */
  const done: EdgeTools['done'] = async (what, redo, undo, notice) => {
    const step = { what, undo, redo };
    if ((await history.run(step)) && notice !== undefined)
      toast(notice, { action: { label: 'Undo', onClick: () => void history.takeBack(step) } });
  };
  const put = (edge: CanvasEdge): Promise<unknown> => now().putEdge({ project_id, edges: [asInput(edge)] });
  const drop = (edge_id: string): Promise<unknown> => now().deleteEdge({ project_id, edge_id });
  const edges = edgeOperations({ project_id, done, put, drop, now });
  /** The entries of deleted tasks in the trash. */
  const entries = new Map<string, string>();
  const bringBack = async (id: string): Promise<void> => {
    const entry = entries.get(id);
    if (entry !== undefined) await now().restore({ project_id, trash_id: entry });
  };
  const removeTask = async (task_id: string): Promise<void> => {
    const input = { project_id, task_id };
    await now().deleteTask(input);
    const entry = trashOf(input);
    if (entry !== undefined) entries.set(task_id, entry);
  };
  const place = (id: string, at: Point | null): Promise<unknown> =>
    now().updateDocument({ project_id, document_id: id, position: at });
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
    placeDocument: async (id, at) => {
      await done(
        'Document put on the canvas',
        () => place(id, at),
        () => place(id, null),
      );
    },
    remove: async (items) => {
      const tasks = items.filter(({ type }) => type === 'task');
      const documents = items.filter(({ type }) => type === 'document');
      const each = async (what: Iterable<Promise<unknown>>): Promise<void> => void (await Promise.all(what));
      const what = items.length === 1 ? 'Deletion' : `Deletion of ${items.length} nodes`;
      await done(
        what,
        async () => {
          for (const { id } of tasks) await removeTask(id);
          await each(documents.map(({ id }) => place(id, null)));
        },
        async () => {
          for (const { id } of tasks.toReversed()) await bringBack(id);
          await each(documents.map(({ id, x, y }) => place(id, { x, y })));
        },
        items.length === 1 ? 'Removed' : `${items.length} nodes removed`,
      );
    },
  };
}

interface EdgeTools {
  readonly project_id: string;
  /** Executes an action and stores how to undo it; `notice` is shown on success, with an undo button. */
  readonly done: (
    what: string,
    redo: () => Promise<unknown>,
    undo: () => Promise<unknown>,
    notice?: string,
  ) => Promise<void>;
  readonly put: (edge: CanvasEdge) => Promise<unknown>;
  readonly drop: (id: string) => Promise<unknown>;
  readonly now: () => Changes;
}

function edgeOperations({
  project_id,
  done,
  put,
  drop,
  now,
}: EdgeTools): Pick<Operations, 'connect' | 'changeEdge' | 'deleteEdges'> {
  const ended = ({ from, to }: Ends) => ({ from_type: from.type, from_id: from.id, to_type: to.type, to_id: to.id });
  return {
    connect: async (ends, label) => void (await shown(now().createEdge({ project_id, ...ended(ends), label }))),
    changeEdge: async (edge, ends, label) => {
      const next = { ...edge, ...ended(ends), label };
      await done(
        'Change of an edge',
        () => put(next),
        () => put(edge),
      );
    },
    deleteEdges: async (edges) => {
      const run = async (what: (edge: CanvasEdge) => Promise<unknown>): Promise<void> => {
        for (const edge of edges) await what(edge);
      };
      await done(
        edges.length === 1 ? 'Deletion of an edge' : `Deletion of ${edges.length} edges`,
        () => run(({ id }) => drop(id)),
        () => run(put),
        edges.length === 1 ? 'Edge deleted' : `${edges.length} edges deleted`,
      );
    },
  };
}
