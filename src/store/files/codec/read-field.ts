import type { Field } from '../../record/collection.ts';
import { listItems, plainValue, scalarValue, textValue } from './node.ts';
import type { Node } from './node.ts';
import { Unreadable } from './source-text.ts';
import { readLink } from './written-link.ts';
import type { WrittenLink } from './written-link.ts';

/** Converts a node to the field's value. Throws `Unreadable` if it is of another kind. */
export function readField({ name, kind }: Field, node: Node): unknown {
  switch (kind) {
    case 'text':
      return textValue(node, name);
    case 'number':
    case 'boolean':
      return scalarValue(node, name, kind);
    case 'json':
      return plainValue(node, name);
    case 'texts':
      if (node.kind === 'scalar' && node.source.includes(','))
        throw new Unreadable(node.at, `${name} must be a list, as in [a, b], not several texts in one.`);
      return listItems(node).map((item) => textValue(item, name));
    case 'links':
      return listItems(node).map((item) => linkOf(item, name));
  }
}

function linkOf(node: Node, name: string): WrittenLink {
  if (node.kind === 'scalar') return { to: node.source };
  if (node.kind === 'list')
    throw new Unreadable(node.at, `${name}: a link is a map {to, label?} or an id, not a list.`);
  const read = (member: string): string | null => {
    const place = node.keys.indexOf(member);
    return place === -1 ? null : textValue(node.values[place]!, `${name}: ${member}`);
  };
  return readLink(read, node.at, name);
}
