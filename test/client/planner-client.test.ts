import { expect } from 'chai';
import { PlannerClient, PlannerError } from '../../src/client/index.ts';
import type { PlannerClientOptions } from '../../src/client/index.ts';
import { FakeMcp, sendEvents } from '../support/fake-mcp.ts';
import { HostedService } from '../support/hosted-service.ts';
import { freePort } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';

describe('planner/client [D11.client]', () => {
  let stop: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    await Promise.all(stop.map((one) => one()));
    stop = [];
    delete process.env['PLANNER_URL'];
    delete process.env['PLANNER_MCP_TOKEN'];
  });

  async function service(): Promise<TestService> {
    const started = await TestService.start();
    stop.push(() => started.stop());
    return started;
  }

  async function fake(...args: Parameters<typeof FakeMcp.start>): Promise<FakeMcp> {
    const started = await FakeMcp.start(...args);
    stop.push(() => started.stop());
    return started;
  }

  async function connect(options?: PlannerClientOptions): Promise<PlannerClient> {
    const client = await PlannerClient.connect(options);
    stop.unshift(() => client.close());
    return client;
  }

  async function errorOf(promise: Promise<unknown>): Promise<PlannerError> {
    const thrown = await promise.then(
      () => expect.fail('It was not refused.'),
      (error: unknown) => error,
    );
    expect(thrown).to.be.instanceOf(PlannerError);
    return thrown as PlannerError;
  }

  it('reads the service from PLANNER_URL and the key from PLANNER_MCP_TOKEN [S.auth.2]', async () => {
    const hosted = await HostedService.start();
    stop.push(() => hosted.stop());
    const project_id = await hosted.project('Hosted');
    await hosted.project('Another');
    const { secret } = await hosted.key('agent', { project_id, name: 'ci' });
    process.env['PLANNER_URL'] = hosted.url;
    expect((await errorOf(PlannerClient.connect())).code).to.equal('unauthorized');
    process.env['PLANNER_MCP_TOKEN'] = secret;
    const client = await connect();
    expect(client.instructions).to.include('The bound project is "Hosted"');
    expect((await client.listTools()).map(({ name }) => name)).to.include.members(['create_task', 'claim_task']);
    const { task } = await client.call('create_task', { label: 'From a program', tags: ['ci'] });
    expect(task.project_id).to.equal(project_id);
    expect((await client.call('list_projects', {})).projects.map(({ name }) => name)).to.deep.equal(['Hosted']);
  });

  it('accepts both as options, and sends the key of the environment to no other service [S.auth.2]', async () => {
    const other = await fake();
    process.env['PLANNER_URL'] = 'http://127.0.0.1:9';
    process.env['PLANNER_MCP_TOKEN'] = 'pln_agent_of-the-environment';
    await connect({ url: other.url });
    await connect({ url: `${other.url}/mcp/`, token: 'pln_agent_given' });
    const sent = other.received.map(({ headers }) => headers.authorization);
    expect(sent).to.deep.equal([undefined, 'Bearer pln_agent_given']);
  });

  it('reports missing and invalid options before it sends anything [S.auth.2]', async () => {
    const missing = await errorOf(PlannerClient.connect());
    expect(missing).to.include({ code: 'invalid_argument', field: 'PLANNER_URL' });
    expect(await errorOf(PlannerClient.connect({ url: 'plan.example.org' }))).to.include({ field: 'url' });
    const token = await errorOf(PlannerClient.connect({ url: 'http://127.0.0.1:9', token: 'a\nb' }));
    expect(token).to.include({ field: 'token' });
    expect(token.message).not.to.include('a\nb');
  });

  it("rejects with a tool's error: its code, field and details", async () => {
    const { url } = await service();
    const client = await connect({ url });
    const { project } = await client.call('create_project', { name: 'Refusing' });
    const { id: project_id } = project;
    const blank = await errorOf(client.call('create_task', { project_id, label: ' ' }));
    expect(blank).to.include({ code: 'invalid_argument', field: 'label' });
    expect((await errorOf(client.call('get_task', { task_id: 'tsk_none' }))).details).to.deep.equal({
      resource: 'task',
      id: 'tsk_none',
    });
    const { goal } = await client.call('create_goal', { project_id, name: 'Empty', objective: 'None.' });
    const refused = await errorOf(client.call('invoke_goal', { goal_id: goal.id }));
    expect(refused.code).to.equal('conflict');
    expect(refused.details).to.include({ ok: false, reason: 'no_todo_tasks' });
    const unknown = await errorOf(client.call('drop_everything' as 'list_tags', {}));
    expect(unknown).to.include({ code: 'invalid_argument' });
  });

  it('uses its project for calls without one, in a session with its name [D2.project-key]', async () => {
    const { url, rest } = await service();
    const { body: project } = await rest.post('/projects', { name: 'Meant' });
    await rest.post('/projects', { name: 'Another' });
    const client = await connect({ url, project: project.id, name: 'nightly' });
    const { task } = await client.call('create_task', { label: 'Meant' });
    await client.call('update_task', { task_id: task.id, status: 'done' });
    const { revisions } = await client.call('list_revisions', { target_type: 'task', target_id: task.id });
    expect(revisions.map(({ author }) => author)).to.deep.equal(['agent:nightly']);
  });

  it('executes a call once per idempotency key [D1.idempotency]', async () => {
    const { url } = await service();
    const client = await connect({ url });
    const { project } = await client.call('create_project', { name: 'Once' });
    const add = (key?: string): Promise<string> =>
      client.call('create_task', { project_id: project.id, label: 'Same' }, { key }).then(({ task }) => task.id);
    expect(await add('key-1')).to.equal(await add('key-1'));
    expect(await add()).not.to.equal(await add());
    expect((await client.call('list_tasks', { project_id: project.id })).tasks).to.have.length(3);
  });

  it('rejects if a retried call was executed but its result is no longer stored [A.hostile.repeats-changed]', async () => {
    const { url } = await service();
    const client = await connect({ url });
    const { project } = await client.call('create_project', { name: 'Long' });
    const input = { project_id: project.id, title: 'Long', body: 'Long. '.repeat(20_000) };
    const { document } = await client.call('create_document', input, { key: 'key-1' });
    await client.call('update_document', { document_id: document.id, title: 'Later' });
    const error = await errorOf(client.call('create_document', input, { key: 'key-1' }));
    expect([error.code, error.details]).to.deep.equal([
      'conflict',
      {
        outcome: 'done',
        read: { operation: 'get_document', input: { project_id: project.id, document_id: document.id } },
      },
    ]);
    expect((await client.call('list_documents', { project_id: project.id })).documents).to.have.length(1);
  });

  it('retries a call whose response was lost, and the change is made once [D1.idempotency]', async () => {
    const { url, rest } = await service();
    const { body: project } = await rest.post('/projects', { name: 'Lost answers' });
    let lost = 0;
    const between = await fake(async ({ headers: _, ...message }, response) => {
      const answer = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify(message),
      });
      const text = await answer.text();
      if (lost++ < 2) response.destroy();
      else response.writeHead(200, { 'Content-Type': 'application/json' }).end(text);
      return undefined;
    });
    const client = await connect({ url: between.url });
    const { task } = await client.call('create_task', { project_id: project.id, label: 'Once' });
    expect(lost).to.equal(3);
    const { body } = await rest.get(`/projects/${project.id}/tasks`);
    expect(body.tasks.map(({ id }: { id: string }) => id)).to.deep.equal([task.id]);
  });

  it('continues its session after a restart of the service [D2.session-resume]', async () => {
    const port = await freePort();
    const restarted = await TestService.start({ port });
    stop.push(() => restarted.stop());
    const client = await connect({ url: restarted.url });
    const { project } = await client.call('create_project', { name: 'Restarted' });
    const { goal } = await client.call('create_goal', { project_id: project.id, name: 'G', objective: 'O.' });
    await client.call('set_current_goal', { goal_id: goal.id });
    const restart = restarted.restart();
    const made = client.call('create_task', { project_id: project.id, goal_id: goal.id, label: 'Meanwhile' });
    await restart;
    expect((await made).task.label).to.equal('Meanwhile');
    const { next } = await client.call('get_next_task', { project_id: project.id });
    expect(next.next_task?.label).to.equal('Meanwhile');
  });

  it('stops retrying after its timeout, and reports whether the call may have been executed', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const unreachable = await errorOf(PlannerClient.connect({ url, retryMs: 50 }));
    expect(unreachable).to.include({ code: 'unavailable' });
    expect(unreachable.message).to.include(url).and.include('ECONNREFUSED');
    expect(unreachable.details).to.deep.equal({});
    const breaking = await fake((_, response) => void response.destroy());
    const client = await connect({ url: breaking.url, retryMs: 50 });
    const error = await errorOf(client.call('list_projects', {}));
    expect(error.code).to.equal('unavailable');
    expect(error.details).to.deep.equal({ outcome: 'unknown' });
  });

  it('does not accept other programs as a service, and follows no redirects with its key', async () => {
    const page = await fake((_, response) => void response.writeHead(200).end('<h1>Hello</h1>'));
    const client = await connect({ url: page.url });
    expect((await errorOf(client.listTools())).message).to.include('not a JSON-RPC message');
    const target = await fake();
    page.answer = (_, response) => void response.writeHead(307, { Location: `${target.url}/mcp` }).end();
    expect((await errorOf(client.listTools())).code).to.equal('unavailable');
    expect(target.received).to.deep.equal([]);
    page.answer = (_, response) => void response.writeHead(404).end('Not here.');
    expect((await errorOf(client.listTools())).message).to.include('responds with 404');
  });

  it('aborts at a signal, before a call and during one', async () => {
    const slow = await fake(() => new Promise(() => undefined));
    const client = await connect({ url: slow.url });
    const reason = new Error('Enough.');
    const early = client.call('list_projects', {}, { signal: AbortSignal.abort(reason) });
    expect(await early.catch((error: unknown) => error)).to.equal(reason);
    const controller = new AbortController();
    const late = client.call('list_projects', {}, { signal: controller.signal });
    while (slow.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    expect(await late.catch((error: unknown) => error)).to.equal(reason);
  });

  it('reads a response from an event stream', async () => {
    const streaming = await fake(({ id }, response) =>
      sendEvents(response, [
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
        { jsonrpc: '2.0', id, result: { tools: [{ name: 'ü' }] } },
      ]),
    );
    const client = await connect({ url: streaming.url });
    expect((await client.listTools()).map(({ name }) => name)).to.deep.equal(['ü']);
    streaming.answer = (_, response) => sendEvents(response, [{ jsonrpc: '2.0', method: 'notifications/progress' }]);
    const impatient = await connect({ url: streaming.url, retryMs: 20 });
    expect((await errorOf(impatient.listTools())).code).to.equal('unavailable');
  });
});
