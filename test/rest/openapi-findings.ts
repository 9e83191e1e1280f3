import { Ajv2020 } from 'ajv/dist/2020.js';

/** The meta-schema of JSON Schema 2020-12, which ajv has: schemas of OpenAPI 3.1 are of that dialect. */
const jsonSchema = { $ref: 'https://json-schema.org/draft/2020-12/schema' };
const text = { type: 'string', minLength: 1 };
const reference = (kind: string): object => ({ type: 'string', pattern: `^#/components/${kind}/[A-Za-z0-9._-]+$` });
const objectOf = (required: readonly string[], properties: object): object => ({
  type: 'object',
  ...{ required, properties },
  additionalProperties: false,
});
const mapOf = (values: object, names = '.'): object => ({
  type: 'object',
  patternProperties: { [names]: values },
  additionalProperties: false,
});

const content = mapOf(objectOf([], { schema: jsonSchema, example: {} }), '^[\\w*]+/[\\w.+*-]+(?:; ?[\\w=-]+)?$');
const headers = mapOf(objectOf(['schema'], { description: text, schema: jsonSchema }), '^[A-Za-z-]+$');
const response = objectOf(['description'], { description: text, content, headers });
const securityRequirements = { type: 'array', items: mapOf({ type: 'array', items: text }) };
const parameter = {
  ...objectOf(['name', 'in', 'schema'], {
    ...{ name: text, in: { enum: ['path', 'query', 'header'] }, required: { type: 'boolean' } },
    ...{ description: text, schema: jsonSchema },
  }),
  if: { properties: { in: { const: 'path' } } },
  then: { required: ['required'], properties: { required: { const: true } } },
};
const operation = objectOf(['tags', 'operationId', 'summary', 'responses'], {
  tags: { type: 'array', minItems: 1, items: text },
  ...{ operationId: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' }, summary: text, description: text },
  security: securityRequirements,
  parameters: { type: 'array', items: parameter },
  requestBody: objectOf(['content'], { required: { type: 'boolean' }, content }),
  responses: mapOf(
    { anyOf: [objectOf(['$ref'], { $ref: reference('responses') }), response] },
    '^(?:default|[1-5]\\d\\d)$',
  ),
});
const securityScheme = {
  oneOf: [
    objectOf(['type', 'scheme'], {
      type: { const: 'http' },
      scheme: { enum: ['bearer', 'basic'] },
      description: text,
    }),
    objectOf(['type', 'in', 'name'], {
      type: { const: 'apiKey' },
      in: { enum: ['query', 'header', 'cookie'] },
      ...{ name: text, description: text },
    }),
  ],
};

/** The part of OpenAPI 3.1 that the description uses. Everything else is a finding, even if OpenAPI allows it. */
const form = objectOf(['openapi', 'info', 'paths', 'components'], {
  openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
  info: objectOf(['title', 'version', 'license'], {
    ...{ title: text, version: text, summary: text, description: text },
    license: objectOf(['name', 'identifier'], { name: text, identifier: text }),
  }),
  servers: { type: 'array', minItems: 1, items: objectOf(['url'], { url: text, description: text }) },
  security: { ...securityRequirements, minItems: 1 },
  tags: { type: 'array', items: objectOf(['name', 'description'], { name: text, description: text }) },
  paths: mapOf(mapOf(operation, '^(?:get|put|post|delete|patch)$'), '^/'),
  components: objectOf([], {
    schemas: mapOf(jsonSchema, '^[A-Za-z0-9._-]+$'),
    responses: mapOf(response, '^[A-Za-z0-9._-]+$'),
    securitySchemes: mapOf(securityScheme, '^[A-Za-z0-9._-]+$'),
  }),
});

interface Operation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly responses: object;
}

interface Description {
  readonly security: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly securitySchemes: object };
}

const hasForm = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile<Description>(form);

/** The faults of an OpenAPI description: of its form, or else of the references between its parts. */
export function findingsIn(description: unknown): readonly string[] {
  if (!hasForm(description))
    return hasForm.errors!.map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
  const { security, tags, paths, components } = description;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ where: `${method} ${path}`, path, method, one })),
  );
  const schemes = (requirements: readonly object[]): string[] =>
    requirements
      .flatMap((one) => Object.keys(one))
      .filter((name) => !Object.hasOwn(components.securitySchemes, name))
      .map((name) => `has no security scheme ${name}`);
  return [
    ...schemes(security),
    ...doubled(tags.map(({ name }) => `the tag ${name}`)),
    ...doubled(operations.map(({ one }) => `the operation ${one.operationId}`)),
    ...doubled(Object.keys(paths).map((path) => `the path ${path.replaceAll(/\{[^}]*\}/g, '{}')}`)),
    ...operations.flatMap(({ where, path, method, one }) =>
      [
        ...schemes(one.security ?? []),
        ...one.tags.filter((tag) => !tags.some(({ name }) => name === tag)).map((tag) => `has no tag ${tag}`),
        ...parametersOf(path, one),
        ...(method === 'get' && one.requestBody !== undefined ? ['has a body'] : []),
        ...['[23]', '4'].filter((first) => !hasStatus(one, first)).map((first) => `has no response ${first}xx`),
      ].map((finding) => `${where} ${finding}`),
    ),
    ...referencesOf(description),
  ];
}

function hasStatus({ responses }: Operation, first: string): boolean {
  return Object.keys(responses).some((status) => new RegExp(`^${first}\\d\\d$`).test(status));
}

/** Parameters match the path, each once. */
function parametersOf(path: string, { parameters = [] }: Operation): string[] {
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => `path ${name}`);
  const described = parameters.map((one) => `${one.in} ${one.name}`);
  return [
    ...doubled(described),
    ...inPath.filter((one) => !described.includes(one)).map((one) => `does not describe ${one}`),
    ...described.filter((one) => one.startsWith('path ') && !inPath.includes(one)).map((one) => `has no ${one}`),
  ];
}

/** References lead to components, and each component but the security schemes is referred to. */
function referencesOf(description: object): string[] {
  const references = new Set<string>();
  JSON.stringify(description, (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') references.add(value);
    return value;
  });
  const { components } = description as { readonly components: Readonly<Record<string, object>> };
  const there = Object.entries(components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, some]) => Object.keys(some).map((name) => `#/components/${kind}/${name}`));
  return [
    ...[...references].filter((one) => !there.includes(one)).map((one) => `${one} leads nowhere`),
    ...there.filter((one) => !references.has(one)).map((one) => `${one} is not used`),
  ];
}

function doubled(names: readonly string[]): string[] {
  return names.filter((name, at) => names.indexOf(name) < at).map((name) => `${name} is there twice`);
}
