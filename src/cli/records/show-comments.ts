import type { ShownLine } from '../terminal/style.ts';
import { indented, minuteOf } from '../terminal/show-text.ts';

/** The members of a comment that are printed. */
export interface ShownComment {
  readonly author: string;
  readonly source: string;
  readonly created_at: string;
  readonly resolved: boolean;
}

/** Comments as they were written, each below its time and author. */
export function commentLines(comments: readonly ShownComment[], indent = ''): readonly ShownLine[] {
  return comments.flatMap(({ author, created_at: at, source, resolved }): ShownLine[] => [
    `${indent}${minuteOf(at)}  ${author}${resolved ? '  (resolved)' : ''}`,
    { block: indented(source) },
  ]);
}
