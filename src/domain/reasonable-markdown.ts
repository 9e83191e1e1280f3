/** Quotes and lists within each other. */
const depthMax = 100;
/** Brackets of one block that belong to no link. */
const looseBracketsMax = 1000;

const deep = new RegExp(`^(?:[ \\t]*(?:>|[-+*]|\\d{1,9}[.)])){${depthMax + 1}}`, 'm');
/** A link, a reference, a definition or a box to tick. */
const bound = /\[[^[\]]*\](?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^[\]]+\])|^ {0,3}\[[^[\]]*\]:|\[[ xX]\](?=\s)/gm;

/**
 * Whether a parser reads a text in a time that grows with its length alone. Some texts that nobody writes take the square of it, and two
 * megabytes of them the service for an hour.
 */
export function isReasonable(markdown: string): boolean {
  if (deep.test(markdown)) return false;
  return markdown.split(/\n[ \t\r]*\n/).every((block) => {
    const brackets = block.split('[').length - 1;
    return brackets <= looseBracketsMax || brackets - (block.match(bound) ?? []).length <= looseBracketsMax;
  });
}
