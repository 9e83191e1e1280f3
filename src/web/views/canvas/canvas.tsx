import '@xyflow/react/dist/base.css';
import { ReactFlowProvider } from '@xyflow/react';
import { Workflow } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { soFar } from '../../api/cache.ts';
import { useCanvas, useTaskGraph } from '../../api/canvas.ts';
import type { CanvasAnswer } from '../../api/canvas.ts';
import { useTasks } from '../../api/tasks.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx';
import { CanvasDialogs } from './canvas-dialogs.tsx';
import { Flow } from './flow.tsx';
import { Modeller } from './model/model.ts';
import styles from './canvas.module.css';
import { useBoard } from './use-board.ts';
import { useFirstLayout } from './use-first-layout.ts';
import { useOperations } from './use-operations.ts';

/** Tasks and documents as nodes, with their edges. */
export function Canvas(): ReactElement {
  useTitle('Canvas');
  const projectId = useProjectId();
  const canvas = useCanvas(projectId);
  return (
    <div className={styles['canvas']}>
      <h1 className="visually-hidden">Canvas</h1>
      <Loaded of={canvas} view="panel">
        {(answer) => (
          <ReactFlowProvider>
            <Board projectId={projectId} canvas={answer} />
          </ReactFlowProvider>
        )}
      </Loaded>
    </div>
  );
}

function Board({ projectId, canvas }: { readonly projectId: string; readonly canvas: CanvasAnswer }): ReactElement {
  const { data: graph } = useTaskGraph(projectId);
  const tasks = soFar(useTasks(projectId).data);
  const [modeller] = useState(() => new Modeller());
  const model = useMemo(() => modeller.build(canvas, graph, tasks), [modeller, canvas, graph, tasks]);
  const board = useBoard(projectId, model);
  const operations = useOperations(projectId, board);
  const [isCreating, setCreating] = useState(false);
  const firstLayout = useFirstLayout(board, model, graph !== undefined);
  if (!firstLayout.isReady) return <Skeleton view="panel" />;
  if (canvas.nodes.length > 0) return <Flow {...{ projectId, model, tasks, board, operations, firstLayout }} />;
  const nothing = (): void => undefined;
  return (
    <>
      <Empty
        icon={Workflow}
        title="Nothing on the canvas yet"
        actions={
          <Button look="primary" onClick={() => setCreating(true)}>
            New task
          </Button>
        }
      >
        Every task is shown here, to be arranged and connected with its prerequisites.
      </Empty>
      <CanvasDialogs
        {...{ projectId, items: [], edges: [], selected: [] }}
        dialog={isCreating ? { kind: 'task' } : undefined}
        onClose={() => setCreating(false)}
        onCreate={(label) => void operations.createTask(label, { x: 40, y: 40 })}
        {...{ onPlace: nothing, onFind: nothing, onArrange: nothing, onDelete: nothing }}
        {...{ onConnect: nothing, onEdge: nothing, onDeleteEdge: nothing }}
      />
    </>
  );
}
