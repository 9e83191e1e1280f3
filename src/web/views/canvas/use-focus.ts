import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { FocusEvent, RefObject } from 'react';
import type { FlowEdge, FlowNode } from './model/canvas-store.ts';

const framesMax = 30;

/** Focuses a node after scrolling to it: only visible nodes are rendered. */
export function useFocusNode(): (id: string) => void {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const store = useStoreApi<FlowNode, FlowEdge>();
  return useCallback(
    (id) => {
      const node = flow.getNode(id);
      const { domNode, width, height } = store.getState();
      if (node === undefined || domNode === null) return;
      const middle = { x: node.position.x + (node.width ?? 0) / 2, y: node.position.y + (node.height ?? 0) / 2 };
      const zoom = Math.max(flow.getZoom(), 0.5);
      const { x, y, zoom: now } = flow.getViewport();
      const [left, top] = [middle.x * now + x, middle.y * now + y];
      const inSight = now === zoom && left > 60 && top > 60 && left < width - 60 && top < height - 60;
      if (!inSight) void flow.setCenter(middle.x, middle.y, { zoom });
      let frames = 0;
      const focus = (): void => {
        const element = domNode.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
        if (element !== null) element.focus({ preventScroll: true });
        else if (frames++ < framesMax) requestAnimationFrame(focus);
      };
      requestAnimationFrame(focus);
    },
    [flow, store],
  );
}

/**
 * Moves the focus to the frame when the focused element is removed, such as a deleted node, so that keys still reach the canvas. `drawn` is
 * the state whose change may remove it.
 */
export function useKeptFocus(
  frame: RefObject<HTMLElement | null>,
  drawn: unknown,
): { readonly onFocus: () => void; readonly onBlur: (event: FocusEvent) => void } {
  const isInside = useRef(false);
  // Synchronously, so that a key pressed now reaches the canvas.
  useLayoutEffect(() => {
    if (drawn === undefined || !isInside.current || document.activeElement !== document.body) return;
    frame.current?.focus({ preventScroll: true });
  }, [frame, drawn]);
  useEffect(() => {
    const leave = ({ target }: PointerEvent): void => {
      if (frame.current?.contains(target as Element) === false) isInside.current = false;
    };
    // The focused element may be removed after the render: a key without a target then goes to the canvas.
    const lead = (event: KeyboardEvent): void => {
      if (event.target !== document.body || !isInside.current || frame.current === null) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      frame.current.focus({ preventScroll: true });
      event.stopPropagation();
      if (!frame.current.dispatchEvent(new KeyboardEvent(event.type, event))) event.preventDefault();
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('keydown', lead, true);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('keydown', lead, true);
    };
  }, [frame]);
  return {
    onFocus: () => {
      isInside.current = true;
    },
    onBlur: ({ relatedTarget }) => {
      // Moving the focus into a dialog is not leaving the canvas.
      if (relatedTarget !== null && relatedTarget.closest('[role="dialog"], [role="menu"]') === null)
        isInside.current = frame.current?.contains(relatedTarget) ?? false;
    },
  };
}
