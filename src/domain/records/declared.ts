import type { CommentTarget } from '../../schema/types.ts';
import type { ReadTransaction, Tx } from '../../store/index.ts';
import type { Commented, Counted, CountName, FieldRule } from './declare-collection.ts';
import { declared } from './record-collections.ts';

/** Members that the store sets. */
const kept: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

type Declaration = (typeof declared)[number];
type Named<N extends Declaration['name']> = Extract<Declaration, { readonly name: N }>;
type KnownOf<N extends Declaration['name']> = NonNullable<Named<N>['types']>;
type RecordOf<N extends Declaration['name']> = KnownOf<N>['record'];

/** The record types of a project, by the names of its collections. */
export type PlannerCollections = { [N in Declaration['name']]: RecordOf<N> };

/** The present state of a plan, as rules and operations read it. */
export type PlanReadTransaction = ReadTransaction<PlannerCollections>;

/** A view of the store, whose indexes know no collections, with the types of Planner's. */
export function planOf(view: ReadTransaction): PlanReadTransaction {
  return view as unknown as PlanReadTransaction;
}

/** A transaction that reads and changes a plan. */
export type PlanTransaction = Tx<PlannerCollections>;

/** The names of the collections whose declaration has the property K. */
type NameWith<K extends keyof KnownOf<Declaration['name']>> = {
  [N in Declaration['name']]: [KnownOf<N>[K]] extends [never] ? never : N;
}[Declaration['name']];

/** The collections whose records have a history. */
export type VersionedName = {
  [N in Declaration['name']]: KnownOf<N>['history'] extends true ? N : never;
}[Declaration['name']];

/** The collections with a list in exports. */
export const listedCollections = declared.filter(({ list }) => list !== undefined);

/** The collections that search covers: by a title, a text or both. */
export type SearchedName = NameWith<'title'> | NameWith<'text'>;

/** The fields of a collection that search reads, and its list in the results. */
export interface SearchFields<N extends SearchedName> {
  readonly title: KnownOf<N>['title'] | undefined;
  readonly texts: readonly KnownOf<N>['text'][];
  readonly list: KnownOf<N>['list'];
}

/** The fields that search reads, by collection. */
export const searchFields = declaredWith(({ fields, list }) => {
  const named = (role: string): string[] =>
    Object.entries<FieldRule>(fields).flatMap(([field, { search }]) => (search === role ? [field] : []));
  const [[title], texts] = [named('title'), named('text')];
  // The body of the file, or what a run reported, precedes the other texts.
  const rules: Readonly<Record<string, FieldRule>> = fields;
  const isMain = (field: string): boolean => rules[field]?.in === 'body' || rules[field]?.kind === 'json';
  texts.sort((a, b) => Number(isMain(b)) - Number(isMain(a)));
  return title === undefined && texts.length === 0 ? undefined : { title, texts, list };
}) as { readonly [N in SearchedName]: SearchFields<N> };

/** The permitted targets of comments. A kind in the schema of comments that no collection declares does not compile. */
export const commentTargets: Readonly<Record<CommentTarget, Commented>> = declaredWith<NameWith<'comments'>, Commented>(
  ({ comments }) => comments,
);

/** The collections whose records may have comments. */
export type CommentedName = NameWith<'comments'>;

/** The collections with comments on existing records only. */
export type CommentedRecordName = {
  [N in CommentedName]: KnownOf<N>['comments'] extends 'record' ? N : never;
}[CommentedName];

/** How a count of a project's summary is computed. */
export interface Count extends Counted {
  readonly collection: Declaration['name'];
}

type CountedAs = KnownOf<Declaration['name']>['counted'];

/** The counts of a project's summary. A count in the schema that no collection declares does not compile. */
export const counts: Readonly<Record<CountName, Count>> = Object.fromEntries(
  declared.flatMap(({ name: collection, counted }) =>
    counted === undefined ? [] : [[counted.as, { ...counted, collection }]],
  ),
) as unknown as Readonly<Record<CountedAs, Count>>;

/** A property of each collection that has it, by name. */
function declaredWith<N extends Declaration['name'], T>(
  property: (one: Declaration) => unknown,
): Readonly<Record<N, T>> {
  return Object.fromEntries(
    declared.flatMap((one) => {
      const value = property(one);
      return value === undefined ? [] : [[one.name, value]];
    }),
  ) as Readonly<Record<N, T>>;
}

/** The input for a new record: the fields that its collection requires, and any that differ from the defaults. */
export type NewRecord<N extends Declaration['name']> = { readonly id: string; readonly created_at: string } & Partial<
  RecordOf<N>
> &
  Pick<RecordOf<N>, Extract<KnownOf<N>['given'], keyof RecordOf<N>>>;

/** A record of each collection with the default of each field. A copy of it takes half as long as adding the fields one by one. */
const blanks = new Map(
  declared.map(({ name, fields }) => {
    const defaults = Object.entries<FieldRule>(fields)
      .filter(([field]) => !kept.has(field))
      .map(([field, { absent = null }]) => [field, absent] as const);
    return [name, Object.freeze({ id: '', created_at: '', ...Object.fromEntries(defaults) })];
  }),
);

/** A new record: the given fields, and defaults for absent or undefined ones. Other members are omitted. */
export function newRecord<N extends Declaration['name']>(
  collection: N,
  given: NewRecord<N>,
): Omit<RecordOf<N>, 'updated_at'> {
  const record: Record<string, unknown> = { ...blanks.get(collection)! };
  const members = given as Readonly<Record<string, unknown>>;
  for (const field in members) {
    const value = members[field];
    if (value !== undefined && Object.hasOwn(record, field)) record[field] = value;
  }
  return record as Omit<RecordOf<N>, 'updated_at'>;
}
