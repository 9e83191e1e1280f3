import { ViewportPortal } from '@xyflow/react';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import type { FlowNode } from './model/canvas-store.ts';
import styles from './canvas.module.css';
import { framesOf } from './model/goal-frames.ts';

export interface FramesProps {
  readonly nodes: readonly FlowNode[];
  readonly goals: ReadonlyMap<string, string>;
}

/** A frame around the shown tasks of each goal. */
export function Frames({ nodes, goals }: FramesProps): ReactElement {
  const frames = useMemo(() => framesOf(nodes, goals), [nodes, goals]);
  return (
    <ViewportPortal>
      {frames.map(({ id, name, x, y, width, height }) => (
        <div
          key={id}
          className={styles['goalFrame']}
          data-goal={id}
          style={{ transform: `translate(${x}px, ${y}px)`, width, height }}
        >
          <span dir="auto">{name}</span>
        </div>
      ))}
    </ViewportPortal>
  );
}
