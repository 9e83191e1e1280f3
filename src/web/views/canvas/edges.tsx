import { BaseEdge, EdgeLabelRenderer, getBezierPath } from '@xyflow/react';
import type { EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { ReactElement } from 'react';
import { classes } from '../../ui/class-names.ts';
import { useCanvasActions } from './canvas-actions.ts';
import type { FlowEdge } from './canvas-store.ts';
import styles from './canvas.module.css';

/** The arrow markers of edges, defined once and referenced by edges. */
export function Arrows(): ReactElement {
  return (
    <svg className={styles['defs']} aria-hidden>
      <defs>
        {(['plain', 'critical', 'chosen'] as const).map((kind) => (
          <marker
            key={kind}
            id={`canvas-arrow-${kind}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="9"
            markerHeight="9"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
            className={styles[`arrow-${kind}`]}
          >
            <path d="M0.5 1 L9.5 5 L0.5 9 z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}

export const LinkLine = memo(function Line(props: EdgeProps<FlowEdge>): ReactElement | null {
  const { id, data, selected = false, sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition } = props;
  const { isFar, showCritical, editEdge } = useCanvasActions();
  if (data === undefined) return null;
  const { edge, orders, critical } = data.link;
  const [path, labelX, labelY] = getBezierPath({
    ...{ sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition },
    curvature: 0.2,
  });
  const onPath = showCritical && critical;
  const arrow = `url(#canvas-arrow-${selected ? 'chosen' : onPath ? 'critical' : 'plain'})`;
  const way = edge.arrow_direction;
  return (
    <>
      <BaseEdge
        path={path}
        interactionWidth={18}
        className={classes(
          styles['edge'],
          !orders && styles['unordered'],
          onPath && styles['onPath'],
          selected && styles['chosen'],
        )}
        {...(isFar || way === 'none' || way === 'backward' ? {} : { markerEnd: arrow })}
        {...(!isFar && (way === 'both' || way === 'backward') ? { markerStart: arrow } : {})}
      />
      {isFar || edge.label === null ? null : (
        <EdgeLabelRenderer>
          <span
            className={classes('nodrag', 'nopan', styles['edgeLabel'], selected && styles['chosen'])}
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
            onDoubleClick={() => editEdge(id)}
          >
            {edge.label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
});

export const edgeTypes = { link: LinkLine };
