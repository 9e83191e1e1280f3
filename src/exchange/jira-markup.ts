/** A part of a text with Jira's markup: `code` is shown as it is written. */
interface Piece {
  readonly text: string;
  readonly code: boolean;
}

const fences = /\{(code|noformat)(?::([^}]*))?\}([\s\S]*?)\{\1\}/g;

/**
 * The Markdown of a text with Jira's markup: headings, lists, code, quotes, links, tables, bold, deleted and monospaced
 * text. Markup without an equivalent in Markdown loses its marks; unclosed markup remains as it is.
 */
export function markdownOfJira(text: string): string {
  return split(text, fences, fenced)
    .map((piece) => (piece.code ? piece.text : blocks(piece.text)))
    .join('');
}

function split(text: string, pattern: RegExp, codeOf: (match: RegExpExecArray) => string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push({ text: text.slice(at, match.index), code: false }, { text: codeOf(match), code: true });
    at = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(at), code: false }];
}

function fenced([, kind, options = '', body = '']: RegExpExecArray): string {
  const language = kind === 'code' ? (options.split('|').find((one) => /^[\w+#-]+$/.test(one)) ?? '') : '';
  const ticks = '`'.repeat(Math.max(2, ...(body.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  return `\n${ticks}${language}\n${body.replace(/^\n|\n$/g, '')}\n${ticks}\n`;
}

function blocks(text: string): string {
  const quoted = text.replace(
    /\{quote\}([\s\S]*?)\{quote\}/g,
    (_, body: string) => `\n${body.trim().replace(/^/gm, 'bq. ')}\n`,
  );
  const lines = quoted.replace(/\{(?:panel|color|anchor|toc)(?::[^}]*)?\}/g, '').split('\n');
  return lines.map((line, at) => block(line, lines[at - 1] ?? '')).join('\n');
}

function block(line: string, before: string): string {
  const [, level, title] = /^\s*h([1-6])\.\s+(.*)$/.exec(line) ?? [];
  if (title !== undefined) return `${'#'.repeat(Number(level))} ${inline(title)}`;
  const [, quote] = /^\s*bq\. ?(.*)$/.exec(line) ?? [];
  if (quote !== undefined) return `> ${block(quote, '')}`.trimEnd();
  const [, marks, item] = /^\s*([*#-]+)\s+(.*)$/.exec(line) ?? [];
  if (item !== undefined && /^(?:[*#]+|-)$/.test(marks!)) {
    // The blank line ends a paragraph, which a number would not interrupt.
    const isFirst = before.trim() !== '' && !/^\s*[*#-]+\s/.test(before);
    const indent = [...marks!.slice(0, -1)].map((mark) => (mark === '#' ? '   ' : '  ')).join('');
    return `${isFirst ? '\n' : ''}${indent}${marks!.endsWith('#') ? '1.' : '-'} ${inline(item)}`;
  }
  const row = line.trim();
  if (/^\|\|.*\|\|$/.test(row)) {
    const cells = row.slice(2, -2).split('||');
    return `| ${cells.map((cell) => inline(cell.trim())).join(' | ')} |\n|${' --- |'.repeat(cells.length)}`;
  }
  return inline(line);
}

/** Markup whose content remains as it is written: monospaced text, links, people, pictures, and addresses. */
const verbatim =
  /\{\{(.+?)\}\}|\[~([^\]\n]+)\]|\[([^\]|\n]+)\|([^\]|\s]+)(?:\|[^\]\n]*)?\]|\[((?:https?|mailto|ftp):[^\]\s]+)\]|!([^!\s|]+\.\w+|https?:[^!\s|]+)(?:\|[^!\n]*)?!|(https?:\/\/[^\s\]|]+)/g;

function inline(line: string): string {
  return split(line, verbatim, ([, mono, person, label, target, link, picture, address]) => {
    if (mono !== undefined) return mono.includes('`') ? `\`\` ${mono} \`\`` : `\`${mono}\``;
    if (person !== undefined) return `@${person.replace(/^accountid:/, '')}`;
    if (label !== undefined) return `[${emphasis(label)}](${target!})`;
    if (picture !== undefined) return `![${picture}](${encodeURI(picture.toWellFormed())})`;
    return link === undefined ? address! : `<${link}>`;
  })
    .map((piece) => (piece.code ? piece.text : emphasis(piece.text)))
    .join('');
}

/** A mark counts between a blank, or punctuation, and a word. */
function marked(mark: string): RegExp {
  return new RegExp(
    `(?<![\\p{L}\\p{N}\\\\${mark}])${mark}(?=\\S)([^\\n${mark}]*[^\\s${mark}])${mark}(?![\\p{L}\\p{N}${mark}])`,
    'gu',
  );
}

const [bold, deleted, inserted, cited] = [
  marked('\\*'),
  /(?<=^|[\s(])-(?=[^\s-])([^\n]{0,300}?[^\s-])-(?=$|[\s).,;:!?])/gu,
  /(?<=^|[\s(])\+(?=[^\s+])([^\n]{0,300}?[^\s+])\+(?=$|[\s).,;:!?])/gu,
  /\?\?([^\n?]+)\?\?/g,
];

function emphasis(text: string): string {
  return text
    .replace(/<(?=[\p{L}/!?])/gu, '\\<')
    .replace(bold, '**$1**')
    .replace(deleted, '~~$1~~')
    .replace(inserted, '$1')
    .replace(cited, '_$1_')
    .replace(/\\\\(?=\s|$)/g, '  ');
}
