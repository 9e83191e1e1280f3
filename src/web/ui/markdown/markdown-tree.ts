import type { ElementContent, Root } from 'hast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { markdownPieces } from './blocks.ts';

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

/** HTML is left out. The sanitiser filters URLs. */
const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype)
  .use(rehypeSanitize, schema)
  .use(() => prepared)
  .freeze();

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

function nodesOf(piece: string): readonly MarkdownNode[] {
  const { children } = processor.runSync(processor.parse(piece));
  return children.filter((node) => node.type !== 'doctype');
}
