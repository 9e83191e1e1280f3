import type { Link } from '../../store/index.ts';
import { foldLabel } from './edge-label.ts';

/** Labels that relate two tasks without ordering them, folded. */
const unorderedLabels = new Set([
  'relates',
  'relates_to',
  'references',
  'duplicates',
  'supersedes',
  'clarifies',
  'supports',
]);

/** The order of two tasks. */
export interface Ordering {
  readonly first: string;
  readonly then: string;
}

/**
 * The order of work that an edge from the task `from` implies. Only edges between tasks order: with `depends_on` the
 * target precedes the source, with any other label or without one the source precedes the target, and labels in
 * `unorderedLabels` imply no order. A task is never its own prerequisite.
 */
export function orderingOf(from: string, link: Link): Ordering | undefined {
  if (link.type !== 'task' || link.to === from) return undefined;
  const label = foldLabel(link.label);
  if (label === 'depends_on') return { first: link.to, then: from };
  return unorderedLabels.has(label) ? undefined : { first: from, then: link.to };
}
