import type { MarkdownNode } from './markdown-tree.ts';

/** The difference of two lists of nodes: nodes replaced by others, or a change within one element. */
export type TreePatch =
  | { readonly at: number; readonly removed: number; readonly inserted: readonly MarkdownNode[] }
  | { readonly at: number; readonly within: TreePatch };

/** The smallest single patch that makes one list of nodes the other; undefined if they are equal. */
export function patchBetween(from: readonly MarkdownNode[], to: readonly MarkdownNode[]): TreePatch | undefined {
  const shorter = Math.min(from.length, to.length);
  let at = 0;
  while (at < shorter && isSame(from[at], to[at])) at++;
  if (at === from.length && at === to.length) return undefined;
  let tail = 0;
  while (tail < shorter - at && isSame(from.at(-1 - tail), to.at(-1 - tail))) tail++;
  if (from.length - at - tail === 1 && to.length - at - tail === 1) {
    const within = patchWithin(from[at]!, to[at]!);
    if (within !== undefined) return { at, within };
  }
  return { at, removed: from.length - at - tail, inserted: to.slice(at, to.length - tail) };
}

/** The patch of the content of an element, if the element itself is the same. */
function patchWithin(from: MarkdownNode, to: MarkdownNode): TreePatch | undefined {
  if (from.type !== 'element' || to.type !== 'element' || from.tagName !== to.tagName) return undefined;
  return isSame(from.properties, to.properties) ? patchBetween(from.children, to.children) : undefined;
}

/** Applies a patch. Nodes that it does not change stay the same objects, and a node that takes the place of another has its key. */
export function patched(nodes: readonly MarkdownNode[], patch: TreePatch): MarkdownNode[] {
  const { at } = patch;
  if ('within' in patch) {
    const element = nodes[at]!;
    if (element.type !== 'element') throw new TypeError('The patch is not one of these nodes.');
    const next = { ...element, children: patched(element.children, patch.within) };
    keys.set(next, keyOfNode(element));
    return nodes.with(at, next);
  }
  const { removed, inserted } = patch;
  // A parser may give the same object for equal pieces: a key has one node.
  const added = inserted.map((node, index) => {
    const fresh = { ...node };
    if (index < removed) keys.set(fresh, keyOfNode(nodes[at + index]!));
    return fresh;
  });
  return [...nodes.slice(0, at), ...added, ...nodes.slice(at + removed)];
}

const keys = new WeakMap<MarkdownNode, number>();
let nextKey = 0;

/** A key that a node keeps while nodes around it come and go. */
export function keyOfNode(node: MarkdownNode): number {
  let key = keys.get(node);
  if (key === undefined) keys.set(node, (key = nextKey++));
  return key;
}

/** Returns whether two values of JSON are equal. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [entries, others] = [Object.entries(one), Object.entries(other)];
  return (
    entries.length === others.length &&
    entries.every(([name, value]) => isSame(value, (other as Record<string, unknown>)[name]))
  );
}
