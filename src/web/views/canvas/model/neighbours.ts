import type { FlowNode } from './canvas-store.ts';

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** The weight of the sideways distance. */
const asideWeight = 2.5;

const middle = ({ position: { x, y }, width = 0, height = 0 }: FlowNode): { x: number; y: number } => ({
  x: x + width / 2,
  y: y + height / 2,
});

/** The nearest node in a direction; nodes straight ahead are preferred. */
export function neighbourOf(from: FlowNode, nodes: readonly FlowNode[], direction: Direction): FlowNode | undefined {
  const here = middle(from);
  const across = direction === 'ArrowLeft' || direction === 'ArrowRight';
  const sign = direction === 'ArrowLeft' || direction === 'ArrowUp' ? -1 : 1;
  let best: FlowNode | undefined;
  let least = Infinity;
  for (const node of nodes) {
    const there = middle(node);
    const [dx, dy] = [there.x - here.x, there.y - here.y];
    const [on, aside] = across ? [dx * sign, Math.abs(dy)] : [dy * sign, Math.abs(dx)];
    if (node.id === from.id || on <= 1) continue;
    const distance = on + aside * asideWeight;
    if (distance < least) [best, least] = [node, distance];
  }
  return best;
}
