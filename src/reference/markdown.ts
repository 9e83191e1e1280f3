/** A table of Markdown. Cells are one line; a `|` in them is escaped. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

export const code = (text: string): string => `\`${text}\``;

/** A phrase as a sentence: with a capital and a full stop. Outside of code, a `<` would begin an element, which forges leave out. */
export function sentence(phrase: string): string {
  const text = phrase.replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? String.raw`\<` : part));
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

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

/** The sections of a document as links to them. */
export function contentsOf(document: string): string {
  const headings = document.replace(/^(`{3,})[^]*?^\1/gm, '').matchAll(/^## (.+)$/gm);
  return `On this page: ${Array.from(headings, ([, heading = '']) => `[${heading}](#${anchorOf(heading)})`).join(' · ')}`;
}

/** The anchor of a heading, as forges make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
