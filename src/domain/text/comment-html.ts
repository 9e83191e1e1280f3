import { Parser } from 'htmlparser2';
import { Marked, Tokenizer } from 'marked';
import type { Token, Tokens } from 'marked';
import sanitize from 'sanitize-html';
import { limits } from '../../base/limits.ts';
import { beginsHtml, withTextEscaped } from './html-tags.ts';
import { isReasonable } from './reasonable-markdown.ts';

/**
 * Elements of formatted text. Other elements of HTML lose their tags and keep their text; scripts, styles and drawings
 * lose both. Unknown elements are text.
 */
const elements = [
  ...[
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'p',
    'div',
    'blockquote',
    'pre',
    'hr',
    'br',
    'ul',
    'ol',
    'li',
    'dl',
    'dt',
    'dd',
  ],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td', 'figure', 'figcaption', 'details', 'summary'],
  ...[
    'a',
    'abbr',
    'b',
    'cite',
    'code',
    'del',
    'em',
    'i',
    'img',
    'input',
    'ins',
    'kbd',
    'mark',
    'q',
    's',
    'samp',
    'small',
  ],
  ...['span', 'strong', 'sub', 'sup', 'u', 'var'],
];

const attributes = {
  a: ['href', 'title'],
  abbr: ['title'],
  details: ['open'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  input: ['type', 'checked', 'disabled'],
  li: ['value'],
  ol: ['start', 'reversed', 'type'],
  td: ['align', 'colspan', 'rowspan'],
  th: ['align', 'colspan', 'rowspan', 'scope'],
};

/** An inline image: raster formats only. SVG is a document, which may contain scripts. */
const inlineImage = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]*$/i;

// oxlint-disable-next-line no-control-regex
const blanks = /[\u0000-\u0020]/g;

const options: sanitize.IOptions = {
  allowedTags: elements,
  allowedAttributes: attributes,
  allowedClasses: { code: ['language-*'] },
  // planner: names a task, a document or a screen of a prototype.
  allowedSchemes: ['http', 'https', 'mailto', 'tel', 'planner'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: false,
  nonTextTags: [...['script', 'style', 'textarea', 'option', 'xmp'], ...['svg', 'math']],
  transformTags: {
    img: (tagName, { src = '', ...others }) => {
      // Browsers ignore blanks and control characters in a URL.
      const address = src.replaceAll(blanks, '');
      const isCode = /^data:/i.test(address) && !inlineImage.test(address);
      return { tagName, attribs: isCode ? others : { src, ...others } };
    },
    // The checkbox of a task list: shown, but disabled.
    input: (tagName, { type = '', checked }) => ({
      tagName,
      attribs: { type, ...(checked === undefined ? undefined : { checked: '' }), disabled: '' },
    }),
  },
  exclusiveFilter: ({ tag, attribs }) =>
    (tag === 'img' && (attribs['src'] ?? '') === '') || (tag === 'input' && attribs['type'] !== 'checkbox'),
};

/** The maximal length of emphasis in characters: without a bound the time to parse `_a_a_a…` is quadratic in its length. */
const emphasisCharactersMax = 1000;
/** The maximal number of delimiters within emphasis: the parser examines all of them for each opening one. */
const emphasisDelimitersMax = 50;
const delimiters = /[*_~]/g;

type Span = (this: Tokenizer, src: string, maskedSrc: string, prevChar?: string) => ReturnType<Tokenizer['emStrong']>;

/** A tokenizer of Marked's with a bounded lookahead. */
function bounded(own: Span) {
  return function (this: Tokenizer, src: string, maskedSrc: string, prevChar?: string) {
    const reach = reachOf(src);
    const masked = maskedSrc.slice(maskedSrc.length - src.length);
    return own.call(this, src.slice(0, reach), masked.slice(0, reach), prevChar);
  };
}

/** The lookahead at the start of a text, up to the bound that is reached first. */
function reachOf(src: string): number {
  if (!/^[*_~]/.test(src)) return src.length;
  delimiters.lastIndex = 0;
  for (let count = 0; count < emphasisDelimitersMax; count++) {
    const at = delimiters.exec(src)?.index;
    if (at === undefined || at >= emphasisCharactersMax) return Math.min(src.length, emphasisCharactersMax);
  }
  return delimiters.lastIndex;
}

const { emStrong, del } = Tokenizer.prototype as unknown as { readonly emStrong: Span; readonly del: Span };
const markdown = new Marked({ gfm: true, async: false });
markdown.use({
  tokenizer: {
    emStrong: bounded(emStrong),
    del: bounded(del) as never,
    // `false` calls Marked's own tokenizer; undefined makes the line a paragraph.
    html: (src) => (/^ {0,3}</.test(src) && !beginsHtml(src) ? undefined : false),
  },
});

/**
 * The HTML of tokens in which markup that is no HTML tag is text: blocks of HTML are parts of one text, and so are the
 * tags of a line.
 */
function parsed(tokens: Token[]): string {
  const blocks: Tokens.HTML[] = [];
  for (const token of tokens) gather(token, blocks, blocks);
  escapeText(blocks, false);
  return markdown.parser(tokens);
}

/** Adds the blocks of HTML in a token to `blocks` and its tags within a line to `line`; separate texts are escaped. */
function gather(token: Token, blocks: Tokens.HTML[], line: Tokens.HTML[]): void {
  if (token.type === 'html') return void (token['block'] === true ? blocks : line).push(token as Tokens.HTML);
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    for (const cell of [...header, ...rows.flat()]) gatherLine(cell.tokens, blocks);
  } else if (token.type === 'list') for (const item of (token as Tokens.List).items) gather(item, blocks, line);
  else if (ofLines.has(token.type)) gatherLine((token as Tokens.Paragraph).tokens, blocks);
  else for (const inner of (token as { readonly tokens?: Token[] }).tokens ?? []) gather(inner, blocks, line);
}

/** Tokens whose tokens are within lines; a `text` of a list item is one, too. */
const ofLines = new Set(['paragraph', 'heading', 'text']);

function gatherLine(tokens: Token[] | undefined, blocks: Tokens.HTML[]): void {
  const line: Tokens.HTML[] = [];
  for (const token of tokens ?? []) gather(token, blocks, line);
  escapeText(line, true);
}

function escapeText(tokens: readonly Tokens.HTML[], needsEnds: boolean): void {
  const texts = withTextEscaped(
    tokens.map(({ text }) => text),
    needsEnds,
  );
  for (const [at, token] of tokens.entries()) token.text = texts[at]!;
}

/** The block tags with which HTML of rich editors begins. Markdown may contain HTML, but does not begin with a block of it. */
const beginsAsHtml =
  /^\s*<(?:!doctype|html|body|p|div|h[1-6]|ul|ol|dl|blockquote|pre|table|figure|hr|section|article|main)(?=[\s/>])/i;

/**
 * The HTML of a comment's text. A text that begins with a block tag (`<p>`, `<ul>`, ...) is HTML; any other is Markdown, which may contain
 * HTML. Markdown that is too long or too deeply nested to render becomes preformatted text. Unsafe to show before `safeHtml`.
 */
export function htmlOf(text: string, bytesMax: number = limits.renderedMarkdownBytesMax): string {
  if (beginsAsHtml.test(text)) return text;
  return markdownHtml(text, bytesMax)?.trim() ?? preformatted(text);
}

/** The HTML of Markdown, undefined for a text that is too long, or whose nesting or brackets make parsers slow. Unsafe to show. */
export function markdownHtml(text: string, bytesMax: number): string | undefined {
  if (Buffer.byteLength(text) > bytesMax || !isReasonable(text)) return undefined;
  try {
    const html = parsed(markdown.lexer(text));
    return isTooDeep(html) ? undefined : html;
  } catch (thrown) {
    // Marked is recursive: thousands of nested lists exceed the stack.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** HTML without scripts, event handlers, styles, forms, frames and executable URLs. Idempotent. */
export function safeHtml(html: string): string {
  if (isPreformatted.test(html)) return html;
  if (hasTooManyMarks(html)) return preformatted(html);
  let safe = html;
  // Removing elements may change where others close: another round normalises that.
  for (let round = 0; round < roundsMax; round++) {
    if (isTooDeep(safe)) return preformatted(html);
    const cleaned = sanitize(withTextEscaped([safe], false)[0]!, options);
    if (cleaned === safe) return safe;
    safe = cleaned;
  }
  return safe;
}

/** The HTML that is served of a body that anybody wrote: one that shows nothing is shown as text. Idempotent. */
export function servedHtml(body: string): string {
  const safe = safeHtml(body);
  return isBlank(safe) ? preformatted(body) : safe;
}

const roundsMax = 4;

/** The output of `preformatted` contains no other tags, so nothing has to be removed. */
const isPreformatted = /^<pre>[^<>]*<\/pre>$/;

/** Sanitising takes about two microseconds for each tag and entity. */
function hasTooManyMarks(html: string): boolean {
  let count = 0;
  for (const mark of '<>&')
    for (let at = html.indexOf(mark); at !== -1; at = html.indexOf(mark, at + 1))
      if (++count > limits.htmlMarksMax) return true;
  return false;
}

/** Text as preformatted HTML. */
export function preformatted(text: string): string {
  return `<pre>${escaped(text)}</pre>`;
}

/** Text escaped for HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

class TooDeep extends Error {}

/**
 * Returns whether elements are nested deeper than formatting needs, since the time to sanitise them is quadratic in
 * their depth.
 */
export function isTooDeep(html: string): boolean {
  let depth = 0;
  const parser = new Parser({
    onopentag: () => {
      if (++depth > limits.htmlDepthMax) throw new TooDeep();
    },
    onclosetag: () => void depth--,
  });
  try {
    parser.end(html);
  } catch (thrown) {
    if (thrown instanceof TooDeep) return true;
    throw thrown;
  }
  return false;
}

/** Returns whether safe HTML is blank: neither text nor an image. */
export function isBlank(safe: string): boolean {
  return !/<img [^<>]*src="/.test(safe) && !/[^\s\p{Cf}\p{Cc}\u2800\u3164]/u.test(textOf(safe));
}

/** The text of safe HTML, or its beginning: at least `charactersMax` of it. */
export function textOf(safe: string, charactersMax = Infinity): string {
  const pieceCharacters = 64 * 1024;
  let text = '';
  const parser = new Parser({ ontext: (part) => void (text += part) }, { decodeEntities: true });
  for (let at = 0; at < safe.length && text.length < charactersMax; at += pieceCharacters)
    parser.write(safe.slice(at, at + pieceCharacters));
  parser.end();
  return text;
}
