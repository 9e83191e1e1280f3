import type { FinalConnectionState } from '@xyflow/react';

/**
 * The node under the pointer when an edge is dropped outside the dots of a node; undefined if it was dropped on a dot,
 * which the canvas handles, or on nothing.
 */
export function nodeUnder(event: MouseEvent | TouchEvent, state: FinalConnectionState): string | undefined {
  if (state.isValid === true) return undefined;
  const at = 'changedTouches' in event ? event.changedTouches[0] : event;
  if (at === undefined) return undefined;
  // The line that is being drawn covers the node.
  for (const element of document.elementsFromPoint(at.clientX, at.clientY)) {
    const id = element.closest('.react-flow__node')?.getAttribute('data-id');
    if (id != null) return id;
  }
  return undefined;
}
