import type { FieldRule } from '../domain/records/declare-collection.ts';
import { definition, referenced } from '../schema/schemas.ts';
import type { Schema } from '../schema/schemas.ts';
import { code, table } from './markdown.ts';

export interface RecordFields {
  /** The name of the collection: `task`. */
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldRule>>;
}

/** The fields of each collection's files: their values, and the value if the key is absent. */
export function recordReference(collections: readonly RecordFields[]): string {
  return collections
    .map(({ name, fields }) => {
      const { properties } = definition(recordName(name)).schema as { readonly properties: Record<string, Schema> };
      const rows = Object.entries(fields).flatMap(([field, rule]) => [
        ...Object.keys(rule.lists ?? {}).map((list) => [code(list), 'list of ids and names', code('[]')]),
        [code(field), valueOf(properties[field] ?? {}), absentText(field, rule)],
      ]);
      return `### ${code(recordName(name))}\n\n${table(['Field', 'Value', 'If the key is absent'], rows)}`;
    })
    .join('\n\n');
}

/** The definition of a collection's records. */
export const recordName = (collection: string): string =>
  `${collection.charAt(0).toUpperCase()}${collection.slice(1)}Record`;

function absentText(field: string, { in: place, given, absent = null }: FieldRule): string {
  if (place === 'body') return 'the text below the front matter';
  if (place === 'path') return 'is the path of the file';
  if (field === 'id') return 'from the path';
  if (field === 'created_at' || field === 'updated_at') return '';
  if (given === true && absent === null) return 'required';
  return code(JSON.stringify(absent));
}

/** A short description of the values that a schema accepts. */
function valueOf(schema: Schema): string {
  const { $ref, anyOf, enum: values, type, items } = schema;
  if (typeof $ref === 'string') return valueOf(definition(referenced($ref)).schema);
  if (Array.isArray(anyOf)) return anyOf.map((one) => valueOf(one as Schema)).join(' or ');
  if (Array.isArray(values)) return values.map((value) => code(value === null ? 'null' : String(value))).join(', ');
  if (type === 'array') return `list of ${valueOf(items as Schema)}`;
  return (Array.isArray(type) ? type : [type ?? 'any value']).map((one) => typeText(String(one), schema)).join(' or ');
}

function typeText(type: string, { format, properties = {} }: Schema): string {
  if (type === 'null') return code('null');
  if (type === 'string') return typeof format === 'string' ? format : 'text';
  // Derived members are in no file.
  const members = Object.entries(properties as Readonly<Record<string, Schema>>).flatMap(([name, { readOnly }]) =>
    readOnly === true ? [] : [name],
  );
  return type === 'object' && members.length > 0 ? code(`{${members.join(', ')}}`) : type;
}
