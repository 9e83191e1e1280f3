import { isObject } from '../../base/is-object.ts';
import type { Merged } from './merged.ts';
import type { WholeMembers } from '../record/collection.ts';
import { equal } from '../record/plain.ts';

const nothing: WholeMembers = { together: [], kinds: [] };

type Members = Readonly<Record<string, unknown>>;
/** A value with its own id: an item of a checklist, an event of a run. */
type Item = Members & { readonly id: string };

/**
 * Merges two changes of a JSON value member by member, and lists of values with ids item by item; new items follow the
 * base's items, `ours` first. Anything else, and every member in `whole`, is one value: if both sides changed it,
 * `theirs` is used and there is a conflict.
 */
export function mergeJson(base: unknown, ours: unknown, theirs: unknown, whole: WholeMembers = nothing): Merged {
  if (equal(base, ours) || equal(ours, theirs)) return { value: theirs };
  if (equal(base, theirs)) return { value: ours };
  if (isObject(ours) && isObject(theirs) && !isWhole(whole, base, ours, theirs))
    return mergeMaps(isObject(base) ? base : {}, ours, theirs, whole);
  if (isItems(ours) && isItems(theirs) && (base === undefined || base === null || isItems(base)))
    return mergeItems(base ?? [], ours, theirs, whole);
  return { value: theirs, disputed: { base, ours, theirs } };
}

function isWhole(whole: WholeMembers, base: unknown, ours: Members, theirs: Members): boolean {
  if (whole.together.some((names) => names.every((name) => name in ours && name in theirs))) return true;
  return whole.kinds.some((name) => {
    const kinds = [isObject(base) ? base[name] : ours[name], ours[name], theirs[name]];
    return kinds.some((kind) => kind !== kinds[0]);
  });
}

function isItems(value: unknown): value is readonly Item[] {
  if (!Array.isArray(value)) return false;
  const ids = value.map((item: unknown) => (isObject(item) && typeof item['id'] === 'string' ? item['id'] : undefined));
  return !ids.includes(undefined) && new Set(ids).size === ids.length;
}

type Merging = readonly (readonly [name: string, merged: Merged])[];

function mergeMaps(base: Members, ours: Members, theirs: Members, whole: WholeMembers): Merged {
  const names = new Set([...Object.keys(base), ...Object.keys(ours), ...Object.keys(theirs)]);
  const held = (side: Members, name: string): unknown => (Object.hasOwn(side, name) ? side[name] : undefined);
  const merging = [...names].map(
    (name) => [name, mergeJson(held(base, name), held(ours, name), held(theirs, name), whole)] as const,
  );
  return together(merging, (members) => Object.fromEntries(members));
}

function mergeItems(
  base: readonly Item[],
  ours: readonly Item[],
  theirs: readonly Item[],
  whole: WholeMembers,
): Merged {
  const byId = (items: readonly Item[]): Map<string, Item> => new Map(items.map((item) => [item.id, item]));
  const [inBase, inOurs, inTheirs] = [byId(base), byId(ours), byId(theirs)];
  const merging = [...new Set([...inBase.keys(), ...inOurs.keys(), ...inTheirs.keys()])].map(
    (id) => [id, mergeJson(inBase.get(id), inOurs.get(id), inTheirs.get(id), whole)] as const,
  );
  return together(merging, (members) => members.map(([, value]) => value));
}

/** Combines merged members or items; undefined ones are omitted. */
function together(merging: Merging, compose: (members: [string, unknown][]) => unknown): Merged {
  const from = (pick: (merged: Merged) => unknown): unknown =>
    compose(
      merging
        .map(([name, merged]): [string, unknown] => [name, pick(merged)])
        .filter(([, value]) => value !== undefined),
    );
  const value = from((merged) => merged.value);
  if (merging.every(([, { disputed }]) => disputed === undefined)) return { value };
  const side = (name: 'base' | 'ours' | 'theirs'): unknown =>
    from(({ value: agreed, disputed }) => (disputed === undefined ? agreed : disputed[name]));
  return { value, disputed: { base: side('base'), ours: side('ours'), theirs: value } };
}
