import { invalid } from '../../base/errors.ts';
import { derivedEdgeId } from '../../store/index.ts';
import type { Incoming, Link, ReadTransaction } from '../../store/index.ts';
import { atOnce, type Steps } from '../../base/slices.ts';
import type { CreateEdgeInput, PlannerCollections, PlanTransaction } from '../records/collections.ts';
import { foldLabel } from '../graph/edge-label.ts';
import type { Frontier } from '../graph/frontier.ts';
import { shownCycle } from '../graph/shown-cycle.ts';
import { orderingOf } from '../graph/work-order.ts';
import { type End, type EndType, endOf, endTypes, putLinks } from './edges.ts';

/** Input of an edge, optionally with a chosen id. */
export interface EdgeDraft extends Omit<CreateEdgeInput, 'project_id'> {
  readonly id?: string;
  readonly created_at?: string;
}

/** The edges that start at one record, by id and by target and label. */
interface Sheet {
  readonly type: EndType;
  /** Each with the id of its end. */
  readonly links: Map<Link, string>;
  readonly byId: Map<string, Link>;
  readonly byEnd: Map<string, Link>;
  /** Whether an edge may have several entries. */
  hasRepetitions: boolean;
  changed: boolean;
}

/**
 * Batches changes of edges in a transaction: a record is read and written once, however many edges start at it. Changes are in the project
 * after `write`.
 */
export class EdgeSheets {
  readonly #tx: PlanTransaction;
  readonly #sheets = new Map<string, Sheet>();
  /** The records at which edges created here start, by the edges' ids. */
  readonly #made = new Map<string, string>();

  constructor(tx: PlanTransaction) {
    this.#tx = tx;
  }

  /** An edge by its id, with the changes made so far. */
  edge(id: string): Incoming | undefined {
    const stored = this.#tx.edge(id);
    const from = this.#made.get(id) ?? stored?.from;
    const sheet = from === undefined ? undefined : this.#sheets.get(from);
    if (from === undefined || sheet === undefined) return stored;
    const link = sheet.byId.get(id);
    return link === undefined ? undefined : { from, fromType: sheet.type, link: this.#tx.meant(from, link) };
  }

  /**
   * Creates an edge, or returns the existing one with the same ends and label. `path` is the path of the input (`edges[3]`), for messages.
   * The ends must exist with the given types and differ.
   */
  create(draft: EdgeDraft, path = ''): Incoming {
    const at = path === '' ? '' : `${path}.`;
    const { from_type: fromType, from_id: from, to_type: type, to_id: to } = draft;
    const source = requireEnd(this.#tx, fromType, from, `${at}from`);
    requireEnd(this.#tx, type, to, `${at}to`);
    if (from === to)
      throw invalid(`${at}to_id`, `${at}to_id must differ from ${at}from_id: an edge needs two different ends.`);
    const sheet = this.#sheet(fromType, source);
    const present = sheet.byEnd.get(endKey(to, draft.label));
    if (present !== undefined) return { from, fromType, link: this.#tx.meant(from, present) };
    const label = draft.label ?? undefined;
    const { style = null, arrow_direction: arrow = null } = draft;
    const link: Link = {
      to,
      id: draft.id ?? this.#freeId(from, to, label),
      type,
      ...(label === undefined ? undefined : { label }),
      ...(style === null ? undefined : { style }),
      ...(arrow === null ? undefined : { arrow_direction: arrow }),
      created_at: draft.created_at ?? this.#tx.now,
    };
    add(sheet, link, to);
    this.#made.set(link.id, from);
    return { from, fromType, link };
  }

  /**
   * Replaces a link by another with the same target. If that would duplicate an existing link, returns the existing
   * link and changes nothing.
   */
  replace({ from, fromType, link }: Incoming, changed: Link): Link | undefined {
    const sheet = this.#sheet(fromType as EndType, endOf(this.#tx, fromType, from)!);
    const key = endKey(changed.to, changed.label);
    const present = key === endKey(link.to, link.label) ? undefined : sheet.byEnd.get(key);
    if (present !== undefined) return this.#tx.meant(from, present);
    // Its line keeps the name that a person wrote there.
    const { to } = sheet.byId.get(link.id) ?? changed;
    take(sheet, link);
    add(sheet, { ...changed, to }, changed.to);
    return undefined;
  }

  /** Removes an edge from the record at which it starts. */
  remove({ from, fromType, link }: Incoming): void {
    take(this.#sheet(fromType as EndType, endOf(this.#tx, fromType, from)!), link);
  }

  /** Writes every record whose edges changed. */
  write(): void {
    atOnce(this.writeSliced());
  }

  *writeSliced(): Steps<void> {
    for (const [id, sheet] of this.#sheets) {
      if (sheet.changed) putLinks(this.#tx, sheet.type, endOf(this.#tx, sheet.type, id)!, [...sheet.links.keys()]);
      sheet.changed = false;
      yield;
    }
  }

  #sheet(type: EndType, { id, links }: End): Sheet {
    let sheet = this.#sheets.get(id);
    if (sheet !== undefined) return sheet;
    sheet = { type, links: new Map(), byId: new Map(), byEnd: new Map(), hasRepetitions: false, changed: false };
    for (const link of links) add(sheet, link, this.#tx.meant(id, link).to);
    sheet.changed = false;
    this.#sheets.set(id, sheet);
    return sheet;
  }

  /** Derived, so that two branches that create the same edge write the same line; random if a relabelled edge still has that id. */
  #freeId(from: string, to: string, label: string | undefined): string {
    const derived = derivedEdgeId(this.#tx.code, from, to, label);
    return this.#tx.edge(derived) === undefined && !this.#made.has(derived) ? derived : this.#tx.newId('edge');
  }
}

/** An edge and the warnings for the caller. */
export interface EdgeWithWarnings {
  readonly edge: Incoming;
  readonly warnings: readonly string[];
}

/** Creates one edge, or returns the existing one; see `EdgeSheets.create`. Warns if it closes a cycle of open tasks. */
export function createEdge(tx: PlanTransaction, draft: EdgeDraft): EdgeWithWarnings {
  const sheets = new EdgeSheets(tx);
  const edge = sheets.create(draft);
  sheets.write();
  const ordering = edge.fromType === 'task' ? orderingOf(edge.from, edge.link) : undefined;
  const cycle = ordering && tx.index<Frontier>('frontier').cycles.closedBy(ordering);
  if (cycle === undefined) return { edge, warnings: [] };
  const warning = `The edge closes a cycle, so that none of its tasks can begin: ${shownCycle(tx, cycle)}. Delete one of its edges.`;
  return { edge, warnings: [warning] };
}

function endKey(to: string, label: string | null | undefined): string {
  return `${to}\0${foldLabel(label)}`;
}

/** Files may contain several entries of one edge: the first one counts. `to`: the id of its end. */
function add(sheet: Sheet, link: Link, to: string): void {
  const key = endKey(to, link.label);
  sheet.links.set(link, to);
  if (sheet.byId.has(link.id) || sheet.byEnd.has(key)) sheet.hasRepetitions = true;
  if (!sheet.byId.has(link.id)) sheet.byId.set(link.id, link);
  if (!sheet.byEnd.has(key)) sheet.byEnd.set(key, link);
  sheet.changed = true;
}

/** Takes an edge away, with each of its entries: thousands of edges may start at one record. */
function take(sheet: Sheet, { id, to, label }: Link): void {
  const entries = new Set([sheet.byId.get(id), sheet.byEnd.get(endKey(to, label))]);
  for (const link of sheet.hasRepetitions ? sheet.links.keys() : entries) {
    const end = link === undefined ? undefined : sheet.links.get(link);
    if (link === undefined || end === undefined) continue;
    if (link.id !== id && (end !== to || link.label !== label)) continue;
    const key = endKey(end, link.label);
    sheet.links.delete(link);
    sheet.byId.delete(link.id);
    if (sheet.byEnd.get(key) === link) sheet.byEnd.delete(key);
  }
  sheet.changed = true;
}

function requireEnd(view: ReadTransaction<PlannerCollections>, type: EndType, id: string, end: string): End {
  const found = endOf(view, type, id);
  if (found !== undefined) return found;
  const other = view.find(id);
  const shown = JSON.stringify(id);
  if (other === undefined)
    throw invalid(`${end}_id`, `${end}_id must be the id of a ${type} of this project: ${shown}.`);
  throw invalid(
    `${end}_type`,
    `${end}_id ${shown} is a ${other.collection}: ${end}_type must name its type, one of ${endTypes.slice(0, -1).join(', ')} or ${endTypes.at(-1)}.`,
  );
}
