import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolOrder } from '../../src/mcp/tool-list.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import { AnswerReaders } from '../../src/operations/pipeline/repeat.ts';
import { inlined } from '../../src/schema/inline.ts';
import { validator } from '../../src/schema/validators.ts';
import { repository } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';

const named = (name: string): RegExp => new RegExp(`^${name}$`);

/** Names of members at every depth of a schema. */
function memberNames(schema: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) found.add(name);
    memberNames(value, found);
  }
  return found;
}

describe('the catalogue', () => {
  it('names operations and members in snake_case [D1.names]', () => {
    for (const { name, input, output } of catalogue) {
      expect(name).to.match(named('[a-z]+(_[a-z]+)*'));
      for (const definition of output === undefined ? [input] : [input, output]) {
        for (const member of memberNames(inlined(definition))) {
          // The canvas has no members of React libraries: it shows what is stored.
          expect(member, definition).to.match(named('[a-z0-9]+(_[a-z0-9]+)*'));
        }
      }
    }
  });

  it('has an operation by id and project to read what a retry does not return any more [A.hostile.repeats-changed]', () => {
    const readers = new AnswerReaders(catalogue);
    const read = new Map<string, string>();
    for (const write of catalogue.filter(({ access, output }) => access !== 'read' && output !== undefined)) {
      const about = { project: 'prj_1', resource: 'id_1' };
      const reading = readers.of(write, {}, about);
      if (reading === undefined) continue;
      read.set(write.name, reading.operation.name);
      expect(validator(reading.operation.input)(reading.input), write.name).to.deep.equal([]);
      expect(reading.path, write.name).to.match(/^\/[\w/-]+(\?project_id=prj_1)?$/);
      expect(reading.operation.access).to.equal('read');
    }
    // Operations with a text of 2 MiB, or with all of a project.
    const large = ['document', 'note', 'artifact', 'task', 'goal'].map((name) => `create_${name}`);
    for (const name of [...large, 'add_comment', 'update_document', 'update_task', 'put_canvas', 'create_project'])
      expect([...read.keys()], name).to.include(name);
    expect(read.get('put_canvas')).to.equal('get_canvas');
  });

  it('has each name and each route once', () => {
    const names = catalogue.map(({ name }) => name);
    const routes = catalogue.flatMap(({ rest }) =>
      rest === undefined ? [] : [`${rest.method} ${rest.path.replace(/:\w+/g, ':')}`],
    );
    expect(new Set(names).size).to.equal(names.length);
    expect(new Set(routes).size).to.equal(routes.length);
  });

  it('has a GET for every path that takes PATCH [D2.patch-get]', () => {
    const paths = (method: string): string[] =>
      catalogue.flatMap(({ rest }) => (rest?.method === method ? [rest.path] : []));
    expect(paths('GET')).to.include.members(paths('PATCH'));
  });

  it('names every parameter of a path in the input', () => {
    for (const { name, rest, input, locate } of catalogue) {
      const { properties } = inlined(input) as { properties: object };
      for (const [, parameter] of rest?.path.matchAll(/:(\w+)/g) ?? [])
        expect(properties, name).to.have.property(parameter!);
      for (const { member } of [locate ?? []].flat() as { member: string }[])
        expect(properties, name).to.have.property(member);
    }
  });

  it('has no tool that deletes content, and two that delete structure [S.rule.4] [S.rule.5]', () => {
    const tools = catalogue.filter(({ mcp }) => mcp !== undefined);
    expect(tools.filter(({ access }) => access === 'delete' || access === 'human')).to.deep.equal([]);
    const deleting = tools.filter(({ mcp, rest }) => mcp?.destructive === true || rest?.method === 'DELETE');
    expect(deleting.map(({ name }) => name)).to.have.members(['delete_edge', 'delete_folder']);
    expect(toolOrder.filter((name) => name.startsWith('delete_'))).to.deep.equal(['delete_folder', 'delete_edge']);
  });

  it('reads without changes, and changes with a method for it', () => {
    for (const { name, access, rest } of catalogue) {
      if (rest !== undefined) expect(rest.method === 'GET', name).to.equal(access === 'read');
    }
  });
});

describe('the generated descriptions', () => {
  let service: TestService;

  before(async () => {
    service = await TestService.start();
  });

  after(() => service.stop());

  const generated = (name: string): unknown =>
    JSON.parse(readFileSync(join(repository, 'schemas/generated', name), 'utf8'));

  it('are served as generated [A.catalogue]', async () => {
    const client = await service.mcp();
    expect(await client.sdk.listTools()).to.deep.equal(generated('tools.json'));
    expect((await service.rest.get('/openapi.json')).body).to.deep.equal(generated('openapi.json'));
  });

  it('list tools in one page under 45 kB, without output schemas [D2.mcp-listing] [S.version.mcp]', async () => {
    const { tools, nextCursor } = await (await service.mcp()).sdk.listTools();
    expect(nextCursor).to.equal(undefined);
    expect(Buffer.byteLength(JSON.stringify({ tools }))).to.be.below(45_000);
    const names = tools.map(({ name }) => name);
    expect(names).to.deep.equal(toolOrder.filter((name) => names.includes(name)));
    for (const { name, description = '', inputSchema, outputSchema } of tools) {
      expect(outputSchema, name).to.equal(undefined);
      expect(description.length, name).to.be.above(40);
      expect(JSON.stringify(inputSchema), name).not.to.include('"$ref":"common');
      expect(inputSchema.type, name).to.equal('object');
    }
  });

  it('contain every referenced definition', () => {
    const text = readFileSync(join(repository, 'schemas/generated/openapi.json'), 'utf8');
    const { components } = JSON.parse(text) as { components: { schemas: object; responses: object } };
    for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      expect(components[kind as 'schemas']).to.have.property(name!);
    }
    expect(text).not.to.match(/"\$ref": "(?!#\/components)/);
  });
});
