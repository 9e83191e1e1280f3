import type { ElementContent, Root } from 'hast';
import type { Nodes, Root as Markdown } from 'mdast';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import { toHast } from 'mdast-util-to-hast';
import { markdownPieces } from './blocks.ts';
import { parseMarkdown } from './parse-markdown.ts';

/** A node of a rendered text: an element or its text. */
export type MarkdownNode = ElementContent;

const schema = {
  ...defaultSchema,
  protocols: {
    ...defaultSchema.protocols,
    href: ['http', 'https', 'mailto', 'tel', 'planner'],
    src: ['http', 'https', 'data'],
  },
};

/** Elements of HTML that the sanitiser removes. */
const removed =
  'abbr address article aside audio base bdi bdo body button canvas caption center cite colgroup col datalist dialog embed figcaption ' +
  'figure font footer form frame frameset head header html iframe label legend link main map area mark math meta nav noscript object ' +
  'param script section small style svg template time title u video wbr track';
const elements = new Set([...(defaultSchema.tagNames ?? []), ...removed.split(' ')]);

/** Markup that is not an HTML tag (`Vec<String>`) is text: HTML is left out. */
function showText(node: Markdown | Nodes): void {
  if (!('children' in node)) return;
  node.children = (node.children as Nodes[]).map((child) => {
    showText(child);
    if (child.type !== 'html') return child;
    const [, name] = /^<\/?([a-z][a-z0-9-]*)/i.exec(child.value) ?? [];
    if (name === undefined || elements.has(name.toLowerCase())) return child;
    const text = { type: 'text' as const, value: child.value };
    return isBlock.has(node.type) ? { type: 'paragraph' as const, children: [text] } : text;
  }) as typeof node.children;
}

/** Nodes whose children are blocks. */
const isBlock = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition']);

/** Each block has the direction of its text; a list has one for all its items. Code runs from left to right. */
function prepared(root: Root): void {
  for (const block of root.children)
    if (block.type === 'element' && block.tagName !== 'pre') block.properties['dir'] = 'auto';
  removePositions(root);
}

/** Nodes with the same content are equal wherever they are. */
function removePositions(node: Root | Root['children'][number]): void {
  delete node.position;
  if ('children' in node) for (const child of node.children) removePositions(child);
}

/** Parses texts that differ little: a piece that was in the text before is not parsed again. */
export class MarkdownParser {
  #known = new Map<string, readonly MarkdownNode[]>();

  /** The nodes of a text. The same text has equal nodes, whatever was parsed before. */
  parse(text: string): readonly MarkdownNode[] {
    const former = this.#known;
    const known = new Map<string, readonly MarkdownNode[]>();
    const nodes: MarkdownNode[] = [];
    for (const piece of markdownPieces(text)) {
      const parsed = known.get(piece) ?? former.get(piece) ?? nodesOf(piece);
      known.set(piece, parsed);
      if (nodes.length > 0 && parsed.length > 0) nodes.push({ type: 'text', value: '\n' });
      nodes.push(...parsed);
    }
    this.#known = known;
    return nodes;
  }
}

/** The nodes of a piece of a text. HTML is left out. The sanitiser filters URLs. */
function nodesOf(piece: string): readonly MarkdownNode[] {
  const markdown = parseMarkdown(piece);
  showText(markdown);
  const root = sanitize(toHast(markdown), schema) as Root;
  prepared(root);
  return root.children.filter((node) => node.type !== 'doctype');
}
