import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '../../src/operations/catalogue.ts';
import { idMembers } from '../../src/operations/pipeline/find-project.ts';
import { routeOf, routesOf } from '../../src/operations/declaration/route-binding.ts';
import { ResponseReaders } from '../../src/operations/pipeline/repeat.ts';
import { inlined } from '../../src/schema/inline.ts';
import { validator } from '../../src/schema/validators.ts';
import specifiedShapes from '../requirements/tool-shapes.json' with { type: 'json' };
import { ModernClient } from '../support/modern-client.ts';
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

const toolNames = catalogue.flatMap(({ name, mcp }) => (mcp === undefined ? [] : [name]));

describe('the catalogue', () => {
  it('names operations and members in snake_case [D1.names]', () => {
    for (const { name, input, output } of catalogue) {
      expect(name).to.match(named('[a-z]+(_[a-z]+)*'));
      for (const definition of output === undefined ? [input] : [input, output]) {
        for (const member of memberNames(inlined(definition))) {
          // The canvas has no members of React libraries: it shows the stored records.
          expect(member, definition).to.match(named('[a-z0-9]+(_[a-z0-9]+)*'));
        }
      }
    }
  });

  it('has an operation by id and project that reads a result which a retry no longer returns [A.hostile.repeats-changed]', () => {
    const readers = new ResponseReaders(catalogue);
    const read = new Map<string, string>();
    for (const write of catalogue.filter(({ effect, output }) => effect !== 'read' && output !== undefined)) {
      const about = { project: 'prj_1', resource: 'id_1' };
      const reading = readers.of(write, {}, about);
      if (reading === undefined) continue;
      read.set(write.name, reading.operation.name);
      expect(validator(reading.operation.input)(reading.input), write.name).to.deep.equal([]);
      expect(reading.path, write.name).to.match(/^\/[\w/-]+(\?project_id=prj_1)?$/);
      expect(reading.operation.effect).to.equal('read');
    }
    // Operations with a text of 2 MiB, or with all of a project.
    const large = ['document', 'note', 'artifact', 'task', 'goal'].map((name) => `create_${name}`);
    for (const name of [...large, 'add_comment', 'update_document', 'update_task', 'put_canvas', 'create_project'])
      expect([...read.keys()], name).to.include(name);
    expect(read.get('put_canvas')).to.equal('get_canvas');
  });

  it('has each name and each route once', () => {
    const names = catalogue.map(({ name }) => name);
    const routes = routesOf(catalogue).map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
    expect(new Set(names).size).to.equal(names.length);
    expect(new Set(routes).size).to.equal(routes.length);
  });

  it('has a GET for every path that takes PATCH [D2.patch-get]', () => {
    const paths = (method: string): string[] =>
      routesOf(catalogue).flatMap((route) => (route.method === method ? [route.path] : []));
    expect(paths('GET')).to.include.members(paths('PATCH'));
  });

  it('has every path parameter in the input', () => {
    for (const operation of catalogue) {
      const { name, input, locate } = operation;
      const { properties } = inlined(input) as { properties: object };
      for (const parameter of routeOf(operation)?.parameters ?? [])
        expect(properties, name).to.have.property(parameter);
      for (const { member } of [locate ?? []].flat() as { member: string }[])
        expect(properties, name).to.have.property(member);
    }
  });

  it('finds the project by every id of an input [D2.project-by-ids]', () => {
    // Found by the links that guests come by, by paths, by the service's own records, and a delivery by its webhook.
    const byOthers = ['project_id', 'record_id', 'participant_id', 'delivery_id'];
    for (const { name, scope, input, locate, link, rest } of catalogue) {
      if (scope !== 'project' || link !== undefined || rest?.path.includes('/share/') === true) continue;
      const located = ([locate ?? []].flat() as { member: string }[]).map(({ member }) => member);
      const { properties = {} } = inlined(input) as { properties?: object };
      const ids = Object.keys(properties).filter((member) => /_ids?$|_to$/.test(member) && member !== 'keep_ids');
      const known = [...byOthers, ...located, ...Object.keys(idMembers)];
      expect(known, `${name} of ${ids.join(', ')}`).to.include.members(ids);
    }
  });

  it('has no tool that deletes content, and two that delete structure [S.rule.4] [S.rule.5]', () => {
    const tools = catalogue.filter(({ mcp }) => mcp !== undefined);
    expect(tools.filter(({ peopleOnly }) => peopleOnly === true)).to.deep.equal([]);
    const deleting = tools.filter(({ mcp, rest }) => mcp?.destructive === true || rest?.method === 'DELETE');
    expect(deleting.map(({ name }) => name)).to.deep.equal(['delete_folder', 'delete_edge']);
    const named = tools.filter(({ name }) => name.startsWith('delete_'));
    expect(named).to.deep.equal(deleting);
  });

  it('reads without changes, and changes with a method for it', () => {
    for (const { name, effect, rest } of catalogue) {
      if (rest !== undefined) expect(rest.method === 'GET', name).to.equal(effect === 'read');
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

  it('list tools in one page, the specified ones within 48 kB, without output schemas [D2.mcp-listing, S.version.mcp]', async () => {
    const { tools, nextCursor } = await (await service.mcp()).sdk.listTools();
    expect(nextCursor).to.equal(undefined);
    const specified = tools.filter(({ name }) => name in specifiedShapes);
    expect(Buffer.byteLength(JSON.stringify({ tools: specified }))).to.be.at.most(48_000);
    expect(tools.map(({ name }) => name)).to.deep.equal(toolNames);
    for (const { name, description = '', inputSchema, outputSchema } of tools) {
      expect(outputSchema, name).to.equal(undefined);
      expect(description.length, name).to.be.above(40);
      expect(JSON.stringify(inputSchema), name).not.to.include('"$ref":"common');
      expect(inputSchema.type, name).to.equal('object');
    }
  });

  it('list the specified ones with the members of their outputs under 60 kB for clients without a session [D2.mcp-outputs]', async () => {
    const client = await ModernClient.connect(service.url);
    try {
      const { tools, nextCursor } = await client.sdk.listTools();
      expect(nextCursor).to.equal(undefined);
      const specified = tools.filter(({ name }) => name in specifiedShapes);
      expect(Buffer.byteLength(JSON.stringify({ tools: specified }))).to.be.below(60_000);
      expect(tools.map(({ name }) => name)).to.deep.equal(toolNames);
      const outputOf = (name: string): unknown => tools.find((tool) => tool.name === name)!.outputSchema;
      for (const { name } of tools) expect(outputOf(name), name).to.include({ type: 'object' });
      expect(outputOf('get_task')).to.deep.equal({
        type: 'object',
        properties: { task: { type: 'object' }, warnings: { type: 'array' } },
        required: ['task'],
      });
      // The client validates results, and no errors.
      expect((await client.call('get_task', { task_id: 'tsk_none' })).isError).to.equal(true);
      const { project } = await client.get('create_project', { name: 'Listed' });
      expect((await client.get('get_project', { project_id: project.id })).project.id).to.equal(project.id);
    } finally {
      await client.close();
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
