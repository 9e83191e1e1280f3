import type { Definition, Image, ImageReference, Link, LinkReference, Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { CompileContext, Extension, Token } from 'mdast-util-from-markdown';
import { visit } from 'unist-util-visit';
import { attributesWithUrls } from './html-urls.ts';
import type { AttributePlace } from './html-urls.ts';
import { isReasonableForPlaces } from './reasonable-markdown.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The destination of a link, an image or a reference definition, as written and as decoded. */
export interface DestinationPlace extends Span {
  readonly url: string;
}

/** The label of a reference definition or of a reference. */
export interface LabelPlace extends Span {
  readonly identifier: string;
  /** A reference without its own label gets one after it. */
  readonly kind: 'definition' | 'reference';
}

/**
 * The positions in a Markdown text that change when it is concatenated with others. They do not overlap, and are never
 * in code.
 */
export interface MarkdownPlaces {
  readonly destinations: readonly DestinationPlace[];
  readonly attributes: readonly AttributePlace[];
  readonly labels: readonly LabelPlace[];
  /**
   * The parts that no reader of the rendered text sees: comments of HTML, and definitions that nothing refers to, which
   * serve as comments, too.
   */
  readonly hidden: readonly Span[];
  /**
   * The end of a fence or HTML block that is open at the end of the text, which would otherwise include the following
   * text.
   */
  readonly closing: string;
}

const none: MarkdownPlaces = { destinations: [], attributes: [], labels: [], hidden: [], closing: '' };

/**
 * Finds the positions in a Markdown text (CommonMark). Returns no positions for a text that would take a parser too
 * long.
 */
export function placesIn(markdown: string): MarkdownPlaces {
  if (!isReasonableForPlaces(markdown)) return none;
  const destinations: DestinationPlace[] = [];
  const definitions: LabelPlace[] = [];
  const html: Span[] = [];
  const root = fromMarkdown(markdown, {
    // Emphasis contains no URL, and parsing it takes quadratic time for a text with a thousand stars.
    extensions: [{ disable: { null: ['attention'] } }],
    mdastExtensions: [noting(destinations, definitions, html)],
  });
  // The parser's offsets do not count a byte order mark.
  const shift = markdown.startsWith('\uFEFF') ? 1 : 0;
  const shifted = <P extends Span>(place: P): P => ({ ...place, start: place.start + shift, end: place.end + shift });
  const references = referencesIn(root, markdown.slice(shift));
  const { attributes, comments } = partsOfHtml(root, markdown.slice(shift), html);
  return {
    destinations: destinations.map(shifted),
    attributes: attributes.map(shifted),
    labels: [...definitions, ...references].map(shifted),
    hidden: [...comments, ...unusedDefinitions(root, references)].map(shifted),
    closing: closingOf(root, markdown.slice(shift)),
  };
}

/** Replaces the default handlers to record positions: the tree has positions of whole nodes only. */
function noting(destinations: DestinationPlace[], definitions: LabelPlace[], html: Span[]): Extension {
  const spanOf = ({ start, end }: Token): Span => ({ start: start.offset, end: end.offset });
  function destination(this: CompileContext, token: Token): undefined {
    const url = this.resume();
    const node = this.stack.at(-1) as Link | Image | Definition;
    // A footnote of one word parses as a definition in plain CommonMark.
    const isFootnote = node.type === 'definition' && node.identifier.startsWith('^');
    if (!isFootnote) destinations.push({ ...spanOf(token), url });
  }
  function definitionLabel(this: CompileContext, token: Token): undefined {
    this.resume();
    const node = this.stack.at(-1) as Definition;
    node.identifier = identifierOf(this.sliceSerialize(token));
    definitions.push({ ...spanOf(token), identifier: node.identifier, kind: 'definition' });
  }
  const note = (token: Token): undefined => void html.push(spanOf(token));
  const nothing = (): undefined => undefined;
  return {
    enter: { htmlFlowData: nothing, htmlTextData: nothing },
    exit: {
      resourceDestinationString: destination,
      definitionDestinationString: destination,
      definitionLabelString: definitionLabel,
      htmlFlowData: note,
      htmlTextData: note,
    },
  };
}

/** Labels compare without case and white space, as in the parser's references. */
function identifierOf(label: string): string {
  return label
    .replace(/[\t\n\r ]+/g, ' ')
    .trim()
    .toLowerCase()
    .toUpperCase()
    .toLowerCase();
}

/** The place of a node in the text: the parser gives one to each. */
function placeOf({ position }: Nodes): Span {
  return { start: position?.start.offset ?? 0, end: position?.end.offset ?? 0 };
}

function referencesIn(root: Root, text: string): LabelPlace[] {
  const found: LabelPlace[] = [];
  visit(root, ['linkReference', 'imageReference'], (node) => {
    const { referenceType, identifier } = node as LinkReference | ImageReference;
    const { end } = placeOf(node);
    if (referenceType === 'shortcut') found.push({ start: end, end, identifier, kind: 'reference' });
    else found.push({ start: text.lastIndexOf('[', end - 1), end, identifier, kind: 'reference' });
  });
  return found;
}

/** The definitions that no reference of the text names. Footnotes of one word are parsed as definitions, and are shown. */
function unusedDefinitions(root: Root, references: readonly LabelPlace[]): Span[] {
  const used = new Set(references.map(({ identifier }) => identifier));
  const found: Span[] = [];
  visit(root, 'definition', (definition) => {
    const { identifier } = definition;
    if (!used.has(identifier) && !identifier.startsWith('^')) found.push(placeOf(definition));
  });
  return found;
}

/** Browsers end a comment that begins with `<!-->` immediately. */
const comment = /<!--(?:-?>|[\s\S]*?-->)/g;

interface PartsOfHtml {
  readonly attributes: readonly AttributePlace[];
  readonly comments: readonly Span[];
}

/** Attributes and comments in the HTML nodes of a tree. A node in a quote or a list does not include the prefixes of its lines. */
function partsOfHtml(root: Root, text: string, pieces: readonly Span[]): PartsOfHtml {
  const attributes: AttributePlace[] = [];
  const comments: Span[] = [];
  // Both are in the order of the text, so each piece is visited once.
  let next = 0;
  visit(root, 'html', (node) => {
    const { start: from, end: to } = placeOf(node);
    while (next < pieces.length && pieces[next]!.start < from) next++;
    const inside: Span[] = [];
    for (; next < pieces.length && pieces[next]!.end <= to; next++) inside.push(pieces[next]!);
    const html = inside.map(({ start, end }) => text.slice(start, end)).join('\n');
    for (const place of attributesWithUrls(html)) {
      const [start, end] = [sourceOffset(inside, place.start), sourceOffset(inside, place.end)];
      // A value over several lines keeps the text between them.
      if (end - start === place.end - place.start) attributes.push({ ...place, start, end });
    }
    // These elements contain text.
    if (/^<(?:script|style|textarea)/i.test(html)) return;
    for (const { index, 0: whole } of html.matchAll(comment))
      comments.push({ start: sourceOffset(inside, index), end: sourceOffset(inside, index + whole.length) });
  });
  return { attributes, comments };
}

/** The offset in the text of a character of its pieces joined by line feeds. */
function sourceOffset(pieces: readonly Span[], at: number): number {
  let left = at;
  for (const { start, end } of pieces) {
    if (left <= end - start) return start + left;
    left -= end - start + 1;
  }
  return pieces.at(-1)?.end ?? 0;
}

/** The beginnings and ends of raw HTML blocks that do not end with a blank line. */
const openings: readonly (readonly [opening: RegExp, end: RegExp, closing: string])[] = [
  [/^<script(?=[\s>]|$)/i, /<\/script>/i, '</script>'],
  [/^<pre(?=[\s>]|$)/i, /<\/pre>/i, '</pre>'],
  [/^<style(?=[\s>]|$)/i, /<\/style>/i, '</style>'],
  [/^<textarea(?=[\s>]|$)/i, /<\/textarea>/i, '</textarea>'],
  [/^<!--/, /-->/, '-->'],
  [/^<\?/, /\?>/, '?>'],
  [/^<!\[CDATA\[/, /\]\]>/, ']]>'],
  [/^<![a-z]/i, />/, '>'],
];

function closingOf(root: Root, text: string): string {
  const last = root.children.at(-1);
  const source = text.slice(last?.position?.start.offset, last?.position?.end.offset);
  if (last?.type === 'code') return closingFence(source);
  if (last?.type !== 'html') return '';
  const [, end, closing = ''] = openings.find(([opening]) => opening.test(source)) ?? [];
  return end === undefined || end.test(source) ? '' : closing;
}

function closingFence(source: string): string {
  const [, fence] = /^(`{3,}|~{3,})/.exec(source) ?? [];
  if (fence === undefined) return '';
  const lines = source.split(/\r\n|\n|\r/);
  const end = new RegExp(`^ {0,3}\\${fence[0]}{${fence.length},}[ \\t]*$`);
  return lines.length > 1 && end.test(lines.at(-1)!) ? '' : fence;
}
