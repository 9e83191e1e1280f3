import { printableLine } from '../../base/printable.ts';

/**
 * The text of a plan in a comment on a forge. It may come from a fork, so it is untrusted: nothing of it may become Markdown, HTML,
 * a mention, a reference to an issue, a link or a command of the forge. Every special character is an entity, which is the same in
 * Markdown and in HTML, and no text is at the beginning of a line.
 */

/** A zero-width space, which bots of forges use, too: a forge does not find `@name` or `#12` with it inside. */
const parted = '&#8203;';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that begin or end something in Markdown, HTML, GitHub's formulas or GitLab's references. */
const special = /[&<>"\\`*_{}[\]()#+!|~$^=:@%]/g;

/** A text in one line, of which nothing is syntax. */
function escaped(text: string): string {
  return printableLine(text).replace(special, (found) => entities[found] ?? `&#${found.codePointAt(0)};`);
}

/** A text in one line, as it is, wherever it is. */
export function escapeMarkdown(text: string): string {
  return (
    escaped(text)
      // Forges look for these in the rendered text, in which an entity is its character.
      .replace(/&#64;|&#35;|&#33;|&#37;|&#126;|&amp;(?=\w)/g, (found) => found + parted)
      .replaceAll('//', `/${parted}/`)
      .replace(/\b(www)\./gi, `$1${parted}.`)
      .replace(/\b(gh)-(?=\d)/gi, `$1-${parted}`)
  );
}

/** A text that is cut to so many characters. */
export function shortened(text: string, charactersMax: number): string {
  const characters = [...text];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join('')}…`;
}

/** A value as code, in which forges look for no mention, reference or link: it can be copied as it is. */
export function codeOf(text: string): string {
  return `<code>${escaped(text)}</code>`;
}
