import type { Field, Shape } from '../../record/collection.ts';
import { markerLines } from './conflict-markers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A shape prepared for reading and writing. */
export interface Layout {
  readonly shape: Shape;
  /** The known keys of the file, in order. The body is not included. */
  readonly fields: readonly Field[];
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
  const fields = shape.fields.filter(({ name }) => name !== shape.body);
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

/** A field's value in a record: a missing or null value counts as absent. */
export function valueOf(field: Field, record: Fields, body: string): unknown {
  if (field === markersField) return markerLines(body) || null;
  return record[field.name] ?? field.absent;
}

/** The record's body as a file can contain it: UTF-8 has no lone surrogates. */
export function bodyOf(layout: Layout, record: Fields): string {
  const body = layout.body === undefined ? '' : (record[layout.body] ?? '');
  if (typeof body !== 'string') throw new TypeError(`${layout.body}: a body is text, not ${typeof body}.`);
  return body.isWellFormed() ? body : body.toWellFormed();
}
