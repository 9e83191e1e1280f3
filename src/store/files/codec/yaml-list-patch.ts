import { isSeq } from 'yaml';
import type { ParsedNode, YAMLSeq } from 'yaml';
import type { Field } from '../../record/collection.ts';
import type { Link } from '../../record/record.ts';
import { readField } from './read-field.ts';
import type { Edit } from './splice.ts';
import { linkKey, writtenLink } from './written-link.ts';
import type { LinkOptions } from './written-link.ts';
import { flow, flowLink } from './yaml-emit.ts';
import { CannotSplice, isEmptyScalar, itemLines } from './yaml-range.ts';
import type { YamlSource } from './yaml-range.ts';
import { nodeOf } from './yaml-read.ts';
import { scalar } from './yaml-scalar.ts';

/** An item with its key and its text in a block or a flow list. */
interface Item {
  readonly key: string;
  readonly block: string;
  readonly flow: string;
}

/** An item that is in the file. */
interface Held extends Item {
  readonly node: ParsedNode;
}

/** The changes of a list. */
interface Plan {
  readonly held: readonly Held[];
  readonly kept: ReadonlySet<Held>;
  readonly replaced: ReadonlyMap<Held, Item>;
  readonly added: readonly Item[];
}

/** Changes the items of a list one by one, each on its line; the others keep their lines and comments. */
export function patchList(
  source: YamlSource,
  field: Field,
  node: ParsedNode,
  value: unknown,
  links: LinkOptions,
): Edit[] {
  const target = itemsOf(field, value, links);
  if (!isSeq(node)) return [replaceWhole(source, node, target)];
  const held = (node.items as (ParsedNode | null)[]).flatMap((item) => heldItem(field, item, links));
  const plan = planOf(held, target);
  if (node.flow) return [patchFlow(source, node, plan)];
  if (held.length === 0) throw new CannotSplice();
  return patchBlock(source, plan);
}

function itemsOf(field: Field, value: unknown, links: LinkOptions): Item[] {
  if (field.kind === 'texts')
    return (value as readonly string[]).map((text) => ({ key: text, block: scalar(text, false), flow: flow(text) }));
  return (value as readonly Link[]).map((link) => {
    const text = flowLink(writtenLink(link, links));
    return { key: linkKey(link), block: text, flow: text };
  });
}

function heldItem(field: Field, node: ParsedNode | null, links: LinkOptions): Held[] {
  if (node === null || isEmptyScalar(node)) return [];
  const items = itemsOf(field, readField(field, nodeOf(node)), links);
  // A nested list cannot have been read as an item.
  if (items.length > 1) throw new CannotSplice();
  return items.map((item) => ({ ...item, node }));
}

function planOf(held: readonly Held[], target: readonly Item[]): Plan {
  const kept = new Set<Held>();
  const replaced = new Map<Held, Item>();
  const added: Item[] = [];
  for (const item of new Map(target.map((one) => [one.key, one])).values()) {
    const same = held.filter(({ key }) => key === item.key);
    if (same.some(({ block }) => block === item.block)) same.forEach((one) => kept.add(one));
    else if (same[0] !== undefined) replaced.set(same[0], item);
    else added.push(item);
  }
  return { held, kept, replaced, added: added.sort((a, b) => (a.block < b.block ? -1 : 1)) };
}

function patchBlock(source: YamlSource, { held, kept, replaced, added }: Plan): Edit[] {
  const edits: Edit[] = [];
  const lines = held.map(({ node }) => itemLines(source, node));
  const put = (at: number, { block }: Item): void => {
    edits.push({ start: at, end: at, text: `${lines[0]!.indent}- ${block}${source.ending}` });
  };
  held.forEach((item, i) => {
    const { start, end } = lines[i]!;
    const other = replaced.get(item);
    if (other !== undefined && onOneLine(source, item.node)) {
      edits.push({ start: source.base + item.node.range[0], end: source.base + item.node.range[1], text: other.block });
    } else if (!kept.has(item)) {
      if (other !== undefined) put(start, other);
      edits.push({ start, end, text: '' });
    }
  });
  const sorted = isSorted(held);
  for (const item of added) {
    const next = sorted ? held.findIndex(({ block }) => block > item.block) : -1;
    put(next === -1 ? lines.at(-1)!.end : lines[next]!.start, item);
  }
  return edits;
}

function onOneLine({ text, base }: YamlSource, { range: [start, end] }: ParsedNode): boolean {
  return !text.slice(base + start, base + end).includes('\n');
}

function isSorted(held: readonly Held[]): boolean {
  return held.every(({ block }, i) => i === 0 || held[i - 1]!.block <= block);
}

/**
 * `[a, b]`: unchanged items keep their spelling. In a list over several lines, or with comments, only additions are
 * made in place.
 */
function patchFlow({ text, base }: YamlSource, list: YAMLSeq.Parsed, { held, kept, replaced, added }: Plan): Edit {
  const [start, end] = [base + list.range[0], base + list.range[1]];
  const inner = text.slice(start + 1, end - 1);
  const last = held.at(-1);
  const bare = (item: Item): string => item.flow;
  if (last !== undefined && kept.size === held.length) {
    const at = base + last.node.range[1];
    return { start: at, end: at, text: added.map((item) => `, ${bare(item)}`).join('') };
  }
  const spelled = held
    .filter((item) => kept.has(item) || replaced.has(item))
    .map((item) => {
      const other = replaced.get(item);
      return other === undefined ? text.slice(base + item.node.range[0], base + item.node.range[1]) : bare(other);
    });
  const items = [...spelled, ...added.map(bare)].join(', ');
  if (/[\n#]/.test(inner)) return { start, end, text: `[${items}]` };
  const [lead = ''] = /^[ \t]*/.exec(inner) ?? [];
  const [trail = ''] = /(?<![ \t])[ \t]*$/.exec(inner) ?? [];
  return { start, end, text: `[${lead}${items}${inner.trim() === '' ? '' : trail}]` };
}

/** Replaces a single value or a map that should be a list. */
function replaceWhole({ text, base }: YamlSource, node: ParsedNode, target: readonly Item[]): Edit {
  const [start, end] = [base + node.range[0], base + node.range[1]];
  if (text.slice(start, end).includes('\n')) throw new CannotSplice();
  return { start, end, text: `[${target.map((item) => item.flow).join(', ')}]` };
}
