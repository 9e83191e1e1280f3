import { notFound } from '../../base/errors.ts';
import { atOnce, eachInSteps, type Steps } from '../../base/slices.ts';
import type { Incoming, Link, StoredRecord } from '../../store/index.ts';
import type {
  ArtifactRecord,
  DocumentRecord,
  Edge,
  EdgeRow,
  LinkEntry,
  PlanReadTransaction,
  PlanTransaction,
  PrototypeRecord,
  TaskRecord,
} from '../records/collections.ts';
import { orderingOf } from '../graph/work-order.ts';
import { guestMark } from '../records/guest-texts.ts';
import { discard } from '../records/trash.ts';

/** The types of records that an edge may join. */
export type EndType = 'task' | 'document' | 'artifact' | 'prototype';
export type End = TaskRecord | DocumentRecord | ArtifactRecord | PrototypeRecord;

/** The collections whose records are ends of edges. */
export const endTypes = ['task', 'document', 'artifact', 'prototype'] as const satisfies readonly EndType[];

export function isEndType(collection: string): collection is EndType {
  return (endTypes as readonly string[]).includes(collection);
}

/** The record at an end; undefined if it does not exist or has another type than the edge specifies. */
export function endOf(view: Pick<PlanReadTransaction, 'get'>, type: string, id: string): End | undefined {
  return isEndType(type) ? view.get(type, id) : undefined;
}

/**
 * Returns whether both ends of an edge exist. Other edges remain in their files and are hidden: a checkout may restore
 * the end.
 */
export function isVisible(view: Pick<PlanReadTransaction, 'get'>, { from, fromType, link }: Incoming): boolean {
  return endOf(view, fromType, from) !== undefined && endOf(view, link.type, link.to) !== undefined;
}

/** An edge by its id. Throws `not_found`, also if an end is missing. */
function edgeById(view: PlanReadTransaction, id: string): Incoming {
  const edge = view.edge(id);
  if (edge === undefined || !isVisible(view, edge)) throw notFound('edge', id);
  return edge;
}

/** Replaces the edges that start at a record. */
export function putLinks(tx: PlanTransaction, type: EndType, source: End, links: readonly Link[]): void {
  tx.put(type, { ...source, links });
}

/** The links of a record without an edge, however its file says it: by id, by a name, in a list. */
function linksWithout(
  view: Pick<PlanReadTransaction, 'meant'>,
  { id, links }: End,
  { link }: Incoming,
): readonly Link[] {
  return links.filter((one) => {
    const { to, label } = view.meant(id, one);
    return one.id !== link.id && (to !== link.to || label !== link.label);
  });
}

/** A record whose links have the ids that they mean, for readers that do not know the files of the project. */
export function withMeantLinks<R extends StoredRecord>(
  view: Pick<PlanReadTransaction, 'meant' | 'outgoing'>,
  record: R,
): R {
  const { id, links = [] } = record;
  const isWritten = links.every((link) => view.meant(id, link) === link);
  return isWritten ? record : { ...record, links: view.outgoing(id).map(({ link }) => link) };
}

/** Deletes one edge and leaves its siblings unchanged. Returns the id of its entry in the trash. */
export function* deleteEdge(tx: PlanTransaction, id: string): Steps<string> {
  const edge = edgeById(tx, id);
  const { from, fromType, link } = edge;
  const source = endOf(tx, fromType, from)!;
  const label = `${titleOf(source)} → ${titleOf(endOf(tx, link.type, link.to)!)}`;
  return yield* discard(tx, { type: 'edge', id: link.id, label }, function* () {
    yield;
    putLinks(tx, fromType as EndType, source, linksWithout(tx, source, edge));
  });
}

/** The ends by which edges are chosen: where they start and end, and the tasks that they order. */
export type EdgeFilter = Partial<Readonly<Record<'from_id' | 'to_id' | 'first_id' | 'then_id', string | undefined>>>;

/** The edges of a project, in no order, as far as a filter chooses them. */
export function edgesOf(
  view: PlanReadTransaction,
  { from_id: from, to_id: to, first_id: first, then_id: then }: EdgeFilter = {},
): readonly Incoming[] {
  const ordered = first ?? then;
  const atEnd = (id: string): Incoming[] => [...view.outgoing(id), ...view.incoming(id)];
  const near =
    from !== undefined
      ? view.outgoing(from)
      : to !== undefined
        ? view.incoming(to)
        : ordered === undefined
          ? [...view.edges()]
          : atEnd(ordered);
  const edges = from === undefined || to === undefined ? near : near.filter(({ link }) => link.to === to);
  if (ordered === undefined) return edges;
  return edges.filter((edge) => {
    const ordering = edge.fromType === 'task' ? orderingOf(edge.from, edge.link) : undefined;
    if (ordering === undefined) return false;
    return (first === undefined || ordering.first === first) && (then === undefined || ordering.then === then);
  });
}

/**
 * The edges that join existing records, by created_at, id, in steps: `records` are the records at the moment at which
 * the edges were read.
 */
export function* edgesInOrder(
  edges: readonly Incoming[],
  records: Pick<PlanReadTransaction, 'get'>,
): Steps<Incoming[]> {
  const found: { readonly key: string; readonly edge: Incoming }[] = [];
  yield* eachInSteps(edges, (edge) => {
    if (isVisible(records, edge)) found.push({ key: `${edgeTime(records, edge)}\0${edge.link.id}`, edge });
  });
  return found.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ edge }) => edge);
}

/** The creation time of an edge; for an edge that a person typed, the time of the record that contains it. */
export function edgeTime(view: Pick<PlanReadTransaction, 'get'>, { from, fromType, link }: Incoming): string {
  return link.created_at ?? endOf(view, fromType, from)?.created_at ?? '';
}

/** An edge in the form for callers. */
export function showEdge(view: Pick<PlanReadTransaction, 'get' | 'project'>, edge: Incoming): Edge {
  const { from, fromType, link } = edge;
  return {
    id: link.id,
    edge_id: link.id,
    project_id: view.project,
    from_type: fromType,
    from_id: from,
    to_type: link.type,
    to_id: link.to,
    label: link.label ?? null,
    style: link.style ?? null,
    arrow_direction: link.arrow_direction ?? null,
    created_at: edgeTime(view, edge),
  };
}

/** An edge in an agent's list. */
export function edgeRow({ from, fromType, link }: Incoming): EdgeRow {
  const label = link.label === undefined ? undefined : { label: link.label };
  return { edge_id: link.id, from_type: fromType, from_id: from, to_type: link.type, to_id: link.to, ...label };
}

/** The outgoing edges of a record, by created_at, id. */
export function linksOf(view: PlanReadTransaction, id: string): LinkEntry[] {
  const edges = atOnce(edgesInOrder(edgesOf(view, { from_id: id }), view));
  return edges.map(({ link }) => entry(view, link.type, link.to, link));
}

/** The incoming edges of a record, by created_at, id. */
export function backlinksOf(view: PlanReadTransaction, id: string): LinkEntry[] {
  const edges = atOnce(edgesInOrder(edgesOf(view, { to_id: id }), view));
  return edges.map(({ from, fromType, link }) => entry(view, fromType, from, link));
}

function entry(view: PlanReadTransaction, type: string, id: string, link: Link): LinkEntry {
  const end = endOf(view, type, id)!;
  const mark = type === 'task' ? guestMark(view, end as TaskRecord) : undefined;
  return { type, id, title: titleOf(end), label: link.label ?? null, edge_id: link.id, ...mark };
}

/** The title or name of an end. */
export function titleOf(end: End): string {
  if ('title' in end) return end.title;
  return 'label' in end ? end.label : end.name;
}
