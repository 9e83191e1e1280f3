import { Panel } from '@xyflow/react';
import { ArrowRightLeft, ChevronDown, ExternalLink, Pencil, Spline, Trash2 } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { openPicker } from '../../picker/picking.ts';
import { Button } from '../../ui/button.tsx';
import type { FlowEdge, FlowNode } from './model/canvas-store.ts';
import styles from './canvas.module.css';

export interface SelectionBarProps {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly onOpen: () => void;
  readonly onRename: () => void;
  readonly onConnect: () => void;
  readonly onEditEdge: () => void;
  readonly onTurnEdge: () => void;
  readonly onDelete: () => void;
}

/** The actions of the selection. */
export function SelectionBar(props: SelectionBarProps): ReactElement | null {
  const { nodes, edges, onOpen, onRename, onConnect, onEditEdge, onTurnEdge, onDelete } = props;
  if (nodes.length + edges.length === 0) return null;
  const [node] = nodes;
  const one = nodes.length === 1 && edges.length === 0;
  const tasks = nodes.filter(({ type }) => type === 'task').map(({ id }) => id);
  const counted = nodes.length + edges.length;
  return (
    <Panel position="bottom-center" className={styles['panel']}>
      <div role="toolbar" aria-label="Selection" className={styles['tools']}>
        <span role="status" className={styles['count']}>
          {one
            ? node!.data.item.label
            : nodes.length === 0 && edges.length === 1
              ? edges[0]!.ariaLabel
              : `${counted} selected`}
        </span>
        {one ? (
          <>
            <Button small look="ghost" onClick={onOpen}>
              <ExternalLink size={13} aria-hidden /> Open
            </Button>
            <Button small look="ghost" onClick={onRename}>
              <Pencil size={13} aria-hidden /> Rename
            </Button>
          </>
        ) : null}
        {tasks.length === 0 ? null : (
          <Button
            small
            look="ghost"
            aria-haspopup="dialog"
            onClick={({ currentTarget: anchor }) => openPicker({ ids: tasks, anchor })}
          >
            Properties <ChevronDown size={13} aria-hidden />
          </Button>
        )}
        {nodes.length === 1 || nodes.length === 2 ? (
          <Button small look="ghost" onClick={onConnect}>
            <Spline size={13} aria-hidden /> Connect…
          </Button>
        ) : null}
        {nodes.length === 0 && edges.length === 1 ? (
          <>
            <Button small look="ghost" onClick={onEditEdge}>
              <Pencil size={13} aria-hidden /> Change…
            </Button>
            <Button small look="ghost" onClick={onTurnEdge}>
              <ArrowRightLeft size={13} aria-hidden /> Turn round
            </Button>
          </>
        ) : null}
        <Button small look="ghost" className={styles['danger']} onClick={onDelete}>
          <Trash2 size={13} aria-hidden /> {nodes.length === 0 ? 'Delete' : 'Delete…'}
        </Button>
      </div>
    </Panel>
  );
}
