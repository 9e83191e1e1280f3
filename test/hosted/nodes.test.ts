import { createHash, hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type Election, electionCollection } from '../../src/background/elected.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type AccessSettings, copyFromBucket } from '../../src/base/config.ts';
import { headersOfRequest, metaNames } from '../../src/mcp/envelope.ts';
import { Browser } from '../support/browser.ts';
import { EventStream } from '../support/event-stream.ts';
import { Balancer, HostedNodes } from '../support/hosted-nodes.ts';
import { client, IdentityProvider } from '../support/identity-provider.ts';
import { runCommand } from '../support/in-process.ts';
import { McpClient, rawMcp } from '../support/mcp-client.ts';
import { ModernClient, modernRequest } from '../support/modern-client.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import type { RestClient } from '../support/rest-client.ts';
import { repository } from '../support/server-process.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const bearer = (secret: string): { Authorization: string } => ({ Authorization: `Bearer ${secret}` });
/** A service for others, whose nodes are at loopback. */
const hosted: AccessSettings = { hosted: { baseUrl: 'https://plan.example.org', trustedProxies: 0 } };

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

postgresTests('Nodes over one database', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  afterEach(() => nodes.stop());

  const make = async (rest: RestClient, name = 'Garden'): Promise<string> =>
    (await rest.post('/projects', { name })).body.id as string;

  it('list projects by pages, and the present of their feeds, with the same tag at each node until one is changed [A.nodes.list]', async () => {
    nodes = await HostedNodes.start(cluster, 2);
    const rest = [nodes.rest(0), nodes.rest(1)] as const;
    const made: string[] = [];
    for (let at = 0; at < 5; at++) made.push(await make(rest[at % 2 === 0 ? 0 : 1], `Garden ${at}`));
    let tag = '';
    let place = '';
    /** Expects another present of the feed over all than the last time, the one that reading each project's events ends at. */
    const expectPresent = async (): Promise<void> => {
      const [one, other] = await Promise.all(rest.map((node) => node.get('/feed?since=now')));
      expect(other!.body).to.deep.equal(one!.body);
      expect(other!.headers.get('etag')).to.equal(one!.headers.get('etag'));
      const { cursor } = one!.body;
      expect(cursor).not.to.equal(place);
      for (const node of rest) expect((await node.get('/feed?limit=1000')).body.cursor).to.equal(cursor);
      place = cursor;
    };
    /** The names of all projects at both nodes, by pages of two; each has another tag than the last time. */
    const names = async (): Promise<readonly string[]> => {
      const found = await Promise.all(
        rest.map(async (one) => {
          const all: string[] = [];
          for (let cursor = ''; ;) {
            const { body } = await one.get(`/projects?limit=2${cursor}`);
            all.push(...body.projects.map(({ name }: { name: string }) => name));
            if (body.next_cursor === undefined) return all;
            cursor = `&cursor=${body.next_cursor}`;
          }
        }),
      );
      expect(found[0]).to.deep.equal(found[1]);
      const tags = await Promise.all(rest.map(async (one) => (await one.get('/projects')).headers.get('etag')!));
      expect(tags[0]).to.equal(tags[1]).and.not.to.equal(tag);
      tag = tags[0]!;
      for (const one of rest) expect((await one.get('/projects', { 'If-None-Match': tag })).status).to.equal(304);
      await expectPresent();
      return found[0]!;
    };
    expect(await names()).to.deep.equal([0, 1, 2, 3, 4].map((at) => `Garden ${at}`));
    await rest[0].post(`/projects/${made[1]}/tasks`, { label: 'Dig' });
    for (const one of rest) expect((await one.get('/projects', { 'If-None-Match': tag })).status).to.equal(304);
    await expectPresent();
    await rest[1].patch(`/projects/${made[0]}`, { name: 'Orchard' });
    await rest[0].delete(`/projects/${made[3]}`);
    expect(await names()).to.deep.equal(['Orchard', 'Garden 1', 'Garden 2', 'Garden 4']);
    await rest[0].patch(`/projects/${made[4]}`, { name: 'Field' });
    expect(await names()).to.deep.equal(['Orchard', 'Garden 1', 'Garden 2', 'Field']);
    // A node that begins has them by their summaries, or their logs.
    await nodes.end(1);
    await nodes.add();
    expect((await nodes.rest(1).get('/projects', { 'If-None-Match': tag })).status).to.equal(304);
    expect((await nodes.rest(1).get('/feed?since=now')).body.cursor).to.equal(place);
  });

  it('measure their appends, questions and loads, as the alerts ask for it [A.metrics]', async () => {
    nodes = await HostedNodes.start(cluster, 2);
    const scrape = async (node: number): Promise<string> => (await fetch(`${nodes.url(node)}/metrics`)).text();
    const measured = async (node: number, sample: string): Promise<number> => {
      const line = (await scrape(node)).split('\n').find((one) => one.startsWith(`${sample} `));
      return Number(line?.slice(sample.length + 1) ?? 0);
    };
    const project = await make(nodes.rest(0));
    expect(await measured(0, 'planner_append_seconds_count{outcome="ok"}')).to.be.at.least(1);
    // The node may have loaded it on its own before, or do so at this moment.
    await Promise.all([1, 1].map((node) => nodes.rest(node).get(`/projects/${project}`)));
    expect(await measured(1, 'planner_cold_load_seconds_count')).to.equal(1);
    expect(await measured(1, 'planner_gate_seconds_count')).to.be.at.least(1);
    await until(async () => {
      const add = (node: number): Promise<unknown> =>
        nodes.rest(node).post(`/projects/${project}/tasks`, { label: 'Dig' });
      await Promise.all([0, 1, 0, 1].map(add));
      return (await measured(0, 'planner_append_seconds_count{outcome="conflict"}')) > 0;
    });
    expect(await measured(0, 'planner_reruns_total')).to.be.at.least(1);
    expect(await measured(0, 'planner_entries_applied_total')).to.be.at.least(1);
    const alerts = readFileSync(join(repository, 'examples/deploy/alerts.yaml'), 'utf8');
    const { groups } = parse(alerts) as { groups: { rules: { expr: string }[] }[] };
    const known = new Set(Array.from((await scrape(0)).matchAll(/^# TYPE (\w+)/gm), ([, name]) => name));
    const asked = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => expr.match(/planner_\w+/g) ?? []));
    expect(
      asked.map((name) => name.replace(/_(?:count|sum|bucket)$/, '')).filter((name) => !known.has(name)),
    ).to.deep.equal([]);
    expect(asked).to.have.length.above(5);
  });

  it('measure the connections that are in use, and the statements that wait [A.metrics]', async () => {
    nodes = await HostedNodes.start(cluster, 1);
    const measured = async (): Promise<readonly number[]> => {
      const text = await (await fetch(`${nodes.url(0)}/metrics`)).text();
      return ['planner_pool_connections_in_use', 'planner_pool_waiting'].map((name) =>
        Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]),
      );
    };
    expect(await measured()).to.deep.equal([0, 0]);
    const blocker = await cluster.primary.hold(`LOCK TABLE ${nodes.schema}.blob IN ACCESS EXCLUSIVE MODE`);
    const staged = ['a', 'b', 'c', 'd', 'e'].map((text) => nodes.nodes[0]!.store.stage([Buffer.from(text)]));
    await until(async () => (await measured())[1] === 3);
    expect(await measured()).to.deep.equal([2, 3]);
    await blocker.release();
    await Promise.all(staged);
    expect(await measured()).to.deep.equal([0, 0]);
  });

  it('measure the projects in memory, and how far the clock of their machine is off [A.metrics]', async () => {
    nodes = await HostedNodes.start(cluster, 1);
    const fast = Object.create(systemClock, { now: { value: () => systemClock.now() + 60_000 } }) as typeof systemClock;
    await nodes.add({ clock: fast });
    const measured = async (node: number, name: string): Promise<number> => {
      const text = await (await fetch(`${nodes.url(node)}/metrics`)).text();
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    };
    expect(await measured(0, 'planner_replicas')).to.equal(0);
    expect(await measured(0, 'planner_replica_bytes')).to.equal(0);
    const project = await make(nodes.rest(0));
    expect(await measured(0, 'planner_replicas')).to.equal(1);
    const bytes = await measured(0, 'planner_replica_bytes');
    await nodes.rest(0).post(`/projects/${project}/tasks`, { label: 'Dig' });
    expect(await measured(0, 'planner_replica_bytes')).to.be.greaterThan(bytes);
    expect(await measured(0, 'planner_clock_offset_ms')).to.be.greaterThan(-30_000);
    expect(await measured(1, 'planner_clock_offset_ms')).to.be.lessThan(-30_000);
  });

  it('see immediately the acknowledged changes of another node, deletions of projects included [A.nodes.reads]', async () => {
    nodes = await HostedNodes.start(cluster, 3);
    const [first, second, third] = [nodes.rest(0), nodes.rest(1), nodes.rest(2)];
    const project = await make(first);
    const { body: task } = await second.post(`/projects/${project}/tasks`, { label: 'Dig' });
    const tagged = await third.get(`/projects/${project}/tasks`);
    expect(tagged.body.tasks.map(({ label }: { label: string }) => label)).to.deep.equal(['Dig']);
    await first.patch(`/tasks/${task.id}`, { status: 'done' });
    expect((await second.get(`/tasks/${task.id}`)).body.status).to.equal('done');
    const again = await third.get(`/projects/${project}/tasks`, {
      'If-None-Match': tagged.headers.get('etag')!,
    });
    expect([again.status, again.body.tasks[0].status]).to.deep.equal([200, 'done']);
    // The tag is the same everywhere.
    const same = await second.get(`/projects/${project}/tasks`, { 'If-None-Match': again.headers.get('etag')! });
    expect(same.status).to.equal(304);
    expect((await second.delete(`/projects/${project}`)).status).to.equal(204);
    for (const rest of [first, second, third]) {
      expect((await rest.get(`/tasks/${task.id}`)).status).to.equal(404);
      expect((await rest.get('/projects')).body.projects).to.deep.equal([]);
    }
  });

  it('change one project at the same time, and lose nothing [A.nodes.writes, A.nodes.leases]', async () => {
    nodes = await HostedNodes.start(cluster, 3);
    const project = await make(nodes.rest(0));
    const labels = Array.from({ length: 90 }, (_, at) => `Task ${at}`);
    const made = await Promise.all(
      labels.map((label, at) => nodes.rest(at % 3).post(`/projects/${project}/tasks`, { label })),
    );
    expect(made.map(({ status }) => status)).to.deep.equal(labels.map(() => 201));
    const { tasks } = (await nodes.rest(1).get(`/projects/${project}/tasks`)).body;
    expect(tasks.map(({ label }: { label: string }) => label).sort()).to.deep.equal([...labels].sort());
    const [{ id }] = tasks;
    const claims = await Promise.all(
      Array.from({ length: 9 }, (_, at) => nodes.rest(at % 3).post(`/tasks/${id}/claim`, { agent_ref: `agent ${at}` })),
    );
    expect(claims.filter(({ body }) => body.claimed === true)).to.have.length(1);
  });

  it('refuse a key that was revoked at another one with the next call [A.nodes.keys]', async () => {
    nodes = await HostedNodes.start(cluster, 2, { access: { ...hosted, admin: 'pln_admin_of-this-test' } });
    const owner = nodes.rest(0, bearer('pln_admin_of-this-test'));
    const { id, secret } = (await owner.post('/keys', { kind: 'owner', name: 'laptop' })).body;
    expect((await nodes.rest(1, bearer(secret)).get('/projects')).status).to.equal(200);
    expect((await owner.delete(`/keys/${id}`)).status).to.equal(204);
    for (const node of [1, 0])
      expect((await nodes.rest(node, bearer(secret)).get('/projects')).status, String(node)).to.equal(401);
  });

  it('serve the sessions that began at another one, and none that has ended [A.nodes.sessions, A.nodes.keys]', async () => {
    nodes = await HostedNodes.start(cluster, 2);
    const project = await make(nodes.rest(0));
    const session = await McpClient.connect(nodes.url(0));
    await session.get('set_current_goal', {
      project_id: project,
      goal_id: (await session.get('list_goals', { project_id: project })).goals[0].id,
    });
    const headers = { 'Mcp-Session-Id': session.session!, 'Mcp-Protocol-Version': '2025-06-18' };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects', arguments: {} } };
    expect((await rawMcp(nodes.url(1), list, headers)).status).to.equal(200);
    const ended = await fetch(`${nodes.url(1)}/mcp`, { method: 'DELETE', headers });
    expect(ended.status).to.equal(204);
    for (const node of [0, 1])
      expect((await rawMcp(nodes.url(node), list, headers)).status, String(node)).to.equal(404);
    await session.close();
    // Calls of the newer revision have no session.
    for (const node of [0, 1]) {
      const modern = await ModernClient.connect(nodes.url(node));
      expect((await modern.call('create_task', { project_id: project, label: `At ${node}` })).isError).to.equal(false);
      expect((await modern.get('list_tasks', { project_id: project })).tasks).to.have.length(node + 1);
      await modern.close();
    }
  });

  it('take the answer of a person whom another one has asked [A.nodes.sessions, D2.elicitation]', async () => {
    nodes = await HostedNodes.start(cluster, 2);
    const project = await make(nodes.rest(0));
    const scope = { label: 'Dig', status: 'scope' };
    const { body: task } = await nodes.rest(0).post(`/projects/${project}/tasks`, scope);
    const release = { name: 'update_task', arguments: { task_id: task.id, status: 'todo' } };
    const _meta = { [metaNames.capabilities]: { elicitation: {} } };
    const call = async (node: number, more: object): Promise<{ requestState?: string; isError?: boolean }> => {
      const request = modernRequest(1, 'tools/call', { ...release, ...more, _meta });
      const response = await rawMcp(nodes.url(node), request, headersOfRequest(request));
      return ((await response.json()) as { result: object }).result;
    };
    const { requestState } = await call(0, {});
    expect(requestState).to.be.a('string');
    const { isError } = await call(1, { requestState, inputResponses: { confirm: { action: 'accept' } } });
    expect(isError).to.equal(undefined);
    expect((await nodes.rest(0).get(`/tasks/${task.id}`)).body.status).to.equal('todo');
  });

  it('know links to a project and its resources immediately, and that they have ended [A.nodes.links]', async () => {
    nodes = await HostedNodes.start(cluster, 2);
    const project = await make(nodes.rest(0));
    const { body: task } = await nodes.rest(0).post(`/projects/${project}/tasks`, { label: 'Dig' });
    const guest = nodes.rest(1);
    for (let at = 0; at < 5; at++) {
      const { body: link } = await nodes.rest(0).post(`/tasks/${task.id}/share`, {});
      const { body: invitation } = await nodes.rest(0).post(`/projects/${project}/participant-links`, {});
      const [token, guests] = [link, invitation].map(({ url }) => String(url).split('/').at(-1));
      const calls = [`/share/${token}.md`, `/participate/${guests}`];
      for (const call of calls) expect((await guest.get(call)).status, call).to.equal(200);
      for (const { id } of [link, invitation])
        expect((await nodes.rest(0).delete(`/shares/${id}`)).status).to.equal(204);
      for (const call of calls) expect((await guest.get(call)).status, call).to.equal(410);
    }
  });

  /** Two nodes behind a balancer that sends each request to the other node, where people sign in at a provider. */
  const withProvider = async (): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
    const urls: string[] = [];
    const balancer = await Balancer.start(() => urls);
    const provider = await IdentityProvider.start(`${balancer.url}/sign-in/callback`);
    const openId = { issuer: provider.issuer, clientId: client.id, clientSecret: client.secret };
    nodes = await HostedNodes.start(cluster, 2, {
      access: {
        hosted: {
          baseUrl: balancer.url,
          trustedProxies: 0,
          openId: { ...openId, owners: new Set(['ada@example.org']) },
        },
      },
    });
    urls.push(nodes.url(0), nodes.url(1));
    return {
      url: balancer.url,
      stop: async () => {
        await provider.stop();
        await balancer.stop();
      },
    };
  };

  it('share the state of a sign-in at a provider [A.nodes.sign-in]', async () => {
    const service = await withProvider();
    const browser = new Browser();
    for (let at = 0; at < 2; at++) {
      const { status, url } = await browser.get(`${service.url}/sign-in/start`);
      expect([status, new URL(url).origin]).to.deep.equal([200, service.url]);
      // At the other node, too.
      for (let call = 0; call < 2; call++)
        expect((await browser.send(`${service.url}/api/v1/projects`)).status).to.equal(200);
    }
    await service.stop();
  });

  it('give a program once the key that a person allowed at another node [A.nodes.sign-in]', async () => {
    const service = await withProvider();
    const browser = new Browser();
    await browser.get(`${service.url}/sign-in/start`);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: service.url };
    const post = (base: string, path: string, fields: Record<string, string>): Promise<Response> =>
      browser.send(base + path, { method: 'POST', headers, body: new URLSearchParams(fields).toString() });
    const logins = 10;
    for (let login = 0; login < logins; login++) {
      const [state, verifier] = [randomBytes(18), randomBytes(32)].map((bytes) => bytes.toString('base64url'));
      const asked = {
        ...{ redirect_uri: 'http://127.0.0.1:1/callback', state: state!, device: 'laptop' },
        ...{ code_challenge: hash('sha256', verifier!, 'base64url'), code_challenge_method: 'S256' },
      };
      const allowed = await post(service.url, '/sign-in/program', asked);
      const { searchParams } = new URL(allowed.headers.get('location')!);
      expect(searchParams.get('state')).to.equal(state);
      const presented = { code: searchParams.get('code')!, code_verifier: verifier!, redirect_uri: asked.redirect_uri };
      const exchange = (at: string): Promise<Response> => post(at, '/sign-in/program/key', presented);
      // The balancer sends it to the other node than the form; the last one goes to both together.
      const exchanged = await Promise.all(
        login < logins - 1 ? [exchange(service.url)] : [0, 1].map((node) => exchange(nodes.url(node))),
      );
      const made = exchanged.filter(({ status }) => status === 201);
      expect(made).to.have.length(1);
      const { secret } = (await made[0]!.json()) as { secret: string };
      for (const node of [0, 1]) expect((await nodes.rest(node, bearer(secret)).get('/keys')).status).to.equal(200);
    }
    await service.stop();
  });

  it('send the events of all of them, and continue the cursors of others [A.nodes.events]', async () => {
    nodes = await HostedNodes.start(cluster, 2);
    const project = await make(nodes.rest(0));
    const stream = await EventStream.open(nodes.url(1), `/projects/${project}/events`);
    const all = await EventStream.open(nodes.url(1), '/feed?types=task');
    for (const node of [0, 1, 0]) await nodes.rest(node).post(`/projects/${project}/tasks`, { label: `At ${node}` });
    const events = await stream.take(3);
    expect(events.map(({ resource }) => resource.label)).to.deep.equal(['At 0', 'At 1', 'At 0']);
    expect((await all.take(3)).map(({ resource }) => resource.label)).to.deep.equal(['At 0', 'At 1', 'At 0']);
    const { cursor } = events[0]!;
    for (const node of [0, 1]) {
      const page = (await nodes.rest(node).get(`/projects/${project}/events?since=${cursor}`)).body;
      expect(page.events).to.deep.equal(events.slice(1));
    }
    // A node that has begun later derives the same.
    await nodes.add();
    const page = (await nodes.rest(2).get(`/projects/${project}/events?since=${cursor}`)).body;
    expect(page.events).to.deep.equal(events.slice(1));
    const waiting = nodes.rest(2).get(`/projects/${project}/events?since=${events[2]!.cursor}&wait=30`);
    await nodes.rest(0).post(`/projects/${project}/tasks`, { label: 'Later' });
    expect((await waiting).body.events.map(({ type }: { type: string }) => type)).to.deep.equal(['task.created']);
    stream.close();
    all.close();
  });

  it('call webhooks from one of them, and from another one after that has ended [A.nodes.webhooks]', async () => {
    const receiver = await WebhookReceiver.open();
    nodes = await HostedNodes.start(cluster, 3, { webhookHosts: { allowed: new Set([receiver.host]) } });
    const project = await make(nodes.rest(0));
    await nodes.rest(1).post(`/projects/${project}/webhooks`, { url: receiver.url, types: ['task.created'] });
    const create = async (label: string): Promise<void> => {
      for (const [node] of nodes.nodes.entries())
        await nodes.rest(node).post(`/projects/${project}/tasks`, { label: `${label} ${node}` });
    };
    await create('First');
    // A node that ends may leave a delivery to be repeated, whose answer it has not read.
    const once = (): readonly unknown[] => [...new Set(receiver.labels)];
    const expected = ['First 0', 'First 1', 'First 2', 'Second 0', 'Second 1', 'Third 0'];
    await until(() => once().length === 3);
    await nodes.end(0);
    await create('Second');
    await until(() => once().length === 5);
    await nodes.end(0);
    await create('Third');
    await until(() => once().length === 6);
    expect(once()).to.deep.equal(expected);
    expect(receiver.labels.length).to.be.at.most(expected.length + 2);
    await receiver.close();
  });

  it('pause a webhook whose deliveries ended one of them after the other [A.hostile.background]', async () => {
    const receiver = await WebhookReceiver.open();
    nodes = await HostedNodes.start(cluster, 3, { webhookHosts: { allowed: new Set([receiver.host]) } });
    const project = await make(nodes.rest(0));
    const path = `/projects/${project}/webhooks`;
    const { id } = (await nodes.rest(1).post(path, { url: receiver.url })).body as { readonly id: string };
    await nodes.rest(1).post(`${path.replace('webhooks', 'tasks')}`, { label: 'Dig' });
    await receiver.count(1);
    // It notes its end before it leaves, so that the next one, which is elected then, reads it.
    const elected = async (): Promise<number> => {
      const { store } = nodes.nodes[0]!;
      const entry = await store.readService((tx) => tx.get<Election>(electionCollection.name, 'background'));
      return nodes.nodes.findIndex(({ store: { instance } }) => instance === entry?.node);
    };
    for (const _ of [1, 2]) {
      await until(async () => (await elected()) >= 0);
      const node = await elected();
      await nodes.nodes[node]!.noteEnd({ worker: 'webhooks', project, of: `${id}.0` });
      await nodes.end(node);
    }
    await until(async () => (await nodes.rest(0).get(path)).body.webhooks[0].paused?.reason === 'crashed');
    await receiver.close();
  });

  it('execute a call with an idempotency key once, whichever its repeats arrive at [A.nodes.once]', async () => {
    nodes = await HostedNodes.start(cluster, 3);
    const project = await make(nodes.rest(0));
    const key = { 'Idempotency-Key': 'dig-once' };
    const answers = await Promise.all(
      [0, 1, 2, 0, 1].map((node) => nodes.rest(node).post(`/projects/${project}/tasks`, { label: 'Dig' }, key)),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
    expect((await nodes.rest(2).get(`/projects/${project}/tasks`)).body.tasks).to.have.length(1);
  });

  it('have the bytes of each file that was uploaded at another one [A.nodes.bytes]', async () => {
    nodes = await HostedNodes.start(cluster, 2);
    const project = await make(nodes.rest(0));
    const bytes = randomBytes(2_500_000);
    const form = new FormData();
    form.set('file', new File([bytes], 'plan.bin', { type: 'application/octet-stream' }));
    const uploaded = await fetch(`${nodes.url(0)}/api/v1/projects/${project}/files`, { method: 'POST', body: form });
    const { id } = (await uploaded.json()) as { id: string };
    expect(uploaded.status).to.equal(201);
    const whole = Buffer.from(await (await fetch(`${nodes.url(1)}/api/v1/files/${id}`)).arrayBuffer());
    expect(createHash('sha256').update(whole).digest('hex')).to.equal(createHash('sha256').update(bytes).digest('hex'));
  });

  it('do not start over files whose bytes an earlier version has stored in a bucket, until they are copied [A.nodes.bucket]', async () => {
    nodes = await HostedNodes.start(cluster, 1);
    const { schema } = nodes;
    const project = await make(nodes.rest(0));
    const bytes = randomBytes(2_500_000);
    const upload = async (into: string): Promise<{ id: string; sha256: string }> => {
      const form = new FormData();
      form.set('file', new File([bytes], 'plan.bin', { type: 'application/octet-stream' }));
      const answer = await fetch(`${nodes.url(0)}/api/v1/projects/${into}/files`, { method: 'POST', body: form });
      expect(answer.status).to.equal(201);
      return (await answer.json()) as { id: string; sha256: string };
    };
    const { id, sha256 } = await upload(project);
    const object = `INSERT INTO ${schema}.blob_object (object, sha256, digests) VALUES ($1, $2, '')`;
    await cluster.primary.query(object, [`${sha256}.x`, sha256]);
    // With the bytes in the database, the object is of no use.
    await nodes.add();
    expect((await fetch(`${nodes.url(1)}/api/v1/files/${id}`)).status).to.equal(200);
    await cluster.primary.query(`DELETE FROM ${schema}.blob_part`);
    // No record uses it.
    const unused = createHash('sha256').digest('hex');
    await cluster.primary.query(`INSERT INTO ${schema}.blob (sha256, size) VALUES ($1, 1)`, [unused]);
    await cluster.primary.query(object, ['unused', unused]);
    const read = await fetch(`${nodes.url(1)}/api/v1/files/${id}`);
    expect([read.status, ((await read.json()) as { message: string }).message]).to.deep.equal([
      503,
      `The bytes ${sha256} are not in the database: an earlier version has stored them in a bucket, from where they have to be copied.`,
    ]);
    const environment = {
      ...{ PLANNER_DATABASE: cluster.primary.url, PLANNER_DATABASE_SCHEMA: schema, PLANNER_DURABILITY: 'disk' },
      PLANNER_DRAIN_SECONDS: '0',
    };
    const commands = [['projects'], ['serve', '--hosted', '--base-url', 'https://plan.example.org', '--port', '0']];
    for (const argv of commands) {
      const { code, output, errors } = await runCommand(argv, { environment });
      expect([code, output]).to.deep.equal([1, '']);
      expect(errors).to.include('lacks the bytes of 1 of its files').and.to.include(copyFromBucket);
    }
    await upload(await make(nodes.rest(0)));
    expect((await runCommand(['projects'], { environment })).code).to.equal(0);
    const copied = Buffer.from(await (await fetch(`${nodes.url(1)}/api/v1/files/${id}`)).arrayBuffer());
    expect(copied.equals(bytes)).to.equal(true);
  });

  it('refuse operations on files, and report without a credential that they are ready [A.nodes.files, A.nodes.ready]', async () => {
    nodes = await HostedNodes.start(cluster, 1, { access: hosted });
    expect((await nodes.rest(0).get('/ready')).body).to.deep.equal({ ready: true });
    await nodes.stop();
    nodes = await HostedNodes.start(cluster, 1);
    const flushed = await nodes.rest(0).post('/flush');
    expect([flushed.status, flushed.body.error]).to.deep.equal([409, 'conflict']);
    expect((await nodes.rest(0).get('/doctor')).body).to.deep.equal({ problems: [], mended: [] });
    const project = await make(nodes.rest(0));
    const pulled = await nodes.rest(0).post(`/projects/${project}/sync`, {});
    expect(pulled.status).to.be.within(400, 409);
  });

  it('answer 503 while the database is away, and go on when it is back [A.nodes.away, A.nodes.ready]', async () => {
    nodes = await HostedNodes.start(cluster, 0);
    const link = await cluster.link();
    await nodes.add({}, { url: link.url, resolveMs: 300, answerMs: 300 });
    const rest = nodes.rest(0);
    const project = await make(rest);
    const { body: task } = await rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
    link.pause();
    const [read, written, ready] = await Promise.all([
      rest.get(`/tasks/${task.id}`),
      rest.patch(`/tasks/${task.id}`, { status: 'done' }),
      rest.get('/ready'),
    ]);
    for (const { status, body, headers } of [read, written]) {
      expect([status, body.error], JSON.stringify(body)).to.deep.equal([503, 'unavailable']);
      expect(Number(headers.get('retry-after'))).to.be.at.least(1);
    }
    expect([ready.status, ready.body.ready]).to.deep.equal([503, false]);
    link.resume();
    await until(async () => (await rest.get('/ready')).status === 200);
    // The unknown outcome is decided: the change is there or it is not, and the next one follows it.
    expect((await rest.patch(`/tasks/${task.id}`, { status: 'scope' })).status).to.equal(200);
    await nodes.add();
    expect((await nodes.rest(1).get(`/tasks/${task.id}`)).body.status).to.equal('scope');
    await nodes.stop();
    await link.stop();
  });

  it('end while the database is away, without waiting for it as long as calls do [A.nodes.away]', async function () {
    // A call waits for 30 s.
    this.timeout(25_000);
    nodes = await HostedNodes.start(cluster, 0);
    const link = await cluster.link();
    await nodes.add({}, { url: link.url });
    const rest = nodes.rest(0);
    const project = await make(rest);
    link.pause();
    const given = rest.post(`/projects/${project}/tasks`, { label: 'Dig' });
    // The call has arrived by then.
    expect((await rest.get('/ready')).status).to.equal(503);
    await link.stop();
    await nodes.stop();
    expect((await given).status).to.equal(503);
  });
});
