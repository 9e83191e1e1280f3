import { Unreadable } from './source-text.ts';

/** A node of front matter, whichever parser read it. `at` is the offset in the text that was read. */
export type Node = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  /** The text as written: `2026` of `label: 2026`, the content of a quoted or block scalar. */
  readonly source: string;
  /** The value in YAML's core schema: string, number, boolean or null. */
  readonly value: unknown;
  readonly at: number;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly Node[];
  readonly at: number;
}

/** `keys` and `values` have equal indexes. */
export interface MapNode {
  readonly kind: 'map';
  readonly keys: readonly string[];
  readonly values: readonly Node[];
  readonly at: number;
}

/** Deeper nesting is rejected, so that functions may traverse values recursively. */
export const depthMax = 64;

const kindNames = { scalar: 'a single value', list: 'a list', map: 'a map' } as const;

/** The node as a plain JSON value. Keys such as `__proto__` become ordinary members. */
export function plainValue(node: Node, name: string): unknown {
  if (node.kind === 'list') return node.items.map((item) => plainValue(item, name));
  if (node.kind === 'map') {
    const object: Record<string, unknown> = {};
    node.keys.forEach((key, i) => setMember(object, key, plainValue(node.values[i]!, name)));
    return object;
  }
  if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
    throw new Unreadable(
      node.at,
      `${name}: ${node.source} is not a valid JSON number; write it in quotes if it is text.`,
    );
  }
  return node.value;
}

function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** A text field's value: its source, so that `label: 2026` is a label. Null for an empty value, `~` or `null`. */
export function textValue(node: Node, name: string): string | null {
  if (node.kind !== 'scalar') throw new Unreadable(node.at, `${name} must be text, not ${kindNames[node.kind]}.`);
  return node.value === null ? null : node.source;
}

/** A number or boolean field's value, or null. */
export function scalarValue(node: Node, name: string, kind: 'number' | 'boolean'): unknown {
  const expected = kind === 'number' ? 'a number' : 'true or false';
  if (node.kind !== 'scalar')
    throw new Unreadable(node.at, `${name} must be ${expected}, not ${kindNames[node.kind]}.`);
  if (node.value === null || (typeof node.value === kind && (kind === 'boolean' || Number.isFinite(node.value))))
    return node.value;
  throw new Unreadable(node.at, `${name} must be ${expected}, not ${JSON.stringify(node.source)}.`);
}

/** The items of a list; a single value is a list of one, empty items and null are omitted. */
export function listItems(node: Node): readonly Node[] {
  const items = node.kind === 'list' ? node.items : [node];
  return items.every((item) => !isNull(item)) ? items : items.filter((item) => !isNull(item));
}

export function isNull(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null;
}
