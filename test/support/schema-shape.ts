/** The parts of a JSON schema that say which values it takes. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A schema in the notation of TypeScript's types, on one line, without limits and descriptions. */
export function shapeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(shapeOf).join(' | ');
  if (schema.items !== undefined) return `(${shapeOf(schema.items)})[]`;
  if (schema.properties === undefined) return [schema.type ?? 'any'].flat().join(' | ');
  const members = Object.entries(schema.properties).map(
    ([name, member]) => `${name}${schema.required?.includes(name) === true ? '' : '?'}: ${shapeOf(member)}`,
  );
  return `{ ${members.join('; ')} }`;
}
