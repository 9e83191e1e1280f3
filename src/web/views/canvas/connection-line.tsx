import { getBezierPath } from '@xyflow/react';
import type { ConnectionLineComponentProps } from '@xyflow/react';
import type { ReactElement } from 'react';
import type { FlowNode } from './model/canvas-store.ts';
import { endAt, gripHandle, opposite, sidesBetween } from './model/sides.ts';

/** The edge that is being drawn: from the dot where it began, or from the side of the card that faces the pointer. */
export function ConnectionLine(props: ConnectionLineComponentProps<FlowNode>): ReactElement {
  const { fromNode, fromHandle, fromX, fromY, fromPosition, toX, toY } = props;
  const { x, y } = fromNode.internals.positionAbsolute;
  const { width = 0, height = 0 } = fromNode.measured;
  const box = { x, y, width, height };
  const start =
    fromHandle.id === gripHandle
      ? endAt(box, sidesBetween(box, { x: toX, y: toY, width: 0, height: 0 })[0])
      : { x: fromX, y: fromY, position: fromPosition };
  const [path] = getBezierPath({
    ...{ sourceX: start.x, sourceY: start.y, sourcePosition: start.position },
    ...{ targetX: toX, targetY: toY, targetPosition: opposite(start.position) },
  });
  return <path d={path} fill="none" className="react-flow__connection-path" />;
}
