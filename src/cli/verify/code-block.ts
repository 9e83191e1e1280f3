/** Lines as a block of code in Markdown. Its fence is longer than any in them. */
export function codeBlock(lines: string): string {
  const fences = lines.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(2, ...fences.map(({ length }) => length)) + 1);
  return `${fence}text\n${lines}\n${fence}`;
}

/** The output of a command in Markdown. */
export function outputBlock(text: string): string {
  const lines = text.trimEnd();
  return lines === '' ? 'It printed nothing.' : codeBlock(lines);
}
