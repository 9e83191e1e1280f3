/**
 * The text of the first heading, without a closing `#`; undefined if there is none. The end is trimmed in steps,
 * because a single pattern would backtrack over every split of a long line.
 */
export function markdownTitle(text: string): string | undefined {
  const line = /^#{1,6}[ \t]+(?=[^ \t\r\n])(.+)$/m.exec(text)?.[1]?.trimEnd() ?? '';
  const title = line.replace(/(?<!#)#+$/, '').trimEnd();
  return title === '' ? undefined : title;
}
