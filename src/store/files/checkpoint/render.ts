import type { Renderer } from './checkpoint-job.ts';
import { decode, encode, encodeText, patch } from '../codec/codec.ts';
import type { Field, Shape } from '../../record/collection.ts';
import { derivedEdgeId, typeIsImplied } from '../../record/links.ts';
import type { Link } from '../../record/record.ts';
import { shapeAt, shapeOf } from '../../record/shapes.ts';

type Fields = Record<string, unknown>;

/** Up to this size, encoding a text costs no more than sending its fields to another thread, and delays no request. */
const shortCharactersMax = 4096;

/** The canonical bytes of a record's fields. */
export function encodeFields(shape: Shape, code: string, id: string, fields: Readonly<Fields>): Buffer {
  return encode(shapeOf(shape, fields), fields, linkOptions(code, id));
}

/**
 * Renders a new file as text; undefined if the writing thread has to encode it, because it is long or cannot be
 * encoded.
 */
export function shortText(shape: Shape, code: string, id: string, fields: Readonly<Fields>): string | undefined {
  let characters = 0;
  for (const name in fields) {
    const value = fields[name];
    if (typeof value === 'string') characters += value.length;
  }
  if (characters > shortCharactersMax) return undefined;
  try {
    return encodeText(shapeOf(shape, fields), fields, linkOptions(code, id));
  } catch {
    return undefined;
  }
}

/** An existing file. */
export interface PresentFile {
  readonly bytes: Uint8Array;
  /** Its ending determines the format in a collection with two formats. */
  readonly path: string;
}

/**
 * The bytes that turn `present` into a file with `fields`, keeping the text of a person. Throws if that would change
 * anything else.
 */
export function renderFields(
  shape: Shape,
  code: string,
  id: string,
  fields: Readonly<Fields>,
  present: PresentFile | undefined,
  keep: readonly string[] = [],
): Buffer {
  if (present === undefined || (present.bytes.length === 0 && keep.length === 0))
    return encodeFields(shape, code, id, fields);
  const { bytes, path } = present;
  const [from, to] = [shapeAt(shape, path), shapeOf(shape, fields)];
  const decoded = decode(from, bytes);
  if (!decoded.ok) throw new Error(`The file cannot be read (line ${decoded.line}: ${decoded.reason}).`);
  if (from === to) {
    const before = withAbsent(to, decoded.fields);
    const after = { ...fields, ...Object.fromEntries(keep.map((name) => [name, before[name]])) };
    return patch(to, bytes, before, after, linkOptions(code, id));
  }
  // Between formats no formatting can be kept, only unknown keys.
  const [note] = decoded.notes;
  if (note !== undefined)
    throw new Error(`It changes its format, and line ${note.line} would be lost (${note.reason}).`);
  const others = decoded.unknown.filter((name) => plainName.test(name)).map((name) => otherField(name));
  const whole = decode(withFields(from, others), bytes);
  const kept = whole.ok ? Object.fromEntries(others.map(({ name }) => [name, whole.fields[name]])) : {};
  return encode(withFields(to, others), { ...kept, ...fields }, linkOptions(code, id));
}

/** A key that every format can contain unquoted. */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

function otherField(name: string): Field {
  return { name, kind: 'json', absent: null };
}

function withFields(shape: Shape, fields: readonly Field[]): Shape {
  return fields.length === 0 ? shape : { ...shape, fields: [...shape.fields, ...fields] };
}

function withAbsent(shape: Shape, fields: Readonly<Fields>): Fields {
  const whole: Fields = {};
  for (const { name, absent } of shape.fields) whole[name] = fields[name] ?? absent;
  if (shape.body !== undefined) whole[shape.body] = fields[shape.body] ?? '';
  return whole;
}

/** A link's id and type are written only if they cannot be derived. */
function linkOptions(
  code: string,
  id: string,
): { omitLinkId: (link: Link) => boolean; omitLinkType: (link: Link) => boolean } {
  return {
    omitLinkId: (link) => link.id === derivedEdgeId(code, id, link.to, link.label),
    omitLinkType: (link) => typeIsImplied(link),
  };
}

/** Creates the renderer of the writing thread: `data` is the shapes by collection name. */
export function createRenderer(data: unknown): Renderer {
  const shapes = data as Readonly<Record<string, Shape>>;
  return ({ shape: name, code, id, fields, keep, whole }, present, path) => {
    const shape = shapes[name];
    if (shape === undefined) throw new Error(`There is no collection ${name}.`);
    return renderFields(
      shape,
      code,
      id,
      fields,
      whole === true || present === null ? undefined : { bytes: present, path },
      keep,
    );
  };
}
