import { equal, pathFields, membersOf } from '../../store/index.ts';
import type { Collection, Link, StoredRecord } from '../../store/index.ts';
import { collections, type PlannerCollections } from '../records/collections.ts';
import type { FieldRule } from '../records/declare-collection.ts';
import { listedCollections } from '../records/declared.ts';

/** The format name of an export; an import rejects other versions. */
export const exportFormat = 'planner-export-v1';

/** A list of an export, and the collection of its records. */
export interface Section {
  readonly name: string;
  readonly collection: Exclude<keyof PlannerCollections, 'project' | 'canvas'>;
  /** Fields that reference another record by its id, or null. A field may also contain other values: a goal's name, a path. */
  readonly references: readonly string[];
}

/** The lists of the format's first version, in its order. Lists of other collections follow these. */
const order: readonly string[] = [
  ...['tags', 'goals', 'folders', 'tasks', 'documents', 'notes', 'prototypes', 'artifacts', 'files', 'submissions'],
  ...['comments', 'views', 'runs'],
];

const placeOf = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);

/** The lists of an export in their order. Collections declare the names of their lists and which fields are references. */
export const sections: readonly Section[] = listedCollections
  .map(({ name: collection, list, fields }) => {
    const references = Object.entries<FieldRule>(fields).filter(([, { reference }]) => reference === true);
    return { name: list!, collection, references: references.map(([name]) => name) } as Section;
  })
  .sort((a, b) => placeOf(a.name) - placeOf(b.name));

/** The list of an export that contains the records of a collection. */
export function sectionOf(collection: string): Section {
  return sections.find((section) => section.collection === collection)!;
}

/** The list of revisions. */
export const revisionsName = 'revisions';

const byName = new Map(collections.map((collection) => [collection.name, collection]));

/** A collection's declaration. */
export function collectionOf(name: string): Collection {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`There is no collection ${name}.`);
  return found;
}

/** Returns whether a collection's files contain the creation times of their records. */
export function keepsTime(collection: string): boolean {
  return collectionOf(collection).shape.fields.some(({ name }) => name === 'created_at');
}

/**
 * The members of a record in an export, in their order: first the members of its file, then the members derived from
 * the file's location.
 */
function memberNames(collection: Collection): readonly string[] {
  const { fields, body } = collection.shape;
  const names = [
    'id',
    ...fields.map(({ name }) => name),
    ...pathFields(collection),
    ...(body === undefined ? [] : [body]),
  ];
  return [...new Set(names)];
}

const namesOf = new Map(collections.map((collection) => [collection.name, memberNames(collection)]));
const absentOf = new Map(
  collections.map(({ name, shape }) => [
    name,
    new Map(shape.fields.filter(({ always }) => always !== true).map((field) => [field.name, field.absent])),
  ]),
);

/**
 * Fields that are sets of texts: an export has them in the file's order, which differs from the order in which a caller
 * gave them.
 */
const setsOf = new Map(
  collections.map(({ name, shape }) => [
    name,
    new Set(shape.fields.filter(({ kind }) => kind === 'texts').map((field) => field.name)),
  ]),
);

/** A link with its members in one order: a link read from a file may have another order than a new one. */
function inOrder({ to, type, label, id, style, arrow_direction, created_at }: Link): Partial<Link> {
  return { to, type, ...definedOf({ label, id, style, arrow_direction, created_at }) };
}

function definedOf(members: Partial<Record<keyof Link, string | undefined>>): Partial<Link> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A record in the form of an export, without empty values and values that the store derives. */
export function exported(collection: string, record: StoredRecord): Record<string, unknown> {
  const members = membersOf(record);
  const absent = absentOf.get(collection);
  const sets = setsOf.get(collection);
  const shown: Record<string, unknown> = {};
  for (const name of namesOf.get(collection) ?? []) {
    const value = members[name];
    if (value === undefined || (absent?.has(name) === true && equal(value, absent.get(name)))) continue;
    if (name === 'links') shown[name] = (value as readonly Link[]).map(inOrder);
    else shown[name] = sets?.has(name) === true ? (value as readonly string[]).toSorted() : value;
  }
  return shown;
}
