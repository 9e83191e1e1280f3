/**
 * Scalars of YAML 1.2 with the core schema. A property test compares this with the yaml package: text that is plain
 * here is read there as the same text.
 */

/**
 * Characters that must be escaped in a file: controls, line separators, byte order marks, noncharacters, lone
 * surrogates. Includes tab.
 */
// oxlint-disable-next-line no-control-regex
const unprintable = /[\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/u;
// oxlint-disable-next-line no-control-regex
const unprintableButNewline = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/u;
/** Patterns that end a plain scalar, begin something else, or would be trimmed. */
const notPlain = /: |:$| #|^[\s,[\]{}#&*!|>'"%@`]|^[-?:](?: |$)|\s$|^---|^\.\.\./;
const notPlainInFlow = /[,[\]{}]|^[-?:]/;
/** Null, booleans and numbers of the core schema. */
const resolved =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;
/** The possible first characters of these words and numbers. */
const beginsResolved = /^[~nNtTfF.0-9+-]/;

/** Returns true if the unquoted text is read as itself. `flow`: between braces or brackets. */
export function isPlain(text: string, flow: boolean): boolean {
  if (text === '' || notPlain.test(text) || (flow && notPlainInFlow.test(text))) return false;
  return !(beginsResolved.test(text) && resolved.test(text)) && !unprintable.test(text);
}

/**
 * The value of an unquoted number, boolean or null in the one form that the service writes; undefined for anything
 * else.
 */
export function plainConstant(source: string): { readonly value: number | boolean | null } | undefined {
  if (source === 'true') return { value: true };
  if (source === 'false') return { value: false };
  if (source === 'null') return { value: null };
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[-+]\d+)?$/.test(source) ? { value: Number(source) } : undefined;
}

/** A text on one line: plain if possible, else quoted. */
export function scalar(text: string, flow: boolean): string {
  return isPlain(text, flow) ? text : quoted(text);
}

/** Chooses quotes that require the fewest escapes. */
export function quoted(text: string): string {
  if (unprintable.test(text) || !/["\\]/.test(text)) return doubleQuoted(text);
  return `'${text.replaceAll("'", "''")}'`;
}

/** The text in single quotes, which have no escapes; undefined if it needs an escape. */
export function singleQuoted(text: string): string | undefined {
  return unprintable.test(text) ? undefined : `'${text.replaceAll("'", "''")}'`;
}

/** JSON strings are YAML double-quoted scalars; invisible characters are escaped as well. */
export function doubleQuoted(text: string): string {
  const json = JSON.stringify(text);
  return /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/.test(json)
    ? json.replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped)
    : json;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Returns true if a text of several lines reads back exactly from a block literal, whatever follows it. Texts with many
 * blank lines in a row do not use one, since front matter parsers are slow on them.
 */
export function canBeLiteral(text: string): boolean {
  const oddSpace = /\n[ \t]+(?:\n|$)|\n\t|\n{65}|\n\n$/;
  return text.includes('\n') && /^\S/.test(text) && !oddSpace.test(text) && !unprintableButNewline.test(text);
}

/** A block literal from its header on, with a final line ending: `|-\n  first\n  second\n`. */
export function literal(text: string, indent: string, ending: string): string {
  const ends = text.endsWith('\n');
  const lines = (ends ? text.slice(0, -1) : text).split('\n').map((line) => (line === '' ? '' : indent + line));
  return [ends ? '|' : '|-', ...lines, ''].join(ending);
}
