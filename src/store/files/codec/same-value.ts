import type { Field } from '../../record/collection.ts';
import { equal } from '../../record/plain.ts';
import type { Link } from '../../record/record.ts';
import { bodyOf, partOf, valueOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { linkKey, writtenLink } from './written-link.ts';
import type { LinkOptions } from './written-link.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns true if a file with `held` need not change to contain `target`. Lists are sets: their order is the file's. If
 * a list has two entries for one edge, one of them has to match.
 */
export function sameValue(field: Field, held: unknown, target: unknown, links: LinkOptions): boolean {
  const [left, right] = [held ?? field.absent, target ?? field.absent];
  if (left === right) return true;
  if (!Array.isArray(left) || !Array.isArray(right)) return equal(left, right);
  if (field.kind === 'texts') return sameSet(new Set<unknown>(left), new Set<unknown>(right));
  if (field.kind === 'links') return sameLinks(left as Link[], right as Link[], links);
  return equal(left, right);
}

function sameSet(left: ReadonlySet<unknown>, right: ReadonlySet<unknown>): boolean {
  return left.size === right.size && left.isSubsetOf(right);
}

function sameLinks(held: readonly Link[], target: readonly Link[], links: LinkOptions): boolean {
  const text = (link: Link): string => JSON.stringify(writtenLink(link, links));
  const heldTexts = new Set(held.map(text));
  return (
    sameSet(new Set(held.map(linkKey)), new Set(target.map(linkKey))) &&
    target.every((link) => heldTexts.has(text(link)))
  );
}

/** Returns true if the fields read from a file equal the record's, the body exactly. */
export function holds(layout: Layout, fields: Fields, record: Fields, links: LinkOptions): boolean {
  if (layout.body !== undefined && fields[layout.body] !== bodyOf(layout, record)) return false;
  return layout.fields.every((field) => sameValue(field, partOf(field, fields), partOf(field, record), links));
}

/** A field to write into a file, with its value. */
export interface FieldChange {
  readonly field: Field;
  readonly value: unknown;
}

/** The fields in which a record differs from its file, in the shape's order, without the body. */
export function changedFields(layout: Layout, held: Fields, record: Fields, links: LinkOptions): FieldChange[] {
  const body = bodyOf(layout, record);
  const changes: FieldChange[] = [];
  for (const field of layout.fields) {
    const value = valueOf(field, record, body);
    if (!sameValue(field, partOf(field, held), value, links)) changes.push({ field, value });
  }
  return changes;
}
