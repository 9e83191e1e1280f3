import { equal } from '../../store/index.ts';
import type { Incoming, Link } from '../../store/index.ts';
import { endOf, isEndType, putLinks } from '../links/edges.ts';
import { firstRestore } from '../versions/restore-trash.ts';
import type { LeftOut, PlanReadTransaction, PlanTransaction } from '../records/collections.ts';
import type { ChangeSet } from './change-set.ts';
import type { Obstacle } from './changed-since.ts';
import { type Kept, keptIn } from '../feed/kept.ts';

/** The fields of an edge's events, by the members of links. */
const members = { to_id: 'to', label: 'label', style: 'style', arrow_direction: 'arrow_direction' } as const;

/** The edges of a change set that were changed since. */
export function checkEdges(view: PlanReadTransaction, { edges }: ChangeSet): readonly Obstacle[] {
  return edges.flatMap((event): Obstacle[] => {
    const { id, label } = event.resource;
    const named = { type: 'edge', id, label };
    if (event.type === 'edge.deleted') return [];
    const now = written(view, id);
    if (now === undefined) return [{ what: 'deleted', ...named }];
    const fields = event.changes.flatMap(({ field, to }) => (equal(valueOf(now, field), to ?? null) ? [] : [field]));
    return fields.length === 0 ? [] : [{ what: 'changed', ...named, fields }];
  });
}

/** An edge as its record has it: a file may name its end. */
function written(view: PlanReadTransaction, id: string): Pick<Incoming, 'from' | 'link'> | undefined {
  const edge = view.edge(id);
  if (edge === undefined) return undefined;
  const { from, link } = edge;
  return { from, link: view.find(from)?.record.links?.find((one) => one.id === id) ?? link };
}

function valueOf({ from, link }: Pick<Incoming, 'from' | 'link'>, field: string): unknown {
  return field === 'from_id' ? from : (link[members[field as keyof typeof members]] ?? null);
}

/** Edges become what they were. Those of records that are restored or deleted return and go with them. */
export function putEdgesBack(
  tx: PlanTransaction,
  { edges, created, deleted }: ChangeSet,
  left: readonly LeftOut[],
): void {
  const gone = new Set(created.map(({ resource }) => resource.id));
  const known = new Set(left.map(({ id }) => id));
  for (const event of edges) {
    const { id } = event.resource;
    const now = tx.edge(id);
    const { edge: former } = keptIn(event);
    if (event.type === 'edge.created') {
      if (now !== undefined && !gone.has(now.from) && !gone.has(now.link.to)) replace(tx, now.from, id, undefined);
    } else if (former === undefined || known.has(id)) continue;
    else if (event.type === 'edge.updated') replace(tx, former.from, id, former.link);
    else if (now === undefined && hasEnds(tx, former, deleted.length > 0)) replace(tx, former.from, id, former.link);
  }
}

/** Replaces an edge among those that start at a record, adds or removes it. One like it that is there stays the only one. */
function replace(tx: PlanTransaction, from: string, id: string, link: Link | undefined): void {
  const found = tx.find(from);
  if (found === undefined || !isEndType(found.collection)) return;
  const source = endOf(tx, found.collection, from)!;
  if (link !== undefined && source.links.some((one) => one.id !== id && isSame(tx, from, one, link))) return;
  const at = source.links.findIndex((one) => one.id === id);
  const links = at === -1 ? [...source.links] : source.links.toSpliced(at, 1);
  if (link !== undefined) links.splice(at === -1 ? links.length : at, 0, link);
  putLinks(tx, found.collection, source, links);
}

function isSame(view: PlanReadTransaction, from: string, one: Link, other: Link): boolean {
  const [a, b] = [view.meant(from, one), view.meant(from, other)];
  return a.to === b.to && a.label === b.label;
}

/** Whether both ends of an edge exist. Throws `conflict` if one is missing that is not a matter of a record restored beside it. */
function hasEnds(tx: PlanTransaction, { from, link }: NonNullable<Kept['edge']>, isBeside: boolean): boolean {
  const { to, type } = tx.meant(from, link);
  const [start, end] = [tx.find(from), endOf(tx, type, to)];
  if (isBeside || (start !== undefined && end !== undefined)) return start !== undefined && end !== undefined;
  throw start === undefined ? firstRestore(tx, 'record', from) : firstRestore(tx, type, to);
}
