import type { Link } from '../../store/index.ts';
import { foldLabel } from './edge-label.ts';

/** Labels that say something about two tasks without ordering them, folded. */
const unorderedLabels = new Set([
  'relates',
  'relates_to',
  'references',
  'duplicates',
  'supersedes',
  'clarifies',
  'supports',
]);

/** Which of two tasks comes first. */
export interface Ordering {
  readonly first: string;
  readonly then: string;
}

/**
 * What an edge that leaves the task `from` says about the order of work. Only task-to-task edges order: with `depends_on` the far
 * end comes first, with any other label or none the near end, with the labels of mere relation neither. A task is never its own prerequisite.
 */
export function orderingOf(from: string, link: Link): Ordering | undefined {
  if (link.type !== 'task' || link.to === from) return undefined;
  const label = foldLabel(link.label);
  if (label === 'depends_on') return { first: link.to, then: from };
  return unorderedLabels.has(label) ? undefined : { first: from, then: link.to };
}
