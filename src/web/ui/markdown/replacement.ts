export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The shortest single replacement that turns one text into another, so that a cursor outside it stays. Undefined for equal texts. */
export function replacement(from: string, to: string): Replacement | undefined {
  if (from === to) return undefined;
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from.charCodeAt(start) === to.charCodeAt(start)) start++;
  let same = 0;
  while (same < shorter - start && from.charCodeAt(from.length - 1 - same) === to.charCodeAt(to.length - 1 - same))
    same++;
  return { from: start, to: from.length - same, insert: to.slice(start, to.length - same) };
}
