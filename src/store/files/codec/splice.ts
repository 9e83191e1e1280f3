/** A replacement of a part of a text. Offsets count UTF-16 units; `start === end` inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits that do not overlap; at one offset insertions come first, in their order. Undefined if edits overlap.
 */
export function splice(text: string, edits: readonly Edit[]): string | undefined {
  const order = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const { start, end, text: inserted } of order) {
    if (start < at) return undefined;
    result += text.slice(at, start) + inserted;
    at = end;
  }
  return result + text.slice(at);
}
