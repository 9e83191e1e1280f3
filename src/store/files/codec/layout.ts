import type { Field, Shape } from '../../record/collection.ts';
import { markerLines } from './conflict-markers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A shape made ready for reading and writing. */
export interface Layout {
  readonly shape: Shape;
  /** Every key of the file that is ours, in order. The body is none of them. */
  readonly fields: readonly Field[];
  readonly positions: ReadonlyMap<string, number>;
  readonly body: string | undefined;
}

/**
 * A key of the format, not of any record: how many lines of the body look like a conflict's markers and are text. A merge that leaves
 * real ones makes the number wrong.
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
  return { shape, fields, positions: new Map(fields.map(({ name }, place) => [name, place])), body: shape.body };
}

/** A field's value in a record: what is missing, or null, is absent. */
export function valueOf(field: Field, record: Fields, body: string): unknown {
  if (field === markersField) return markerLines(body) || null;
  return record[field.name] ?? field.absent;
}

/** The record's body as a file can hold it: UTF-8 has no lone surrogates. */
export function bodyOf(layout: Layout, record: Fields): string {
  const body = layout.body === undefined ? '' : (record[layout.body] ?? '');
  if (typeof body !== 'string') throw new TypeError(`${layout.body}: a body is text, not ${typeof body}.`);
  return body.isWellFormed() ? body : body.toWellFormed();
}
