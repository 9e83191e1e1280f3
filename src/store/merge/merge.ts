import { isDisputed, mergeText, textOf } from '../../base/merge-text.ts';
import type { Disputed } from '../../base/merge-text.ts';
import type { Collection } from '../record/collection.ts';
import { foldName } from '../record/file-name.ts';
import { compareLinks } from '../record/links.ts';
import { mergeJson } from './merge-json.ts';
import type { Merged } from './merged.ts';
import { equal, freeze } from '../record/plain.ts';
import { type Link, membersOf, type StoredRecord } from '../record/record.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A field that both sides changed differently. The record has `theirs`; for a text, their lines in the conflicting
 * regions.
 */
export interface MergeConflict {
  readonly field: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

export interface MergedRecord {
  readonly record: StoredRecord;
  readonly conflicts: readonly MergeConflict[];
  /** The merged value of each conflicting field, with either side's version of the conflicting parts. */
  readonly disputed: Readonly<Record<string, Disputed<unknown>>>;
}

/**
 * Merges two versions of a record field by field: a change on one side is applied, sets and links apply the removals
 * and additions of both sides, texts merge by lines and words. If both sides changed the same value, `theirs` (the file)
 * wins. Without a base (both sides added it) every field starts absent. Returns `ours` or `theirs` itself if the result
 * equals it.
 */
export function mergeRecords(
  collection: Collection,
  base: StoredRecord | undefined,
  ours: StoredRecord,
  theirs: StoredRecord,
): MergedRecord {
  if (ours === theirs || base === ours) return { record: theirs, conflicts: [], disputed: {} };
  if (base === theirs) return { record: ours, conflicts: [], disputed: {} };
  const left: Fields = { ...ours };
  const right: Fields = { ...theirs };
  const origin = base === undefined ? absentFields(collection) : membersOf(base);
  const fields: Record<string, unknown> = {};
  const conflicts: MergeConflict[] = [];
  const disputed: Record<string, Disputed<unknown>> = {};
  for (const field of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const merged = mergeField(collection, field, origin[field], left[field], right[field]);
    fields[field] = merged.value;
    if (merged.disputed === undefined) continue;
    conflicts.push({ field, ours: left[field], theirs: right[field] });
    disputed[field] = merged.disputed;
  }
  return {
    record: sameAs(fields, theirs) ?? sameAs(fields, ours) ?? freeze(fields as unknown as StoredRecord),
    conflicts,
    disputed,
  };
}

function absentFields({ shape }: Collection): Fields {
  const fields = Object.fromEntries(shape.fields.map(({ name, absent }) => [name, absent]));
  return shape.body === undefined ? fields : { ...fields, [shape.body]: '' };
}

/** The side that equals the merged fields, if it does. */
function sameAs(fields: Fields, side: StoredRecord): StoredRecord | undefined {
  const held: Fields = { ...side };
  return Object.keys(fields).every((field) => fields[field] === held[field]) ? side : undefined;
}

function mergeField(collection: Collection, field: string, base: unknown, ours: unknown, theirs: unknown): Merged {
  // Fields that the store maintains are not changes of either side.
  if (field === 'id') return { value: ours };
  if (field === 'updated_at') return { value: later(ours, theirs) };
  if (ours === theirs || equal(base, ours) || equal(ours, theirs)) return { value: theirs };
  if (equal(base, theirs)) return { value: ours };
  if (field === 'created_at') return { value: theirs };
  const kind = collection.shape.fields.find(({ name }) => name === field)?.kind;
  if (kind === 'links' || field === 'links') return mergeLinks(list<Link>(base), list<Link>(ours), list<Link>(theirs));
  if (collection.sets.includes(field)) return { value: mergeSet(list(base), list(ours), list(theirs)) };
  if (collection.texts.includes(field) && typeof ours === 'string' && typeof theirs === 'string')
    return mergeTextField(typeof base === 'string' ? base : '', ours, theirs);
  if (collection.members?.includes(field)) return mergeJson(base, ours, theirs, collection.whole);
  return { value: theirs, disputed: { base, ours, theirs } };
}

function mergeTextField(base: string, ours: string, theirs: string): Merged {
  const pieces = mergeText(base, ours, theirs);
  const value = textOf(pieces, 'theirs');
  if (!pieces.some(isDisputed)) return { value };
  return { value, disputed: { base: textOf(pieces, 'base'), ours: textOf(pieces, 'ours'), theirs: value } };
}

function later(ours: unknown, theirs: unknown): unknown {
  return typeof ours === 'string' && typeof theirs === 'string' && ours > theirs ? ours : theirs;
}

function list<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}

/** Sets of names: names that fold alike are one member, spelled as in the file. */
function mergeSet(base: readonly unknown[], ours: readonly unknown[], theirs: readonly unknown[]): readonly unknown[] {
  const keyOf = (member: unknown): string => (typeof member === 'string' ? foldName(member) : JSON.stringify(member));
  const keys = (members: readonly unknown[]): Set<string> => new Set(members.map(keyOf));
  const [inBase, inOurs, inTheirs] = [keys(base), keys(ours), keys(theirs)];
  const merged = theirs.filter((member) => inOurs.has(keyOf(member)) || !inBase.has(keyOf(member)));
  for (const member of ours) {
    if (!inBase.has(keyOf(member)) && !inTheirs.has(keyOf(member))) insert(merged, member);
  }
  return merged;
}

/** Inserts at the sorted position if the list is sorted, else at the end. */
function insert(members: unknown[], member: unknown): void {
  const sorted = members.every((one, i) => i === 0 || String(members[i - 1]) <= String(one));
  const place = sorted ? members.findIndex((one) => String(one) > String(member)) : -1;
  members.splice(place === -1 ? members.length : place, 0, member);
}

/** Links with equal target and folded label are the same. */
function mergeLinks(base: readonly Link[], ours: readonly Link[], theirs: readonly Link[]): Merged {
  const keyOf = linkKeys([base, ours, theirs]);
  const byKey = (links: readonly Link[]): Map<string, Link> => new Map(links.map((link) => [keyOf(link), link]));
  const [inBase, inOurs, inTheirs] = [byKey(base), byKey(ours), byKey(theirs)];
  const merged: Link[] = [];
  const disputed: Disputed<Link | undefined>[] = [];
  for (const key of new Set([...inTheirs.keys(), ...inOurs.keys()])) {
    const [origin, mine, other] = [inBase.get(key), inOurs.get(key), inTheirs.get(key)];
    const link = mergeLink(origin, mine, other);
    if (link === undefined) disputed.push({ base: origin, ours: mine, theirs: other });
    else if (link !== null) merged.push(link);
  }
  const withThose = (side: keyof Disputed<unknown>): readonly Link[] =>
    [...merged, ...disputed.map((one) => one[side]).filter((link) => link !== undefined)].sort(compareLinks);
  const value = withThose('theirs');
  return disputed.length === 0
    ? { value }
    : { value, disputed: { base: withThose('base'), ours: withThose('ours'), theirs: value } };
}

/** Merges one link; null if it is removed, undefined if there is a conflict. */
function mergeLink(origin: Link | undefined, mine: Link | undefined, other: Link | undefined): Link | null | undefined {
  if (mine === undefined || other === undefined) {
    const left = (mine ?? other)!;
    if (origin === undefined) return left;
    // Removed on one side and changed on the other is a conflict.
    return equal(origin, left) ? null : undefined;
  }
  if (equal(origin, other)) return mine;
  return equal(origin, mine) || sameEdge(mine, other) ? other : undefined;
}

/** An edge created on both sides has different times and ids: that is not a conflict. */
function sameEdge(a: Link, b: Link): boolean {
  return equal({ ...a, id: '', created_at: '' }, { ...b, id: '', created_at: '' });
}

/** Keys by target and folded label; by the label itself if one side has two links that fold alike. */
function linkKeys(sides: readonly (readonly Link[])[]): (link: Link) => string {
  const folded = ({ to, label = '' }: Link): string => `${to}\0${foldName(label).replaceAll(/[\s_-]+/g, ' ')}`;
  const unambiguous = sides.every((links) => new Set(links.map(folded)).size === links.length);
  return unambiguous ? folded : ({ to, label = '' }) => `${to}\0${label}`;
}
