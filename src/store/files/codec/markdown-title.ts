/**
 * The text of the first heading, without the `#` that may close it; undefined where there is none. What ends it is taken off step by step:
 * one pattern for all would try every split of a long line.
 */
export function markdownTitle(text: string): string | undefined {
  const line = /^#{1,6}[ \t]+(?=[^ \t\r\n])(.+)$/m.exec(text)?.[1]?.trimEnd() ?? '';
  const title = line.replace(/(?<!#)#+$/, '').trimEnd();
  return title === '' ? undefined : title;
}
