import type { Format, Shape } from './collection.ts';

type Fields = Readonly<Record<string, unknown>>;

/** File extensions by format. */
export const fileEndings: Readonly<Record<Format, string>> = { markdown: '.md', json: '.json', html: '.html' };

const alternatives = new WeakMap<Shape, Shape>();

/** The other shape of a collection with files of two formats: values implied by the extension are not written. */
function alternativeOf(shape: Shape): Shape | undefined {
  const { alternative, fields, body } = shape;
  if (alternative === undefined) return undefined;
  let made = alternatives.get(shape);
  if (made === undefined) {
    const { field, value, format } = alternative;
    const implied = { field, value, otherwise: shape.format };
    const same = fields.map((one) => (one.name === field ? { ...one, absent: value, always: false } : one));
    made = { format, fields: same, ...(body === undefined ? {} : { body }), implied };
    alternatives.set(shape, made);
  }
  return made;
}

/** The shape for a record with these fields. */
export function shapeOf(shape: Shape, fields: Fields): Shape {
  const { alternative } = shape;
  return alternative !== undefined && fields[alternative.field] === alternative.value ? alternativeOf(shape)! : shape;
}

/** The shape for a file of this name, by its extension. */
export function shapeAt(shape: Shape, path: string): Shape {
  const other = alternativeOf(shape);
  return other !== undefined && path.endsWith(fileEndings[other.format]) ? other : shape;
}

/** Returns whether a name has an extension of this shape. */
export function endsLike(shape: Shape, name: string): boolean {
  return name.endsWith(fileEndings[shapeAt(shape, name).format]);
}
