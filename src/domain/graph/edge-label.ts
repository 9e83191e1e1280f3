/** Labels compare without case, with space, `-` and `_` alike. No label is the empty text. */
export function foldLabel(label: string | null | undefined): string {
  return (label ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '_');
}
