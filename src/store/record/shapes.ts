import type { Format, Shape } from './collection.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How the names of files end, by their format. */
export const fileEndings: Readonly<Record<Format, string>> = { markdown: '.md', json: '.json', html: '.html' };

const alternatives = new WeakMap<Shape, Shape>();

/** The other shape of a collection whose records are files of two formats: what the ending says need not be written. */
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

/** The shape in which a record of these fields is a file. */
export function shapeOf(shape: Shape, fields: Fields): Shape {
  const { alternative } = shape;
  return alternative !== undefined && fields[alternative.field] === alternative.value ? alternativeOf(shape)! : shape;
}

/** The shape of the file of this name, by its ending. */
export function shapeAt(shape: Shape, path: string): Shape {
  const other = alternativeOf(shape);
  return other !== undefined && path.endsWith(fileEndings[other.format]) ? other : shape;
}

/** Whether a name ends as files of this shape do. */
export function endsLike(shape: Shape, name: string): boolean {
  return name.endsWith(fileEndings[shapeAt(shape, name).format]);
}
