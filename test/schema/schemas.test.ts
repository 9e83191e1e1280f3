import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import { expect } from 'chai';
import { errorCodes } from '../../src/base/errors.ts';
import { limits } from '../../src/base/limits.ts';
import { inlined, inlinedForUs, toolSchema } from '../../src/schema/inline.ts';
import { definition, definitions, type Schema } from '../../src/schema/schemas.ts';
import { planOperations } from '../operations/planner.ts';

/** Every schema inside a schema, itself included. */
function* parts(schema: unknown): IterableIterator<Schema> {
  if (Array.isArray(schema)) for (const item of schema) yield* parts(item);
  else if (typeof schema === 'object' && schema !== null) {
    yield schema as Schema;
    for (const member of Object.values(schema)) yield* parts(member);
  }
}

const inputs = [...definitions].filter(([name]) => name.endsWith('Input') && name !== 'VerificationSurfaceInput');

describe('The schemas', () => {
  // One compiler, which keeps no schema, so that schemas cannot refer to each other.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, addUsedSchema: false });
  formatsPlugin.default(ajv, ['date-time', 'date']);

  for (const [name] of definitions) {
    it(`are self-contained as ${name}, in plain JSON Schema`, () => {
      expect(() => ajv.compile(inlined(name))).not.to.throw();
    });
  }

  it('accept no unknown member in any input, at any depth [D1.unknown-members]', () => {
    for (const [name] of inputs) {
      for (const part of parts(inlined(name))) {
        if ('properties' in part && part['type'] === 'object')
          expect(part['additionalProperties'], name).to.equal(false);
      }
    }
  });

  it('give every operation an input of type object without alternatives at its root', () => {
    for (const { input } of planOperations) {
      expect(inlined(input)).to.include({ type: 'object', additionalProperties: false });
      expect(inlined(input)).not.to.have.any.keys('oneOf', 'anyOf', 'allOf');
    }
  });

  it('name only existing definitions as results of operations', () => {
    for (const { output } of planOperations) if (output !== undefined) expect(definition(output)).to.be.an('object');
  });

  it('contain the limits of the service', () => {
    const { $defs } = { $defs: Object.fromEntries([...definitions].map(([name, { schema }]) => [name, schema])) };
    expect($defs['Name']).to.include({ maxLength: limits.nameCharactersMax });
    expect($defs['Body']).to.include({ maxBytes: limits.bodyBytesMax });
    expect($defs['TagNames']).to.include({ maxItems: limits.tagsPerTaskMax });
    expect($defs['CommitRefs']).to.include({ maxItems: limits.commitRefsMax });
    expect($defs['Limit']).to.include({ minimum: 1, maximum: limits.listLimitMax });
  });

  it('contain the codes of errors [D2.codes]', () => {
    expect(definition('ErrorCode').schema['enum']).to.deep.equal(errorCodes);
  });

  it('give a recursive definition as one that refers to itself', () => {
    const tree = inlined('DocumentTreeAnswer');
    expect(Object.keys(tree['$defs'] as object)).to.deep.equal(['DocumentFolder']);
  });
});

describe('A schema as a tool shows it', () => {
  it('omits members that only REST accepts, and bounds that an error explains', () => {
    const shown = toolSchema('ListTasksInput');
    expect(shown['properties']).to.have.any.keys('cursor');
    expect(shown['properties']).not.to.have.any.keys('since');
    for (const part of parts(shown)) expect(part).not.to.have.any.keys('maxLength', 'notBlank', 'restOnly', '$ref');
  });

  it('keeps every other member and the required ones', () => {
    for (const { mcp, input } of planOperations) {
      if (mcp === undefined) continue;
      const { properties, required } = inlinedForUs(input) as {
        properties: Record<string, { restOnly?: boolean }>;
        required?: string[];
      };
      const shown = toolSchema(input) as { properties: object; required?: string[] };
      const others = Object.keys(properties).filter((name) => properties[name]?.restOnly !== true);
      expect(Object.keys(shown.properties)).to.have.members(others);
      expect(shown.required).to.deep.equal(required);
    }
  });
});
