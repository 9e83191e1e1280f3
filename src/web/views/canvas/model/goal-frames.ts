import type { FlowNode } from './canvas-store.ts';
import type { Box } from './sizes.ts';

/** The space between a frame and its cards; its name is above them. */
const frameEdge = { side: 18, top: 44 } as const;

export interface Frame extends Box {
  readonly id: string;
  readonly name: string;
}

/** The frames around the shown tasks of each goal. */
export function framesOf(nodes: readonly FlowNode[], goals: ReadonlyMap<string, string>): Frame[] {
  const shown = nodes.filter(({ type, hidden }) => type === 'task' && hidden !== true);
  return [...Map.groupBy(shown, ({ data }) => data.item.goal)].flatMap(([goal, of]) => {
    const name = goal === null ? undefined : goals.get(goal);
    if (goal === null || name === undefined) return [];
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { position, width = 0, height = 0 } of of) {
      left = Math.min(left, position.x);
      top = Math.min(top, position.y);
      right = Math.max(right, position.x + width);
      bottom = Math.max(bottom, position.y + height);
    }
    const { side, top: head } = frameEdge;
    return [
      {
        id: goal,
        name,
        x: left - side,
        y: top - head,
        width: right - left + 2 * side,
        height: bottom - top + head + side,
      },
    ];
  });
}
