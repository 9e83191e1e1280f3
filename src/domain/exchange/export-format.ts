import { equal, keptFields, membersOf } from '../../store/index.ts';
import type { Collection, Link, StoredRecord } from '../../store/index.ts';
import { collections, type PlannerCollections } from '../records/collections.ts';
import type { FieldRule } from '../records/declare-collection.ts';
import { listedCollections } from '../records/record-collections.ts';

/** What an export calls itself; an import refuses another version. */
export const exportFormat = 'planner-export-v1';

/** A list of an export, and the collection whose records stand in it. */
export interface Section {
  readonly name: string;
  readonly collection: Exclude<keyof PlannerCollections, 'project' | 'canvas'>;
  /** Fields that name another record by its id, or leave it open (null). A field may also say what is no id: a goal's name, a path. */
  readonly references: readonly string[];
}

/** The lists of the format's first version, in its order. A collection that is not here has its list behind these. */
const order: readonly string[] = [
  ...['tags', 'goals', 'folders', 'tasks', 'documents', 'notes', 'prototypes', 'artifacts', 'files', 'submissions'],
  ...['comments', 'views', 'runs'],
];

const placeOf = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);

/** The lists of an export in their order: collections say their lists' names, and their fields which of them are references. */
export const sections: readonly Section[] = listedCollections
  .map(({ name: collection, list, fields }) => {
    const references = Object.entries<FieldRule>(fields).filter(([, { reference }]) => reference === true);
    return { name: list!, collection, references: references.map(([name]) => name) } as Section;
  })
  .sort((a, b) => placeOf(a.name) - placeOf(b.name));

/** The list that holds what happened to the records. */
export const revisionsName = 'revisions';

const byName = new Map(collections.map((collection) => [collection.name, collection]));

/** A collection as the store knows it. */
export function collectionOf(name: string): Collection {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`There is no collection ${name}.`);
  return found;
}

/** Whether a collection's files say when their records were made. */
export function keepsTime(collection: string): boolean {
  return collectionOf(collection).shape.fields.some(({ name }) => name === 'created_at');
}

/** The members of a record in an export, in their order: those that its file keeps, then those that the file's place keeps. */
function memberNames(collection: Collection): readonly string[] {
  const { fields, body } = collection.shape;
  const names = [
    'id',
    ...fields.map(({ name }) => name),
    ...keptFields(collection),
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

/** A link with its members in one order: one that was read from a file may have them in another than one that was just made. */
function inOrder({ to, type, label, id, style, arrow_direction, created_at }: Link): Partial<Link> {
  return { to, type, ...definedOf({ label, id, style, arrow_direction, created_at }) };
}

function definedOf(members: Partial<Record<keyof Link, string | undefined>>): Partial<Link> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A record as an export holds it: what only says that nothing is there is left out, and so is what the store finds out by itself. */
export function exported(collection: string, record: StoredRecord): Record<string, unknown> {
  const members = membersOf(record);
  const absent = absentOf.get(collection);
  const shown: Record<string, unknown> = {};
  for (const name of namesOf.get(collection) ?? []) {
    const value = members[name];
    if (value === undefined || (absent?.has(name) === true && equal(value, absent.get(name)))) continue;
    shown[name] = name === 'links' ? (value as readonly Link[]).map(inOrder) : value;
  }
  return shown;
}
