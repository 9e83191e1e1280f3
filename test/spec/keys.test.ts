import { expect } from 'chai';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isHosted } from '../support/hosted-mode.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { rawMcp } from '../support/mcp-client.ts';
import type { McpClient } from '../support/mcp-client.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

/** Returns whether any file below a directory contains a text. */
function isWritten(text: string, directory: string): boolean {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .some((path) => readFileSync(path).includes(text));
}

describe('keys', () => {
  let hosted: HostedService;
  let mine: string;
  let other: string;

  beforeEach(async () => {
    hosted = await HostedService.start();
    mine = await hosted.project('Mine');
    other = await hosted.project('Other');
  });

  afterEach(() => hosted.stop());

  const as = (secret: string): RestClient => new RestClient(hosted.url, bearer(secret));
  const connect = (secret: string): Promise<McpClient> => hosted.service.mcp({ headers: bearer(secret) });

  it('are created, listed without their secrets, and revoked [D10.keys-rest]', async () => {
    const made = await hosted.owner.post('/keys', { kind: 'agent', name: 'Builder', project_id: mine });
    expect(made.status).to.equal(201);
    const { secret, ...key } = made.body;
    expect(key).to.include({ kind: 'agent', name: 'Builder', project_id: mine });
    expect(key.id).to.match(/^key_[0-9a-hjkmnp-tv-z]{16}$/);
    const owner = (await hosted.owner.post('/keys', { kind: 'owner' })).body;
    expect(owner).to.include({ kind: 'owner', name: 'owner', project_id: null });
    const list = await hosted.owner.get('/keys');
    expect(list.body.keys.map(({ id }: { id: string }) => id)).to.have.members([key.id, owner.id]);
    expect(list.body.keys).to.deep.include(key);
    expect(JSON.stringify(list.body)).not.to.include(secret).and.not.to.include('sha256');
    const tag = list.headers.get('etag')!;
    expect((await hosted.owner.get('/keys', { 'If-None-Match': tag })).status).to.equal(304);
    expect((await hosted.owner.get(`/keys?since=${encodeURIComponent(tag)}`)).body).to.deep.equal({
      keys: [],
      removed: [],
    });
    const first = (await hosted.owner.get('/keys?limit=1')).body;
    expect(first.keys).to.have.length(1);
    const second = (await hosted.owner.get(`/keys?limit=1&cursor=${first.next_cursor}`)).body;
    expect([first.keys[0].id, second.keys[0].id]).to.have.members([key.id, owner.id]);
    expect((await hosted.owner.delete(`/keys/${key.id}`)).status).to.equal(204);
    expect((await hosted.owner.get('/keys')).body.keys).to.have.length(1);
    expect((await hosted.owner.get(`/keys?since=${encodeURIComponent(tag)}`)).body.keys).to.have.length(1);
    const again = await hosted.owner.delete(`/keys/${key.id}`);
    expect([again.status, again.body]).to.deep.include.members([404]);
    expect(again.body).to.include({ error: 'not_found', resource: 'key', id: key.id });
  });

  it('have 256 random bits and are stored only as a hash, also after a restart [D10.keys]', async () => {
    const keys = await Promise.all(
      ['owner', 'owner', 'agent'].map((kind) =>
        hosted.key(kind as 'owner', kind === 'agent' ? { project_id: mine } : {}),
      ),
    );
    for (const { secret } of keys) {
      expect(secret).to.match(/^pln_(owner|agent)_[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(secret.split('_').slice(2).join('_'), 'base64url')).to.have.length(32);
    }
    expect(new Set(keys.map(({ secret }) => secret)).size).to.equal(3);
    await hosted.service.restart();
    for (const { secret } of keys) {
      expect((await as(secret).get('/projects')).status).to.equal(200);
      expect((await as(`${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`).get('/projects')).status).to.equal(
        401,
      );
      expect(isWritten(secret, hosted.service.root)).to.equal(false);
    }
  });

  it('are created once by a retried request, which gets the secret again without storing it [D10.keys]', async () => {
    const once = { 'Idempotency-Key': 'one-key-please' };
    const [first, second] = [
      await hosted.owner.post('/keys', { kind: 'owner' }, once),
      await hosted.owner.post('/keys', { kind: 'owner' }, once),
    ];
    expect(second.body).to.deep.equal(first.body);
    expect((await hosted.owner.get('/keys')).body.keys).to.have.length(1);
    await hosted.service.store.flush();
    expect(isWritten(first.body.secret, hosted.service.root)).to.equal(false);
    const other_ = await hosted.owner.post('/keys', { kind: 'agent', project_id: mine }, once);
    expect(other_.body.error).to.equal('conflict');
  });

  it('are rejected with the invalid member, and no key is created', async () => {
    const wrong: [object, string][] = [
      [{}, 'kind'],
      [{ kind: 'admin' }, 'kind'],
      [{ kind: 'agent' }, 'project_id'],
      [{ kind: 'agent', project_id: 'prj_unknown' }, 'project_id'],
      [{ kind: 'agent', project_id: 7 }, 'project_id'],
      [{ kind: 'owner', project_id: mine }, 'project_id'],
      [{ kind: 'owner', name: ' ' }, 'name'],
      [{ kind: 'owner', name: 'x'.repeat(101) }, 'name'],
      [{ kind: 'owner', name: 'two\nlines' }, 'name'],
      [{ kind: 'owner', secret: 'mine' }, 'secret'],
    ];
    for (const [body, field] of wrong) {
      const answer = await hosted.owner.post('/keys', body);
      expect([answer.status, answer.body.field], JSON.stringify(body)).to.deep.equal([400, field]);
    }
    expect((await hosted.owner.get('/keys')).body.keys).to.deep.equal([]);
  });

  it('of an owner give access to everything, over both interfaces [S.auth.bearer]', async () => {
    const { secret } = await hosted.key('owner', { name: 'Grace' });
    const rest = as(secret);
    expect((await rest.get('/projects')).body.projects).to.have.length(2);
    expect((await rest.post('/projects', { name: 'Third' })).status).to.equal(201);
    expect((await rest.delete(`/projects/${other}`)).status).to.equal(204);
    expect((await rest.get('/keys')).status).to.equal(200);
    expect((await rest.get('/service')).status).to.equal(200);
    const { id } = (await rest.post(`/projects/${mine}/tasks`, { label: 'One' })).body;
    await rest.patch(`/tasks/${id}`, { label: 'Two' });
    await (await connect(secret)).get('update_task', { task_id: id, label: 'Three' });
    const { body } = await rest.get(`/projects/${mine}/revisions`);
    expect(body.revisions.map(({ author }: { author: string }) => author)).to.deep.equal([
      'agent:tester',
      'human:Grace',
    ]);
  });

  it('let an MCP client with a bearer token list tools and projects [S.conformance.2]', async () => {
    for (const { secret } of [await hosted.key('owner'), await hosted.key('agent', { project_id: mine })]) {
      const client = await connect(secret);
      expect((await client.sdk.listTools()).tools.length).to.be.at.least(8);
      expect((await client.get('list_projects')).projects.length).to.be.at.least(1);
    }
  });

  it('are rejected by the next call once they are revoked, also in open sessions [D10.revoke, S.auth.1, S.errors.revoked, S.conformance.6, D2.unauthorized-revoked]', async () => {
    for (const kind of ['owner', 'agent'] as const) {
      const { id, secret } = await hosted.key(kind, kind === 'agent' ? { project_id: mine } : {});
      const client = await connect(secret);
      await client.get('list_projects');
      expect((await as(secret).get('/projects')).status).to.equal(200);
      await hosted.owner.delete(`/keys/${id}`);
      const { status, body, headers } = await as(secret).get('/projects');
      expect([status, body.error]).to.deep.equal([401, 'unauthorized']);
      expect(headers.get('www-authenticate')).to.equal('Bearer realm="planner"');
      const call = await client.call('list_projects').catch((error: unknown) => error);
      expect(call).to.include({ code: 401 });
      const raw = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } };
      const inSession = { ...bearer(secret), 'Mcp-Session-Id': client.session! };
      expect((await rawMcp(hosted.url, raw, inSession)).status).to.equal(401);
      const taken = { ...bearer(HostedService.admin), 'Mcp-Session-Id': client.session! };
      expect((await rawMcp(hosted.url, raw, taken)).status, 'the session belongs to its key only').to.equal(404);
    }
  });

  it('that are sent are checked on loopback, too, where none is required [D10.sent]', async () => {
    const service = await TestService.start();
    try {
      const { body } = await service.rest.post('/keys', { kind: 'agent', project_id: await service.project() });
      expect((await service.rest.get('/keys', bearer(body.secret))).status).to.equal(403);
      await service.rest.delete(`/keys/${body.id}`);
      expect((await service.rest.get('/projects', bearer(body.secret))).status).to.equal(401);
      expect((await service.rest.get('/health', bearer(body.secret))).status).to.equal(401);
    } finally {
      await service.stop();
    }
  });

  describe('of an agent', () => {
    let rest: RestClient;
    let client: McpClient;
    let task: string;
    let foreign: string;

    beforeEach(async () => {
      const { secret } = await hosted.key('agent', { project_id: mine, name: 'Builder' });
      rest = as(secret);
      client = await connect(secret);
      task = (await rest.post(`/projects/${mine}/tasks`, { label: 'Mine' })).body.id;
      foreign = (await hosted.owner.post(`/projects/${other}/tasks`, { label: 'Foreign' })).body.id;
    });

    it('see one project; records of others are not found [D10.agent-key, D2.not_found-foreign]', async () => {
      expect((await rest.get('/projects')).body.projects.map(({ id }: { id: string }) => id)).to.deep.equal([mine]);
      expect((await client.get('list_projects')).projects).to.have.length(1);
      const unknown = (await rest.get('/tasks/tsk_unknown')).body;
      for (const path of [
        `/projects/${other}`,
        `/projects/${other}/tasks`,
        `/tasks/${foreign}`,
        `/tasks/${foreign}/backlinks`,
      ]) {
        const { status, body } = await rest.get(path);
        expect([status, body.error], path).to.deep.equal([404, 'not_found']);
      }
      expect((await rest.get(`/tasks/${foreign}`)).body).to.deep.equal({
        ...unknown,
        id: foreign,
        message: unknown.message.replace('tsk_unknown', foreign),
      });
      expect((await rest.patch(`/tasks/${foreign}`, { label: 'x' })).status).to.equal(404);
      expect((await rest.post(`/projects/${other}/tasks`, { label: 'x' })).status).to.equal(404);
      for (const [tool, input] of [
        ['get_project', { project_id: other }],
        ['get_task', { task_id: foreign }],
        ['create_task', { project_id: other, label: 'x' }],
        ['search', { query: 'Foreign', project_id: other }],
      ] as const) {
        const { isError, value } = await client.call(tool, input);
        expect([isError, value.error], tool).to.deep.equal([true, 'not_found']);
      }
      expect((await client.get('search', { query: 'Foreign' })).tasks).to.deep.equal([]);
    });

    it('use their project if a call names none [D2.project-key]', async () => {
      const made = await client.get('create_task', { label: 'Second' });
      expect(made.task.project_id).to.equal(mine);
      const instructions = client.sdk.getInstructions();
      expect(instructions).to.include(mine);
    });

    it("cannot delete content, except edges, and have no access to the service's routes [D10.agent-delete, D2.forbidden-key]", async () => {
      const { id: document } = (await rest.post(`/projects/${mine}/documents`, { title: 'D', body: '' })).body;
      const { edge_id } = (
        await rest.post(`/projects/${mine}/edges`, {
          ...{ from_type: 'task', from_id: task, to_type: 'document', to_id: document },
        })
      ).body;
      const refused: [string, string, object?][] = [
        ['DELETE', `/projects/${mine}`],
        ['DELETE', `/tasks/${task}`],
        ['DELETE', `/documents/${document}`],
        ['GET', '/keys'],
        ['POST', '/keys', { kind: 'owner' }],
        ['DELETE', '/keys/key_unknown'],
        ['GET', '/sign-ins'],
        ['DELETE', '/sign-ins/unknown'],
        ['GET', '/identities'],
        ['DELETE', '/identities/unknown'],
        ['POST', '/projects', { name: 'x' }],
        // The readiness of a node is for balancers.
        ...(isHosted ? [] : ([['GET', '/ready']] satisfies [string, string][])),
        ['GET', '/service'],
        ['GET', '/doctor'],
        ['POST', '/flush'],
        ['POST', '/call/create_key', { kind: 'owner' }],
        ['POST', '/call/delete_task', { task_id: task }],
      ];
      for (const [method, path, body] of refused) {
        const answer = await rest.send(method, path, body);
        expect([answer.status, answer.body?.error], `${method} ${path}`).to.deep.equal([403, 'forbidden']);
      }
      const metrics = await fetch(`${hosted.url}/metrics`, { headers: rest.headers });
      expect(metrics.status).to.equal(403);
      const made = await client.call('create_project', { name: 'x' });
      expect([made.isError, made.value.error]).to.deep.equal([true, 'forbidden']);
      const scaffolded = await client.call('scaffold_project_from_plan', {
        name: 'x',
        tasks: [{ key: 'a', label: 'A' }],
      });
      expect([scaffolded.isError, scaffolded.value.error]).to.deep.equal([true, 'forbidden']);
      expect((await rest.delete(`/projects/${mine}/edges/${edge_id}`)).status).to.equal(204);
      expect((await hosted.owner.get('/projects')).body.projects).to.have.length(2);
      expect((await hosted.owner.get('/keys')).body.keys).to.have.length(1);
    });

    it('end with their project [D10.agent-key]', async () => {
      expect((await hosted.owner.delete(`/projects/${mine}`)).status).to.equal(204);
      expect((await rest.get('/projects')).status).to.equal(401);
      expect((await hosted.owner.get('/keys')).body.keys).to.deep.equal([]);
    });

    it('are the author of their changes [D7.author-key]', async () => {
      await rest.patch(`/tasks/${task}`, { label: 'Two' });
      await client.get('update_task', { task_id: task, label: 'Three' });
      await client.get('update_task', { task_id: task, label: 'Four', agent_ref: 'robo' });
      await rest.patch(`/tasks/${task}`, { label: 'Five', agent_ref: 'robo' });
      const { body } = await rest.get(`/projects/${mine}/revisions`);
      expect(body.revisions.map(({ author }: { author: string }) => author)).to.deep.equal([
        'agent:robo (Builder)',
        'agent:robo (Builder)',
        'agent:tester (Builder)',
        'agent:Builder',
      ]);
    });
  });
});
