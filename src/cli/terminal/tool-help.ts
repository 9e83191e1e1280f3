import type { AnyOperation } from '../../operations/declaration/operation.ts';
import type { ShownLine } from './style.ts';
import { wrapped } from './program-help.ts';

/** A schema of `toolSchema`: one type each, without references. */
interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/** A field of a tool's input. */
interface ToolField {
  /** The name; for a member of an object it begins with the object: `evidence.kind`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description?: string;
}

export interface ToolHelp {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly ToolField[];
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
};

/** The fields of a tool, from its schema. Only this function loads the catalogue and the schemas. */
export async function toolHelp(
  name: string,
): Promise<{ readonly help: ToolHelp; readonly lines: readonly ShownLine[] }> {
  const [{ catalogue }, { toolSchema }] = await Promise.all([
    import('../../operations/catalogue.ts'),
    import('../../schema/inline.ts'),
  ]);
  const operation = catalogue.find((one) => one.name === name)!;
  const fields = fieldsOf(toolSchema(operation.input, operation.rest?.method === 'PATCH'));
  const help = { name, description: operation.mcp!.description, fields };
  return { help, lines: helpLines(help, operation) };
}

function fieldsOf({ properties = {}, required = [] }: FieldSchema, before = ''): readonly ToolField[] {
  return Object.entries(properties).flatMap(([member, schema]) => {
    const { description, items } = schema;
    const name = `${before}${member}`;
    const field = { name, type: typeOf(schema), required: required.includes(member) };
    const within = schema.type === 'array' ? fieldsOf(items ?? {}, `${name}[].`) : fieldsOf(schema, `${name}.`);
    return [{ ...field, ...(description === undefined ? {} : { description }) }, ...within];
  });
}

function typeOf({ type = 'string', enum: values, items }: FieldSchema): string {
  if (values !== undefined) return values.join(', ');
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items)}`;
  return typeWords[type] ?? type;
}

function helpLines({ name, description, fields }: ToolHelp, operation: AnyOperation): readonly ShownLine[] {
  const width = Math.max(0, ...fields.map((field) => field.name.length));
  const rows = fields.map(({ name: field, type, required, description: about = '' }) =>
    wrapped(`${required ? '*' : ' '} ${field.padEnd(width)} `, `(${type}) ${about}`.trim().split(' ')),
  );
  return [
    `planner call ${name} '<JSON>'`,
    '',
    { block: wrapped('', description.split(' ')) },
    ...(rows.length === 0 ? ['', 'It takes no fields.'] : ['', 'Fields; * marks those that are required:']),
    ...rows.map((block) => ({ block })),
    ...exampleLines(name, fields, operation.rest?.example),
    '',
    'Where a field is an id, a name, the end of an id or a part of a label means the record as well.',
  ];
}

/** The example of the REST description, if it has all that the tool requires. */
function exampleLines(name: string, fields: readonly ToolField[], example: unknown): readonly string[] {
  const given = (example ?? {}) as Readonly<Record<string, unknown>>;
  const required = fields.filter((field) => field.required && /^\w+$/.test(field.name));
  if (example === undefined || required.some((field) => !Object.hasOwn(given, field.name))) return [];
  return ['', 'Example:', `  $ planner call ${name} '${JSON.stringify(example)}'`];
}
