import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { limits } from '../../src/base/limits.ts';
import { type Transport, mcpTransport, overBoth, restTransport } from '../support/both.ts';
import { TestService } from '../support/service.ts';

interface Run {
  readonly id: string;
  readonly events: readonly { readonly id: string; readonly message: string }[];
}

const fields = [
  ...['id', 'project_id', 'status', 'label', 'agent_ref', 'started_at', 'completed_at', 'events', 'asks'],
  ...['created_at', 'updated_at'],
];

describe('Agent runs', () => {
  overBoth(
    'are started, collect progress and are closed as completed or failed [S.state.run, D7.run, S.mcp.start_agent_run, S.mcp.record_agent_progress, S.mcp.complete_agent_run]',
    async (transport) => {
      const project_id = await transport.service.project();
      const plain = await transport.call('start_agent_run', { project_id });
      expect(plain).to.have.all.keys(...fields);
      expect(plain).to.deep.include({
        project_id,
        status: 'running',
        label: null,
        agent_ref: null,
        completed_at: null,
      });
      expect(plain).to.deep.include({ events: [], started_at: plain.created_at });
      expect(plain.id).to.match(/^run_/);
      const run = await transport.call('start_agent_run', { project_id, label: 'Night', agent_ref: 'bot-1' });
      expect(run).to.include({ label: 'Night', agent_ref: 'bot-1' });
      const event = await transport.call('record_agent_progress', { run_id: run.id, message: 'Dug the **bed**' });
      expect(event).to.have.all.keys('id', 'run_id', 'message', 'created_at');
      expect(event).to.include({ run_id: run.id, message: 'Dug the **bed**' });
      await transport.call('record_agent_progress', { run_id: run.id, message: 'Sowed' });
      const closed = await transport.call('complete_agent_run', { run_id: run.id, status: 'failed' });
      expect(closed).to.include({ id: run.id, status: 'failed', events_total: 2 });
      expect(closed.completed_at).to.be.a('string');
      expect(await transport.call('complete_agent_run', { run_id: plain.id })).to.include({ status: 'completed' });
      for (const [operation, input, field] of [
        ['start_agent_run', { project_id, label: ' ' }, 'label'],
        ['start_agent_run', { project_id, status: 'failed' }, 'status'],
        ['record_agent_progress', { run_id: run.id, message: ' ' }, 'message'],
        ['record_agent_progress', { run_id: run.id, message: 'x'.repeat(10_001) }, 'message'],
        ['record_agent_progress', { run_id: run.id }, 'message'],
        ['complete_agent_run', { run_id: run.id, status: 'running' }, 'status'],
      ] as const)
        expect(await transport.refusal(operation, input), field).to.include({ error: 'invalid_argument', field });
      expect(await transport.refusal('record_agent_progress', { run_id: 'run_none', message: 'x' })).to.include({
        error: 'not_found',
        resource: 'run',
        id: 'run_none',
      });
    },
  );

  overBoth('reject further entries after they are closed [D7.run-closed]', async (transport) => {
    const project_id = await transport.service.project();
    for (const status of ['completed', 'failed']) {
      const { id: run_id } = await transport.call('start_agent_run', { project_id });
      await transport.call('complete_agent_run', { run_id, status });
      for (const [operation, input] of [
        ['record_agent_progress', { message: 'late' }],
        ['complete_agent_run', { status: 'completed' }],
        ['complete_agent_run', { status: 'failed' }],
      ] as const)
        expect(await transport.refusal(operation, { run_id, ...input })).to.include({ error: 'conflict', status });
      expect((await transport.service.rest.get(`/agent-runs/${run_id}`)).body).to.deep.include({ status, events: [] });
    }
  });
});

describe('A closed run', () => {
  overBoth('is reopened by a person and goes on with its progress [D7.run-reopen]', async (transport) => {
    const project_id = await transport.service.project();
    const { rest } = transport.service;
    const { id: run_id } = await transport.call('start_agent_run', { project_id });
    await transport.call('record_agent_progress', { run_id, message: 'Dug' });
    await transport.call('complete_agent_run', { run_id, status: 'failed' });
    const reopen = (headers?: Record<string, string>): ReturnType<TestService['rest']['post']> =>
      rest.post(`/agent-runs/${run_id}/reopen`, undefined, headers);
    const { secret } = (await rest.post('/keys', { kind: 'agent', project_id, name: 'b' })).body as { secret: string };
    expect((await reopen({ Authorization: `Bearer ${secret}` })).status).to.equal(403);
    expect(await transport.refusal('record_agent_progress', { run_id, message: 'Sowed' })).to.include({
      error: 'conflict',
    });
    const { status, body } = await reopen();
    expect(status).to.equal(200);
    expect(body).to.include({ id: run_id, status: 'running', completed_at: null });
    await transport.call('record_agent_progress', { run_id, message: 'Sowed' });
    // A run that is not closed stays as it is.
    const { events } = (await reopen()).body as { events: { message: string }[] };
    expect(events.map(({ message }) => message)).to.deep.equal(['Dug', 'Sowed']);
    expect(await transport.call('complete_agent_run', { run_id })).to.include({ status: 'completed', events_total: 2 });
  });
});

describe('Agent runs, over REST', () => {
  /** How far the service's clock is ahead of the system's. */
  let aheadMs = 0;
  let service: TestService;
  let project_id: string;
  let rest: Transport;
  beforeEach(async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    service = await TestService.start({ clock });
    project_id = await service.project();
    rest = restTransport(service);
  });
  afterEach(() => service.stop());

  const start = async (): Promise<string> => (await rest.call('start_agent_run', { project_id })).id as string;

  it('are listed with their progress [S.run.events, S.rest.GET /projects/:id/agent-runs, S.rest.POST /agent-runs/:id/progress]', async () => {
    const path = `/projects/${project_id}/agent-runs`;
    const made = await service.rest.post(path, { label: 'Night' });
    expect(made.status).to.equal(201);
    const other = await start();
    const { id } = made.body as Run;
    const first = await service.rest.get(path);
    for (const message of ['one', 'two']) {
      const recorded = await service.rest.post(`/agent-runs/${id}/progress`, { message });
      expect([recorded.status, recorded.body.message]).to.deep.equal([201, message]);
    }
    const { runs } = (await service.rest.get(path)).body as { runs: Run[] };
    expect(runs.map((run) => run.id)).to.deep.equal([id, other]);
    expect(runs[0]!.events.map(({ message }) => message)).to.deep.equal(['one', 'two']);
    expect(runs[0]!.events[0]).to.have.all.keys('id', 'message', 'created_at');
    expect(runs[0]!.events[0]!.id).to.match(/^evt_/);
    const since = await service.rest.get(`${path}?since=${encodeURIComponent(first.headers.get('etag')!)}`);
    expect(since.body).to.deep.include({ runs: [runs[0]], removed: [] });
    await service.rest.patch(`/agent-runs/${other}`, { status: 'completed' });
    for (const [status, ids] of [
      ['running', [id]],
      ['completed', [other]],
      ['failed', []],
    ] as const) {
      const found = (await service.rest.get(`${path}?status=${status}`)).body.runs as Run[];
      expect(found.map((run) => run.id)).to.deep.equal(ids);
    }
    const page = (await service.rest.get(`${path}?limit=1`)).body;
    expect((await service.rest.get(`${path}?limit=1&cursor=${page.next_cursor}`)).body.runs[0].id).to.equal(other);
    await service.restart();
    const again = (await service.rest.get(path)).body as { runs: Run[] };
    expect(again.runs[0]).to.deep.equal(runs[0]);
  });

  it('are read, named and closed by their own route [D7.run, D7.run-closed]', async () => {
    const path = `/agent-runs/${await start()}`;
    const got = await service.rest.get(path);
    const etag = got.headers.get('etag')!;
    expect((await service.rest.get(path, { 'If-None-Match': etag })).status).to.equal(304);
    const named = await service.rest.patch(path, { label: 'Night', agent_ref: 'bot' }, { 'If-Match': etag });
    expect(named.body).to.include({ label: 'Night', agent_ref: 'bot', status: 'running' });
    expect((await service.rest.patch(path, { label: null }, { 'If-Match': etag })).status).to.equal(412);
    expect((await service.rest.patch(path, { status: 'running' })).body).to.include({ field: 'status' });
    const closed = await service.rest.patch(path, { status: 'failed' });
    expect(closed.body).to.include({ status: 'failed', label: 'Night' });
    expect(closed.body.completed_at).to.equal(closed.body.updated_at);
    for (const body of [{ label: 'x' }, { status: 'completed' }, {}])
      expect((await service.rest.patch(path, body)).status).to.equal(409);
  });

  it('renew the leases of their agent [D3.lease-progress]', async () => {
    const claimed = async (transport: Transport, agent_ref: string): Promise<string> => {
      const { id: task_id } = await rest.call('create_task', { project_id, label: 'Dig' });
      await transport.call('claim_task', { task_id, agent_ref, lease_seconds: 600 });
      return task_id as string;
    };
    const agent = mcpTransport(service, await service.mcp());
    const [own, named, others] = [await claimed(agent, 'ann'), await claimed(rest, 'bob'), await claimed(rest, 'cy')];
    const run_id = await start();
    const expiry = async (task_id: string): Promise<string> =>
      (await rest.call('get_task', { task_id })).lease_expires_at as string;
    const before = [await expiry(own), await expiry(named), await expiry(others)];
    aheadMs += 300_000;
    const bySession = await agent.call('record_agent_progress', { run_id, message: 'still digging' });
    expect(bySession.renewed).to.deep.equal([own]);
    const byName = await rest.call('record_agent_progress', { run_id, message: 'so does bob', agent_ref: 'bob' });
    expect(byName.renewed).to.deep.equal([named]);
    expect(await rest.call('record_agent_progress', { run_id, message: 'no session' })).not.to.have.property('renewed');
    expect((await expiry(own)) > before[0]!).to.equal(true);
    expect((await expiry(named)) > before[1]!).to.equal(true);
    expect(await expiry(others)).to.equal(before[2]);
  });

  it('have a maximal amount of progress', async () => {
    const run_id = await start();
    const message = 'x'.repeat(10_000);
    await service.store.update(project_id, { author: 'agent:x', source: 'rest' }, (tx) => {
      const events = Array.from({ length: Math.floor(limits.runMessagesBytesMax / message.length) - 1 }, (_, at) => ({
        ...{ id: `e${at}`, message, created_at: tx.now },
      }));
      tx.put('run', { ...tx.get('run', run_id)!, events });
    });
    await rest.call('record_agent_progress', { run_id, message });
    const refused = await rest.refusal('record_agent_progress', { run_id, message });
    expect(refused).to.include({ error: 'conflict' });
    expect(await rest.call('complete_agent_run', { run_id })).to.include({ status: 'completed' });
  });
});
