import { Panel, useReactFlow } from '@xyflow/react';
import {
  Download,
  FilePlusCorner,
  Keyboard,
  Maximize,
  Minus,
  Network,
  Plus,
  Redo2,
  Route,
  Search,
  Spline,
  Undo2,
  Zap,
} from '../../ui/icons.ts';
import type { ReactElement, ReactNode } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { Menu } from '../../ui/menu.tsx';
import type { PictureKind } from './picture/export-picture.ts';
import type { OpenDialog } from './use-canvas-view.ts';
import styles from './canvas.module.css';
import type { HistoryState } from '../../undo/history.ts';
import type { Drawing } from './use-drawing.ts';
import type { LayoutRun } from './use-layout.ts';

export interface ToolbarProps {
  readonly steps: HistoryState;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
  readonly openDialog: (dialog: OpenDialog) => void;
  readonly drawing: Drawing;
  readonly onExport: (kind: PictureKind) => void;
  readonly next: number;
  readonly pathLength: number;
  readonly showFrontier: boolean;
  readonly showCritical: boolean;
  readonly onFrontier: (shown: boolean) => void;
  readonly onCritical: (shown: boolean) => void;
  readonly run: LayoutRun | undefined;
  readonly onStop: () => void;
  /** The bar of the filter. */
  readonly children: ReactNode;
}

/** The actions of the canvas, independent of the selection. */
export function Toolbar(props: ToolbarProps): ReactElement {
  const { steps, onUndo, onRedo, openDialog, drawing, onExport, next, pathLength } = props;
  const { showFrontier, showCritical, onFrontier, onCritical } = props;
  return (
    <Panel position="top-left" className={styles['top']}>
      <div role="toolbar" aria-label="Canvas" className={styles['tools']}>
        <IconButton
          small
          label="New task"
          keys="N"
          icon={<Plus size={16} />}
          onClick={() => openDialog({ kind: 'task' })}
        />
        <IconButton
          small
          label="Put a document on the canvas"
          icon={<FilePlusCorner size={15} />}
          onClick={() => openDialog({ kind: 'document' })}
        />
        <IconButton
          small
          label="Draw edges"
          keys="L"
          className={styles['toggle']}
          aria-pressed={drawing.isOn}
          icon={<Spline size={15} />}
          onClick={() => drawing.set(!drawing.isOn)}
        />
        <IconButton
          small
          label="Find a node"
          keys="/"
          icon={<Search size={15} />}
          onClick={() => openDialog({ kind: 'find' })}
        />
        <IconButton
          small
          label="Arrange automatically"
          icon={<Network size={15} />}
          onClick={() => openDialog({ kind: 'arrange' })}
        />
        <span className={styles['divide']} />
        <IconButton
          small
          label={steps.undo === undefined ? 'Nothing to undo' : `Undo: ${steps.undo}`}
          keys="Ctrl Z"
          icon={<Undo2 size={15} />}
          disabled={steps.undo === undefined}
          onClick={onUndo}
        />
        <IconButton
          small
          label={steps.redo === undefined ? 'Nothing to redo' : `Redo: ${steps.redo}`}
          keys="Ctrl Shift Z"
          icon={<Redo2 size={15} />}
          disabled={steps.redo === undefined}
          onClick={onRedo}
        />
        <span className={styles['divide']} />
        <Button
          small
          look="ghost"
          className={styles['toggle']}
          aria-pressed={showFrontier}
          title="Highlight the tasks whose prerequisites are all done"
          onClick={() => onFrontier(!showFrontier)}
        >
          <Zap size={14} aria-hidden /> {next} ready to begin
        </Button>
        <Button
          small
          look="ghost"
          className={styles['toggle']}
          aria-pressed={showCritical}
          title="Highlight the longest chain of tasks that are not done: the critical path"
          onClick={() => onCritical(!showCritical)}
        >
          <Route size={14} aria-hidden /> Longest chain: {pathLength === 0 ? 'none' : `${pathLength} tasks`}
        </Button>
        <Menu
          trigger={<IconButton small label="Export as picture" icon={<Download size={15} />} />}
          items={[
            { label: 'SVG', onSelect: () => onExport('svg') },
            { label: 'PNG', onSelect: () => onExport('png') },
          ]}
        />
        <IconButton
          small
          label="Keys of the canvas"
          icon={<Keyboard size={15} />}
          onClick={() => openDialog({ kind: 'keys' })}
        />
      </div>
      {props.children}
      <Notices {...{ drawing, run: props.run, onStop: props.onStop }} />
    </Panel>
  );
}

/** The work in progress, and its result. */
function Notices({ drawing, run, onStop }: Pick<ToolbarProps, 'drawing' | 'run' | 'onStop'>): ReactElement {
  return (
    <>
      {drawing.isOn ? (
        <div className={styles['running']} role="status">
          Drag from one card to another, or click both.
          <Button small onClick={() => drawing.set(false)}>
            Done
          </Button>
        </div>
      ) : null}
      {run === undefined ? null : (
        <div className={styles['running']} role="status">
          <progress max={run.all} value={run.placed} aria-label="Nodes arranged" />
          Arranging {run.all} nodes…
          <Button small onClick={onStop}>
            Stop
          </Button>
        </div>
      )}
    </>
  );
}

/** Zoom in, zoom out, fit, below the explanation of the drawing. */
export function ZoomBar({
  onFit,
  children,
}: {
  readonly onFit: () => void;
  readonly children: ReactNode;
}): ReactElement {
  const flow = useReactFlow();
  const slowly = { duration: 150 };
  return (
    <Panel position="bottom-left" className={classes(styles['panel'], styles['low'])}>
      {children}
      <div role="toolbar" aria-label="Zoom" className={styles['tools']}>
        <IconButton
          small
          label="Zoom out"
          keys="−"
          icon={<Minus size={15} />}
          onClick={() => void flow.zoomOut(slowly)}
        />
        <IconButton small label="Zoom in" keys="+" icon={<Plus size={15} />} onClick={() => void flow.zoomIn(slowly)} />
        <IconButton small label="Show everything" keys="F" icon={<Maximize size={14} />} onClick={onFit} />
      </div>
    </Panel>
  );
}
