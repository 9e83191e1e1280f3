/** Labels without information beyond the arrow: the order of work itself. */
const plainLabels = new Set(['', 'blocks', 'depends_on']);

/** Labels compare as the service compares them: without case, with space, `-` and `_` alike. */
function folded(label: string | null): string {
  return (label ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_');
}

/** The label to draw at an edge; undefined if the arrow says the same. */
export function drawnLabel(label: string | null): string | undefined {
  return label === null || plainLabels.has(folded(label)) ? undefined : label;
}

/** Returns whether an edge is read from its target: with `depends_on` the target is the prerequisite. */
export function isReversed(label: string | null): boolean {
  return folded(label) === 'depends_on';
}
