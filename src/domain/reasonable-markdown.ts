/** Quotes and lists within each other. */
const depthMax = 100;
/** A parser takes microseconds for each, blank ones too: two million of them keep it for a quarter of a minute. */
const linesMax = 100_000;
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
  if (deep.test(markdown) || hasTooManyLines(markdown)) return false;
  return markdown.split(/\n[ \t\r]*\n/).every((block) => {
    const brackets = block.split('[').length - 1;
    return brackets <= looseBracketsMax || brackets - (block.match(bound) ?? []).length <= looseBracketsMax;
  });
}

function hasTooManyLines(text: string): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) if (++lines > linesMax) return true;
  return false;
}
