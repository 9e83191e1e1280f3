import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Event, Webhook, WebhookDelivery } from '../../src/schema/types.ts';
import { limits } from '../../src/base/limits.ts';
import { EventStream } from '../support/event-stream.ts';
import { LeapingClock } from '../support/leaping-clock.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';
import { WebhookReceiver, isSigned } from '../support/webhook-receiver.ts';
import { rarely } from '../support/rarely.ts';

describe('Webhooks', () => {
  let receiver: WebhookReceiver;
  let service: TestService;
  let project: string;
  let clock: LeapingClock;
  beforeEach(async () => {
    receiver = await WebhookReceiver.open();
    clock = new LeapingClock();
    service = await TestService.start({ clock, webhookHosts: { allowed: new Set([receiver.host]) } });
    project = await service.project();
  });
  afterEach(async () => {
    await service.stop();
    await receiver.close();
  });

  const make = (label: string): Promise<unknown> => service.rest.post(`/projects/${project}/tasks`, { label });

  async function create(more: object = {}): Promise<{ readonly id: string; readonly secret: string }> {
    const { status, body } = await service.rest.post(`/projects/${project}/webhooks`, { url: receiver.url, ...more });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as { readonly id: string; readonly secret: string };
  }

  async function shown(): Promise<Webhook> {
    return ((await service.rest.get(`/projects/${project}/webhooks`)).body as { webhooks: Webhook[] }).webhooks[0]!;
  }

  async function deliveries(id: string): Promise<WebhookDelivery[]> {
    return ((await service.rest.get(`/webhooks/${id}/deliveries`)).body as { deliveries: WebhookDelivery[] })
      .deliveries;
  }

  async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await read();
      if (holds(value)) return value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Lets the retry come that is due next. */
  async function retry(failures: number): Promise<void> {
    const isDue = (hook: Webhook): boolean => hook.failures >= failures && hook.retry_at !== null;
    const { retry_at: at } = await until(shown, (hook) => isDue(hook) || hook.state === 'paused');
    // The last retry may be due immediately.
    if (at === null) return;
    // A timer is due up to a millisecond late, because the wall clock has whole ones.
    clock.leap(Math.max(0, Date.parse(at) - clock.now()) + 2);
  }

  it('deliver each event of their types once, in order and signed [A.feed.webhooks, A.feed.webhooks.signature]', async () => {
    await make('before');
    const { id, secret } = await create({ types: ['task.created'] });
    for (const label of ['one', 'two', 'three']) await make(label);
    await service.rest.post(`/projects/${project}/notes`, { title: 'a note', body: 'of no interest' });
    await make('four');
    await receiver.count(4);
    expect(receiver.labels).to.deep.equal(['one', 'two', 'three', 'four']);
    for (const received of receiver.received) {
      expect(isSigned(received, secret)).to.equal(true);
      expect(isSigned({ ...received, body: `${received.body} ` }, secret)).to.equal(false);
      expect(received.headers['content-type']).to.equal('application/json');
      expect(received.message.type).to.equal('task.created');
      expect(received.message.timestamp).to.equal(received.message.data.at);
      expect(received.message.data.project_id).to.equal(project);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(4);
    const listed = await until(
      () => deliveries(id),
      (list) => list.length === 4,
    );
    expect(listed.map(({ delivered, status, attempt }) => [delivered, status, attempt])).to.deep.equal(
      [1, 2, 3, 4].map(() => [true, 204, 1]),
    );
    expect(listed.map(({ message_id }) => message_id)).to.deep.equal(
      receiver.received.map(({ headers }) => headers['webhook-id']),
    );
  });

  it('deliver the questions of runs and their answers [A.feed.webhooks, D7.run-events]', async () => {
    await create({ types: ['run.asks', 'run.answered'] });
    const { id: run } = (await service.rest.post(`/projects/${project}/agent-runs`, { label: 'Night' })).body;
    await service.rest.patch(`/agent-runs/${run}`, { awaiting: { question: 'Which', choices: ['A', 'B'] } });
    await service.rest.post(`/agent-runs/${run}/answer`, { answer: 'A' });
    await receiver.count(2);
    expect(receiver.received.map(({ message: { data } }) => [data.resource.id, data.changes])).to.deep.equal([
      [
        run,
        [
          { field: 'question', to: 'Which' },
          { field: 'choices', to: ['A', 'B'] },
        ],
      ],
      [
        run,
        [
          { field: 'question', to: 'Which' },
          { field: 'answer', to: 'A' },
        ],
      ],
    ]);
  });

  it('show their secret once, also if the call is repeated [A.feed.webhooks.signature]', async () => {
    const headers = { 'Idempotency-Key': 'one-call-of-many' };
    const path = `/projects/${project}/webhooks`;
    const first = await service.rest.post(path, { url: receiver.url }, headers);
    const again = await service.rest.post(path, { url: receiver.url }, headers);
    expect(again.body).to.deep.equal(first.body);
    const { id, secret } = first.body as { readonly id: string; readonly secret: string };
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).to.have.length(32);
    await make('one');
    await receiver.count(1);
    await until(
      () => deliveries(id),
      (list) => list.length === 1,
    );
    const answers = await Promise.all([
      service.rest.get(path),
      service.rest.get(`/webhooks/${id}/deliveries`),
      service.rest.post(`/webhooks/${id}/pause`),
      service.rest.post(`/webhooks/${id}/resume`),
    ]);
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect(JSON.stringify(body)).not.to.include(secret);
    }
    expect(JSON.stringify(service.log)).not.to.include(secret);
    expect(JSON.stringify(service.log)).not.to.include('/hook"');
  });

  it('repeat a failed delivery later, and nothing overtakes it [A.feed.webhooks, A.feed.webhooks.retry]', async () => {
    const { id } = await create({ types: ['task.created'] });
    receiver.answers.push(
      { status: 500, body: 'no '.repeat(1000) },
      { status: 302, headers: { Location: `https://${receiver.host}/elsewhere` } },
    );
    await make('one');
    await make('two');
    await retry(1);
    await retry(2);
    await receiver.count(4);
    expect(receiver.labels).to.deep.equal(['one', 'one', 'one', 'two']);
    expect(receiver.received.every(({ path }) => path === '/hook')).to.equal(true);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids.slice(0, 3)).size).to.equal(1);
    expect(ids[3]).not.to.equal(ids[0]);
    const listed = await until(
      () => deliveries(id),
      (list) => list.length === 4,
    );
    expect(listed.map(({ status, attempt }) => [status, attempt])).to.deep.equal([
      [500, 1],
      [302, 2],
      [204, 3],
      [204, 1],
    ]);
    expect(listed[0]!.answer).to.equal('no '.repeat(1000).slice(0, limits.webhookAnswerCharactersMax));
    expect((await shown()).state).to.equal('active');
  });

  it('end an attempt without an answer after 5 seconds [A.feed.webhooks.retry]', async () => {
    const { id } = await create();
    receiver.answers.push({ silent: true });
    await make('one');
    await receiver.count(1);
    clock.leap(limits.webhookTimeoutMs + 1);
    const [delivery] = await until(
      () => deliveries(id),
      (list) => list.length === 1,
    );
    expect(delivery).to.include({ status: null, delivered: false, error: 'No answer within 5000 ms.' });
    await retry(1);
    await receiver.count(2);
  });

  it('pause after 24 hours of failures, which is a problem until they are resumed [A.feed.webhooks.retry]', async () => {
    const { id } = await create({ types: ['task.created'] });
    await service.rest.post(`/webhooks/${id}/pause`);
    await make('one');
    const { port } = receiver;
    receiver.refuse();
    await service.rest.post(`/webhooks/${id}/resume`);
    const began = clock.now();
    for (let failures = 1; (await until(shown, (hook) => hook.failures >= failures)).state !== 'paused'; failures++)
      await retry(failures);
    const hours = (clock.now() - began) / 3_600_000;
    expect(hours).to.be.within(24, 24.1);
    const paused = await shown();
    expect(paused.paused?.reason).to.equal('failing');
    expect(paused.failures).to.be.within(25, 80);
    const path = `/projects/${project}/problems`;
    const { problems } = (await service.rest.get(path)).body as { problems: { kind: string; reason: string }[] };
    expect(problems.map(({ kind }) => kind)).to.deep.equal(['webhook_paused']);
    expect(problems[0]!.reason).to.include(id).and.to.include(`127.0.0.1:${port}`).and.not.to.include('/hook');
    const resumed = await service.rest.post(`/webhooks/${id}/resume`);
    expect(resumed.body).to.include({ state: 'active', failures: 0 });
    expect((await service.rest.get(path)).body.problems).to.deep.equal([]);
  }).timeout(60_000);

  it('pause immediately if the receiver answers 410, and continue with the same event [A.feed.webhooks.retry]', async () => {
    const { id } = await create({ types: ['task.created'] });
    receiver.answers.push({ status: 410 });
    await make('one');
    const hook = await until(shown, ({ state }) => state === 'paused');
    expect(hook.paused?.reason).to.equal('gone');
    await make('two');
    await service.rest.post(`/webhooks/${id}/resume`);
    await receiver.count(3);
    expect(receiver.labels).to.deep.equal(['one', 'one', 'two']);
  });

  it('hold events back while a person has paused them [A.feed.webhooks]', async () => {
    const { id } = await create({ types: ['task.created'] });
    expect((await service.rest.post(`/webhooks/${id}/pause`)).body).to.include({ state: 'paused' });
    await make('one');
    await service.restart();
    expect((await shown()).paused?.reason).to.equal('requested');
    await make('two');
    expect(receiver.received).to.deep.equal([]);
    await service.rest.post(`/webhooks/${id}/resume`);
    await receiver.count(2);
    expect(receiver.labels).to.deep.equal(['one', 'two']);
  });

  it('continue after a restart where they were [A.feed.webhooks]', async () => {
    await create({ types: ['task.created'] });
    await make('one');
    await receiver.count(1);
    receiver.answers.push({ silent: true });
    await make('two');
    await receiver.count(2);
    // The answer to the second one never came.
    await service.restart();
    await make('three');
    await receiver.count(4);
    expect(receiver.labels).to.deep.equal(['one', 'two', 'two', 'three']);
  });

  it('pause if their next events are no longer kept, and then continue with new ones [A.feed.webhooks.retry]', async () => {
    const { id } = await create({ types: ['task.created'] });
    await service.rest.post(`/webhooks/${id}/pause`);
    await make('one');
    await service.restart({}, () => rmSync(join(service.root, 'local/events'), { recursive: true }));
    await service.rest.post(`/webhooks/${id}/resume`);
    const hook = await until(shown, ({ state }) => state === 'paused');
    expect(hook.paused?.reason).to.equal('expired');
    await make('two');
    expect((await service.rest.post(`/webhooks/${id}/resume`)).body).to.include({ state: 'active' });
    await make('three');
    await receiver.count(1);
    expect(receiver.labels).to.deep.equal(['three']);
  });

  rarely('keep the last 100 deliveries, each of which can be repeated [A.feed.webhooks.deliveries]', async () => {
    const { id } = await create({ types: ['task.created'] });
    const count = limits.webhookDeliveriesKept + 5;
    for (let index = 0; index < count; index++) await make(`task ${index}`);
    await receiver.count(count);
    const all = await until(
      () => deliveries(id),
      (list) => list.at(-1)?.message_id === receiver.received.at(-1)!.headers['webhook-id'],
    );
    expect(all).to.have.length(limits.webhookDeliveriesKept);
    expect(all[0]!.message_id).to.equal(receiver.received[5]!.headers['webhook-id']);
    await service.rest.post(`/webhooks/${id}/pause`);
    const again = await service.rest.post(`/webhooks/${id}/deliveries/${all[7]!.id}/redeliver`);
    expect(again.status).to.equal(202);
    await receiver.count(count + 1);
    expect(receiver.labels.at(-1)).to.equal('task 12');
    expect(receiver.received.at(-1)!.headers['webhook-id']).to.equal(all[7]!.message_id);
    const listed = await until(
      () => deliveries(id),
      (list) => list.at(-1)!.redelivery,
    );
    expect(listed).to.have.length(limits.webhookDeliveriesKept);
    const unknown = await service.rest.post(`/webhooks/${id}/deliveries/dlv_unknown/redeliver`);
    expect(unknown.status).to.equal(404);
  });

  rarely('of one project that get no answer do not delay other projects [A.feed.webhooks.fair]', async () => {
    const projects = [project, project, await service.project('Other')];
    expect(projects.length - 1).to.equal(limits.webhookConnectionsPerProjectMax);
    receiver.answers.push(...Array.from({ length: limits.webhooksPerProjectMax }, () => ({ silent: true }) as const));
    for (let made = 0; made < limits.webhooksPerProjectMax; made++) await create();
    await make('nobody answers');
    await receiver.count(limits.webhookConnectionsPerProjectMax);
    project = projects.at(-1)!;
    await create();
    await make('one');
    await receiver.count(projects.length);
    expect(receiver.received.map(({ message }) => message.data.project_id)).to.deep.equal(projects);
  });

  it('are neither shown to agents nor changed by them [A.feed.webhooks.people]', async () => {
    const { id } = await create();
    const key = await service.rest.post('/keys', { kind: 'agent', project_id: project });
    const headers = { Authorization: `Bearer ${(key.body as { readonly secret: string }).secret}` };
    const agent = new RestClient(service.url, headers);
    const answers = await Promise.all([
      agent.get(`/projects/${project}/webhooks`),
      agent.post(`/projects/${project}/webhooks`, { url: receiver.url }),
      ...['pause', 'resume'].map((change) => agent.post(`/webhooks/${id}/${change}`)),
      agent.get(`/webhooks/${id}/deliveries`),
      agent.post(`/webhooks/${id}/deliveries/dlv_any/redeliver`),
      agent.delete(`/webhooks/${id}`),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 403));
    const mcp = await service.mcp();
    const { tools } = await mcp.sdk.listTools();
    expect(tools.filter(({ name }) => name.includes('webhook'))).to.deep.equal([]);
  });

  it('that are paused are a problem for people, and none for agents [A.feed.webhooks.people]', async () => {
    const key = await service.rest.post('/keys', { kind: 'agent', project_id: project });
    const headers = { Authorization: `Bearer ${(key.body as { readonly secret: string }).secret}` };
    const agent = new RestClient(service.url, headers);
    const behind = async (path: string): Promise<string> =>
      `${path}?since=${(await service.rest.get(`${path}?since=now`)).body.cursor}`;
    const [feed, all] = [await behind(`/projects/${project}/events`), await behind('/feed')];
    // Followers of the same feed share their reads.
    const people = await EventStream.open(service.url, feed);
    const agents = await EventStream.open(service.url, feed, headers);
    const { id } = await create({ types: ['task.created'] });
    receiver.answers.push({ status: 410 });
    await make('one');
    const types = (events: readonly Event[]): string[] => events.map(({ type }) => type);
    expect(types(await people.take(2))).to.deep.equal(['task.created', 'problem.found']);
    await service.rest.post(`/webhooks/${id}/resume`);
    expect(types(await people.take(1))).to.deep.equal(['problem.cleared']);
    await make('two');
    expect(types(await agents.take(2))).to.deep.equal(['task.created', 'task.created']);
    for (const stream of [people, agents]) stream.close();
    receiver.answers.push({ status: 410 });
    await make('three');
    await until(shown, ({ state }) => state === 'paused');
    const listed = `/projects/${project}/problems`;
    expect((await service.rest.get(listed)).body.problems).to.have.length(1);
    const { body, headers: tags } = await agent.get(listed);
    expect(body.problems).to.deep.equal([]);
    expect((await service.rest.get(listed, { 'If-None-Match': tags.get('etag')! })).status).to.equal(200);
    for (const path of [feed, `${feed}&types=problem`, `${feed}&wait=1`, all]) {
      expect(JSON.stringify((await service.rest.get(path)).body))
        .to.include(id)
        .and.include(receiver.host);
      const { status, body: seen } = await agent.get(path);
      expect([status, types(seen.events as Event[]).filter((type) => type.startsWith('problem'))]).to.deep.equal([
        200,
        [],
      ]);
    }
  });

  it('end when they are deleted, or their project is [A.feed.webhooks]', async () => {
    const { id } = await create({ types: ['task.created'] });
    await make('one');
    await receiver.count(1);
    expect((await service.rest.delete(`/webhooks/${id}`)).status).to.equal(204);
    await make('two');
    expect((await service.rest.get(`/webhooks/${id}/deliveries`)).status).to.equal(404);
    const second = await create({ types: ['task.created'] });
    await make('three');
    await receiver.count(2);
    expect(receiver.labels).to.deep.equal(['one', 'three']);
    await service.rest.delete(`/projects/${project}`);
    expect((await service.rest.get(`/webhooks/${second.id}/deliveries`)).status).to.equal(404);
    await service.restart();
    const left = (): Promise<number> =>
      service.store.readService((records) =>
        ['webhooks', 'webhook_progress', 'webhook_deliveries'].reduce(
          (sum, name) => sum + [...records.list(name)].length,
          0,
        ),
      );
    await until(left, (count) => count === 0);
  });
});
