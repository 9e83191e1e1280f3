import { expect } from 'chai';
import { toolList } from '../../src/mcp/tool-list.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import { toolSchema } from '../../src/schema/inline.ts';

type Schema = Readonly<Record<string, unknown>>;

const tools = toolList(catalogue, toolSchema);

/** The schemas within a schema, itself included, with their paths and depths. */
function* schemasIn(schema: Schema, path: string, depth = 1): Generator<[path: string, schema: Schema, depth: number]> {
  yield [path, schema, depth];
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>))
    yield* schemasIn(member, `${path}.${name}`, depth + 1);
  if (schema['items'] !== undefined) yield* schemasIn(schema['items'] as Schema, `${path}[]`, depth);
}

const all = tools.flatMap(({ name, inputSchema }) => [...schemasIn(inputSchema, name)]);

/** Keywords that each provider documents; any other keyword makes it refuse the request, and all tools with it. */
const keywords = {
  // Gemini API, Schema: a subset of OpenAPI 3.0; `additionalProperties` in JSON Schema.
  gemini: new Set(
    'type format title description nullable enum items minItems maxItems properties required minProperties maxProperties minLength maxLength pattern anyOf propertyOrdering minimum maximum additionalProperties'.split(
      ' ',
    ),
  ),
  // OpenAI, Structured Outputs: supported schemas.
  openai: new Set(
    'type description enum const items properties required additionalProperties anyOf $ref $defs pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'.split(
      ' ',
    ),
  ),
};

describe('Schemas of tools, for the providers of models [D13.providers]', () => {
  it('have one type each, including every enum, and close every object', () => {
    for (const [path, schema] of all) {
      expect(schema['type'], path).to.be.oneOf(['object', 'array', 'string', 'integer', 'number', 'boolean']);
      if (schema['type'] !== 'object') continue;
      expect(schema['additionalProperties'], path).to.equal(false);
      expect(Object.keys(schema['required'] ?? {}).length, path).to.be.at.most(
        Object.keys(schema['properties']!).length,
      );
    }
  });

  it('are what Gemini takes', () => {
    for (const [path, schema] of all) {
      expect([...keywords.gemini], path).to.include.members(Object.keys(schema));
      if (schema['enum'] !== undefined) {
        expect(schema['type'], `${path}: enum is for texts`).to.equal('string');
        for (const value of schema['enum'] as unknown[]) expect(value, path).to.be.a('string').and.not.equal('');
      }
      if (schema['type'] === 'array') expect(schema['items'], `${path}: a list has items`).to.be.an('object');
      if (schema['type'] === 'object') {
        const names = Object.keys(schema['properties'] as object);
        expect(names, `${path}: an object has members`).not.to.deep.equal([]);
        expect(names, `${path}: what is required is there`).to.include.members((schema['required'] ?? []) as string[]);
      }
    }
    for (const { name } of tools) expect(name).to.match(/^[a-zA-Z_][\w.-]{0,63}$/);
  });

  it('are what OpenAI takes in strict mode, once every member is required', () => {
    for (const { name, inputSchema } of tools) {
      const parts = [...schemasIn(inputSchema, name)];
      const members = parts
        .filter(([, { type }]) => type === 'object')
        .map(([, { properties }]) => Object.keys(properties!));
      expect(members.flat().length, name).to.be.at.most(5000);
      expect(Math.max(...parts.map(([, , depth]) => depth)), `${name}: levels`).to.be.at.most(5);
      expect(parts.flatMap(([, schema]) => (schema['enum'] ?? []) as unknown[]).length, name).to.be.at.most(500);
      expect(name).to.match(/^[a-zA-Z0-9_-]{1,64}$/);
    }
    for (const [path, schema] of all) expect([...keywords.openai], path).to.include.members(Object.keys(schema));
  });

  it('are what Bedrock takes: nothing but an object with members at the top', () => {
    for (const { name, description, inputSchema } of tools) {
      expect(Object.keys(inputSchema), name).to.be.an('array');
      expect(['type', 'properties', 'required', 'additionalProperties'], name).to.include.members(
        Object.keys(inputSchema).filter((key) => inputSchema[key] !== undefined),
      );
      expect(name).to.match(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/);
      expect(description, name).not.to.equal('');
    }
    for (const [path, { properties = {} }] of all)
      for (const name of Object.keys(properties as object)) expect(name, path).to.match(/^[a-zA-Z0-9_.-]{1,64}$/);
  });

  it('say what null clears', () => {
    const { inputSchema } = tools.find(({ name }) => name === 'update_task')!;
    const { assignee, due_date, label } = inputSchema['properties'] as Record<string, Schema>;
    expect(
      [assignee!['description'], due_date!['description']].every((text) => String(text).includes('null')),
    ).to.equal(true);
    expect(label!['description']).to.equal(undefined);
  });
});
