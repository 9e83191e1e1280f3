import type { Fields } from '../domain/exchange/draft.ts';
import { given, objectOf } from './members.ts';

/** The member of a canvas's layout for parts of a JSON Canvas that Planner has no field for. */
export const keptName = 'json_canvas';

/**
 * The parts of an imported JSON Canvas that Planner has no field for. Records are named by URL (`planner://task/<id>`),
 * because ids in URLs are rewritten whenever a project gets new ids.
 */
export interface KeptCanvas {
  /** Members of the file besides nodes and edges. */
  readonly members: Fields;
  /** Nodes by the URL of their task or document. */
  readonly nodes: Readonly<Record<string, KeptNode>>;
  /** Edges by the URL of their edge record. */
  readonly edges: Readonly<Record<string, KeptEdge>>;
  /** Nodes that are no records: groups, as in the file. */
  readonly groups: readonly KeptItem[];
  /** Edges that are no edges of Planner: parallel ones, loops, edges of groups. Their ends are URLs, or ids of groups. */
  readonly lines: readonly KeptItem[];
}

interface Kept {
  /** The index in the file's list: later nodes are drawn over earlier ones. */
  readonly at: number;
  /** The id in the file, unless an earlier one of the file has it. */
  readonly id?: string;
  /** Members without a field. */
  readonly more?: Fields;
}

export interface KeptNode extends Kept {
  /** Null for a node without colour, if the task's status has one. */
  readonly color?: string | null;
  /** The text before and after the label, if an export would write others. */
  readonly before?: string;
  readonly between?: string;
  /** The members that became the label and the text, if they do not follow from them. */
  readonly source?: Fields;
}

export type KeptEdge = Kept;

export interface KeptItem {
  readonly at: number;
  /** As in the file. */
  readonly item: Fields;
}

/** The URL of a record, or of an edge. */
export function urlOf(type: 'task' | 'document' | 'edge', id: string): string {
  return `planner://${type}/${id}`;
}

/**
 * The JSON Canvas that a layout keeps; undefined without an imported JSON Canvas. Clients may store any layout: members
 * of another type are ignored.
 */
export function keptCanvas(layout: unknown): KeptCanvas | undefined {
  const kept = objectOf(objectOf(layout)?.[keptName]);
  if (kept === undefined) return undefined;
  return {
    members: objectOf(kept['members']) ?? {},
    nodes: entriesOf(kept['nodes'], (fields) => ({
      ...entryOf(fields),
      ...given({
        color: fields['color'] === null ? null : textOf(fields['color']),
        before: textOf(fields['before']),
        between: textOf(fields['between']),
        source: objectOf(fields['source']),
      }),
    })),
    edges: entriesOf(kept['edges'], entryOf),
    groups: itemsOf(kept['groups']),
    lines: itemsOf(kept['lines']),
  };
}

function entriesOf<T>(value: unknown, read: (fields: Fields) => T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(objectOf(value) ?? {}).flatMap(([key, entry]) => {
      const fields = objectOf(entry);
      return fields === undefined ? [] : [[key, read(fields)]];
    }),
  );
}

function entryOf(fields: Fields): Kept {
  return { at: numberOf(fields['at']), ...given({ id: textOf(fields['id']), more: objectOf(fields['more']) }) };
}

function itemsOf(value: unknown): KeptItem[] {
  return (Array.isArray(value) ? value : []).flatMap((entry: unknown) => {
    const fields = objectOf(entry);
    const item = objectOf(fields?.['item']);
    return fields === undefined || item === undefined ? [] : [{ at: numberOf(fields['at']), item }];
  });
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
