import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { cloneElement, Fragment, memo } from 'react';
import type { ComponentProps, ComponentType, JSX, ReactElement } from 'react';
import { jsx, jsxs } from 'react/jsx-runtime';
import type { MarkdownNode } from './markdown-tree.ts';
import { keyOfNode } from './tree-patch.ts';

/** The components that draw elements of Markdown. */
export type MarkdownComponents = {
  readonly [Tag in keyof JSX.IntrinsicElements]?: ComponentType<ComponentProps<Tag>>;
};

export interface MarkdownNodesProps {
  readonly nodes: readonly MarkdownNode[];
  /**
   * Components that remain the same object while unchanged: new ones would remount every element with each letter
   * typed.
   */
  readonly components: MarkdownComponents;
}

/** Elements that may have very many children: each child is rendered again only if it has changed. */
const long: ReadonlySet<string> = new Set(['ul', 'ol', 'li', 'table', 'tbody', 'blockquote', 'section']);
/** React rejects white space between the parts of a table. */
const tables: ReadonlySet<string> = new Set(['table', 'tbody']);

export const MarkdownNodes = memo(function Nodes({ nodes, components }: MarkdownNodesProps): ReactElement {
  return (
    <>
      {nodes.map((node) => (
        <MarkdownNodeView key={keyOfNode(node)} node={node} components={components} />
      ))}
    </>
  );
});

const MarkdownNodeView = memo(function Rendered({
  node,
  components,
}: {
  readonly node: MarkdownNode;
  readonly components: MarkdownComponents;
}): ReactElement {
  if (node.type !== 'element') return <>{node.type === 'text' ? node.value : null}</>;
  const { tagName, children } = node;
  if (!long.has(tagName)) return rendered(node, components);
  const shown = tables.has(tagName) ? children.filter(({ type }) => type === 'element') : children;
  return cloneElement(
    rendered({ ...node, children: [] }, components),
    undefined,
    <MarkdownNodes nodes={shown} components={components} />,
  );
});

function rendered(node: MarkdownNode, components: MarkdownComponents): ReactElement {
  return toJsxRuntime(node, { Fragment, components, ignoreInvalidStyle: true, jsx, jsxs }) as ReactElement;
}
