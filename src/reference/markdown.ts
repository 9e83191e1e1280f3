/** A table of Markdown. Cells are one line; a `|` in them is escaped. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

export const code = (text: string): string => `\`${text}\``;

/** A phrase as a sentence: with a capital and a full stop. */
export const sentence = (phrase: string): string =>
  phrase === '' ? '' : `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}${phrase.endsWith('.') ? '' : '.'}`;

/**
 * A document with new texts in its generated sections, which are between `<!-- generated: name -->` and `<!-- end: name -->`. Throws if
 * the document has other sections than these.
 */
export function withSections(document: string, sections: Readonly<Record<string, string>>): string {
  const left = new Set(Object.keys(sections));
  const made = document.replace(section, (_, name: string) => {
    const text = sections[name];
    if (text === undefined || !left.delete(name)) throw new Error(`No program generates the section ${name}.`);
    return `<!-- generated: ${name} -->\n\n${text}\n\n<!-- end: ${name} -->`;
  });
  if (left.size > 0) throw new Error(`The document has no section ${[...left].join(', ')}.`);
  return made;
}

const section = /<!-- generated: ([a-z-]+) -->[^]*?<!-- end: \1 -->/g;
