import type { Field, Shape } from '../../record/collection.ts';
import type { Link } from '../../record/record.ts';
import { markerLines } from './conflict-markers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A key of the file; a field of the record, but for the lists of links. */
export interface FileField extends Field {
  /** A list of the targets of links, which are in the record's field `of`. */
  readonly list?: { readonly of: string; readonly label: string | undefined };
}

/** A shape prepared for reading and writing. */
export interface Layout {
  readonly shape: Shape;
  /** The known keys of the file, in order. The body is not included. */
  readonly fields: readonly FileField[];
  readonly positions: ReadonlyMap<string, number>;
  /** The positions of fields by their second name, which no field has as its first. */
  readonly aliases: ReadonlyMap<string, number>;
  readonly body: string | undefined;
}

/**
 * A key of the format, not of a record: the number of lines in the body that look like conflict markers and are text. A
 * merge that leaves real markers makes the number wrong.
 */
export const markersKey = 'conflict_marker_lines';
const markersField: Field = { name: markersKey, kind: 'number', absent: null };

const known = new WeakMap<Shape, Layout>();

export function layoutOf(shape: Shape): Layout {
  let layout = known.get(shape);
  if (layout === undefined) known.set(shape, (layout = makeLayout(shape)));
  return layout;
}

function makeLayout(shape: Shape): Layout {
  const fields: FileField[] = shape.fields
    .filter(({ name }) => name !== shape.body)
    .flatMap((field) => (shape.format === 'markdown' ? [...listsOf(field), field] : [field]));
  if (shape.format !== 'json' && shape.body !== undefined) {
    const firstList = fields.findIndex(({ kind }) => kind === 'texts' || kind === 'links');
    fields.splice(firstList === -1 ? fields.length : firstList, 0, markersField);
  }
  const positions = new Map(fields.map(({ name }, place) => [name, place]));
  const aliases = new Map<string, number>();
  fields.forEach(({ alias }, place) => {
    if (alias !== undefined && !positions.has(alias) && alias !== shape.body) aliases.set(alias, place);
  });
  return { shape, fields, positions, aliases, body: shape.body };
}

function listsOf({ name: of, lists = {} }: Field): FileField[] {
  return Object.entries(lists).map(([name, label]) => ({ name, kind: 'texts', absent: [], list: { of, label } }));
}

/** A field's value in a record: a missing or null value counts as absent. */
export function valueOf(field: FileField, record: Fields, body: string): unknown {
  if (field === markersField) return markerLines(body) || null;
  return partOf(field, record) ?? field.absent;
}

/** The part of a record under the key of a field: only the links that are written there. */
export function partOf({ name, lists, list }: FileField, record: Fields): unknown {
  const value = record[list?.of ?? name];
  if ((lists === undefined && list === undefined) || !Array.isArray(value))
    return list === undefined ? value : undefined;
  const links = value as readonly Link[];
  if (list !== undefined) return links.filter((link) => link.in === name).map(({ to }) => to);
  return links.some((link) => link.in !== undefined) ? links.filter((link) => link.in === undefined) : links;
}

/** The record's body as a file can contain it: UTF-8 has no lone surrogates. */
export function bodyOf(layout: Layout, record: Fields): string {
  const body = layout.body === undefined ? '' : (record[layout.body] ?? '');
  if (typeof body !== 'string') throw new TypeError(`${layout.body}: a body is text, not ${typeof body}.`);
  return body.isWellFormed() ? body : body.toWellFormed();
}
