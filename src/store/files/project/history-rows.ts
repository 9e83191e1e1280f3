import { lastOf } from '../../../base/named.ts';
import { newestFirst } from '../../replica/revision-index.ts';
import type { Reference } from './history-reference.ts';
import type { Block } from './history-blocks.ts';

/** The members that order the rows of an index file. */
export type Key = Pick<Reference, 'at' | 'id' | 'target'>;

/** By time: all revisions; by target: those of one record; by id: those with an id, or with the end of one. */
export type OrderName = 'time' | 'target' | 'id';

export const orderNames: readonly OrderName[] = ['time', 'target', 'id'];

/** The revisions of each order are compared by these; equal ones are newest first. */
export const orders: Readonly<Record<OrderName, (a: Key, b: Key) => number>> = {
  time: newestFirst,
  target: (a, b) => compared(a.target, b.target) || newestFirst(a, b),
  id: (a, b) => compared(lastOf(a.id), lastOf(b.id)) || compared(a.id, b.id) || newestFirst(a, b),
};

/** The references of a record, which are the first ones. */
export function* ofTarget<R extends Key>(references: Iterable<R>, target: string): Generator<R> {
  for (const reference of references) {
    if (reference.target !== target) return;
    yield reference;
  }
}

export function compared(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A row as it is in a file: the members of a reference, the number of its segment, and its line there. */
export type Row = readonly [
  at: string,
  id: string,
  target: string,
  type: string,
  author: string,
  session: string | null,
  fields: readonly string[],
  outcome: number,
  segment: number,
  offset: number,
  length: number,
];

/** A revision that is in an index file. */
export interface IndexedReference extends Reference {
  /** The number of its segment in the file. */
  readonly segment: number;
}

/** A reference that may be written: its revision is in a segment. */
export type RowSource = Omit<Reference, 'location'> & {
  readonly location: { readonly offset: number; readonly length: number };
};

export function rowOf(reference: RowSource, segment: number): Row {
  const { at, id, target, type, author, session, fields, outcome, location } = reference;
  return [
    ...([at, id, target, type, author, session ?? null, fields] as const),
    ...([outcome, segment, location.offset, location.length] as const),
  ];
}

/** `fileOf`: the path of a segment by its number. */
export function referenceIn(row: Row, fileOf: (segment: number) => string): IndexedReference {
  const [at, id, target, type, author, session, fields, outcome, segment, offset, length] = row;
  const location = { file: fileOf(segment), offset, length };
  return { at, id, target, type, author, session: session ?? undefined, fields, outcome, segment, location };
}

/** A block of rows: where it is, its first row, and of which types and by which authors its revisions are. */
export interface RowBlock extends Block, Key {
  readonly kinds: readonly (readonly [type: string, author: string])[];
}

type EncodedRowBlock = readonly [
  offset: number,
  length: number,
  checksum: number,
  at: string,
  id: string,
  target: string,
  kinds: RowBlock['kinds'],
];

export function encodedRowBlock({ offset, length, checksum, at, id, target, kinds }: RowBlock): EncodedRowBlock {
  return [offset, length, checksum, at, id, target, kinds];
}

export function decodedRowBlocks(value: unknown): readonly RowBlock[] {
  return (value as readonly EncodedRowBlock[]).map(([offset, length, checksum, at, id, target, kinds]) => ({
    ...{ offset, length, checksum, at, id, target, kinds },
  }));
}
