import type { StoredRecord } from '../../store/index.ts';
import { hashOf } from './entity-tag.ts';
import { isCurrent } from './list-tag.ts';
import type { Context, Tag } from '../declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './page.ts';
import type { PageQuery } from './page.ts';

type Query = PageQuery & { readonly since?: string | undefined };

/** The rows of one response, and its other members. */
interface ServicePage<W> {
  readonly rows: W[];
  readonly next_cursor?: string;
  readonly removed?: string[];
}

/** The tag of a list of service records. There are few, so it is computed from all of them. `shownWith`: everything else in the list. */
export function serviceTag(records: readonly StoredRecord[], ...shownWith: readonly string[]): Tag {
  return { own: hashOf([records, shownWith]), rest: '0' };
}

/** A page of service records in order. With `since`: no rows if nothing changed, else all rows. */
export function servicePage<R extends StoredRecord, W>(
  records: readonly R[],
  query: Query,
  context: Pick<Context, 'transport'>,
  show: (record: R) => W,
  tag: Tag = serviceTag(records),
): ServicePage<W> {
  if (isCurrent(query, tag)) return { rows: [], removed: [] };
  const after = positionAfter(query);
  const behind = after === undefined ? records : records.filter((record) => isBehind(record, after));
  const page = pageOf(behind, query, context, { show, position: positionOf });
  return { rows: page.rows, ...nextCursor(page) };
}

function isBehind(a: Pick<StoredRecord, 'created_at' | 'id'>, b: Pick<StoredRecord, 'created_at' | 'id'>): boolean {
  return a.created_at === b.created_at ? a.id > b.id : a.created_at > b.created_at;
}
