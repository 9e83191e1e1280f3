import { lazyHash, startOf } from '../../store/index.ts';
import type { PlannerCollections, RunEvent } from '../records/collections.ts';
import { searchFields, type SearchedName } from '../records/declared.ts';
import { resultMembers } from '../records/shown.ts';
import { piecesOfText, plainTextOf } from './plain-text.ts';

export type SearchedRecord = PlannerCollections[SearchedName];

const lists: readonly string[] = resultMembers.SearchAnswer;

/** The collections that search finds, in the order of its results. */
export const searched: readonly SearchedName[] = (Object.keys(searchFields) as SearchedName[]).sort(
  (a, b) => lists.indexOf(searchFields[a].list) - lists.indexOf(searchFields[b].list),
);

/** The collections of a search that names no collection. */
export const searchedByDefault: readonly SearchedName[] = ['document', 'task', 'note'];

export function isSearched(collection: string): collection is SearchedName {
  return Object.hasOwn(searchFields, collection);
}

/** A title without a name is the beginning of the text. */
const titleCharacters = 120;

/** The title of a record; the beginning of its text if it has no name; empty if it has no title. */
export function titleOf(collection: SearchedName, record: SearchedRecord): string {
  const { title, texts } = searchFields[collection];
  if (title === undefined) return '';
  const [first] = texts;
  const given = valueOf(record, title);
  if (given !== '' || first === undefined) return given;
  return startOf(record, first, titleCharacters).split('\n', 1)[0]!;
}

/** The fields that the title of a record is made of. */
export function titleFields(collection: SearchedName): readonly string[] {
  const { title, texts } = searchFields[collection];
  return title === undefined ? [] : [title, ...texts.slice(0, 1)];
}

/** The fields with the title and the texts of a record. */
export function textFields(collection: SearchedName): readonly string[] {
  const { title, texts } = searchFields[collection];
  return title === undefined ? texts : [title, ...texts];
}

/** The texts of a record in pieces, as people read them: only the visible part of HTML. Large texts are read here. */
export function* textPiecesOf(collection: SearchedName, record: SearchedRecord): Generator<string, void> {
  const pieces = isHtml(collection, record) ? plainTextOf : piecesOfText;
  for (const field of searchFields[collection].texts) {
    yield* pieces(valueOf(record, field));
    // Words of two texts are not one word.
    yield '\n';
  }
}

/**
 * Returns whether two states of a record have the same title and texts. Texts that are not in memory are compared by
 * their hashes; a text counts as changed if only one state is in memory, because it is not read.
 */
export function isSameText(collection: SearchedName, from: SearchedRecord, to: SearchedRecord): boolean {
  return textFields(collection).every((field) => {
    const hash = lazyHash(to, field);
    if (hash !== undefined) return hash === lazyHash(from, field);
    const [former, present] = [
      Object.getOwnPropertyDescriptor(from, field),
      Object.getOwnPropertyDescriptor(to, field),
    ];
    return former?.get === undefined && present?.get === undefined && former?.value === present?.value;
  });
}

function isHtml(collection: SearchedName, record: SearchedRecord): boolean {
  return collection === 'comment' || (collection === 'artifact' && valueOf(record, 'kind') === 'html');
}

function valueOf(record: SearchedRecord, field: string): string {
  const value = (record as unknown as Readonly<Record<string, string | readonly RunEvent[] | null | undefined>>)[field];
  return typeof value === 'object' && value !== null ? value.map(({ message }) => message).join('\n') : (value ?? '');
}
