import { expect } from 'chai';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, relative } from 'node:path';
import { catalogue } from '../../src/operations/catalogue.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { lenientInput } from '../../src/operations/pipeline/lenient-input.ts';
import { inlined } from '../../src/schema/inline.ts';
import { callable, pathMembers, requestOf, schemaOf, send, takesQuery, wireName } from '../support/catalogue-calls.ts';
import type { TransportName } from '../support/catalogue-calls.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { Random } from '../support/random.ts';
import { brokenInputs, RandomInput } from '../support/random-input.ts';
import type { Broken } from '../support/random-input.ts';
import { TestService } from '../support/service.ts';
import { populate } from '../support/world.ts';
import type { World } from '../support/world.ts';

describe('bad input', function () {
  this.timeout(120_000);
  let service: TestService;
  let world: World;

  before(async () => {
    service = await TestService.start();
    world = await populate(service);
  });

  after(() => service.stop());

  /** The state after the latest test. No test may change it. */
  let latest: string | undefined;

  /** The state that a test finds, and must leave. */
  async function stateBefore(): Promise<string> {
    return (latest ??= await state());
  }

  async function expectUnchanged(before: string): Promise<void> {
    latest = await state();
    expect(latest).to.equal(before);
  }

  /** The bytes of every file of every project. */
  async function state(): Promise<string> {
    await service.store.flush();
    const projects = join(service.root, 'projects');
    const files = readdirSync(projects, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const rows = files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return `${relative(projects, path)} ${hash('sha256', readFileSync(path))}`;
    });
    return rows.sort().join('\n');
  }

  /** An input that its schema accepts: only required members. */
  function sound(operation: AnyOperation): Record<string, unknown> {
    return new RandomInput(new Random(11), world.for(operation)).members(
      schemaOf(operation),
      0,
      pathMembers(operation),
    );
  }

  /** Makes a call by an unused link: guests may not call often by one. */
  async function asNewGuest(
    { link }: AnyOperation,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (link?.perMinuteMax === undefined) return input;
    const { body } = await service.rest.post(`/projects/${world.ids.get('project_id')![0]!}/participant-links`, {});
    return { ...input, token: /[\w-]+$/.exec((body as { url: string }).url)![0] };
  }

  /**
   * Returns whether an agent may send this: values that clients encode differently, or send as placeholders, are read
   * by their meaning.
   */
  function isRead({ input: definition, rest }: AnyOperation, { member, input }: Broken): boolean {
    const meant = lenientInput(input, inlined(definition), rest?.method === 'PATCH');
    return JSON.stringify(meant[member]) !== JSON.stringify(input[member]);
  }

  /**
   * Returns whether a transport can send this at all: a path without a member is another path, and in a query
   * everything is text.
   */
  function sendable(operation: AnyOperation, transport: TransportName, { what, member, input }: Broken): boolean {
    if (transport === 'MCP')
      return schemaOf(operation).properties?.[member] === undefined || isShown(operation, member);
    if (pathMembers(operation).has(member)) return false;
    if (!takesQuery(operation) && member !== 'project_id') return true;
    if (what.startsWith('over-long')) return false;
    const types = schemaOf(operation).properties?.[member]?.type;
    return what.startsWith('of type') ? Array.isArray(input[member]) && types !== undefined : true;
  }

  const isShown = (operation: AnyOperation, member: string): boolean =>
    (schemaOf(operation).properties?.[member] as { restOnly?: boolean } | undefined)?.restOnly !== true;

  /**
   * The values to send over a transport: over MCP, one value of a wrong type for each member that REST sends too. Both
   * transports have the same validators.
   */
  function* toSend(operation: AnyOperation, transport: TransportName): Generator<Broken> {
    const withType = new Set<string>();
    for (const broken of brokenInputs(schemaOf(operation), sound(operation))) {
      if (!sendable(operation, transport, broken)) continue;
      if (transport === 'MCP' && isRead(operation, broken)) continue;
      const { what, member } = broken;
      const isSentByRest = operation.rest !== undefined && sendable(operation, 'REST', broken);
      if (transport === 'MCP' && isSentByRest && what.startsWith('of type')) {
        if (withType.has(member)) continue;
        withType.add(member);
      }
      yield broken;
    }
  }

  for (const [operation, transport] of callable) {
    it(`${operation.name} over ${transport} rejects invalid input, names it, and changes nothing [A.bad-input]`, async () => {
      const before = await stateBefore();
      for (const broken of toSend(operation, transport)) {
        const { status, error } = await send(service, operation, transport, await asNewGuest(operation, broken.input));
        expect(error?.error, broken.what).to.equal('invalid_argument');
        expect(status, broken.what).to.equal(transport === 'REST' ? 400 : 200);
        const named = wireName(operation, transport, broken.member);
        expect(error!.field, `${broken.what}: ${error!.message}`).to.match(new RegExp(`^${named}(\\b|$)`));
        expect(error!.message.length, broken.what).to.be.above(10);
      }
      await expectUnchanged(before);
    });
  }

  it('an unknown id, or one of another project, is not found, and nothing changes [A.foreign-id]', async () => {
    const before = await stateBefore();
    const [first, second] = world.ids.get('project_id')!;
    for (const [operation, transport] of callable) {
      if (operation.link !== undefined) continue;
      const { properties = {} } = schemaOf(operation);
      const located = [operation.locate ?? []].flat().map(({ member }) => member);
      for (const member of [...located, ...('project_id' in properties ? ['project_id'] : [])]) {
        // An annotated file may have any name.
        if ((properties[member]?.maxLength ?? 0) > 500) continue;
        // Some ids are looked up together with their kind.
        const kind = properties[member.replace(/_id$/, '_type')]?.enum?.[0];
        const kinds = kind === undefined ? {} : { [member.replace(/_id$/, '_type')]: kind };
        const input = { ...sound(operation), ...kinds, [member]: 'tsk_0000000000000000' };
        const unknown = await send(service, operation, transport, input);
        const what = `${operation.name} over ${transport} with an unknown ${member}`;
        // A reference inside a body is an invalid argument.
        if (unknown.error?.error === 'invalid_argument') expect(unknown.error.field, what).to.equal(member);
        else expect(unknown.error?.error, what).to.equal('not_found');
      }
      const [member] = located;
      if (member === undefined || !('project_id' in properties) || pathMembers(operation).has('project_id')) continue;
      const own = world.ids.get(member)?.[0];
      if (own === undefined) continue;
      const codes = [first!, second!].filter((id) => id.slice(4, 10) !== own.slice(4, 10));
      const foreign = await send(service, operation, transport, {
        ...sound(operation),
        [member]: own,
        project_id: codes[0]!,
      });
      expect(foreign.error?.error, `${operation.name} over ${transport} in another project`).to.equal('not_found');
    }
    await expectUnchanged(before);
  });

  it("another project than an agent key's own is not found, and nothing changes [A.foreign-id]", async () => {
    const before = await stateBefore();
    const [own, foreign] = world.ids.get('project_id')! as [string, string];
    const { body: key } = await service.rest.post('/keys', { kind: 'agent', project_id: own, name: 'worker' });
    const headers = { Authorization: `Bearer ${key.secret}` };
    for (const [operation, transport] of callable) {
      if (operation.link !== undefined) continue;
      const input = sound(operation);
      const members = Object.keys(schemaOf(operation).properties ?? {}).filter((member) => world.ids.has(member));
      const named = members.filter((member) => input[member] !== undefined || member === 'project_id');
      if (named.length === 0) continue;
      const elsewhere = Object.fromEntries(named.map((member) => [member, foreignId(member, foreign)]));
      const { error } = await send(service, operation, transport, { ...input, ...elsewhere }, headers);
      const refusals = operation.peopleOnly === true ? ['forbidden'] : ['not_found'];
      if (operation.effect === 'create' || operation.effect === 'create_or_write') refusals.push('forbidden');
      if (operation.scope === 'service') refusals.push('forbidden');
      expect(refusals, `${operation.name} over ${transport}: ${error?.message}`).to.include(error?.error);
    }
    await expectUnchanged(before);
  });

  /** An id of the member's kind in another project; an unknown one has the same form. */
  function foreignId(member: string, project: string): string {
    const code = project.slice(4, 10);
    return world.ids.get(member)!.find((id) => id.slice(4, 10) === code) ?? `${member.slice(0, 3)}_${code}0000000000`;
  }

  it('a revoked key is rejected by every operation, and nothing changes [A.revoked-key]', async () => {
    const before = await stateBefore();
    const { body: key } = await service.rest.post('/keys', { kind: 'owner', name: 'gone' });
    const headers = { Authorization: `Bearer ${key.secret}` };
    expect((await service.rest.get('/projects', headers)).status).to.equal(200);
    expect((await service.rest.delete(`/keys/${key.id}`)).status).to.equal(204);
    for (const operation of catalogue) {
      if (operation.rest === undefined) continue;
      const { status, error } = await send(service, operation, 'REST', sound(operation), headers);
      expect([status, error?.error], operation.name).to.deep.equal([401, 'unauthorized']);
    }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } };
    expect((await rawMcp(service.url, call, headers)).status).to.equal(401);
    await expectUnchanged(before);
  });

  it('bytes that are not base64 are rejected, and nothing changes [A.bad-input]', async () => {
    const before = await stateBefore();
    const taking = callable.filter(([operation]) => 'content_base64' in (schemaOf(operation).properties ?? {}));
    expect(taking.map(([{ name }]) => name)).to.include('attach_file');
    for (const [operation, transport] of taking) {
      for (const content_base64 of ['***', 'QUJ', 'QUJD\n====', 'QU JD', 'QUJD=', 'ü']) {
        const { error } = await send(service, operation, transport, { ...sound(operation), content_base64 });
        const what = `${operation.name} over ${transport} with ${JSON.stringify(content_base64)}`;
        expect([error?.error, error?.field], what).to.deep.equal(['invalid_argument', 'content_base64']);
      }
    }
    await expectUnchanged(before);
  });

  it('a body that is not JSON, of another type, encoded or over the limit is rejected by every route [A.bad-body]', async () => {
    const before = await stateBefore();
    for (const operation of catalogue) {
      if (operation.rest === undefined) continue;
      const { method } = operation.rest;
      const { url } = requestOf(operation, sound(operation));
      const path = `/api/v1${url}`;
      const json = { 'Content-Type': 'application/json' };
      const attempts: [what: string, headers: Record<string, string>, body: string, status: number, error: string][] = [
        ['malformed JSON', json, '{"label": "x",}', 400, 'invalid_argument'],
        ['a list', json, '[]', 400, 'invalid_argument'],
        ['no UTF-8', json, '\xff', 400, 'invalid_argument'],
        ['another type', { 'Content-Type': 'text/plain' }, '{}', 415, 'unsupported_media_type'],
        ['no type', {}, '{}', 415, 'unsupported_media_type'],
        ['an encoding', { ...json, 'Content-Encoding': 'gzip' }, '{}', 415, 'unsupported_media_type'],
        ['too much', { ...json, 'Content-Length': String(40 * 1024 * 1024) }, '', 413, 'payload_too_large'],
      ];
      for (const [what, headers, body, status, error] of attempts) {
        const answer = await raw(service.url, method, path, headers, body);
        const expected = method === 'GET' ? [400, 'invalid_argument'] : [status, error];
        expect([answer.status, answer.error], `${operation.name} with ${what}`).to.deep.equal(expected);
      }
    }
    await expectUnchanged(before);
  });

  it('a POST to /mcp that is not a message is rejected, and nothing changes [A.bad-body]', async () => {
    const before = await stateBefore();
    const attempts: [body: string, headers: Record<string, string>, status: number][] = [
      ['{"jsonrpc": "2.0",}', {}, 400],
      ['[]', {}, 400],
      ['{"jsonrpc": "2.0", "id": 1, "method": "ping"}', { 'Content-Type': 'text/plain' }, 415],
      ['{"jsonrpc": "2.0", "id": 1, "method": "ping"}', { 'Content-Encoding': 'gzip' }, 415],
    ];
    for (const [body, headers, status] of attempts) {
      const response = await rawMcp(service.url, body, headers);
      expect(response.status, body).to.equal(status);
      expect(await response.json()).to.have.nested.property('error.data.error');
    }
    await expectUnchanged(before);
  });
});

/** A request whose body may be shorter than announced: the response is awaited, not the end of the body. */
function raw(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ readonly status: number; readonly error: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers: { Connection: 'close', ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode!, error: (JSON.parse(text) as { error: string }).error });
        sent.destroy();
      });
    });
    sent.once('error', reject);
    const bytes = Buffer.from(body, 'latin1');
    if (headers['Content-Length'] === undefined) sent.setHeader('Content-Length', bytes.length);
    sent.flushHeaders();
    if (bytes.length > 0) sent.write(bytes);
  });
}
